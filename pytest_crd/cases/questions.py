"""
What cases and checks ask: one place through which every such request goes to the engine.

Whoever wants to ask somebody else as well, a real server, hears the questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from pytest_crd.cases.model import Section
from pytest_crd.engine import CustomResourceDefinition, Response, Version
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.requests.requestbody import Body, FieldValidation


class Question(NamedTuple):
    """
    A request for a custom resource; of the sections `pruning` and `defaulting`, one for a pass alone.

    Attributes:
        version: The CRD version that is asked about.
        section: What is asked.
        body: What is sent, as far as it is stated.
        field_validation: What unknown and duplicate fields do.
        old: The object as it is stored before an update.
        old_version: The CRD version under which that was stored; None where it is *version*.
    """

    version: Version
    section: Section
    body: Body
    field_validation: FieldValidation = "Warn"
    old: Mapping[str, JSONValue] | None = None
    old_version: Version | None = None

    def answer(self) -> Response:
        """Return the engine's answer to a request."""
        requests = self.version.requests
        if self.old is None:
            return requests.create(self.body, field_validation=self.field_validation)
        update = requests.update_status if self.section is Section.UPDATE_STATUS else requests.update
        return update(self.body, old=self.old, field_validation=self.field_validation)


class CrdQuestion(NamedTuple):
    """
    What is asked of a CRD itself.

    Attributes:
        crd: The CRD.
        manifest: As it is written, unknown fields included.
        kind: What is asked: the kind of the check.
    """

    crd: CustomResourceDefinition
    manifest: Mapping[str, JSONValue]
    kind: str


AnyQuestion: TypeAlias = Question | CrdQuestion


def ask(question: Question) -> Response:
    """Return the engine's answer to *question*."""
    response = question.answer()
    tell(question)
    return response


def tell(question: AnyQuestion) -> None:
    """Let who listens to the CRD know of a question that the engine has answered."""
    crd = question.version.crd if isinstance(question, Question) else question.crd
    if (hear := crd.observer.question) is not None:
        hear(question)

"""
What cases and checks ask: one place through which every such request goes to the engine.

Whoever wants to ask somebody else as well, a real server, hears the questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from pytest_crd.cases.model import PATCHES
from pytest_crd.cases.sections import Section
from pytest_crd.engine import CustomResourceDefinition, Response, Version
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.requests import completion
from pytest_crd.engine.requests.requestbody import Body, FieldValidation


class SentApply(NamedTuple):
    """
    One of several applies.

    Attributes:
        manager: Who applies, the field manager.
        body: What is applied, as far as it is stated.
        force: Whether it takes over the fields of others.
    """

    manager: str
    body: Body
    force: bool = False


class Question(NamedTuple):
    """
    A request for a custom resource; of the sections `pruning` and `defaulting`, one for a pass alone; of applies several in a row.

    Attributes:
        version: The CRD version that is asked about.
        section: What is asked.
        body: What is sent, as far as it is stated: an object, or a patch; of applies what the last one sends.
        field_validation: What unknown and duplicate fields do.
        old: The object as it is stored before; None where nothing is.
        old_version: The CRD version under which that was stored; None where it is *version*.
        applies: The applies, each made to what the one before it left.
    """

    version: Version
    section: Section
    body: Body
    field_validation: FieldValidation = "Warn"
    old: Mapping[str, JSONValue] | None = None
    old_version: Version | None = None
    applies: tuple[SentApply, ...] = ()

    def answer(self) -> Response:
        """Return the engine's answer to the request, to the last one that is made."""
        return self.answers()[-1]

    def answers(self) -> tuple[Response, ...]:
        """Return the engine's answers to the requests, up to the first that is refused."""
        if not self.applies:
            return (self._answer(),)
        answers: list[Response] = []
        for apply in self.applies:
            answers.append(self.applied(apply, answers[-1] if answers else self.old))
            if not answers[-1].accepted:
                break
        return tuple(answers)

    def applied(
        self, apply: SentApply, old: Mapping[str, JSONValue] | Response | None, *, namespace: str | None = None
    ) -> Response:
        """Return the engine's answer to one of the applies, made to *old* in a namespace."""
        return self.version.requests.apply(
            apply.body,
            old=old,
            manager=apply.manager,
            force=apply.force,
            subresource=self.section.subresource,
            namespace=namespace,
            field_validation=self.field_validation,
        )

    def _answer(self) -> Response:
        requests, how = self.version.requests, self.field_validation
        if self.old is None:
            return requests.create(self.body, field_validation=how)
        if self.section in PATCHES:
            body, media_type = completion.patch(self.body.value, "")
            subresource = self.section.subresource
            return requests.patch(
                body, old=self.old, media_type=media_type, subresource=subresource, field_validation=how
            )
        update = requests.update_status if self.section is Section.UPDATE_STATUS else requests.update
        return update(self.body, old=self.old, field_validation=how)


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
    """Return the engine's answer to *question*, to the last of its requests."""
    return ask_all(question)[-1]


def ask_all(question: Question) -> tuple[Response, ...]:
    """Return the engine's answers to the requests of *question*, up to the first that is refused."""
    responses = question.answers()
    tell(question)
    return responses


def tell(question: AnyQuestion) -> None:
    """Let who listens to the CRD know of a question that the engine has answered."""
    crd = question.version.crd if isinstance(question, Question) else question.crd
    if (hear := crd.observer.question) is not None:
        hear(question)

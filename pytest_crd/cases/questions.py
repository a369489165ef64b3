"""
Questions of cases and checks: their requests, and the one place through which every such request goes to the engine.

An observer can listen to the questions and send them to a real server as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.cases.model import PATCHES, ApplyCase, Case, CreateCase, PatchCase, PolicyCase, UpdateCase
from pytest_crd.cases.sections import Section
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, Response
from pytest_crd.engine.client import completion
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import SESSION
from pytest_crd.engine.registry.requestbody import Body, FieldValidation
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.cases import casepatch
else:
    casepatch = lazyimport.module("pytest_crd.cases.casepatch")


class SentApply(NamedTuple):
    """
    A step of several applies.

    Attributes:
        manager: The field manager.
        body: The applied configuration, as far as it is stated.
        force: Whether it takes over fields of other managers.
    """

    manager: str
    body: Body
    force: bool = False


class Question(NamedTuple):
    """
    A request for a custom resource, a single pass (`pruning`, `defaulting`), or several applies in a row.

    Attributes:
        version: The CRD version.
        section: The kind of request.
        body: The object or patch, as far as it is stated; for applies the last one.
        field_validation: The treatment of unknown and duplicate fields.
        old: The stored object; None if nothing is stored.
        old_version: The CRD version under which *old* was stored; None for *version*.
        applies: The applies, each to the result of the one before.
    """

    version: CrdVersion
    section: Section
    body: Body
    field_validation: FieldValidation = "Warn"
    old: Mapping[str, JSONValue] | None = None
    old_version: CrdVersion | None = None
    applies: tuple[SentApply, ...] = ()

    def answer(self) -> Response:
        """Return the engine's answer to the last request of the question."""
        return self.answers()[-1]

    def answers(self) -> tuple[Response, ...]:
        """Return the engine's answers to the requests, up to the first refusal."""
        if not self.applies:
            return (self._answer(),)
        answers: list[Response] = []
        for apply in self.applies:
            answers.append(self.applied(apply, answers[-1] if answers else self._stored))
            if not answers[-1].accepted:
                break
        return tuple(answers)

    def prepare_version(self, version: CrdVersion) -> CrdVersion:
        """Return *version* for old objects in the storage version of the old CRD."""
        return version if self.old_version is None else version.over_objects_of(self.old_version)

    def applied(
        self, apply: SentApply, old: Mapping[str, JSONValue] | Response | None, *, namespace: str | None = None
    ) -> Response:
        """Return the engine's answer to an apply to *old*, in *namespace*."""
        return self.prepare_version(self.version).apply(
            apply.body,
            old=old,
            manager=apply.manager,
            force=apply.force,
            subresource=self.section.subresource,
            namespace=namespace,
            field_validation=self.field_validation,
        )

    @property
    def _stored(self) -> Mapping[str, JSONValue] | None:
        """The old object as a server stores it."""
        return None if self.old is None else CaseSubject(self.old_version or self.version).stored_form(self.old)

    def _answer(self) -> Response:
        version, field_validation, old = self.prepare_version(self.version), self.field_validation, self._stored
        if old is None:
            return version.create(self.body, field_validation=field_validation)
        if self.section in PATCHES:
            patch, subresource = self.body.value, self.section.subresource
            return version.patch(patch, old=old, subresource=subresource, field_validation=field_validation)
        update = version.update_status if self.section is Section.UPDATE_STATUS else version.update
        return update(self.body, old=old, field_validation=field_validation)


class CrdQuestion(NamedTuple):
    """
    A question about a CRD itself.

    Attributes:
        crd: The CRD.
        manifest: The manifest as written, unknown fields included.
        kind: The kind of the check.
    """

    crd: CustomResourceDefinition
    manifest: Mapping[str, JSONValue]
    kind: str


class PolicyQuestion(NamedTuple):
    """
    The request of a case about an admission policy.

    Attributes:
        case: The case.
        subject: The policy, a `cases.policies.policysubjects.PolicySubject`.
    """

    case: PolicyCase
    subject: Any


AnyQuestion: TypeAlias = Question | CrdQuestion | PolicyQuestion


def ask(question: Question) -> Response:
    """Return the engine's answer to the last request of *question*."""
    return ask_all(question)[-1]


def ask_all(question: Question) -> tuple[Response, ...]:
    """Return the engine's answers to the requests of *question*, up to the first refusal."""
    responses = question.answers()
    report_question(question)
    return responses


def report_question(question: AnyQuestion) -> None:
    """Report an answered question to the observer of its version or CRD; about a policy, to that of the session."""
    if isinstance(question, PolicyQuestion):
        observer = SESSION
    else:
        observer = (question.version if isinstance(question, Question) else question.crd).observer
    if (listener := observer.question) is not None:
        listener(question)


class Sent(NamedTuple):
    """
    The last request of a case.

    Attributes:
        body: The body of the request.
        input: The object as far as the case states it: the body, or the patched old object. Empty for requests to
            `/scale`, which send none, and for a patch that cannot be applied.
    """

    body: Body
    input: JSONValue


def question(case: CreateCase | UpdateCase, body: Body, version: CrdVersion, old_version: CrdVersion) -> Question:
    """
    Return the question of *case*.

    Args:
        case: A case about requests.
        body: The body of its last request.
        version: The CRD version.
        old_version: The CRD version under which the old object was stored.

    Raises:
        CaseFileError: The text of an earlier apply could not be read by the server.
    """
    result = Question(version, case.section, body, case.field_validation or "Warn")
    if isinstance(case, UpdateCase):
        result = result._replace(old=case.old, old_version=old_version)
    if isinstance(case, ApplyCase):
        bodies = [*(_applied(case, index) for index in range(len(case.steps) - 1)), body]
        steps = zip(case.steps, bodies, strict=True)
        result = result._replace(applies=tuple(SentApply(step.manager, sent, step.force) for step, sent in steps))
    return result


def read(case: Case) -> Sent:
    """
    Return the last request of *case*.

    Raises:
        CaseFileError: The input is a text that the server could not read.
    """
    body = _body(case)
    if case.section.subresource == "scale":
        return Sent(body, {})
    return Sent(body, casepatch.preview(case.old, body.value) if isinstance(case, PatchCase) else body.value)


def _body(case: Case) -> Body:
    if isinstance(case, ApplyCase):
        return _applied(case, len(case.steps) - 1)
    if isinstance(case, PatchCase):
        return Body(case.input)
    try:
        return completion.read(case.input)
    except InputError as error:
        raise case.mistake(f"the input cannot be read: {error}", "input") from None


def _applied(case: ApplyCase, index: int) -> Body:
    try:
        return completion.read_applied(case.steps[index].input)
    except InputError as error:
        place = ("steps", index, "input")
        raise case.mistake(f"the input of step {index + 1} cannot be read: {error}", *place) from None


def find_made_up_fields(case: CreateCase | UpdateCase, input_: JSONValue) -> frozenset[str]:
    """Return the fields of metadata that neither *input_*, the input of the case, nor its old object states."""
    resource = input_ if not isinstance(case, UpdateCase) or case.old is None else case.old
    metadata = resource.get("metadata") if isinstance(resource, Mapping) else None
    return frozenset() if isinstance(metadata, dict) and "name" in metadata else frozenset({"name"})

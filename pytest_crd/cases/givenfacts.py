"""Facts that a case gives to admission: the user, the Namespace, params, and the rules of the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_crd.cases.model import Case, CaseFileError, RequestCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import profile
from pytest_crd.engine.api.context import AdmissionOfTests, GivenFacts, GivenParamError, UnusedFact
from pytest_crd.engine.inputerror import Mistake

_KEYS: Final = ("user", "namespaceObject", "params", "authorizer")


def give(case: RequestCase, subject: CaseSubject) -> CaseSubject:
    """
    Return the subject of a case, with the facts that the case gives to admission.

    Args:
        case: A case that gives facts.
        subject: The CRD version.

    Raises:
        CaseFileError: No admission would see the facts, or a param cannot be stored.
        InputError: The mistakes in the policies of the project, or in their params.
    """
    version = subject.version
    admission = version.crd.webhooks
    if not isinstance(admission, AdmissionOfTests):
        key = next(key for key in _KEYS if key in case.declared)
        raise case.mistake(f"`{key}` does nothing, as no admission policy is asked: set crd_policies", key)
    facts = GivenFacts(case.user, case.namespace_object, case.params or (), case.authorizer)
    try:
        with_facts = admission.giving(facts, profile.named(version.crd.kubernetes_version))
    except GivenParamError as error:
        raise refuse_param(case, error) from None
    return CaseSubject(version.crd.with_webhooks(with_facts).version(version.name))


def demand_uses(case: RequestCase, admission: object) -> None:
    """
    Raise an error if a case gives a fact that nothing reads, after its requests.

    Args:
        case: The case.
        admission: The admission that its requests saw.

    Raises:
        CaseFileError: Each such fact.
    """
    assert isinstance(admission, AdmissionOfTests)  # noqa: S101 - no other admission takes facts
    refuse_unused(case, admission.find_unused())


def refuse_unused(case: RequestCase, facts: Iterable[UnusedFact]) -> None:
    """Raise CaseFileError if there are facts of a case that nothing reads."""
    mistakes: list[Mistake] = []
    for key, index, problem in facts:
        place = (key,) if index is None else (key, index)
        name = key if index is None else f"{key}[{index}]"
        mistakes += case.mistake(
            f"'{name}' of {case.title}: {problem}", *(place if key in case.declared else ("name",))
        ).mistakes
    if mistakes:
        raise CaseFileError(mistakes)


def refuse_param(case: Case, error: GivenParamError) -> CaseFileError:
    """Return the error for a param of a case that cannot be stored, or does nothing."""
    return case.mistake(f"'params[{error.index}]' of {case.title} {error}", "params", error.index)

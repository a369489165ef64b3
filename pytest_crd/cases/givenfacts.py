"""Facts that a case gives to admission: the user, the Namespace, params, and the rules of the user."""

from __future__ import annotations

from typing import Final

from pytest_crd.cases.model import RequestCase
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine.api.context import AdmissionOfTests, GivenFacts

_KEYS: Final = ("user", "namespaceObject", "params", "authorizer")


def give(case: RequestCase, subject: CaseSubject) -> CaseSubject:
    """
    Return the subject of a case, with the facts that the case gives to admission.

    Args:
        case: The case.
        subject: The CRD version.

    Raises:
        CaseFileError: No admission would see the facts.
    """
    stated = [key for key in _KEYS if key in case.declared]
    if not stated:
        return subject
    version = subject.version
    admission = version.crd.webhooks
    if not isinstance(admission, AdmissionOfTests):
        raise case.mistake(f"`{stated[0]}` does nothing, as no admission policy is asked: set crd_policies", stated[0])
    given = GivenFacts(case.user, case.namespace_object, case.params or (), case.authorizer)
    return CaseSubject(version.crd.with_webhooks(admission.giving(given)).version(version.name))

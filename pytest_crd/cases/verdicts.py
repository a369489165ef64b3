"""
Notification about verdicts: each case is reported to the observer of its CRD once it is judged.

Coverage uses it to learn what a case states about the request that was just made.
"""

from __future__ import annotations

from typing import TypeAlias

from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import ConvertCase, DefaultingCase, PruningCase, RequestCase
from pytest_crd.engine import CrdVersion
from pytest_crd.records import NamedTuple

Judged: TypeAlias = PruningCase | DefaultingCase | ConvertCase | RequestCase


class JudgedCase(NamedTuple):
    """
    A case and its result.

    Attributes:
        case: The case, about the last request to *version*.
        version: The CRD version.
        result: The result.
    """

    case: Judged
    version: CrdVersion
    result: CaseResult


def report_verdict(case: Judged, version: CrdVersion, result: CaseResult) -> CaseResult:
    """Report a judged case to the observer of the version, and return its result."""
    if (listener := version.observer.verdict) is not None:
        listener(JudgedCase(case, version, result))
    return result

"""
What became of cases: one place where each is told once it was judged.

Whoever wants to know what a case states of the request that it has just made hears the verdicts.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import DefaultingCase, PruningCase, RequestCase
from pytest_crd.engine import Version

Judged: TypeAlias = PruningCase | DefaultingCase | RequestCase


class JudgedCase(NamedTuple):
    """
    A case, and what became of it.

    Attributes:
        case: What was expected of the last request to *version*.
        version: The CRD version that was asked.
        result: What became of it.
    """

    case: Judged
    version: Version
    result: CaseResult


def tell(case: Judged, version: Version, result: CaseResult) -> CaseResult:
    """Let who listens to the CRD know of a case that was judged; return its result."""
    if (hear := version.crd.observer.verdict) is not None:
        hear(JudgedCase(case, version, result))
    return result

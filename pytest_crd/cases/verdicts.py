"""
What became of cases: one place where each is told once it was judged.

Whoever wants to know what a case states of the request that it has just made hears the verdicts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.cases.model import DefaultingCase, PruningCase, RequestCase
from pytest_crd.cases.result import CaseResult
from pytest_crd.engine import Version

Judged: TypeAlias = PruningCase | DefaultingCase | RequestCase


class Verdict(NamedTuple):
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


Listener: TypeAlias = Callable[[Verdict], None]

_LISTENER: Final[ContextVar[Listener | None]] = ContextVar("listener", default=None)


@contextlib.contextmanager
def heard(listener: Listener) -> Iterator[None]:
    """Tell *listener* of each case that is judged until the end of the `with` block, and nobody else."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(case: Judged, version: Version, result: CaseResult) -> CaseResult:
    """Let who listens know of a case that was judged; return its result."""
    if (listener := _LISTENER.get()) is not None:
        listener(Verdict(case, version, result))
    return result

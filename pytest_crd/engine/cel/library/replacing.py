"""
String function `replace`.

Reference:
    Go strings.Replace; k8s.io/apiserver pkg/cel/library/cost.go, the case "replace".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.cel.types.costs import (
    MAX,
    STRING_TRAVERSAL,
    Argument,
    CallEstimate,
    EstimateContext,
    SizeEstimate,
)
from pytest_crd.engine.cel.values import workload

_LONG: Final = 1_000


def replace(text: str, old: str, new: str, count: int = -1) -> str:
    """Return *text* with the first *count* occurrences of *old* replaced, all if *count* is negative."""
    if len(new) > _LONG:
        workload.check_length(text.count(old) * len(new))
    return text.replace(old, new, count if count >= 0 else -1)


def estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate reading the text twice; the size of the result follows from kept and inserted text."""
    text, old, new = (context.size(argument) for argument in arguments[:3])
    most, most_kept = _most(text, old, new)
    least, least_kept = _least(text, old, new)
    size = SizeEstimate(least, most) * new + SizeEstimate(least_kept, most_kept)
    return CallEstimate(text.cost(2 * STRING_TRAVERSAL), size)


def _most(text: SizeEstimate, old: SizeEstimate, new: SizeEstimate) -> tuple[int, int]:
    """Return the maximum number of replacements, and the size of the text kept then."""
    if old.min == 0:
        return min(text.max + 1, MAX), text.max
    if new.max <= old.min:
        return 0, text.max
    return _divided(text.max, old.min), 0


def _least(text: SizeEstimate, old: SizeEstimate, new: SizeEstimate) -> tuple[int, int]:
    """Return the minimum number of replacements, and the size of the text kept then."""
    if old.max == 0:
        return min(text.min + 1, MAX), text.min
    if old.max <= new.min:
        return 0, text.min
    return _divided(text.min, old.max), 0


def _divided(size: int, by: int) -> int:
    """Return the quotient in floating point, rounded up, at most MAX."""
    return min(math.ceil(float(size) / float(by)), MAX)

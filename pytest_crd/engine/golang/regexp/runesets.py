"""Sets of code points, such as the classes of a pattern."""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from typing import Final, TypeAlias

# First and last code point of every run: sorted, with a gap of at least one code point between runs.
RuneSet: TypeAlias = "tuple[tuple[int, int], ...]"

LAST: Final = 0x10FFFF
ALL: Final[RuneSet] = ((0, LAST),)
# Valid characters: all code points except the surrogates of UTF-16.
CHARACTERS: Final[RuneSet] = ((0, 0xD7FF), (0xE000, LAST))
NO_NEWLINE: Final[RuneSet] = ((0, 0x09), (0x0B, LAST))


def union(runs: Iterable[tuple[int, int]]) -> RuneSet:
    """Return the set of all code points in *runs*, which may overlap and be unsorted."""
    united: list[tuple[int, int]] = []
    for first, last in sorted(runs):
        if united and first <= united[-1][1] + 1:
            united[-1] = (united[-1][0], max(united[-1][1], last))
        else:
            united.append((first, last))
    return tuple(united)


def negate(runes: RuneSet) -> RuneSet:
    """Return the set of all code points that are not in *runes*."""
    gaps: list[tuple[int, int]] = []
    after = 0
    for first, last in runes:
        if after < first:
            gaps.append((after, first - 1))
        after = last + 1
    if after <= LAST:
        gaps.append((after, LAST))
    return tuple(gaps)


def intersection(left: RuneSet, right: RuneSet) -> RuneSet:
    """Return the set of all code points that are in both sets."""
    return negate(union((*negate(left), *negate(right))))


def contains(runes: RuneSet, code: int) -> bool:
    """Return whether *code* is in *runes*."""
    at = bisect.bisect_right(runes, (code, LAST)) - 1
    return at >= 0 and code <= runes[at][1]

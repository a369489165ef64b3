"""Sets of code points, as the classes of a pattern are."""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from typing import Final, TypeAlias

# First and last code point of every run: sorted, and at least one code point is missing between two of them.
RuneSet: TypeAlias = "tuple[tuple[int, int], ...]"

LAST: Final = 0x10FFFF
ALL: Final[RuneSet] = ((0, LAST),)
# What a text may hold: a code point of which two stand for one character in UTF-16 is none by itself.
CHARACTERS: Final[RuneSet] = ((0, 0xD7FF), (0xE000, LAST))
NO_NEWLINE: Final[RuneSet] = ((0, 0x09), (0x0B, LAST))


def union(runs: Iterable[tuple[int, int]]) -> RuneSet:
    """Return the set of all code points in *runs*, which may overlap and come in any order."""
    united: list[tuple[int, int]] = []
    for first, last in sorted(runs):
        if united and first <= united[-1][1] + 1:
            united[-1] = (united[-1][0], max(united[-1][1], last))
        else:
            united.append((first, last))
    return tuple(united)


def negated(runes: RuneSet) -> RuneSet:
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
    """Return the set of all code points that are in both."""
    return negated(union((*negated(left), *negated(right))))


def contains(runes: RuneSet, code: int) -> bool:
    """Return whether a code point is in a set."""
    at = bisect.bisect_right(runes, (code, LAST)) - 1
    return at >= 0 and code <= runes[at][1]

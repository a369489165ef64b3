"""Texts that the patterns of one schema match and those of the other do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.synthesis import textsearch
from pytest_crd.synthesis.textsearch import Lengths

_MOST_FOUND: Final = 3
_ANY_LENGTH: Final = Lengths()


def between(left: Sequence[str], right: Sequence[str], lengths: Lengths = _ANY_LENGTH) -> Iterator[str]:
    """
    Yield some texts that all of one side's patterns match, and one of the other's does not: those of the left first, the shortest first.

    Args:
        left: Patterns that compile; may be none.
        right: Others.
        lengths: How many characters a text has.
    """
    for matched, others in ((left, right), (right, left)):
        for unmatched in others:
            if unmatched not in matched:
                yield from textsearch.find(matched, [unmatched], lengths=lengths, wanted=_MOST_FOUND).texts

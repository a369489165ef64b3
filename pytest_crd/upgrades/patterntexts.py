"""Texts that tell the patterns of two schemas apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_crd.synthesis import textsearch
from pytest_crd.synthesis.textsearch import Lengths

_MOST_FOUND: Final = 3
_ANY_LENGTH: Final = Lengths()


def find_distinguishing_texts(
    left: Sequence[str], right: Sequence[str], lengths: Lengths = _ANY_LENGTH
) -> Iterator[str]:
    """
    Yield a few texts that match all patterns of one side and fail a pattern of the other; left side first, short texts first.

    Args:
        left: Valid patterns; may be empty.
        right: The patterns of the other schema.
        lengths: The allowed lengths of a text, in characters.
    """
    for matched, opposing in ((left, right), (right, left)):
        for unmatched in opposing:
            if unmatched not in matched:
                yield from textsearch.find_texts(matched, [unmatched], lengths=lengths, wanted=_MOST_FOUND).texts

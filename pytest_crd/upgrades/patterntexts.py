"""Texts that one of two patterns matches and the other does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.golang.regexp import textsearch
from pytest_crd.engine.golang.regexp.textsearch import Lengths

_MOST_FOUND: Final = 3
_ANY_LENGTH: Final = Lengths()


def between(left: str, right: str, lengths: Lengths = _ANY_LENGTH) -> Iterator[str]:
    """
    Yield some texts that just one of two patterns matches: first of the left one, then of the right one, the shortest first.

    Args:
        left: A pattern that compiles.
        right: Another.
        lengths: How many characters a text has.
    """
    for matched, unmatched in ((left, right), (right, left)):
        yield from textsearch.find([matched], [unmatched], lengths=lengths, wanted=_MOST_FOUND).texts

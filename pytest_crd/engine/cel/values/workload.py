"""
What an evaluation does besides what it costs.

Cost counts what stands in a list, and not what is in that: to compare `[a]` with `[b]` costs 1, however large both are, and so does
`x in y` where the types are not known before. The server goes on until the request has timed out.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.cel.errors import UnsupportedExpressionError

MOST: Final = 20_000_000
"""How many values may be looked at besides, which takes some seconds."""
MOST_CHARACTERS: Final = 500_000_000
"""How long a text may become."""
_CHARACTERS: Final = 1_000  # that take as long as a value


class _Remaining(threading.local):
    """What the evaluation that runs may still look at; without bounds where none runs."""

    values: float = math.inf
    extended: dict[int, bytes] | None = None


_remaining: Final = _Remaining()


class Limited:
    """A `with` block in which is counted from nothing."""

    __slots__ = ("_loops",)

    def __init__(self, *, loops: bool) -> None:
        """Take whether a value may be used twice: then it is in a loop."""
        self._loops = loops

    def __enter__(self) -> None:
        """Begin to count."""
        _remaining.values = MOST
        _remaining.extended = {} if self._loops else None

    def __exit__(self, *_: object) -> None:
        """Count no longer."""
        _remaining.values = math.inf
        _remaining.extended = None


def count(values: int) -> None:
    """
    Count so many *values* that are looked at.

    Raises:
        UnsupportedExpressionError: They are too many.
    """
    _remaining.values -= values
    if _remaining.values < 0:
        raise UnsupportedExpressionError(f"expressions that look at more than {MOST} values beyond their cost")


def count_text(text: Sequence[object]) -> None:
    """Count a *text*, or bytes, that is read or made."""
    if len(text) > _CHARACTERS:
        count(len(text) // _CHARACTERS)


def extend(left: bytes, right: bytes) -> bytes:
    """
    Return the sum of bytes.

    The server puts *right* behind *left* in the same memory where there is room, over what was added to it before.

    Raises:
        UnsupportedExpressionError: Something was added to the same bytes before: what became of that sum is not known here.
    """
    extended = _remaining.extended
    if extended is not None and left and right:
        if id(left) in extended:
            raise UnsupportedExpressionError("expressions that add to the same bytes twice, whose sums share memory")
        extended[id(left)] = left
    return left + right


def check_length(characters: int) -> None:
    """
    Refuse to make a text of so many *characters*: the server has no such limit, and goes on until its memory is full.

    Raises:
        UnsupportedExpressionError: They are too many.
    """
    if characters > MOST_CHARACTERS:
        raise UnsupportedExpressionError(f"texts of {characters} characters")

"""
Limits on work that an evaluation does without cost.

The cost of a comparison counts list elements but not their content: `[a] == [b]` costs 1, however large both are, and
so does `x in y` for values of unknown type. The server works until the request times out; here such evaluations are
refused.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.cel.errors import UnsupportedExpressionError

MOST: Final = 20_000_000
"""Limit on values visited without cost, which takes some seconds."""
MOST_CHARACTERS: Final = 500_000_000
"""Maximum length of a text."""
_CHARACTERS: Final = 1_000  # characters that take as long as one value


class _Remaining(threading.local):
    """Remaining work of the current evaluation; unlimited outside of evaluations."""

    values: float = math.inf
    extended: dict[int, bytes] | None = None


_remaining: Final = _Remaining()


class Limited:
    """Context manager that limits the work of one evaluation."""

    __slots__ = ("_loops",)

    def __init__(self, *, loops: bool) -> None:
        """Create for an expression; only if it has *loops* does `extend` look for repeated additions."""
        self._loops = loops

    def __enter__(self) -> None:
        """Start counting from zero."""
        _remaining.values = MOST
        _remaining.extended = {} if self._loops else None

    def __exit__(self, *_: object) -> None:
        """Stop counting."""
        _remaining.values = math.inf
        _remaining.extended = None


def count(values: int) -> None:
    """
    Count *values* that are visited.

    Raises:
        UnsupportedExpressionError: The limit is exceeded.
    """
    _remaining.values -= values
    if _remaining.values < 0:
        raise UnsupportedExpressionError(f"expressions that visit more than {MOST} values without cost")


def count_text(text: Sequence[object]) -> None:
    """Count a text, or bytes, that is read or created; raise UnsupportedExpressionError beyond the limit."""
    if len(text) > _CHARACTERS:
        count(len(text) // _CHARACTERS)


def extend(left: bytes, right: bytes) -> bytes:
    """
    Return the concatenation of bytes.

    The server appends *right* to *left* in place if there is capacity, which overwrites earlier additions to the same
    bytes.

    Raises:
        UnsupportedExpressionError: *left* was extended before, so its earlier sum may have changed on the server.
    """
    extended = _remaining.extended
    if extended is not None and left and right:
        if id(left) in extended:
            raise UnsupportedExpressionError(
                "expressions that add to the same bytes twice, as the results share memory on a server"
            )
        extended[id(left)] = left
    return left + right


def check_length(characters: int) -> None:
    """
    Check the length of a text before it is created; the server works until its memory is full.

    Raises:
        UnsupportedExpressionError: The text exceeds the maximum length.
    """
    if characters > MOST_CHARACTERS:
        raise UnsupportedExpressionError(f"texts of {characters} characters")

"""
Limits on work that an evaluation does without cost.

The cost of a comparison counts list elements but not their content: `[a] == [b]` costs 1, however large both are, and
so does `x in y` for values of unknown type. The server works until the request times out; here such evaluations are
refused.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel.errors import UnsupportedExpressionError

MOST: Final = 20_000_000
"""Limit on values visited without cost, which takes some seconds."""
MOST_CHARACTERS: Final = 500_000_000
"""Maximum length of a text."""
# The number of comparisons that an evaluation remembers, with their operands.
_MOST_COMPARED: Final = 100_000
# The state of an evaluation, as `_Remaining` has it.
_State: TypeAlias = "tuple[float, dict[int, bytes] | None, dict[tuple[int, int], tuple[Any, Any, bool, float]] | None]"
_CHARACTERS: Final = 1_000  # characters that take as long as one value


class _Remaining(threading.local):
    """Remaining work of the current evaluation; unlimited outside of evaluations."""

    values: float = math.inf
    extended: dict[int, bytes] | None = None
    # By the ids of two values: the values, whether they are equal, and the work of the comparison.
    compared: dict[tuple[int, int], tuple[Any, Any, bool, float]] | None = None

    def __init__(self) -> None:
        self.outer: list[_State] = []


_remaining: Final = _Remaining()


class Limited:
    """Context manager that limits the work of one evaluation."""

    __slots__ = ("_loops",)

    def __init__(self, *, loops: bool) -> None:
        """Create for an expression; only if it has *loops* does `extend` look for repeated additions."""
        self._loops = loops

    def __enter__(self) -> None:
        """Start counting from zero, or go on counting in the evaluation of a policy that needs this one for a variable."""
        _remaining.outer.append((_remaining.values, _remaining.extended, _remaining.compared))
        if _remaining.compared is None:
            _remaining.values, _remaining.compared = MOST, {}
        _remaining.extended = {} if self._loops else None

    def __exit__(self, *_: object) -> None:
        """Stop counting; go on in the outer evaluation."""
        values, _remaining.extended, compared = _remaining.outer.pop()
        if compared is None:
            _remaining.values, _remaining.compared = values, None


def count(values: int) -> None:
    """
    Count *values* that are visited.

    Raises:
        UnsupportedExpressionError: The limit is exceeded.
    """
    _remaining.values -= values
    if _remaining.values < 0:
        raise UnsupportedExpressionError(f"expressions that visit more than {MOST} values without cost")


def compare_once(compare: Callable[[Any, Any], bool], left: Any, right: Any) -> bool:
    """
    Return the result of a comparison; the same values are compared once in an evaluation, but count each time.

    A list that contains another one twice doubles the work of the server at each level.

    Raises:
        UnsupportedExpressionError: The limit is exceeded.
    """
    compared = _remaining.compared
    if compared is None or len(compared) >= _MOST_COMPARED:
        return compare(left, right)
    known = compared.get((id(left), id(right)))
    if known is not None:
        count(int(known[3]))
        return known[2]
    before = _remaining.values
    is_equal = compare(left, right)
    compared[id(left), id(right)] = left, right, is_equal, before - _remaining.values
    return is_equal


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

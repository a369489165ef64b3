"""
Limits on work that an evaluation does without cost.

The cost of a comparison counts list elements but not their content: `[a] == [b]` costs 1, however large both are, and
so does `x in y` for values of unknown type. A list that contains another one twice doubles the work of each function that
reads all parts. The server works until the request times out; here such evaluations are refused.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence, Sized
from typing import Any, Final, TypeAlias, TypeVar

from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError

MOST: Final = 20_000_000
"""Limit on values visited without cost, which takes some seconds."""
MOST_CHARACTERS: Final = 500_000_000
"""Maximum length of a text."""
# The number of comparisons that an evaluation remembers, with their operands.
_MOST_COMPARED: Final = 100_000
# The work to convert a list or a map and each entry, in compared values, and the characters that take as long as one.
_CONVERSION: Final = 40
_ENTRY: Final = 2
_CHARACTERS_CONVERTED: Final = 20
_S = TypeVar("_S", bound=Sized)
# By the ids of two values: the values, whether they are equal or the error of their comparison, and its work.
_Compared: TypeAlias = "dict[tuple[int, int], tuple[Any, Any, bool | EvaluationError, float]]"
# The state of an evaluation, as `_Remaining` has it.
_State: TypeAlias = "tuple[float, dict[int, bytes] | None, _Compared | None]"
_CHARACTERS: Final = 1_000  # characters that take as long as one value


class _Remaining(threading.local):
    """Remaining work of the current evaluation; unlimited outside of evaluations."""

    values: float = math.inf
    extended: dict[int, bytes] | None = None
    compared: _Compared | None = None

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

    Raises:
        EvaluationError: The values cannot be compared.
        UnsupportedExpressionError: The limit is exceeded.
    """
    compared = _remaining.compared
    if compared is None:
        return compare(left, right)
    earlier = compared.get((id(left), id(right)))
    if earlier is None:
        before = _remaining.values
        outcome: bool | EvaluationError
        try:
            outcome = compare(left, right)
        except EvaluationError as error:
            outcome = error
        if len(compared) < _MOST_COMPARED:
            compared[id(left), id(right)] = left, right, outcome, before - _remaining.values
        else:
            count(_CONVERSION)
    else:
        outcome = earlier[2]
        count(int(earlier[3]))
    if isinstance(outcome, EvaluationError):
        raise outcome.with_traceback(None)
    return outcome


def visit(values: _S) -> _S:
    """
    Count the conversion of all entries of a list or a map, and return it.

    Raises:
        UnsupportedExpressionError: The limit is exceeded.
    """
    count(_CONVERSION + _ENTRY * len(values))
    return values


def convert_text(text: str) -> str:
    """
    Return a text that is a part of the text of a list or a map, and count it.

    Raises:
        UnsupportedExpressionError: The limit is exceeded.
    """
    count(len(text) // _CHARACTERS_CONVERTED)
    return text


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

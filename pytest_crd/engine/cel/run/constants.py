"""
Constant folding when a program is planned.

Reference:
    cel-go interpreter/decorators.go, maybeOptimizeSetMembership, maybeOptimizeConstUnary, decRegexOptimizer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.run.frames import Evaluate, Frame
from pytest_crd.engine.cel.types.functions import Implementation
from pytest_crd.engine.cel.values import conversions, re2patterns
from pytest_crd.engine.cel.values.celvalues import UInt, Value, is_list
from pytest_crd.engine.cel.values.maps import identity
from pytest_crd.engine.cel.values.re2patterns import Regex
from pytest_crd.engine.golang.release import GoRelease

CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"},
)
"""Functions that are called at planning time if their argument is constant."""


def evaluate(literal: Evaluate) -> Value:
    """Return the value of a *literal* with constant parts."""
    return literal(Frame({}, 0, 2**63))


def membership(values: Value) -> frozenset[Any] | None:
    """Return the identities of all values that are `in` a constant list; None if the list must be searched."""
    members: set[Any] = set()
    for value in values if is_list(values) else ():
        if not isinstance(value, str | bool | int | float | UInt):
            return None
        members.update(map(identity, _equals(value)))
    return frozenset(members)


def _equals(value: Value) -> list[Value]:
    """Return *value* and, for a number, its equal numbers of the other types, as cel-go converts them."""
    if isinstance(value, str | bool):
        return [value]
    return [value, *_converted(value, conversions.to_int), *_converted(value, conversions.to_uint), *_as_double(value)]


def _converted(value: Value, convert: Callable[[Value], Value]) -> list[Value]:
    try:
        converted = convert(value)
    except EvaluationError:
        return []
    if isinstance(value, float) and conversions.to_double(converted) != value:
        return []
    return [converted]


def _as_double(value: Value) -> list[Value]:
    return [conversions.to_double(value)]


def _matches(regex: Regex) -> Implementation:
    def matches(text: Value, _pattern: Value) -> bool:
        if not isinstance(text, str):
            raise EvaluationError("no such overload")
        return regex.matches(text)

    return matches


def _find(regex: Regex) -> Implementation:
    def find(text: Value, _pattern: Value) -> str:
        if not isinstance(text, str):
            raise EvaluationError("no such overload")
        return regex.find(text)

    return find


def _find_all(regex: Regex) -> Implementation:
    def find_all(text: Value, _pattern: Value, limit: Value = -1) -> list[str]:
        if not isinstance(text, str) or not isinstance(limit, int):
            raise EvaluationError("no such overload")
        return regex.find_all(text, limit)

    return find_all


REGEX_FUNCTIONS: Final[Mapping[str, Callable[[Regex], Implementation]]] = {
    "find": _find,
    "findAll": _find_all,
    "matches": _matches,
}
"""Functions whose second argument is compiled at planning time if it is constant."""


def with_pattern(function: str, pattern: str, go: GoRelease) -> Implementation:
    """
    Return the implementation of *function* for a constant *pattern*.

    Raises:
        EvaluationError: The pattern is invalid.
    """
    return REGEX_FUNCTIONS[function](re2patterns.compile(pattern, go))

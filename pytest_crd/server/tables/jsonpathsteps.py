"""
The steps of a JSONPath: each takes a list of values and returns the values that it reaches from them.

Reference:
    client-go util/jsonpath/jsonpath.go; third_party/forked/golang/template/funcs.go.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue

Step: TypeAlias = Callable[[Sequence[JSONValue]], Sequence[JSONValue]]

_OPERATORS: Final[Mapping[str, Callable[[JSONValue, JSONValue], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class PathEvaluationError(Exception):
    """
    A failing step.

    Attributes:
        values: The values left by the failing step; a filter for existing values counts them as existing.
    """

    def __init__(self, message: str, values: Sequence[JSONValue] = ()) -> None:
        """Create with a message."""
        super().__init__(message)
        self.values = values


class UnsupportedStepError(Exception):
    """A JSONPath keyword of kubectl that is not evaluated here: `range`."""


class Byte(int):
    """Byte of a string, which Go prints as a number and takes for no JSON number."""


class Bound(NamedTuple):
    """
    The end of a slice.

    Attributes:
        position: The index after the last item; negative counts from the end.
        is_derived: True for a single index: 0 then means the end of the list.
    """

    position: int
    is_derived: bool = False


def chain(steps: Sequence[Step]) -> Step:
    """Return a step that runs all *steps* in order."""

    def step(values: Sequence[JSONValue]) -> Sequence[JSONValue]:
        for each in steps:
            values = each(values)
        return values

    return step


def constant(value: JSONValue) -> Step:
    """Return a step to a constant: a text once, a number or boolean once per value."""
    return lambda values: [value] if isinstance(value, str) else [value] * len(values)


def identifier(name: str) -> Step:
    """
    Return a step that fails, since kubectl has no identifiers except `range` and `end`.

    The step raises UnsupportedStepError for `range`, PathEvaluationError for others and for `end` without `range`.
    """

    def step(values: Sequence[JSONValue]) -> Sequence[JSONValue]:
        if name == "end":
            raise PathEvaluationError("not in range, nothing to end", values)
        if name == "range":
            raise UnsupportedStepError(f"JSONPath: {name!r} is not evaluated by pytest-crd")
        raise PathEvaluationError(f"unrecognized identifier {name}", values)

    return step


def field(name: str) -> Step:
    """Return a step to the field *name* of objects."""
    return lambda values: [value[name] for value in values if isinstance(value, dict) and name in value]


def wildcard(values: Sequence[JSONValue]) -> Sequence[JSONValue]:
    """Return the children of all values."""
    return [child for value in values for child in _children(value)]


def descend(values: Sequence[JSONValue]) -> Sequence[JSONValue]:
    """Return all values at any depth that have children."""
    parents: list[JSONValue] = []
    waiting = [*reversed(values)]
    while waiting:
        value = waiting.pop()
        if children := _children(value):
            parents.append(value)
            waiting += reversed(children)
    return parents


def _children(value: JSONValue) -> list[JSONValue]:
    if isinstance(value, str):
        return [Byte(byte) for byte in value.encode()]
    if isinstance(value, dict):
        return [*value.values()]
    return value if isinstance(value, list) else []


def union(steps: Sequence[Step]) -> Step:
    """Return a step to the values of all *steps*."""

    def step(values: Sequence[JSONValue]) -> Sequence[JSONValue]:
        try:
            return [value for each in steps for value in each(values)]
        except PathEvaluationError as error:
            raise PathEvaluationError(str(error), values) from None

    return step


def sliced(start: int | None, end: Bound | None, stride: int | None) -> Step:
    """Return a step to items of lists, from *start* (None for 0) to *end* (None for all), each *stride*th."""

    def step(values: Sequence[JSONValue]) -> Sequence[JSONValue]:
        items: list[JSONValue] = []
        for value in values:
            if value is None:
                continue
            if not isinstance(value, list):
                raise PathEvaluationError("not array or slice", values)
            first, last = _bounds(start, end, len(value))
            if first == last:
                return items
            is_outside = not 0 <= first < len(value) or not 0 <= last <= len(value)
            if is_outside or first > last or (stride is not None and stride <= 0):
                raise PathEvaluationError("array index out of bounds", values)
            items += value[first : last : stride or 1]
        return items

    return step


def _bounds(start: int | None, end: Bound | None, length: int) -> tuple[int, int]:
    first = start or 0
    last = length if end is None else end.position
    if first < 0:
        first += length
    if last < 0 or (last == 0 and end is not None and end.is_derived):
        last += length
    return first, last


def existing(condition: Step) -> Step:
    """Return a step to the list items for which *condition* yields values, or fails with values left."""

    def has_values(item: JSONValue) -> bool:
        try:
            return bool(condition([item]))
        except PathEvaluationError as error:
            return bool(error.values)

    return lambda values: [item for items in _lists(values) for item in items if has_values(item)]


def compared(left: Step, operator_text: str, right: Step) -> Step:
    """Return a step to the list items for which a comparison holds."""

    def step(values: Sequence[JSONValue]) -> Sequence[JSONValue]:
        matches: list[JSONValue] = []
        for items in _lists(values):
            for item in items:
                sides = _single(left, item, values), _single(right, item, values)
                if all(sides) and _holds(sides[0][0], operator_text, sides[1][0], matches):
                    matches.append(item)
        return matches

    return step


def _single(side: Step, item: JSONValue, values: Sequence[JSONValue]) -> Sequence[JSONValue]:
    """Return the value of one side of a comparison, in a list; empty if it has none."""
    reached = side([item])
    if len(reached) > 1:
        raise PathEvaluationError("can only compare one element at a time", values)
    return reached


def _lists(values: Sequence[JSONValue]) -> Sequence[list[JSONValue]]:
    for value in values:
        if not isinstance(value, list):
            raise PathEvaluationError("not array or slice and cannot be filtered", values)
    return values


def _holds(left: JSONValue, operator_text: str, right: JSONValue, matches: list[JSONValue]) -> bool:
    """
    Return whether a comparison of two scalars of the same type holds; booleans support equality only.

    Raises:
        PathEvaluationError: Go cannot compare the values, or the operator is unknown.
    """
    is_scalar = isinstance(left, str | int | float)
    is_ordered = operator_text not in ("==", "!=")
    if not is_scalar or type(left) is not type(right) or (is_ordered and isinstance(left, bool)):
        raise PathEvaluationError("incompatible types for comparison", matches)
    compare = _OPERATORS.get(operator_text)
    if compare is None:
        raise PathEvaluationError(f"unrecognized filter operator {operator_text}", matches)
    return compare(left, right)

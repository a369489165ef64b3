"""
Operators for operands of any type, which also work if types are unknown at compile time.

Reference:
    cel-go common/stdlib/standard.go; common/types/overflow.go: Add, Subtract, Multiply, Divide, Modulo, Negate and
    Compare of each type.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_crd.engine.cel import errors
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.types.functions import Implementation
from pytest_crd.engine.cel.values import durations, equality, lists, numbers, timestamps, workload
from pytest_crd.engine.cel.values.celvalues import (
    MAX_INT,
    MAX_UINT,
    MIN_INT,
    MISSING,
    Duration,
    ListValue,
    Timestamp,
    UInt,
    Value,
    find,
    is_list,
    is_map,
)

COMPARABLE: Final = (bool, int, UInt, float, str, bytes, Duration, Timestamp)
# Types that receive calls of any function, and then have no overload.
_RECEIVERS: Final = (str, Duration, Timestamp)


def no_overload(function: str, operand: Value) -> EvaluationError:
    """Return the error of an operator that the type of its first operand does not support."""
    named = "" if isinstance(operand, _RECEIVERS) else f": {function}"
    return EvaluationError(f"no such overload{named}")


def int64(number: int) -> int:
    """
    Return *number*.

    Raises:
        EvaluationError: It exceeds int64.
    """
    if MIN_INT <= number <= MAX_INT:
        return number
    raise EvaluationError("integer overflow")


def _uint64(number: int) -> UInt:
    if 0 <= number <= MAX_UINT:
        return UInt(number)
    raise EvaluationError("unsigned integer overflow")


def _operation(table: Mapping[type, Implementation], left: Value, right: Value) -> Implementation | None:
    """Return the operation of *table* for the common type of the operands, or None."""
    kind = type(left)
    return table.get(kind) if kind is type(right) else None


def add(left: Value, right: Value) -> Value:
    """Return the sum of two numbers, strings, bytes, lists, durations, or of a timestamp and a duration."""
    if (calculate := _operation(_SUMS, left, right)) is not None:
        return calculate(left, right)
    if is_list(left) and is_list(right):
        return left.add(right) if isinstance(left, ListValue) else lists.concatenate(left, right)
    if type(left) is Timestamp and type(right) is Duration:
        return timestamps.add(left, right.nanoseconds)
    if type(left) is Duration and type(right) is Timestamp:
        return timestamps.add(right, left.nanoseconds)
    if is_list(left) or type(left) is Timestamp:
        raise errors.no_overload(right)
    raise _unfit("_+_", _SUMS, left, right)


def subtract(left: Value, right: Value) -> Value:
    """Return the difference of two numbers, durations, timestamps, or of a timestamp and a duration."""
    if (calculate := _operation(_DIFFERENCES, left, right)) is not None:
        return calculate(left, right)
    if type(left) is Timestamp and type(right) is Duration:
        return timestamps.add(left, durations.checked(-right.nanoseconds).nanoseconds)
    raise _unfit("_-_", _DIFFERENCES, left, right)


def _operator(function: str, table: Mapping[type, Implementation]) -> Implementation:
    """Return the operator *function* for two operands of the same type."""

    def calculate(left: Value, right: Value) -> Value:
        operation = _operation(table, left, right)
        if operation is None:
            raise _unfit(function, table, left, right)
        return operation(left, right)

    return calculate


def _unfit(function: str, table: Mapping[type, Implementation], left: Value, right: Value) -> EvaluationError:
    """Return the error of an operator with unsupported operands."""
    return errors.no_overload(right) if type(left) in table else no_overload(function, left)


def _divide_doubles(left: float, right: float) -> float:
    if right:
        return left / right
    if not left or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _modulo(left: int, right: int) -> int:
    if left == MIN_INT and right == -1:
        raise EvaluationError("integer overflow")
    return numbers.remainder(left, _divisor(right, "modulus"))


def _divisor(number: int, operation: str) -> int:
    if number:
        return number
    raise EvaluationError(f"{operation} by zero")


_SUMS: Final[Mapping[type, Implementation]] = {
    int: lambda left, right: int64(left + right),
    float: operator.add,
    str: operator.add,
    bytes: workload.extend,
    UInt: lambda left, right: _uint64(left.value + right.value),
    Duration: lambda left, right: durations.checked(left.nanoseconds + right.nanoseconds),
}
_DIFFERENCES: Final[Mapping[type, Implementation]] = {
    int: lambda left, right: int64(left - right),
    float: operator.sub,
    UInt: lambda left, right: _uint64(left.value - right.value),
    Duration: lambda left, right: durations.checked(left.nanoseconds - right.nanoseconds),
    Timestamp: timestamps.subtract,
}

multiply: Final = _operator(
    "_*_",
    {
        int: lambda left, right: int64(left * right),
        float: operator.mul,
        UInt: lambda left, right: _uint64(left.value * right.value),
    },
)
"""Product of two numbers of the same type."""

divide: Final = _operator(
    "_/_",
    {
        int: lambda left, right: int64(numbers.divide_whole(left, _divisor(right, "division"))),
        float: _divide_doubles,
        UInt: lambda left, right: UInt(left.value // _divisor(right.value, "division")),
    },
)
"""Quotient of two numbers of the same type; integers are rounded toward zero."""

modulo: Final = _operator(
    "_%_",
    {int: _modulo, UInt: lambda left, right: UInt(left.value % _divisor(right.value, "modulus"))},
)
"""Remainder of two integers of the same type, with the sign of the first."""


def negate(value: Value) -> Value:
    """Return the negative of a number or duration."""
    if isinstance(value, bool):
        raise errors.no_overload(value)
    if isinstance(value, int):
        return int64(-value)
    if isinstance(value, float):
        return -value
    if isinstance(value, Duration):
        return durations.checked(-value.nanoseconds)
    raise no_overload("-_", value)


def negate_bool(value: Value) -> bool:
    """Return the negation of a bool."""
    if isinstance(value, bool):
        return not value
    raise errors.no_overload(value)


def is_nan(value: Value) -> bool:
    """Return whether a value is NaN."""
    return type(value) is float and math.isnan(value)


def ordering(function: str, holds: Callable[[int, int], bool]) -> Callable[[Value, Value], bool]:
    """Return the order operator *function*; *holds* compares the result of `compare` with 0."""

    def ordered(left: Value, right: Value) -> bool:
        if isinstance(left, COMPARABLE):
            return holds(equality.compare(left, right), 0)
        raise no_overload(function, left)

    return ordered


def contained(element: Value, container: Any) -> bool:
    """Return whether *element* is in a list, or is a key of a map."""
    if is_list(container):
        return equality.contains(container, element)
    if is_map(container):
        return find(container, element) is not MISSING
    raise errors.no_overload(container)

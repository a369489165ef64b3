"""
Equality and order of values.

Values of different types are different, except for numbers, which compare by numeric value.

Reference:
    cel-go common/types: Equal and Compare of each type; common/types/compare.go.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError, no_overload
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.cel.values.celvalues import (
    MAX_INT,
    MAX_UINT,
    MIN_INT,
    MISSING,
    Duration,
    ListValue,
    MapValue,
    Opaque,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    find,
    find_or_error,
)


def equal(left: Value, right: Value) -> bool:
    """
    Return whether two values are equal.

    Raises:
        EvaluationError: A library's type refuses the comparison.

    Reference:
        cel-go common/types/util.go, Equal.
    """
    kind = type(left)
    if kind is type(right) and kind in _PLAIN:
        return bool(left == right)
    if left is None or right is None:
        return left is right
    compare = _EQUAL.get(kind)
    if compare is not None:
        return compare(left, right)
    return _equal_other(left, right)


def _equal_other(left: Value, right: Value) -> bool:
    """Return whether values of a class with subclasses are equal; raise the error that *left* may be."""
    if isinstance(left, MapValue | ListValue):
        return workload.compare_once(type(left).equal, left, right)
    if isinstance(left, Opaque):
        return left.equal(right)
    if isinstance(left, EvaluationError):
        raise left.with_traceback(None)
    raise TypeError(f"{left!r} is no value of CEL")


def equal_parts(left: Value, right: Value) -> bool:
    """
    Return whether parts of two values are equal.

    Raises:
        EvaluationError: They cannot be compared; lists and maps with their own comparison do not even accept null.
    """
    if isinstance(left, MapValue | ListValue):
        return workload.compare_once(type(left).equal, left, right)
    return equal(left, right)


def _equal_numbers(left: Value, right: Value) -> bool:
    if type(right) not in _NUMBERS:
        return False
    return not _is_nan(left) and not _is_nan(right) and compare_numbers(left, right) == 0


def equal_lists(left: Any, right: Value) -> bool:
    """Return whether two lists have equal elements in the same order."""
    if not isinstance(right, list | tuple | ListValue) or len(left) != len(right):
        return False
    workload.count(len(left))
    kinds = set(map(type, left))
    if len(kinds) == 1 and kinds <= _PLAIN and kinds == set(map(type, right)):
        return all(map(operator.eq, left, right))
    return workload.compare_once(_have_equal_items, left, right)


def _have_equal_items(left: Any, right: Any) -> bool:
    return all(map(_not_unequal, left, right))


def equal_maps(left: Any, right: Value) -> bool:
    """Return whether two maps have equal values for equal keys."""
    if not isinstance(right, dict | MapValue) or len(left) != len(right):
        return False
    workload.count(len(left))
    return workload.compare_once(_have_equal_values, left, right)


def _have_equal_values(left: Any, right: Any) -> bool:
    for key in left:
        right_value = find_or_error(right, key)
        if right_value is MISSING or not _not_unequal(find(left, key), right_value):
            return False
    return True


def _not_unequal(left: Value, right: Value) -> bool:
    """Return whether two elements are equal or cannot be compared, which counts as equal in cel-go."""
    try:
        return equal(left, right)
    except EvaluationError:
        return True


def _equal_optionals(left: Optional, right: Value) -> bool:
    if type(right) is not Optional or left.has_value != right.has_value:
        return False
    return not left.has_value or equal(left.value, right.value)


def contains(values: Any, element: Value) -> bool:
    """
    Return whether *element* equals an element of the list *values*.

    Reference:
        cel-go common/types/list.go, Contains: what cannot be compared is not equal.
    """
    if isinstance(values, ListValue):
        return values.contains(element)
    workload.count(len(values))
    if type(element) is str or (type(element) is int and _WHOLE.issuperset(map(type, values))):
        return element in values
    return any(is_equal(element, value) for value in values)


def is_equal(left: Value, right: Value) -> bool:
    """Return whether two values are equal; False if they cannot be compared."""
    try:
        return equal(left, right)
    except EvaluationError:
        return False


def compare(left: Value, right: Value) -> int:
    """
    Return -1, 0 or 1 if *left* is less than, equal to or greater than *right*.

    Raises:
        EvaluationError: The values cannot be ordered.
    """
    kind = type(left)
    if kind is type(right) and kind in _ORDERED:
        return int(left > right) - int(left < right)
    if kind in _NUMBERS and type(right) in _NUMBERS:
        if _is_nan(left) or _is_nan(right):
            raise EvaluationError("NaN values cannot be ordered")
        return compare_numbers(left, right)
    if kind is type(right) and kind in _MOMENTS:
        a, b = _MOMENTS[kind](left), _MOMENTS[kind](right)
        return int(a > b) - int(a < b)
    raise no_overload(right)


def compare_numbers(left: Value, right: Value) -> int:
    """
    Return -1, 0 or 1 for two numbers, not NaN.

    An int or uint compared with a double is rounded to double, which Python does not do.
    """
    a = left.value if type(left) is UInt else left
    b = right.value if type(right) is UInt else right
    if type(a) is float and type(b) is not float:
        return _compare_double(a, b, *_RANGES[type(right)])
    if type(b) is float and type(a) is not float:
        return -_compare_double(b, a, *_RANGES[type(left)])
    return int(a > b) - int(a < b)


def _compare_double(number: float, whole: int, least: int, greatest: int) -> int:
    """Compare a double with an integer of a type with the range from *least* to *greatest*."""
    if number < float(least):
        return -1
    if number > float(greatest):
        return 1
    rounded = float(whole)
    return (number > rounded) - (number < rounded)


def _is_nan(number: Value) -> bool:
    return type(number) is float and math.isnan(number)


_PLAIN: Final = frozenset({str, int, bool, float, bytes, UInt, Duration, Timestamp, TypeValue})
# In lists of these types, Python's `in` finds an int as CEL does.
_WHOLE: Final = frozenset({int, str})
_ORDERED: Final = frozenset({str, int, bool, bytes})
_NUMBERS: Final = frozenset({int, float, UInt})
_RANGES: Final[Mapping[type, tuple[int, int]]] = {int: (MIN_INT, MAX_INT), UInt: (0, MAX_UINT)}
_MOMENTS: Final[Mapping[type, Callable[[Any], Any]]] = {
    Duration: lambda duration: duration.nanoseconds,
    Timestamp: lambda timestamp: timestamp.instant,
}


def _never(_left: Value, _right: Value) -> bool:
    """Return False for values of two non-numeric types."""
    return False


_EQUAL: Final[Mapping[type, Callable[[Any, Value], bool]]] = {
    **dict.fromkeys(_NUMBERS, _equal_numbers),
    **dict.fromkeys(_PLAIN - _NUMBERS, _never),
    list: equal_lists,
    tuple: equal_lists,
    dict: equal_maps,
    Optional: _equal_optionals,
}

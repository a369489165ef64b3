"""
Kubernetes' library for lists; later versions have `includes`.

Reference:
    k8s.io/apiserver pkg/cel/library/lists.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError, no_overload
from pytest_crd.engine.cel.library import arithmetic, listcosts
from pytest_crd.engine.cel.types.celtypes import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    UINT,
    Type,
    list_of,
    parameter,
)
from pytest_crd.engine.cel.types.functions import Function, Implementation, Library, Overload
from pytest_crd.engine.cel.values import equality
from pytest_crd.engine.cel.values.celvalues import Duration, UInt, Value, is_list

_A: Final = parameter("A")
COMPARABLE_TYPES: Final = (
    ("int", INT),
    ("uint", UINT),
    ("double", DOUBLE),
    ("bool", BOOL),
    ("duration", DURATION),
    ("timestamp", TIMESTAMP),
    ("string", STRING),
    ("bytes", BYTES),
)
_ZEROS: Final = (("int", INT, 0), ("uint", UINT, UInt(0)), ("double", DOUBLE, 0.0), ("duration", DURATION, Duration(0)))


def library(*, includes: bool) -> Library:
    """Return the list library, with the function `includes` if *includes* is true."""
    return Library("kubernetes.lists", (*_FUNCTIONS, *(_INCLUDES if includes else ())))


def _is_sorted(values: Any) -> bool:
    previous: Value = None
    for index, value in enumerate(values):
        _check_comparable(value)
        if index and order(previous, value) == 1:
            return False
        previous = value
    return True


def _check_comparable(value: Value) -> None:
    if not isinstance(value, arithmetic.COMPARABLE):
        raise no_overload(value)


def order(left: Value, right: Value) -> int:
    """Return -1, 0 or 1 like `compare`; 0 if the values cannot be compared."""
    try:
        return equality.compare(left, right)
    except EvaluationError:
        return 0


def _sum(zero: Value) -> Implementation:
    def total(values: Any) -> Value:
        result = zero
        for value in values:
            result = arithmetic.add(result, value)
        return result

    return total


def _extreme(name: str, replaced_on: int) -> Implementation:
    """Return `min` or `max`: a value is replaced by a later one if comparing them returns *replaced_on*."""

    def extreme(values: Any) -> Value:
        result: Value = None
        empty = True
        for value in values:
            _check_comparable(value)
            if empty or order(result, value) == replaced_on:
                result = value
            empty = False
        if empty:
            raise EvaluationError(f"{name} called on empty list")
        return result

    return extreme


def _index_of(values: Any, element: Value) -> int:
    return next((index for index, value in enumerate(values) if equality.is_equal(value, element)), -1)


def _last_index_of(values: Any, element: Value) -> int:
    return next((index for index in reversed(range(len(values))) if equality.is_equal(values[index], element)), -1)


def _includes(target: Value, element: Value) -> bool:
    if is_list(target):
        return any(equality.is_equal(value, element) for value in target)
    return equality.is_equal(target, element)


def _each(
    name: str, id_: str, call: Implementation, types: Iterable[tuple[str, Type]], *, result: Type | None = None
) -> Function:
    """Return a function with an overload for lists of each of *types*."""
    overloads = (
        Overload(
            id_.format(word),
            (list_of(type_),),
            result or type_,
            call,
            is_member=True,
            cost=listcosts.read_all,
            estimate=listcosts.estimate_each,
        )
        for word, type_ in types
    )
    return Function(name, tuple(overloads), listcosts.read_all)


def _find(name: str, id_: str, call: Implementation) -> Function:
    overload = Overload(
        id_, (list_of(_A), _A), INT, call, is_member=True, cost=listcosts.read_all, estimate=listcosts.estimate_each
    )
    return Function(name, (overload,), listcosts.read_all)


_FUNCTIONS: Final = (
    _each("isSorted", "list_{0}_is_sorted_bool", _is_sorted, COMPARABLE_TYPES, result=BOOL),
    Function(
        "sum",
        tuple(
            Overload(
                f"list_{word}_sum_{word}",
                (list_of(type_),),
                type_,
                _sum(zero),
                is_member=True,
                cost=listcosts.read_all,
                estimate=listcosts.estimate_each,
            )
            for word, type_, zero in _ZEROS
        ),
        listcosts.read_all,
    ),
    _each("max", "list_{0}_max_{0}", _extreme("max", -1), COMPARABLE_TYPES),
    _each("min", "list_{0}_min_{0}", _extreme("min", 1), COMPARABLE_TYPES),
    _find("indexOf", "list_a_index_of_int", _index_of),
    _find("lastIndexOf", "list_a_last_index_of_int", _last_index_of),
)
_INCLUDES: Final = (
    Function(
        "includes",
        (
            Overload(
                "list_includes_dyn_dyn",
                (DYN, DYN),
                BOOL,
                _includes,
                is_member=True,
                cost=listcosts.read_all,
                estimate=listcosts.estimate_each_item,
            ),
        ),
    ),
)

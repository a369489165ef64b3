"""
Optional values: cel-go's optional types.

Reference:
    cel-go cel/library.go, optionalLib.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.text import macros
from pytest_crd.engine.cel.types.celtypes import BOOL, DYN, INT, STRING, list_of, map_of, optional_of, parameter
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values.celvalues import (
    NONE,
    Duration,
    Opaque,
    Optional,
    StructValue,
    Timestamp,
    UInt,
    Value,
    size,
)
from pytest_crd.engine.cel.values.display import show

_K: Final = parameter("K")
_V: Final = parameter("V")
_OPTIONAL: Final = optional_of(_V)
_LIST: Final = list_of(_V)
_MAP: Final = map_of(_K, _V)


def library(dialect: Dialect) -> Library:
    """Return the optionals library."""
    return Library(
        "optional",
        (
            *_FUNCTIONS,
            *_alternatives(_pass if dialect.optionals_take_others else _refuse),
            *(_OF_LISTS if dialect.lists_give_optionals else ()),
        ),
        (*macros.OPTIONAL_MAP, *macros.OPTIONAL_FLAT_MAP),
        (optional_of(DYN),),
        optional_syntax=True,
    )


def _pass(value: Value) -> Value:
    return value


def _refuse(_value: Value) -> Value:
    raise EvaluationError("no such overload")


def _alternatives(handle_value: Callable[[Value], Value]) -> tuple[Function, ...]:
    """Return `or` and `orValue`; the interpreter evaluates them except for non-optional operands."""
    return (
        Function(
            "or", (Overload("optional_or_optional", (_OPTIONAL, _OPTIONAL), _OPTIONAL, handle_value, is_member=True),)
        ),
        Function("orValue", (Overload("optional_orValue_value", (_OPTIONAL, _V), _V, handle_value, is_member=True),)),
    )


def is_zero(value: Value) -> bool:
    """
    Return whether *value* is the zero of its type: null, false, 0, empty, or the first second of year 1.

    Reference:
        cel-go common/types, IsZeroValue of each type. Optionals, types and values of libraries have no zero.
    """
    if value is None:
        return True
    if isinstance(value, bool | int | float):
        return not value
    if isinstance(value, UInt):
        return value.value == 0
    if isinstance(value, Duration):
        return value.nanoseconds == 0
    if isinstance(value, Timestamp):
        return value.instant == (-62135596800, 0)
    return value.is_zero() if isinstance(value, StructValue) else not isinstance(value, Opaque) and size(value) == 0


def _of_value_not_zero(value: Value) -> Optional:
    return NONE if is_zero(value) else Optional(value)


def _value(optional: Optional) -> Value:
    if optional.has_value:
        return optional.value
    raise EvaluationError("optional.none() dereference")


def _unwrap(optionals: Any) -> list[Value]:
    values = []
    for optional in optionals:
        if type(optional) is not Optional:
            raise EvaluationError(f"value {show(optional)} is not optional")
        if optional.has_value:
            values.append(optional.value)
    return values


def _first(values: Any) -> Optional:
    return Optional(values[0]) if len(values) else NONE


def _last(values: Any) -> Optional:
    return Optional(values[len(values) - 1]) if len(values) else NONE


_FUNCTIONS: Final = (
    Function("optional.of", (Overload("optional_of", (_V,), _OPTIONAL, Optional),)),
    Function("optional.ofNonZeroValue", (Overload("optional_ofNonZeroValue", (_V,), _OPTIONAL, _of_value_not_zero),)),
    Function("optional.none", (Overload("optional_none", (), _OPTIONAL, lambda: NONE),)),
    Function("value", (Overload("optional_value", (_OPTIONAL,), _V, _value, is_member=True),)),
    Function(
        "hasValue",
        (Overload("optional_hasValue", (_OPTIONAL,), BOOL, lambda optional: optional.has_value, is_member=True),),
    ),
    Function("_?._", (Overload("select_optional_field", (DYN, STRING), _OPTIONAL),)),
    Function(
        "_[?_]",
        (
            Overload("list_optindex_optional_int", (_LIST, INT), _OPTIONAL),
            Overload("optional_list_optindex_optional_int", (optional_of(_LIST), INT), _OPTIONAL),
            Overload("map_optindex_optional_value", (_MAP, _K), _OPTIONAL),
            Overload("optional_map_optindex_optional_value", (optional_of(_MAP), _K), _OPTIONAL),
        ),
    ),
    Function(
        "_[_]",
        (
            Overload("optional_list_index_int", (optional_of(_LIST), INT), _OPTIONAL),
            Overload("optional_map_index_value", (optional_of(_MAP), _K), _OPTIONAL),
        ),
    ),
)
_OF_LISTS: Final = (
    Function("last", (Overload("list_last", (_LIST,), _OPTIONAL, _last, is_member=True),)),
    Function("first", (Overload("list_first", (_LIST,), _OPTIONAL, _first, is_member=True),)),
    Function("optional.unwrap", (Overload("optional_unwrap", (list_of(_OPTIONAL),), _LIST, _unwrap),)),
    Function("unwrapOpt", (Overload("optional_unwrapOpt", (list_of(_OPTIONAL),), _LIST, _unwrap, is_member=True),)),
)

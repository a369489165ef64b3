"""
Standard functions named after types: conversions, `type` and `dyn`.

Reference:
    cel-go common/stdlib/standard.go, TypeConvertBool and the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.cel.library import costing
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
    parameter,
    type_of,
)
from pytest_crd.engine.cel.types.costs import (
    STRING_TRAVERSAL,
    Argument,
    CallEstimate,
    EstimateContext,
    SizeEstimate,
)
from pytest_crd.engine.cel.types.functions import Estimate, Function, Implementation, Overload, RuntimeCost
from pytest_crd.engine.cel.values import conversions

_A: Final = parameter("A")


def _conversion(
    result: Type,
    name: str,
    convert: Implementation,
    sources: Sequence[tuple[str, Type, RuntimeCost | None, Estimate | None]],
) -> Function:
    """Return the conversion function to the type *result*."""
    overloads = (
        Overload(id_, (type_,), result, convert, cost=cost, estimate=estimate) for id_, type_, cost, estimate in sources
    )
    return Function(name, tuple(overloads))


def _text_to_bytes(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    length = context.size(arguments[0])
    # For an unknown size the product overflows uint64; cel-go before 0.33 uses the wrapped number.
    longest = context.multiplied(length.max, 4)
    return CallEstimate(context.scaled(length, STRING_TRAVERSAL), SizeEstimate(length.min, longest))


def _bytes_to_text(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    length = context.size(arguments[0])
    return CallEstimate(
        context.scaled(length, STRING_TRAVERSAL), SizeEstimate(context.rounded(length.min, 4), length.max)
    )


_DURATIONS_OF_INTS: Final = Function(
    "duration", (Overload("int64_to_duration", (INT,), DURATION, conversions.to_duration),)
)


def functions(*, ints_are_durations: bool) -> tuple[Function, ...]:
    """Return the functions; with *ints_are_durations*, `duration(1)` is well typed but fails at run time."""
    return (*_FUNCTIONS, *((_DURATIONS_OF_INTS,) if ints_are_durations else ()))


_FUNCTIONS: Final = (
    Function("type", (Overload("type", (_A,), type_of(_A), conversions.to_type, guarded=False),)),
    _conversion(
        BOOL,
        "bool",
        conversions.to_bool,
        [("bool_to_bool", BOOL, None, None), ("string_to_bool", STRING, None, None)],
    ),
    _conversion(
        BYTES,
        "bytes",
        conversions.to_bytes,
        [("bytes_to_bytes", BYTES, None, None), ("string_to_bytes", STRING, costing.traversal(), _text_to_bytes)],
    ),
    _conversion(
        DOUBLE,
        "double",
        conversions.to_double,
        [
            ("double_to_double", DOUBLE, None, None),
            ("int64_to_double", INT, None, None),
            ("string_to_double", STRING, None, None),
            ("uint64_to_double", UINT, None, None),
        ],
    ),
    _conversion(
        DURATION,
        "duration",
        conversions.to_duration,
        [("duration_to_duration", DURATION, None, None), ("string_to_duration", STRING, None, None)],
    ),
    Function("dyn", (Overload("to_dyn", (_A,), DYN, lambda value: value, guarded=False),)),
    _conversion(
        INT,
        "int",
        conversions.to_int,
        [
            ("int64_to_int64", INT, None, None),
            ("double_to_int64", DOUBLE, None, None),
            ("duration_to_int64", DURATION, None, None),
            ("string_to_int64", STRING, None, None),
            ("timestamp_to_int64", TIMESTAMP, None, None),
            ("uint64_to_int64", UINT, None, None),
        ],
    ),
    _conversion(
        STRING,
        "string",
        conversions.to_string,
        [
            ("string_to_string", STRING, None, None),
            ("bool_to_string", BOOL, None, None),
            ("bytes_to_string", BYTES, costing.traversal(), _bytes_to_text),
            ("double_to_string", DOUBLE, None, None),
            ("duration_to_string", DURATION, None, None),
            ("int64_to_string", INT, None, None),
            ("timestamp_to_string", TIMESTAMP, None, None),
            ("uint64_to_string", UINT, None, None),
        ],
    ),
    _conversion(
        TIMESTAMP,
        "timestamp",
        conversions.to_timestamp,
        [
            ("timestamp_to_timestamp", TIMESTAMP, None, None),
            ("int64_to_timestamp", INT, None, None),
            ("string_to_timestamp", STRING, None, None),
        ],
    ),
    _conversion(
        UINT,
        "uint",
        conversions.to_uint,
        [
            ("uint64_to_uint64", UINT, None, None),
            ("double_to_uint64", DOUBLE, None, None),
            ("int64_to_uint64", INT, None, None),
            ("string_to_uint64", STRING, None, None),
        ],
    ),
)

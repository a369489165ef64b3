"""
Standard library: operators, sizes, strings and conversions; timestamps and durations are in their own module.

Reference:
    cel-go common/stdlib/standard.go; common/overloads/overloads.go.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import arithmetic, costing, typefunctions
from pytest_crd.engine.cel.text import macros
from pytest_crd.engine.cel.types.celtypes import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    STRING,
    TIMESTAMP,
    UINT,
    Type,
    TypeKind,
    list_of,
    map_of,
    parameter,
)
from pytest_crd.engine.cel.types.costs import (
    STRING_TRAVERSAL,
    Argument,
    CallEstimate,
    CostEstimate,
    EstimateContext,
)
from pytest_crd.engine.cel.types.functions import Estimate, Function, Implementation, Library, Overload, RuntimeCost
from pytest_crd.engine.cel.values import durations, re2patterns, timestamps
from pytest_crd.engine.cel.values.celvalues import Duration, Opaque, Timestamp, Value, size
from pytest_crd.engine.cel.values.timestamps import CalendarFields
from pytest_crd.engine.golang.release import GoRelease

_A: Final = parameter("A")
_B: Final = parameter("B")
_LIST: Final = list_of(_A)
_MAP: Final = map_of(_A, _B)


def library(dialect: Dialect, go: GoRelease) -> Library:
    """Return the standard library; *go* decides the syntax of regular expressions."""
    conversions = typefunctions.functions(ints_are_durations=dialect.ints_are_durations)
    functions = (
        *(map(_compare_nan, _OPERATORS) if dialect.compares_nan else _OPERATORS),
        *_comparisons(dialect),
        *_SIZES,
        *conversions,
        *_texts(dialect, go),
        *TIME_FUNCTIONS,
    )
    return Library("standard", functions, macros.STANDARD)


def _singleton(
    name: str,
    call: Implementation | None,
    overloads: Sequence[tuple[str, tuple[Type, ...], Type, RuntimeCost | None, Estimate | None]],
) -> Function:
    """Return a function with one implementation for all overloads, which checks the types itself."""
    declared = (
        Overload(id_, parameters, result, call, cost=cost, estimate=estimate, guarded=False)
        for id_, parameters, result, cost, estimate in overloads
    )
    return Function(name, tuple(declared))


def _binary(name: str, call: Implementation, overloads: Sequence[tuple[str, Type, Type, Type]]) -> Function:
    """Return an operator on numbers and times, which costs 1."""
    return _singleton(name, call, [(id_, (left, right), result, None, None) for id_, left, right, result in overloads])


def _ordering(name: str, word: str, holds: Callable[[Any, Any], bool]) -> Function:
    """Return the operator `<`, `<=`, `>` or `>=`."""
    generic = arithmetic.ordering(name, holds)

    def ordered(left: Value, right: Value) -> bool:
        return holds(left, right) if type(left) is int and type(right) is int else generic(left, right)

    pairs = [
        ("bool", BOOL, BOOL),
        ("int64", INT, INT),
        ("int64_double", INT, DOUBLE),
        ("int64_uint64", INT, UINT),
        ("uint64", UINT, UINT),
        ("uint64_double", UINT, DOUBLE),
        ("uint64_int64", UINT, INT),
        ("double", DOUBLE, DOUBLE),
        ("double_int64", DOUBLE, INT),
        ("double_uint64", DOUBLE, UINT),
        ("string", STRING, STRING),
        ("bytes", BYTES, BYTES),
        ("timestamp", TIMESTAMP, TIMESTAMP),
        ("duration", DURATION, DURATION),
    ]
    texts = (STRING, BYTES)
    return _singleton(
        name,
        ordered,
        [
            (
                f"{word}_{suffix}",
                (left, right),
                BOOL,
                costing.comparison if left in texts else None,
                costing.estimate_comparison if left in texts else None,
            )
            for suffix, left, right in pairs
        ],
    )


def _compare_nan(function: Function) -> Function:
    """Return an order operator with comparisons of NaN that are false; other functions as they are."""
    if function.name not in _ORDERS:
        return function
    generic = function.overloads[0].call
    assert generic is not None  # noqa: S101 - only logic has no implementation

    def ordered(left: Value, right: Value) -> Value:
        return not (arithmetic.is_nan(left) or arithmetic.is_nan(right)) and generic(left, right)

    return Function(function.name, tuple(replace(overload, call=ordered) for overload in function.overloads))


_ORDERS: Final = frozenset({"_<_", "_<=_", "_>_", "_>=_"})


def _equality_estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate a comparison; types of libraries have their own rules."""
    first, second = arguments
    if first.type == second.type and first.type.kind in (TypeKind.OPAQUE, TypeKind.STRUCT):
        if first.type.name in _COMPARED_AT_ONCE:
            return CallEstimate(costing.ONE)
        if first.type.name == "kubernetes.NamedFormat":
            return CallEstimate(CostEstimate(1, _LONGEST_FORMAT).times(STRING_TRAVERSAL))
        if first.type.name == "kubernetes.URL":
            # The server uses the size of the second operand for both.
            return CallEstimate(CostEstimate(1, second.size.max if second.size else 1).times(STRING_TRAVERSAL))
    return costing.estimate_comparison(context, arguments)


_COMPARED_AT_ONCE: Final = frozenset({"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"})
_LONGEST_FORMAT: Final = 64


def _equality(name: str, id_: str, dialect: Dialect, estimate: Estimate) -> Function:
    """
    Return `==` or `!=`, which cost a tenth of the smaller size.

    `==` costs 1 if the first operand has a library's type.
    """
    size = costing.counted_inside if dialect.optionals_have_sizes else costing.counted

    def cost(arguments: Sequence[Value], _result: Value) -> int:
        first, second = arguments
        return 1 if isinstance(first, Opaque) and name == "_==_" else costing.units(min(size(first), size(second)))

    return _singleton(name, None, [(id_, (_A, _A), BOOL, cost, estimate)])


def _comparisons(dialect: Dialect) -> tuple[Function, ...]:
    return (
        _equality("_==_", "equals", dialect, _equality_estimate),
        _equality("_!=_", "not_equals", dialect, costing.estimate_comparison),
    )


def _list_sum_estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    return CallEstimate(costing.ONE, context.size(arguments[0]) + context.size(arguments[1]))


_OPERATORS: Final = (
    Function("_?_:_", (Overload("conditional", (BOOL, _A, _A), _A, non_strict=True),)),
    Function("_&&_", (Overload("logical_and", (BOOL, BOOL), BOOL, non_strict=True),)),
    Function("_||_", (Overload("logical_or", (BOOL, BOOL), BOOL, non_strict=True),)),
    _singleton("!_", arithmetic.negate_bool, [("logical_not", (BOOL,), BOOL, None, None)]),
    Function("@not_strictly_false", (Overload("not_strictly_false", (BOOL,), BOOL, non_strict=True),)),
    _singleton(
        "_+_",
        arithmetic.add,
        [
            ("add_bytes", (BYTES, BYTES), BYTES, costing.sum_of_both, costing.estimate_sum),
            ("add_double", (DOUBLE, DOUBLE), DOUBLE, None, None),
            ("add_duration_duration", (DURATION, DURATION), DURATION, None, None),
            ("add_duration_timestamp", (DURATION, TIMESTAMP), TIMESTAMP, None, None),
            ("add_timestamp_duration", (TIMESTAMP, DURATION), TIMESTAMP, None, None),
            ("add_int64", (INT, INT), INT, None, None),
            ("add_list", (_LIST, _LIST), _LIST, None, _list_sum_estimate),
            ("add_string", (STRING, STRING), STRING, costing.sum_of_both, costing.estimate_sum),
            ("add_uint64", (UINT, UINT), UINT, None, None),
        ],
    ),
    _binary(
        "_/_",
        arithmetic.divide,
        [
            ("divide_double", DOUBLE, DOUBLE, DOUBLE),
            ("divide_int64", INT, INT, INT),
            ("divide_uint64", UINT, UINT, UINT),
        ],
    ),
    _binary("_%_", arithmetic.modulo, [("modulo_int64", INT, INT, INT), ("modulo_uint64", UINT, UINT, UINT)]),
    _binary(
        "_*_",
        arithmetic.multiply,
        [
            ("multiply_double", DOUBLE, DOUBLE, DOUBLE),
            ("multiply_int64", INT, INT, INT),
            ("multiply_uint64", UINT, UINT, UINT),
        ],
    ),
    _singleton(
        "-_",
        arithmetic.negate,
        [("negate_double", (DOUBLE,), DOUBLE, None, None), ("negate_int64", (INT,), INT, None, None)],
    ),
    _binary(
        "_-_",
        arithmetic.subtract,
        [
            ("subtract_double", DOUBLE, DOUBLE, DOUBLE),
            ("subtract_duration_duration", DURATION, DURATION, DURATION),
            ("subtract_int64", INT, INT, INT),
            ("subtract_timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP),
            ("subtract_timestamp_timestamp", TIMESTAMP, TIMESTAMP, DURATION),
            ("subtract_uint64", UINT, UINT, UINT),
        ],
    ),
    _ordering("_<_", "less", operator.lt),
    _ordering("_<=_", "less_equals", operator.le),
    _ordering("_>_", "greater", operator.gt),
    _ordering("_>=_", "greater_equals", operator.ge),
    Function("_[_]", (Overload("index_list", (_LIST, INT), _A), Overload("index_map", (_MAP, _A), _B))),
    _singleton(
        "@in",
        arithmetic.contained,
        [
            (
                "in_list",
                (_A, _LIST),
                BOOL,
                lambda arguments, _: costing.counted(arguments[1]),
                lambda context, arguments: CallEstimate(context.size(arguments[1]).cost(1)),
            ),
            ("in_map", (_A, _MAP), BOOL, None, None),
        ],
    ),
)


def _size(value: Value) -> int:
    """Return the size of a string, bytes, a list or a map; raise EvaluationError for other types."""
    length = None if isinstance(value, Opaque) else size(value)
    if length is None:
        raise arithmetic.no_overload("size", value)
    return length


_SIZES: Final = (
    Function(
        "size",
        tuple(
            Overload(id_, (type_,), INT, _size, is_member=is_member, guarded=False)
            for name, type_ in (("bytes", BYTES), ("list", _LIST), ("map", _MAP), ("string", STRING))
            for id_, is_member in ((f"size_{name}", False), (f"{name}_size", True))
        ),
    ),
)


def _on_texts(call: Callable[[str, str], bool]) -> Implementation:
    """Return a string test that checks the types of its arguments."""

    def test(text: Value, part: Value) -> bool:
        if isinstance(text, str) and isinstance(part, str):
            return call(text, part)
        raise EvaluationError("no such overload")

    return test


def _texts(dialect: Dialect, go: GoRelease) -> tuple[Function, ...]:
    """Return the string tests."""
    affix_cost = costing.traversal(1 if dialect.affixes_by_length else 0)
    affix_estimate = costing.estimate_reading(1)
    contains = _on_texts(lambda text, part: part in text)
    tests: list[tuple[str, str, Implementation, RuntimeCost, Estimate]] = [
        ("contains", "contains_string", contains, costing.search, costing.estimate_search),
        ("endsWith", "ends_with_string", _on_texts(str.endswith), affix_cost, affix_estimate),
        ("startsWith", "starts_with_string", _on_texts(str.startswith), affix_cost, affix_estimate),
    ]
    functions = [
        Function(
            name,
            (Overload(id_, (STRING, STRING), BOOL, call, is_member=True, cost=cost, estimate=estimate, guarded=False),),
        )
        for name, id_, call, cost, estimate in tests
    ]
    function_cost = costing.matching if dialect.functions_match else None
    function_estimate = costing.estimate_matching if dialect.functions_match else None
    return (*functions, _matches(go, function_cost, function_estimate))


def _matches(go: GoRelease, function_cost: RuntimeCost | None, function_estimate: Estimate | None) -> Function:
    """Return `matches`, which may have different costs as a function and as a member."""

    def matches(text: Value, pattern: Value) -> bool:
        if not isinstance(text, str):
            raise arithmetic.no_overload("matches", text)
        if not isinstance(pattern, str):
            raise EvaluationError("no such overload")
        return re2patterns.compile(pattern, go).matches(text)

    def overload(id_: str, cost: RuntimeCost | None, estimate: Estimate | None, *, is_member: bool = False) -> Overload:
        parameters = (STRING, STRING)
        return Overload(
            id_, parameters, BOOL, matches, is_member=is_member, cost=cost, estimate=estimate, guarded=False
        )

    return Function(
        "matches",
        (
            overload("matches", function_cost, function_estimate),
            overload("matches_string", costing.matching, costing.estimate_matching, is_member=True),
        ),
    )


def _getter(
    name: str,
    part: str,
    get: Callable[[CalendarFields], int],
    of_duration: Callable[[Duration], int] | None = None,
    *,
    zone_suffix: str = "with_tz",
) -> Function:
    """Return a function that gets a field of a timestamp, in UTC or a zone, and optionally of a duration."""

    def in_utc(timestamp: Timestamp) -> int:
        return get(timestamps.fields(timestamp, "UTC"))

    def in_zone(timestamp: Timestamp, zone: str) -> int:
        return get(timestamps.fields(timestamp, zone))

    overloads = [
        Overload(f"timestamp_to_{part}", (TIMESTAMP,), INT, in_utc, is_member=True),
        Overload(f"timestamp_to_{part}_{zone_suffix}", (TIMESTAMP, STRING), INT, in_zone, is_member=True),
    ]
    if of_duration is not None:
        overloads.append(Overload(f"duration_to_{part}", (DURATION,), INT, of_duration, is_member=True))
    return Function(name, tuple(overloads))


TIME_FUNCTIONS: Final = (
    _getter("getFullYear", "year", lambda fields: fields.year),
    _getter("getMonth", "month", lambda fields: fields.month - 1),
    _getter("getDayOfYear", "day_of_year", lambda fields: fields.day_of_year),
    _getter("getDayOfMonth", "day_of_month", lambda fields: fields.day - 1),
    _getter("getDate", "day_of_month_1_based", lambda fields: fields.day),
    _getter("getDayOfWeek", "day_of_week", lambda fields: fields.weekday),
    _getter("getHours", "hours", lambda fields: fields.hour, durations.hours),
    _getter("getMinutes", "minutes", lambda fields: fields.minute, durations.minutes),
    _getter("getSeconds", "seconds", lambda fields: fields.second, durations.seconds, zone_suffix="tz"),
    _getter("getMilliseconds", "milliseconds", lambda fields: fields.nanosecond // 10**6, durations.milliseconds),
)

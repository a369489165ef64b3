"""Values: what is a key, a type, a text; what Python would take for another's."""

from __future__ import annotations

import math
import zoneinfo

import pytest

from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.library.formatfunctions import Format
from pytest_crd.engine.cel.library.ip import IP, parse
from pytest_crd.engine.cel.values import (
    celdurations,
    celnumbers,
    celvalues,
    conversions,
    display,
    equality,
    maps,
    re2patterns,
    timestamps,
)
from pytest_crd.engine.cel.values.celvalues import NONE, Duration, Optional, Timestamp, TypeValue, UInt, Value
from pytest_crd.engine.cel.values.lists import ConcatenatedList, concatenate
from pytest_crd.engine.cel.values.maps import KeyedMap
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.golang.release import NEWEST


def test_values_of_different_types_are_different_keys() -> None:
    keys = [1, UInt(1), 1.0, True, "1", None, Duration(1), Timestamp(1), Timestamp(1, 0, 3600), TypeValue("int")]
    made = KeyedMap()
    for key in keys:
        made.set(key, type(key))

    assert len(made) == len(keys)
    assert list(made) == keys
    assert made.find(not False) is bool
    assert made.find(2.0) is celvalues.MISSING


def test_nan_is_never_found_and_a_list_only_by_being_itself() -> None:
    made = KeyedMap()
    key = [1]
    made.set(math.nan, 1)
    made.set(key, 2)

    assert made.find(math.nan) is celvalues.MISSING
    assert made.find([1]) is celvalues.MISSING
    assert made.find(key) == 2


def test_a_map_that_grows_begins_as_a_copy() -> None:
    begun = {"a": 1}
    grown = KeyedMap.grown_from(begun)
    grown.set("b", 2)

    assert begun == {"a": 1}
    assert grown.simplified() == {"a": 1, "b": 2}
    assert maps.identity("a") == "a"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (None, "0"),
        (True, "true"),
        (False, "false"),
        (5, "5"),
        (UInt(5), "5"),
        (1e6, "1e+06"),
        (b"ab", "[97 98]"),
        (Duration(0), "0s"),
        (Duration(-1), "-1ns"),
        (Duration(1500), "1.5µs"),
        (Duration(2_000_000), "2ms"),
        (Duration(90 * 60 * 10**9), "1h30m0s"),
        (Duration(61 * 10**9), "1m1s"),
        (Timestamp(0), "1970-01-01 00:00:00 +0000 UTC"),
        (Timestamp(0, 500_000_000, -5400), "1969-12-31 22:30:00.5 -0130 -0130"),
        (TypeValue("int"), "int"),
        (TypeValue("list"), "list(dyn)"),
        (Optional(1), "optional(1)"),
        (NONE, "optional.none()"),
        ([1, "a", [2]], "[1, a, [2]]"),
        ({"a": 1, "b": None}, "{a: 1, b: 0}"),
        (parse("::1"), "::1"),
        (Format("URI", 1, lambda _: ()), "URI"),
    ],
)
def test_values_are_shown_as_go_prints_them(value: Value, text: str) -> None:
    assert display.show(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (UInt(1), "1u"),
        (Duration(1), "Duration(1)"),
        (Timestamp(1, 2, 3), "Timestamp(1, 2, 3)"),
        (TypeValue("int"), "TypeValue('int')"),
        (Optional(1), "Optional(1)"),
        (NONE, "Optional()"),
    ],
)
def test_values_say_in_failures_what_they_are(value: Value, text: str) -> None:
    assert repr(value) == text


def test_equal_values_are_equal_keys_of_python_too() -> None:
    for value, same in (
        (UInt(1), UInt(1)),
        (Duration(1), Duration(1)),
        (Timestamp(1), Timestamp(1, 0, 3600)),
        (TypeValue("int"), TypeValue("int")),
    ):
        assert {value: 1}[same] == 1
        assert value != 1


@pytest.mark.parametrize("unknown", [object(), {1, 2}])
def test_what_is_no_value_is_a_mistake_of_the_caller(unknown: object) -> None:
    with pytest.raises(TypeError, match=r"is no value of CEL"):
        celvalues.type_name(unknown)
    with pytest.raises(TypeError, match=r"is no value of CEL"):
        equality.equal(unknown, 1)


def test_a_sum_of_many_lists_is_put_together_when_somebody_looks() -> None:
    total: Value = [0]
    for number in range(1, 5000):
        total = concatenate(total, [number])
    beside = concatenate(total, total)

    assert len(total) == 5000
    assert total[4999] == 4999
    assert list(beside) == [*range(5000), *range(5000)]
    assert concatenate([], total) is total
    assert concatenate(total, []) is total
    assert isinstance(total.add([1]), ConcatenatedList)
    assert not total.equal(5)
    assert total.contains(17)


def test_a_sum_of_lists_cannot_be_compared_where_its_elements_cannot() -> None:
    address = IP(parse("::1").address)
    total = concatenate([address], [1])

    assert not total.equal([2, 2])
    with pytest.raises(EvaluationError, match="no such overload"):
        total.equal([1, 1])
    assert equality.equal([address], [1])


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (1e21, "1000000000000000000000"),
        (1.5e22, "15000000000000000000000"),
        (1e-7, "0.0000001"),
        (-2.5e-9, "-0.0000000025"),
        (math.inf, "+Inf"),
        (-math.inf, "-Inf"),
        (math.nan, "NaN"),
    ],
)
def test_doubles_are_written_without_exponents(number: float, text: str) -> None:
    assert celnumbers.fixed(number) == text


@pytest.mark.parametrize(
    ("convert", "value", "problem"),
    [
        (conversions.to_bytes, 1, "type conversion error from 'int' to 'bytes'"),
        (conversions.to_string, [], "type conversion error from 'list' to 'string'"),
        (conversions.to_bool, 1, "type conversion error from 'int' to 'bool'"),
        (conversions.to_timestamp, True, "type conversion error from 'bool' to 'google.protobuf.Timestamp'"),
    ],
)
def test_what_cannot_be_converted_is_named(convert: object, value: Value, problem: str) -> None:
    assert callable(convert)
    with pytest.raises(EvaluationError) as raised:
        convert(value)

    assert str(raised.value) == problem


def test_null_types_and_addresses_have_texts() -> None:
    assert conversions.to_string(None) == "null"
    assert conversions.to_string(TypeValue("int")) == "int"
    assert conversions.to_string(parse("1.2.3.4")) == "1.2.3.4"


def test_times_are_checked_where_they_are_made() -> None:
    with pytest.raises(EvaluationError, match="integer overflow"):
        celdurations.checked(2**63)
    with pytest.raises(EvaluationError, match="timestamp overflow"):
        timestamps.checked(timestamps.GREATEST + 1)


def test_a_machine_without_zones_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoneinfo, "available_timezones", frozenset)

    with pytest.raises(
        timestamps.TimeZoneDataError, match=r"'No/Where' cannot be looked up: .* install the package tzdata"
    ):
        timestamps.fields(Timestamp(0), "No/Where")


@pytest.mark.parametrize(
    ("memory", "count", "said"), [(16 << 20, 1, "0 GiB"), pytest.param(1 << 30, 200, "1 GiB", marks=pytest.mark.slow)]
)
def test_a_regular_expression_that_takes_too_much_memory_is_an_error_that_says_so(
    memory: int, count: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "_MOST_MEMORY", memory)
    told = f"this regular expression: the pattern takes more than {said}"
    with pytest.raises(UnsupportedExpressionError, match=told):
        re2patterns.compile(r"\pL{1000}" * count + f"{memory}", NEWEST)

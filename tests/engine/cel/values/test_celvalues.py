"""Run-time values: keys, types, texts and conversions."""

from __future__ import annotations

import math
import zoneinfo

import pytest

from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.library.formatfunctions import Format
from pytest_crd.engine.cel.library.ip import IP, parse
from pytest_crd.engine.cel.values import (
    celvalues,
    conversions,
    display,
    durations,
    equality,
    maps,
    numbers,
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
    map_ = KeyedMap()
    for key in keys:
        map_.set(key, type(key))

    assert len(map_) == len(keys)
    assert list(map_) == keys
    assert map_.find(not False) is bool
    assert map_.find(2.0) is celvalues.MISSING


def test_nan_is_never_found_and_lists_are_found_by_identity() -> None:
    map_ = KeyedMap()
    key = [1]
    map_.set(math.nan, 1)
    map_.set(key, 2)

    assert map_.find(math.nan) is celvalues.MISSING
    assert map_.find([1]) is celvalues.MISSING
    assert map_.find(key) == 2


def test_a_growing_map_is_a_copy() -> None:
    original = {"a": 1}
    grown = KeyedMap.grown_from(original)
    grown.set("b", 2)

    assert original == {"a": 1}
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
def test_values_have_a_readable_repr(value: Value, text: str) -> None:
    assert repr(value) == text


def test_equal_values_are_equal_keys_of_a_dict() -> None:
    for value, same in (
        (UInt(1), UInt(1)),
        (Duration(1), Duration(1)),
        (Timestamp(1), Timestamp(1, 0, 3600)),
        (TypeValue("int"), TypeValue("int")),
    ):
        assert {value: 1}[same] == 1
        assert value != 1


@pytest.mark.parametrize("unknown", [object(), {1, 2}])
def test_objects_of_other_classes_raise_a_type_error(unknown: object) -> None:
    with pytest.raises(TypeError, match=r"is no value of CEL"):
        celvalues.type_name(unknown)
    with pytest.raises(TypeError, match=r"is no value of CEL"):
        equality.equal(unknown, 1)


def test_concatenated_lists_are_evaluated_on_access() -> None:
    total: Value = [0]
    for number in range(1, 5000):
        total = concatenate(total, [number])
    doubled = concatenate(total, total)

    assert len(total) == 5000
    assert total[4999] == 4999
    assert list(doubled) == [*range(5000), *range(5000)]
    assert concatenate([], total) is total
    assert concatenate(total, []) is total
    assert isinstance(total.add([1]), ConcatenatedList)
    assert not total.equal(5)
    assert total.contains(17)


def test_comparing_concatenated_lists_raises_the_error_of_their_elements() -> None:
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
    assert numbers.fixed(number) == text


@pytest.mark.parametrize(
    ("convert", "value", "problem"),
    [
        (conversions.to_bytes, 1, "type conversion error from 'int' to 'bytes'"),
        (conversions.to_string, [], "type conversion error from 'list' to 'string'"),
        (conversions.to_bool, 1, "type conversion error from 'int' to 'bool'"),
        (conversions.to_timestamp, True, "type conversion error from 'bool' to 'google.protobuf.Timestamp'"),
    ],
)
def test_failed_conversions_name_both_types(convert: object, value: Value, problem: str) -> None:
    assert callable(convert)
    with pytest.raises(EvaluationError) as raised:
        convert(value)

    assert str(raised.value) == problem


def test_null_types_and_addresses_are_converted_to_strings() -> None:
    assert conversions.to_string(None) == "null"
    assert conversions.to_string(TypeValue("int")) == "int"
    assert conversions.to_string(parse("1.2.3.4")) == "1.2.3.4"


def test_durations_and_timestamps_are_checked_for_overflow() -> None:
    with pytest.raises(EvaluationError, match="integer overflow"):
        durations.checked(2**63)
    with pytest.raises(EvaluationError, match="timestamp overflow"):
        timestamps.checked(timestamps.GREATEST + 1)


def test_missing_time_zone_data_raises_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoneinfo, "available_timezones", frozenset)

    with pytest.raises(
        timestamps.TimeZoneDataError, match=r"'No/Where' cannot be looked up: .* install the package tzdata"
    ):
        timestamps.fields(Timestamp(0), "No/Where")


@pytest.mark.parametrize(
    ("memory", "count", "limit"), [(16 << 20, 1, "0 GiB"), pytest.param(1 << 30, 200, "1 GiB", marks=pytest.mark.slow)]
)
def test_regular_expressions_beyond_the_memory_limit_are_unsupported(
    memory: int, count: int, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "_MOST_MEMORY", memory)
    message = f"this regular expression: the pattern takes more than {limit}"
    with pytest.raises(UnsupportedExpressionError, match=message):
        re2patterns.compile(r"\pL{1000}" * count + f"{memory}", NEWEST)

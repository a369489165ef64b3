"""JSON values: equality by JSON type, copies that share nothing, and conversion of Python objects."""

from __future__ import annotations

import json
from collections import OrderedDict, UserDict, UserList
from datetime import date
from enum import Enum, IntEnum, StrEnum
from http import HTTPStatus
from typing import Any

import pytest

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import TooDeepError


class Shell(StrEnum):
    BASH = "bash"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(True, 1, id="true is not 1"),
        pytest.param(1, 1.0, id="an integer is not a float"),
        pytest.param(None, False, id="null is not false"),
        pytest.param("1", 1, id="a text is not a number"),
        pytest.param({"a": 1}, {"a": True}, id="values of objects count by type"),
        pytest.param({"a": None}, {"b": None}, id="a null is not an absent key"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, id="a key more"),
        pytest.param([1, 2], [2, 1], id="lists are ordered"),
        pytest.param([1], [1, 1], id="an item more"),
        pytest.param([], {}, id="an empty list is no empty object"),
    ],
)
def test_values_that_json_keeps_apart_are_not_equal(left: Any, right: Any) -> None:
    assert not jsonvalue.equal(left, right)
    assert not jsonvalue.equal(right, left)


def test_equality_is_deep_and_ignores_the_order_of_keys() -> None:
    first = {"a": [1, {"b": 1.5}], "c": None}
    second = {"c": None, "a": [1, {"b": 1.5}]}
    assert jsonvalue.equal(first, second)
    assert jsonvalue.equal(first, first)


def test_a_copy_shares_no_container_with_the_original() -> None:
    value: Any = {"a": [1, {"b": []}, [2]], "c": {"d": "e"}}
    copied = jsonvalue.copy(value)
    assert jsonvalue.equal(copied, value)
    copied["a"][1]["b"].append(1)
    copied["a"][2].append(1)
    copied["c"]["d"] = "f"
    assert value == {"a": [1, {"b": []}, [2]], "c": {"d": "e"}}


def test_a_copy_of_a_scalar_is_the_scalar() -> None:
    assert jsonvalue.copy("a") == "a"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "boolean"),
        (1, "integer"),
        (1.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_the_type_is_named_as_a_schema_names_it(value: Any, name: str) -> None:
    assert jsonvalue.type_of(value) == name


@pytest.mark.parametrize(
    ("value", "held"),
    [
        pytest.param(1.0, 1, id="a whole float becomes an integer"),
        pytest.param(-0.5, -0.5, id="a fraction stays"),
        pytest.param(2**63 - 1, 2**63 - 1, id="the largest int64 stays"),
        pytest.param(2**63, 2.0**63, id="the next one becomes a float"),
        pytest.param(-(2**63), -(2**63), id="the smallest int64 stays"),
        pytest.param(-(2**63) - 1, -(2.0**63), id="the one before becomes a float"),
        pytest.param(2.0**63, 2.0**63, id="a whole float beyond int64 stays a float"),
        pytest.param(-(2.0**63), -(2.0**63), id="the smallest int64 as a float stays one: its digits are beyond"),
        pytest.param(float(2**62), 4611686018427388000, id="a large float has its shortest digits"),
        pytest.param(-0.0, 0, id="there is no negative zero"),
        pytest.param(1e21, 1e21, id="what is written with an exponent stays a float"),
    ],
)
def test_numbers_are_held_as_after_one_trip_through_json(value: float, held: float) -> None:
    assert jsonvalue.equal(jsonvalue.number(value), held)


def test_an_integer_beyond_float64_overflows() -> None:
    with pytest.raises(OverflowError):
        jsonvalue.number(10**400)


def test_python_objects_become_plain_json() -> None:
    value = OrderedDict({Shell.BASH: (1.0, UserList([None, True])), "s": Shell.BASH, "f": UserDict(a=1.5)})
    converted = jsonvalue.from_python(value)
    assert jsonvalue.equal(converted, {"bash": [1, [None, True]], "s": "bash", "f": {"a": 1.5}})
    assert type(converted["s"]) is str
    assert {type(key) for key in converted} == {str}


class _Size(IntEnum):
    SMALL = 1


class _Colour(str, Enum):  # noqa: UP042 - as users write it
    RED = "red"


class _Ratio(float):
    """As numpy.float64 is one."""


@pytest.mark.parametrize("value", [_Size.SMALL, HTTPStatus.OK, _Colour.RED, _Ratio(1.5), _Ratio(2), "\ud83d\ude00"])
def test_instances_of_subclasses_are_converted_as_by_json_dumps(value: Any) -> None:
    converted = jsonvalue.from_python({"a": [value]})["a"][0]
    expected = json.loads(json.dumps(value))
    assert jsonvalue.equal(converted, jsonvalue.number(expected) if isinstance(expected, float) else expected)
    assert type(converted) in (int, float, str)


@pytest.mark.parametrize("value", [-(2**63) - 1, -(2**63), 2**63 - 1, 2**63])
def test_integers_are_held_as_int64_or_float64(value: int) -> None:
    assert jsonvalue.equal(jsonvalue.from_python([True, value]), [True, jsonvalue.number(value)])


@pytest.mark.parametrize(
    ("text", "held"), [("a\ud800b", "a\ufffdb"), ("\udc00\ud800", "\ufffd\ufffd"), ("\ud7a3", "\ud7a3")]
)
def test_lone_surrogates_are_replaced_as_in_go(text: str, held: str) -> None:
    assert jsonvalue.from_python({text: text}) == {held: held}


_SHARED = {"n": ["x"]}


@pytest.mark.parametrize(
    "value",
    [
        [_SHARED, _SHARED],
        [_SHARED["n"], _SHARED["n"]],
        {"a": _SHARED, "b": [_SHARED]},
        [_SHARED, "\u06db"],
        [_SHARED, 1.5, _SHARED],
    ],
)
def test_shared_values_are_copied_for_each_place(value: Any) -> None:
    converted = jsonvalue.from_python(value)
    assert jsonvalue.equal(converted, value if 1.5 in value else json.loads(json.dumps(value)))
    every = [converted]
    places = []
    for item in every:
        if isinstance(item, list | dict):
            places.append(id(item))
            every.extend(item.values() if isinstance(item, dict) else item)
    assert len(set(places)) == len(places)
    assert id(_SHARED) not in places
    assert id(_SHARED["n"]) not in places


class _Spec:
    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)
        self.sizes = (1, 2.0)


def test_attributes_of_an_object_are_read_as_any_dict() -> None:
    spec, broken = _Spec(most=2**63), _Spec(when=b"x")
    assert jsonvalue.equal(
        jsonvalue.from_python({"spec": vars(spec)}), {"spec": {"most": float(2**63), "sizes": [1, 2]}}
    )
    with pytest.raises(TypeError, match=r"^spec\.when: b'x' is not JSON"):
        jsonvalue.from_python({"spec": vars(broken)})


def _cycle(ways: int) -> list[Any]:
    items: list[Any] = []
    items.extend([items] * ways)
    return items


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param({"a": [{1: 2}]}, "a[0]: key 1 is not a string", id="a key that is no text"),
        pytest.param({1: 2}, "the value: key 1 is not a string", id="such a key at the root"),
        pytest.param(
            {"a": date(2020, 1, 2)},
            'a: datetime.date(2020, 1, 2) is not JSON (date); write the text "2020-01-02"',
            id="a date, as YAML 1.1 reads it",
        ),
        pytest.param([float("nan")], "[0]: nan is not JSON (float)", id="not a number"),
        pytest.param(float("inf"), "the value: inf is not JSON (float)", id="infinity at the root"),
        pytest.param({"a": b"x"}, "a: b'x' is not JSON (bytes)", id="bytes, which are a sequence in Python"),
        pytest.param({"a": {1}}, "a: {1} is not JSON (set); write a list", id="a set"),
        pytest.param({"a": 10**400}, "a: an integer beyond float64, which no server reads", id="a very large integer"),
    ],
)
def test_values_that_are_not_json_are_refused_with_their_path(value: Any, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        jsonvalue.from_python(value)
    assert str(raised.value) == message


def test_a_cycle_through_a_tuple_is_refused() -> None:
    items: list[Any] = []
    items.append((items,))
    with pytest.raises(TooDeepError):
        jsonvalue.from_python(items)


@pytest.mark.parametrize("ways", [1, 2, 100])
def test_a_cycle_is_refused(ways: int) -> None:
    with pytest.raises(TooDeepError, match=r"nested more than 256 levels deep, or a cycle$"):
        jsonvalue.from_python(_cycle(ways))


def test_a_list_without_memory_is_a_list_that_is_written_as_null() -> None:
    value = {"a": jsonvalue.NIL_LIST, "b": [jsonvalue.NIL_LIST, []], "c": {"d": 1}}

    assert jsonvalue.equal(value, {"a": [], "b": [[], []], "c": {"d": 1}})
    assert jsonvalue.written(value) == {"a": None, "b": [None, []], "c": {"d": 1}}


def test_a_copy_keeps_lists_without_memory() -> None:
    assert jsonvalue.written(jsonvalue.copy({"a": [jsonvalue.NIL_LIST]})) == {"a": [None]}

"""List types: duplicate items of sets, and duplicate keys of maps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine import profile
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema import structural
from pytest_crd.engine.values import listtypes

SET: dict[str, Any] = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}
MAP: dict[str, Any] = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    "items": {"type": "object", "properties": {"k": {"type": "string"}}},
}
MAP_OF_TWO_KEYS = MAP | {"x-kubernetes-list-map-keys": ["k", "n"]}
ATOMIC = {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "string"}}


def errors(schema: JSONValue, value: JSONValue, *, version: str = "1.37") -> list[str]:
    check = listtypes.compile(structural.from_schema(schema), profile.named(version))
    assert check is not None
    return list(map(str, check(value)))


def errors_of_list(schema: JSONValue, items: JSONValue, *, version: str = "1.37") -> list[str]:
    return errors({"type": "object", "properties": {"l": schema}}, {"l": items}, version=version)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "object"}, id="no list"),
        pytest.param({"type": "object", "properties": {"l": {"type": "array"}}}, id="a list without items"),
        pytest.param({"type": "object", "properties": {"l": ATOMIC}}, id="an atomic list"),
        pytest.param({"type": "object", "additionalProperties": True}, id="a map of anything"),
        pytest.param({"type": "object", "additionalProperties": {"type": "string"}}, id="a map of texts"),
    ],
)
def test_schemas_without_list_types_have_no_check(schema: JSONValue) -> None:
    assert listtypes.compile(structural.from_schema(schema), profile.named("1.37")) is None


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([], [], id="no items"),
        pytest.param(["a"], [], id="one item"),
        pytest.param(["a", "b"], [], id="two items"),
        pytest.param(["a", "b", "a"], ['l[2]: Duplicate value: "a"'], id="an item twice"),
        pytest.param(["a", "a", "a", "a"], ['l[1]: Duplicate value: "a"'], id="an item four times is reported once"),
        pytest.param(
            ["b", "a", "a", "b"], ['l[2]: Duplicate value: "a"', 'l[3]: Duplicate value: "b"'], id="by second places"
        ),
        pytest.param([1, "1", 1.5, True], [], id="values of several types"),
        pytest.param([1, True, 1], ["l[2]: Duplicate value: 1"], id="true is not one"),
        pytest.param([False, 0, False], ["l[2]: Duplicate value: false"], id="false is not zero"),
        pytest.param([1.5, 1.5], ["l[1]: Duplicate value: 1.5"], id="a fraction twice"),
        pytest.param([None, None], ["l[1]: Duplicate value: null"], id="null twice"),
        pytest.param([{"a": 1, "b": 2}, {"b": 2, "a": 1}], ['l[1]: Duplicate value: {"a":1,"b":2}'], id="objects"),
        pytest.param([[1, "x"], [1, "x"], ["x", 1]], ['l[1]: Duplicate value: [1,"x"]'], id="lists"),
        pytest.param(['"a"', "a", {"a": None}, {}], [], id="texts, and objects with null and without"),
        pytest.param("text", [], id="no list at all"),
    ],
)
def test_items_of_a_set_are_unique(items: JSONValue, expected: list[str]) -> None:
    assert errors_of_list(SET, items) == expected


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([{"k": "a"}, {"k": "b"}], [], id="two keys"),
        pytest.param([{"k": "a", "v": 1}, {"k": "a"}], ['l[1]: Duplicate value: {"k":"a"}'], id="a key twice"),
        pytest.param([{}, {"v": 1}], ["l[1]: Duplicate value: {}"], id="no key twice"),
        pytest.param([{}, None], ["l[1]: Duplicate value: {}"], id="null has no key"),
        pytest.param([None, None], ["l[1]: Duplicate value: {}"], id="null twice"),
        pytest.param([{}, {"k": None}], [], id="a null is not an absent key"),
        pytest.param([{"k": None}, {"k": None}], ['l[1]: Duplicate value: {"k":null}'], id="a null key twice"),
        pytest.param([{"k": [1]}, {"k": [1]}], ['l[1]: Duplicate value: {"k":[1]}'], id="a key that is a list"),
        pytest.param([{"k": 1}, {"k": "1"}], [], id="keys of two types"),
        pytest.param(
            [{"k": "a"}, {"k": "a"}, 1, [2]],
            ["l[2]: Invalid value: 1: must be an object for an array of list-type map"],
            id="an item that is no object hides everything else",
        ),
        pytest.param(
            ["a"], ['l[0]: Invalid value: "a": must be an object for an array of list-type map'], id="even alone"
        ),
        pytest.param([None], [], id="null alone"),
    ],
)
def test_keys_of_a_map_are_unique(items: JSONValue, expected: list[str]) -> None:
    assert errors_of_list(MAP, items) == expected


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([{"k": "a", "n": 1}, {"k": "a", "n": 2}], [], id="one of them differs"),
        pytest.param(
            [{"k": "a", "n": 1}, {"n": 1, "k": "a"}], ['l[1]: Duplicate value: {"k":"a","n":1}'], id="both are equal"
        ),
        pytest.param([{"k": "a"}, {"k": "a", "n": None}], [], id="one is absent, and null"),
        pytest.param([{"k": "a"}, {"k": "a"}], ['l[1]: Duplicate value: {"k":"a"}'], id="one is absent twice"),
        pytest.param([{}, None], ["l[1]: Duplicate value: {}"], id="both are absent twice"),
        pytest.param(
            [{"n": 10**18}, {"n": 1e18}],
            ['l[1]: Duplicate value: {"n":1000000000000000000}'],
            id="several keys compare as JSON",
        ),
    ],
)
def test_several_keys_are_unique_together(items: JSONValue, expected: list[str]) -> None:
    assert errors_of_list(MAP_OF_TWO_KEYS, items) == expected


def test_one_key_compares_by_type() -> None:
    assert errors_of_list(MAP, [{"k": 10**18}, {"k": 1e18}]) == []


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        pytest.param(
            {"type": "object", "additionalProperties": SET},
            {"y": ["a", "a"], "x": ["b", "b"], "n": None},
            ['[x][1]: Duplicate value: "b"', '[y][1]: Duplicate value: "a"'],
            id="in a map, by key",
        ),
        pytest.param(
            {"type": "object", "properties": {"b": SET, "a": SET, "c": {"type": "string"}}},
            {"b": ["a", "a"], "a": ["b", "b"], "c": "c", "d": ["d", "d"]},
            ['a[1]: Duplicate value: "b"', 'b[1]: Duplicate value: "a"'],
            id="in an object, by field",
        ),
        pytest.param(
            {"type": "object", "properties": {"l": {"type": "array", "items": SET}}},
            {"l": [["a"], ["a", "a"]]},
            ['l[1][1]: Duplicate value: "a"'],
            id="in a list",
        ),
        pytest.param(
            {"type": "object", "properties": {"l": MAP | {"items": {"type": "object", "properties": {"s": SET}}}}},
            {"l": [{"k": "a", "s": ["x", "x"]}, {"k": "a"}]},
            ['l[1]: Duplicate value: {"k":"a"}', 'l[0].s[1]: Duplicate value: "x"'],
            id="in items, after the list itself",
        ),
        pytest.param(
            {"type": "object", "properties": {"o": {"type": "object", "properties": {"s": SET}}}},
            {"o": ["a"]},
            [],
            id="not where there is a list instead of an object",
        ),
    ],
)
def test_lists_are_checked_wherever_they_are(schema: JSONValue, value: JSONValue, expected: list[str]) -> None:
    assert errors(schema, value) == expected


@pytest.mark.parametrize("version", ["1.21", "1.32"])
@pytest.mark.parametrize(
    ("schema", "items", "expected"),
    [
        pytest.param(SET, ["a", "a"], 'Duplicate value: "a"', id="a text"),
        pytest.param(SET, [None, None], 'Duplicate value: "null"', id="null"),
        pytest.param(
            SET,
            [{"b": None, "a": [1.5, True, "x"]}] * 2,
            'Duplicate value: map[string]interface {}{"a":[]interface {}{1.5, true, "x"}, "b":interface {}(nil)}',
            id="an object",
        ),
        pytest.param(MAP, [{"k": "a"}] * 2, 'Duplicate value: map[string]interface {}{"k":"a"}', id="a key"),
        pytest.param(MAP, [{}, {}], "Duplicate value: map[string]interface {}{}", id="no key"),
        pytest.param(
            MAP,
            [[1]],
            "Invalid value: []interface {}{1}: must be an object for an array of list-type map",
            id="no object",
        ),
    ],
)
def test_older_versions_print_duplicates_in_the_syntax_of_go(
    schema: JSONValue, items: JSONValue, expected: str, version: str
) -> None:
    (error,) = errors_of_list(schema, items, version=version)
    assert error.partition(": ")[2] == expected


SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.5]) | st.sampled_from(["", "a", "1"])


@given(st.lists(SCALARS | st.lists(SCALARS, max_size=2), max_size=12))
def test_a_set_has_as_many_errors_as_values_that_occur_again(items: list[JSONValue]) -> None:
    texts = list(map(printing.marshal, items))
    assert len(errors_of_list(SET, items)) == sum(texts.count(text) > 1 for text in set(texts))


@given(st.lists(SCALARS, max_size=12))
def test_keys_of_a_map_are_compared_like_items_of_a_set(items: list[JSONValue]) -> None:
    of_set = [error.partition(":")[0] for error in errors_of_list(SET, items)]
    for keys in (MAP, MAP_OF_TWO_KEYS):
        errors = errors_of_list(keys, [{"k": item} for item in items])
        assert [error.partition(":")[0] for error in errors] == of_set


def test_the_value_is_not_modified() -> None:
    value = {"l": [{"k": "a", "v": 1}, {"k": "a", "v": 2}]}
    assert errors_of_list(MAP, value["l"])
    assert value == {"l": [{"k": "a", "v": 1}, {"k": "a", "v": 2}]}

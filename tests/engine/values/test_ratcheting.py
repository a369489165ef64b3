"""Ratcheting: unchanged parts of an update, and their ignored errors."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.values import valuevalidation
from pytest_crd.engine.values.ratcheting import Correlation

Schema = dict[str, JSONValue]

SHORT: Schema = {"type": "string", "maxLength": 1}
PAIR: Schema = {"type": "object", "properties": {"k": {}, "j": {}, "v": SHORT}}


def list_map(*keys: str, item: Schema | None = PAIR) -> Schema:
    items = {} if item is None else {"items": item}
    return {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys), **items}


def fields(schema: Schema, new: JSONValue, old: JSONValue) -> list[str]:
    return [error.field for error in valuevalidation.compile(schema, profile.named("1.37")).update(new, old)]


def schema_with_field(schema: Schema) -> Schema:
    return {"type": "object", "properties": {"a": schema, "b": {}}}


@pytest.mark.parametrize(
    ("schema", "new", "old", "expected"),
    [
        pytest.param(
            schema_with_field(SHORT), {"a": "long", "b": 1}, {"a": "long"}, [], id="a field that stays is forgiven"
        ),
        pytest.param(schema_with_field(SHORT), {"a": "longer"}, {"a": "long"}, ["a"], id="a field that changes is not"),
        pytest.param(schema_with_field(SHORT), {"a": "long"}, {}, ["a"], id="a field that is new is not"),
        pytest.param(schema_with_field(SHORT), {"a": "long"}, None, ["a"], id="nothing is forgiven where nothing was"),
        pytest.param(
            schema_with_field(SHORT), {"a": "long"}, ["a"], ["a"], id="nothing is forgiven where something else was"
        ),
        pytest.param(
            schema_with_field({"type": "object", "required": ["c"], "properties": {"d": {}}}),
            {"a": {"d": 1}, "b": 1},
            {"a": {"d": 1}},
            [],
            id="an object that stays may lack what is required now",
        ),
        pytest.param(
            schema_with_field({"type": "object", "required": ["c"], "properties": {"d": {}}}),
            {"a": {"d": 1}},
            {"a": {"d": 2}},
            ["a.c"],
            id="an object that changes may not",
        ),
        pytest.param(
            schema_with_field({"type": "object", "maxProperties": 0, "x-kubernetes-preserve-unknown-fields": True}),
            {"a": {"c": 1}},
            {"a": {"c": 1}},
            ["a"],
            id="fields without a schema count as changed",
        ),
        pytest.param(
            schema_with_field({"type": "object", "additionalProperties": SHORT}),
            {"a": {"x": "long", "y": "longer"}},
            {"a": {"x": "long", "y": "long"}},
            ["a.y"],
            id="map entries correspond by name",
        ),
        pytest.param(
            schema_with_field({"type": "array", "items": SHORT}),
            {"a": ["long"], "b": 1},
            {"a": ["long"]},
            [],
            id="a list that stays is forgiven",
        ),
        pytest.param(
            schema_with_field({"type": "array", "items": SHORT}),
            {"a": ["long", "x"]},
            {"a": ["long"]},
            ["a[0]"],
            id="the items of a list do not correspond",
        ),
        pytest.param(
            schema_with_field(list_map("k")),
            {"a": [{"k": 2, "v": "x"}, {"k": 1, "v": "long"}], "b": 1},
            {"a": [{"k": 1, "v": "long"}, {"k": 2, "v": "y"}]},
            [],
            id="the items of a list-map correspond by key",
        ),
        pytest.param(
            schema_with_field(list_map("k")),
            {"a": [{"k": "1", "v": "long"}]},
            {"a": [{"k": 1, "v": "long"}]},
            ["a[0].v"],
            id="a key of another type is another key",
        ),
        pytest.param(
            schema_with_field({"allOf": [{"properties": {"c": SHORT}}], "properties": {"c": {}, "d": {}}}),
            {"a": {"c": "long", "d": 1}},
            {"a": {"c": "long"}},
            ["a.c", "<nil>"],
            id="inside a junctor nothing is forgiven",
        ),
        pytest.param(
            {"properties": {"kind": SHORT, "spec": {"properties": {"kind": SHORT}}}},
            {"kind": "long", "spec": {"kind": "long"}, "other": 1},
            {"kind": "long", "spec": {"kind": "long"}},
            ["kind"],
            id="the root's kind is never forgiven",
        ),
        pytest.param(
            {"additionalProperties": SHORT},
            {"apiVersion": "long", "x": "long", "y": "z"},
            {"apiVersion": "long", "x": "long"},
            ["apiVersion"],
            id="nor is the root's apiVersion, where the root is a map",
        ),
    ],
)
def test_errors_of_unchanged_parts_are_ignored(
    schema: Schema, new: JSONValue, old: JSONValue, expected: list[str]
) -> None:
    assert fields(schema, new, old) == expected


@pytest.mark.parametrize(
    ("schema", "new", "old", "unchanged"),
    [
        pytest.param({}, None, None, True, id="null stays null"),
        pytest.param({}, 1, 1.0, False, id="an integer becomes a float"),
        pytest.param({}, [1, {"a": 1}], [1, {"a": 1}], True, id="a list is compared as a whole"),
        pytest.param({}, {"a": 1}, {"a": 1}, False, id="a field without a schema"),
        pytest.param({"additionalProperties": True}, {"a": 1}, {"a": 1}, False, id="a map of anything"),
        pytest.param({"properties": {"a": {}}}, {"a": 1}, {"a": 1}, True, id="a known field"),
        pytest.param({"properties": {"a": {}}}, {"a": 1}, {"b": 1}, False, id="a renamed field"),
        pytest.param({"properties": {"a": {}}}, {"a": 1}, {}, False, id="a field more"),
        pytest.param({"properties": {"a": {}}}, {}, {"a": 1}, False, id="a field less"),
        pytest.param(list_map("k"), [{"k": 1}, {"k": 2}], [{"k": 2}, {"k": 1}], True, id="another order of a list-map"),
        pytest.param(list_map("k"), [{"k": 1}], [{"k": 1}, {"k": 2}], False, id="an item less"),
        pytest.param(list_map("k"), [{"k": 1}], [{"k": 2}], False, id="another key"),
        pytest.param(list_map("k"), [{"k": 1, "v": "a"}], [{"k": 1, "v": "b"}], False, id="another value"),
        pytest.param(list_map("k"), [{"k": 1}, {"k": 1}], [{"k": 1}, {"k": 2}], True, id="an item twice, another gone"),
        pytest.param(list_map("k"), [{"k": 1}], [{"k": 1}], True, id="items of a list-map"),
        pytest.param(
            list_map("k"),
            [{"k": 1, "v": "a"}, {"k": 2}],
            [{"k": 1, "v": "a"}, {"k": 1, "v": "b"}],
            False,
            id="of old items of one key the first corresponds",
        ),
        pytest.param(list_map("k"), ["x"], ["x"], False, id="an item that is no object"),
        pytest.param(list_map("k"), [{"k": {}}], [{"k": {}}], False, id="a key that is no scalar"),
        pytest.param(list_map("k"), [{}], [{}], False, id="a missing key"),
        pytest.param(list_map(), [{"k": 1}], [{"k": 1}], False, id="a list-map without keys"),
        pytest.param(list_map("k", item=None), [{"k": 1}], [{"k": 1}], False, id="a list-map without items"),
        pytest.param(
            list_map("k", "j"),
            [{"k": 0.12345678, "j": True}],
            [{"k": 0.12345677, "j": True}],
            False,
            id="of two keys, six decimals count, so these items correspond but differ",
        ),
        pytest.param(list_map("k"), "x", "x", True, id="a text where a list-map should be"),
        pytest.param(list_map("k"), [{"k": 1}], {"k": 1}, False, id="an object that becomes a list-map"),
    ],
)
def test_unchanged_values_are_detected(schema: Schema, new: JSONValue, old: JSONValue, *, unchanged: bool) -> None:
    assert Correlation(new, old, schema).is_unchanged == unchanged


def test_several_keys_are_compared_by_six_decimals() -> None:
    item = Correlation([{"k": 0.12345678, "j": 1}], [{"k": 0.12345677, "j": 1}], list_map("k", "j")).item(0)
    assert item is not None
    assert item.old == {"k": 0.12345677, "j": 1}


def test_parts_are_correlated_once() -> None:
    correlation = Correlation({"a": [{"k": 1}]}, {"a": [{"k": 1}]}, {"properties": {"a": list_map("k")}})
    part = correlation.field("a")
    assert part is not None
    assert part is correlation.field("a")
    assert part.item(0) is part.item(0)


def test_values_other_than_lists_have_no_corresponding_items() -> None:
    assert Correlation([{"k": 1}], "x", list_map("k")).item(0) is None

"""Defaulting (KEP-575): removal of forbidden nulls, and insertion of defaults."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pytest_crd.engine.passes import defaulting, rewriting
from pytest_crd.engine.schema import structural

NESTED = {
    "type": "object",
    "properties": {"a": {"type": "object", "default": {}, "properties": {"b": {"type": "integer", "default": 1}}}},
}
DEFAULT_7 = {"type": "integer", "default": 7}
NULLABLE_7 = {**DEFAULT_7, "nullable": True}
STRING = {"type": "string"}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _map(schema: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": schema}


def _list(schema: Any) -> dict[str, Any]:
    return {"type": "array", "items": schema}


@pytest.mark.parametrize(
    ("schema", "value", "result", "paths"),
    [
        pytest.param(NESTED, {}, {"a": {"b": 1}}, [("a",), ("a", "b")], id="a default is defaulted in turn"),
        pytest.param(NESTED, {"a": {}}, {"a": {"b": 1}}, [("a", "b")], id="a field of a given object"),
        pytest.param(NESTED, {"a": {"b": 2}}, {"a": {"b": 2}}, [], id="what is given stays"),
        pytest.param(NESTED, {"a": None}, {"a": {"b": 1}}, [("a",), ("a", "b")], id="a null gives way"),
        pytest.param(NESTED, {"a": [1]}, {"a": [1]}, [], id="a value of the wrong type stays"),
        pytest.param(NESTED, {"a": 1}, {"a": 1}, [], id="so does a scalar"),
        pytest.param(_object(a=NULLABLE_7), {"a": None}, {"a": None}, [], id="a nullable null stays"),
        pytest.param(_object(a=NULLABLE_7), {}, {"a": 7}, [("a",)], id="an absent nullable field is put in"),
        pytest.param(_map(DEFAULT_7), {"k": None, "l": 1}, {"k": 7, "l": 1}, [("k",)], id="a null in a map"),
        pytest.param(_map(NULLABLE_7), {"k": None}, {"k": None}, [], id="a nullable null in a map"),
        pytest.param(
            _map(NESTED),
            {"k": {}, "l": {"a": {"b": 1}}, "m": 1},
            {"k": {"a": {"b": 1}}, "l": {"a": {"b": 1}}, "m": 1},
            [("k", "a"), ("k", "a", "b")],
            id="fields of map values",
        ),
        pytest.param(
            _object(m=_map(NESTED), n=_object(o=_object(p=DEFAULT_7))),
            {"m": {"k": {}}, "n": {"o": {}}},
            {"m": {"k": {"a": {"b": 1}}}, "n": {"o": {"p": 7}}},
            [("m", "k", "a"), ("m", "k", "a", "b"), ("n", "o", "p")],
            id="maps and objects in fields",
        ),
        pytest.param(
            {**_object(p=STRING), "additionalProperties": DEFAULT_7},
            {"p": None, "k": None},
            {"p": None, "k": 7},
            [("k",)],
            id="a property is no map key",
        ),
        pytest.param(_list(DEFAULT_7), [None, 1], [7, 1], [(0,)], id="a null in a list"),
        pytest.param(_list(DEFAULT_7), [1], [1], [], id="a list without null"),
        pytest.param(_list(NULLABLE_7), [None], [None], [], id="a nullable null in a list"),
        pytest.param(
            _list({**NESTED, "default": {"x": 1}}),
            [None, {}],
            [{"x": 1, "a": {"b": 1}}, {"a": {"b": 1}}],
            [(0,), (0, "a"), (0, "a", "b"), (1, "a"), (1, "a", "b")],
            id="a null and an object in a list",
        ),
        pytest.param(
            _list({**NESTED, "nullable": True, "default": {}}),
            [None, {}],
            [None, {"a": {"b": 1}}],
            [(1, "a"), (1, "a", "b")],
            id="a nullable null beside an object",
        ),
        pytest.param(
            _object(l=_list(NESTED)),
            {"l": [{}]},
            {"l": [{"a": {"b": 1}}]},
            [("l", 0, "a"), ("l", 0, "a", "b")],
            id="objects in a list in a field",
        ),
        pytest.param(_object(l=_list(NESTED)), {"l": {"x": 1}}, {"l": {"x": 1}}, [], id="an object instead of a list"),
        pytest.param(_object(a=STRING), {"b": {}}, {"b": {}}, [], id="a schema without defaults"),
    ],
)
def test_defaults_are_set(schema: dict[str, Any], value: Any, result: Any, paths: list[Any]) -> None:
    before = copy.deepcopy(value)
    defaulted = rewriting.apply(defaulting.compile_defaults(structural.from_schema(schema)), value)
    assert defaulted.value == result
    assert list(defaulted.paths) == paths
    assert value == before


@pytest.mark.parametrize(
    ("schema", "value", "result", "paths"),
    [
        pytest.param(_object(a=STRING), {"a": None, "b": None}, {"b": None}, [("a",)], id="a field with a schema"),
        pytest.param(_object(a={**STRING, "nullable": True}), {"a": None}, {"a": None}, [], id="a nullable field"),
        pytest.param(_object(a=DEFAULT_7), {"a": None}, {"a": None}, [], id="a field whose default replaces it"),
        pytest.param(_map(STRING), {"k": None}, {}, [("k",)], id="a map value"),
        pytest.param(_map(_object(a=STRING)), {"k": {"a": None}}, {"k": {}}, [("k", "a")], id="below a map value"),
        pytest.param(
            {"type": "object", "additionalProperties": True},
            {"k": {"a": None}},
            {"k": {"a": None}},
            [],
            id="a map of anything",
        ),
        pytest.param(
            _list(_object(a=STRING)),
            [None, {"a": None}, {"a": "b"}],
            [None, {}, {"a": "b"}],
            [(1, "a")],
            id="items stay, their fields go",
        ),
        pytest.param({"type": "array"}, [{"a": None}], [{"a": None}], [], id="items without a schema"),
        pytest.param(_object(o=_object(a=STRING)), {"o": {"a": None}}, {"o": {}}, [("o", "a")], id="a nested field"),
        pytest.param(_object(o=_object(a=STRING)), {"o": {"a": "b"}}, {"o": {"a": "b"}}, [], id="no null"),
    ],
)
def test_nulls_that_are_not_allowed_are_dropped(
    schema: dict[str, Any], value: Any, result: Any, paths: list[Any]
) -> None:
    before = copy.deepcopy(value)
    dropped = rewriting.apply(defaulting.compile_drop_nulls(structural.from_schema(schema)), value)
    assert dropped.value == result
    assert list(dropped.paths) == paths
    assert value == before


def test_without_a_schema_nothing_changes() -> None:
    value: Any = {"a": None, "l": [None]}
    assert rewriting.apply(defaulting.compile_defaults(None), value).value is value
    assert rewriting.apply(defaulting.compile_drop_nulls(None), value).value is value


def test_each_place_gets_its_own_copy_of_the_default() -> None:
    default = defaulting.compile_defaults(structural.from_schema(NESTED))
    first = default({}, [])
    first["a"]["b"] = 5
    assert default({}, []) == {"a": {"b": 1}}

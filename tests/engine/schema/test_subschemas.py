"""Schemas inside schemas."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.schema import subschemas

NESTED: dict[str, Any] = {
    "items": {"id": "1"},
    "allOf": [{"id": "2", "items": [{"id": "3"}]}],
    "not": {"id": "4"},
    "properties": {"x-kubernetes-validations": {"id": "5", "x-kubernetes-validations": [{"rule": "r"}]}},
    "additionalProperties": {"id": "6"},
    "additionalItems": True,
    "dependencies": {"a": ["b"], "c": {"id": "7"}},
    "default": {"properties": {"a": {"id": "no schema"}}},
}


def test_nested_schemas_are_found_under_all_keywords() -> None:
    ids = [node["id"] for node in subschemas.walk(NESTED) if "id" in node]
    assert ids == ["1", "2", "3", "4", "5", "6", "7"]


def test_schemas_are_walked_in_the_order_of_the_server_and_properties_by_name() -> None:
    properties = {"b": {"id": "2"}, "a": {"id": "1"}}
    schema = {
        "dependencies": {"a": {"id": "4"}},
        "properties": properties,
        "not": {"id": "0"},
        "additionalItems": {"id": "3"},
    }
    assert [node["id"] for node in subschemas.walk(schema) if "id" in node] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("keyword", ["items", "allOf", "not", "properties", "dependencies", "additionalProperties"])
def test_null_is_no_schema(keyword: str) -> None:
    assert list(subschemas.walk({keyword: None})) == [{keyword: None}]
    assert subschemas.without({keyword: None, "id": "x"}, lambda name, _: name == "id") == {keyword: None}


def test_a_keyword_is_dropped_everywhere_but_not_a_property_of_its_name() -> None:
    without_rules = subschemas.without(NESTED, lambda keyword, _: keyword == "x-kubernetes-validations")
    assert without_rules == NESTED | {"properties": {"x-kubernetes-validations": {"id": "5"}}}
    same = subschemas.without(NESTED, lambda keyword, value: keyword == "id" and value is None)
    assert [node["id"] for node in subschemas.walk(same) if "id" in node][-1] == "7"


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"default": 0}, True),
        ({"properties": {"a": {"default": False}}}, True),
        ({"properties": {"default": {}}}, False),
        ({}, False),
    ],
)
def test_defaults_are_found(schema: Any, *, answer: bool) -> None:
    assert subschemas.have_defaults(subschemas.walk(schema)) is answer


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"x-kubernetes-preserve-unknown-fields": False}, True),
        ({"x-kubernetes-list-type": ""}, True),
        ({"x-kubernetes-embedded-resource": False}, False),
        ({"x-kubernetes-int-or-string": True}, True),
        ({"x-kubernetes-validations": []}, False),
        ({"x-kubernetes-map-type": "atomic"}, False),
    ],
)
def test_extensions_of_structural_schemas_are_found(schema: Any, *, answer: bool) -> None:
    assert subschemas.have_extensions(subschemas.walk({"items": schema})) is answer


def test_invalid_types_are_found() -> None:
    assert subschemas.have_invalid_types(subschemas.walk({"anyOf": [{"type": "strange"}]}))
    assert not subschemas.have_invalid_types(subschemas.walk({"type": "object", "properties": {"a": {}}}))

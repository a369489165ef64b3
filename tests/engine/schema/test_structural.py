"""Structural schemas: structure, value validations, and unsupported constructs of an OpenAPI schema."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.schema import structural
from pytest_crd.engine.schema.structural import (
    NestedValueValidation,
    Structural,
    UnsupportedConstructError,
    ValueValidation,
)


def test_a_schema_splits_into_structure_and_value_validations() -> None:
    schema = structural.from_schema(
        {
            "type": "object",
            "nullable": True,
            "title": "t",
            "description": "d",
            "default": {"a": 1},
            "minProperties": 0,
            "required": ["a"],
            "properties": {
                "b": {"type": "array", "items": {"type": "string", "pattern": "^a"}},
                "a": {"type": "integer"},
            },
            "not": {"required": ["b"]},
        }
    )
    assert schema == Structural(
        type="object",
        nullable=True,
        default={"a": 1},
        is_annotated=True,
        properties={
            "a": Structural(type="integer"),
            "b": Structural(
                type="array", items=Structural(type="string", validation=ValueValidation(keywords={"pattern": "^a"}))
            ),
        },
        validation=ValueValidation(
            keywords={"minProperties": 0, "required": ["a"]},
            not_=NestedValueValidation(validation=ValueValidation(keywords={"required": ["b"]})),
        ),
    )
    assert list(schema.properties) == ["a", "b"]


def test_extensions_are_read() -> None:
    rule = {"rule": "true"}
    schema = structural.from_schema(
        {
            "x-kubernetes-preserve-unknown-fields": True,
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-int-or-string": True,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["a", "b"],
            "x-kubernetes-map-type": "atomic",
            "x-kubernetes-validations": [rule],
        }
    )
    assert schema == Structural(
        x_preserve_unknown_fields=True,
        x_embedded_resource=True,
        x_int_or_string=True,
        x_list_type="map",
        x_list_map_keys=("a", "b"),
        x_validations=(rule,),
    )


@pytest.mark.parametrize(
    ("declared", "held", "value_schema"),
    [
        ({"type": "string"}, Structural(type="string"), Structural(type="string")),
        (True, True, None),
        (False, False, None),
        (None, None, None),
    ],
)
def test_map_values_have_a_schema_or_a_boolean(declared: Any, held: Any, value_schema: Structural | None) -> None:
    schema = structural.from_schema({"additionalProperties": declared})
    assert schema.additional_properties == held
    assert schema.value_schema == value_schema


@pytest.mark.parametrize(
    "keyword",
    ["type", "pattern", "nullable", "uniqueItems", "enum", "x-kubernetes-int-or-string", "$ref", "definitions"],
)
@pytest.mark.parametrize("empty", ["", False, None, []])
def test_an_empty_value_with_omitempty_counts_as_absent(keyword: str, empty: Any) -> None:
    assert structural.from_schema({keyword: empty}) == Structural()


def test_an_empty_value_behind_a_pointer_counts_as_set() -> None:
    schema = structural.from_schema({"minimum": 0, "maxLength": 0, "required": [], "default": False})
    assert schema.validation.keywords == {"minimum": 0, "maxLength": 0, "required": []}
    assert schema.default is False


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"id": "a"}, "OpenAPIV3Schema 'id' is not supported"),
        ({"$schema": "a"}, "OpenAPIV3Schema 'schema' is not supported"),
        ({"$ref": "#/a"}, "OpenAPIV3Schema '$ref' is not supported"),
        ({"patternProperties": {"a": {}}}, "OpenAPIV3Schema 'patternProperties' is not supported"),
        ({"dependencies": {"a": ["b"]}}, "OpenAPIV3Schema 'dependencies' is not supported"),
        ({"additionalItems": False}, "OpenAPIV3Schema 'additionalItems' is not supported"),
        ({"definitions": {"a": {}}}, "OpenAPIV3Schema 'definitions' is not supported"),
        ({"items": [{}]}, "OpenAPIV3Schema 'items' must be a schema, but is an array"),
        (
            {"x-kubernetes-preserve-unknown-fields": False},
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined",
        ),
    ],
)
@pytest.mark.parametrize("place", ["root", "properties", "items", "additionalProperties", "not", "nested properties"])
def test_unsupported_constructs_are_refused_at_any_depth(schema: dict[str, Any], message: str, place: str) -> None:
    placed: dict[str, dict[str, Any]] = {
        "root": schema,
        "properties": {"properties": {"a": schema}},
        "items": {"items": schema},
        "additionalProperties": {"additionalProperties": schema},
        "not": {"not": schema},
        "nested properties": {"anyOf": [{"properties": {"a": schema}}]},
    }
    with pytest.raises(UnsupportedConstructError) as raised:
        structural.from_schema(placed[place])
    assert str(raised.value) == message


def test_empty_dependencies_are_ignored() -> None:
    assert structural.from_schema({"dependencies": {}}) == Structural()


def test_nested_validations_keep_forbidden_keywords_separately() -> None:
    schema = structural.from_schema(
        {
            "anyOf": [{"type": "string", "description": "d", "minLength": 1, "x-kubernetes-list-type": "set"}],
            "allOf": [{"items": {"minimum": 1}, "properties": {"a": {}}}],
            "oneOf": [
                {"additionalProperties": True},
                {"additionalProperties": False},
                {"additionalProperties": {"minimum": 1}},
                {"x-kubernetes-validations": []},
            ],
        }
    )
    minimum = NestedValueValidation(validation=ValueValidation(keywords={"minimum": 1}))
    assert schema.validation.any_of == (
        NestedValueValidation(
            validation=ValueValidation(keywords={"minLength": 1}),
            forbidden={"type": "string", "description": "d", "x-kubernetes-list-type": "set"},
        ),
    )
    assert schema.validation.all_of == (
        NestedValueValidation(items=minimum, properties={"a": NestedValueValidation()}),
    )
    assert schema.validation.one_of == (
        NestedValueValidation(additional_properties=NestedValueValidation()),
        NestedValueValidation(),
        NestedValueValidation(additional_properties=minimum),
        NestedValueValidation(x_validations=()),
    )


INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]


@pytest.mark.parametrize(
    ("schema", "any_of", "all_of"),
    [
        pytest.param({"anyOf": INT_OR_STRING}, True, False, id="the first pattern"),
        pytest.param({"allOf": [{"anyOf": INT_OR_STRING}, {"pattern": "a"}]}, False, True, id="the second pattern"),
        pytest.param({"anyOf": INT_OR_STRING[::-1]}, False, False, id="the order counts"),
        pytest.param({"anyOf": INT_OR_STRING[:1]}, False, False, id="both types are needed"),
        pytest.param(
            {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]}, False, False, id="no more than types"
        ),
        pytest.param({"allOf": [{"pattern": "a"}, {"anyOf": INT_OR_STRING}]}, False, False, id="it must come first"),
        pytest.param({}, False, False, id="no junctors"),
    ],
)
def test_int_or_string_is_recognized_in_exactly_two_patterns(
    schema: dict[str, Any], *, any_of: bool, all_of: bool
) -> None:
    validation = structural.from_schema(schema).validation
    assert structural.is_int_or_string_any_of(validation) is any_of
    assert structural.is_int_or_string_all_of(validation) is all_of


def test_nodes_are_walked_parents_first_with_the_paths_of_values() -> None:
    schema = structural.from_schema(
        {
            "properties": {
                "list": {"items": {"type": "string"}},
                "map": {"additionalProperties": {"properties": {"a": {}}}},
                "any": {"additionalProperties": True},
            }
        }
    )
    assert [path for path, _ in structural.nodes(schema)] == [
        (),
        ("any",),
        ("list",),
        ("list", "[]"),
        ("map",),
        ("map", "*"),
        ("map", "*", "a"),
    ]
    assert dict(structural.nodes(schema, ("root",)))[("root", "list", "[]")].type == "string"

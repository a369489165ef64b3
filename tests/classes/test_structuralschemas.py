"""Structural schemas from JSON Schemas."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.classes.structuralschemas import SchemaReader

JSON = dict[str, Any]
ANY: JSON = {"x-kubernetes-preserve-unknown-fields": True}
TEXT: JSON = {"type": "string"}
NUMBER: JSON = {"type": "integer"}
# A server compares null with the values of an enum beside `nullable`, and not with those in a junctor.
X_OR_NULL: JSON = {"nullable": True, "allOf": [{"enum": ["x"]}]}


def read(schema: Any, **definitions: JSON) -> Any:
    """Return the structural schema of a field, or the mistakes about it."""
    reader = SchemaReader({"type": "object", "properties": {"a": schema}, "$defs": definitions}, "Model")
    structural = reader.read()
    return list(map(str, reader.mistakes)) or structural["properties"]["a"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({**TEXT, "title": "A", "examples": ["x"], "pattern": "^a", "format": "date"}, {**TEXT, "pattern": "^a", "format": "date"}),
        ({"type": ["string", "null"]}, {**TEXT, "nullable": True}),
        ({"type": ["integer", "string"]}, {"x-kubernetes-int-or-string": True}),
        ({"anyOf": [TEXT, {"type": "null"}], "default": None}, {**TEXT, "nullable": True}),
        ({"anyOf": [{**TEXT, "description": "x"}, {"type": "null"}], "description": "y"}, {**TEXT, "nullable": True, "description": "y"}),
        ({"anyOf": [NUMBER, TEXT], "default": 80}, {"x-kubernetes-int-or-string": True, "default": 80}),
        ({"anyOf": [{**TEXT, "maxLength": 3}, {**TEXT, "pattern": "^a"}]}, {**TEXT, "anyOf": [{"maxLength": 3}, {"pattern": "^a"}]}),
        ({"const": "x"}, {**TEXT, "enum": ["x"]}),
        ({"enum": ["x", None]}, {**TEXT, **X_OR_NULL}),
        ({"anyOf": [{"enum": ["x"]}, {"type": "null"}]}, {**TEXT, **X_OR_NULL}),
        ({"oneOf": [{"const": "x"}, {"const": None}]}, {**TEXT, **X_OR_NULL}),
        ({"type": ["string", "null"], "enum": ["x"]}, {**TEXT, "enum": ["x"], "nullable": True}),
        ({**TEXT, "enum": ["x", None]}, {**TEXT, "enum": ["x"]}),
        ({**TEXT, "enum": ["x", "y"], "const": "x"}, {**TEXT, "enum": ["x"]}),
        ({**TEXT, "const": "x", "enum": ["x", "y"]}, {**TEXT, "enum": ["x"]}),
        ({**TEXT, "minLength": 3, "anyOf": [{"minLength": 5}, {"type": "null"}]}, {**TEXT, "minLength": 5}),
        ({"$ref": "#/$defs/D", "minLength": 2, "maxLength": 4, "enum": ["abc", "abcd"]}, {**TEXT, "minLength": 3, "maxLength": 4, "enum": ["abc"]}),
        ({"$ref": "#/$defs/O", "required": ["c"], "properties": {"b": {"maxLength": 3}, "c": TEXT}}, {"type": "object", "required": ["b", "c"], "properties": {"b": {**TEXT, "maxLength": 3}, "c": TEXT}}),
        ({"allOf": [{"type": ["string", "null"]}, {**TEXT, "maxLength": 3}, {"type": ["string", "integer"], "maxLength": 2}]}, {**TEXT, "maxLength": 2}),
        ({"allOf": [True, {"type": "object", "additionalProperties": NUMBER}, {"additionalProperties": True}]}, {"type": "object", "additionalProperties": NUMBER}),
        ({"allOf": [{"type": "object", "additionalProperties": NUMBER}, {"additionalProperties": {"minimum": 1}}]}, {"type": "object", "additionalProperties": {**NUMBER, "minimum": 1}}),
        ({"allOf": [{"type": "object", "additionalProperties": True}, {"additionalProperties": False}]}, {"type": "object"}),
        ({"allOf": [{"type": "array", "items": TEXT, "uniqueItems": True}, {"items": {"maxLength": 1}, "uniqueItems": False}]}, {"type": "array", "items": {**TEXT, "maxLength": 1}, "x-kubernetes-list-type": "set"}),
        ({"allOf": [{**TEXT, "x-kubernetes-validations": [1]}, {"x-kubernetes-validations": [2]}]}, {**TEXT, "x-kubernetes-validations": [1, 2]}),
        ({"type": "object", "properties": {"b": TEXT, "c": TEXT}, "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}, {"type": "object", "properties": {"b": TEXT, "c": TEXT}, "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}),
        ({"anyOf": [{"type": ["string", "null"], "minLength": 3}, {**TEXT, "maxLength": 1}]}, {**TEXT, "nullable": True, "anyOf": [{"minLength": 3}, {"maxLength": 1}]}),
        ({"anyOf": [{"type": ["integer", "string"], "minimum": 3}, {"type": ["integer", "string"], "maxLength": 3}]}, {"x-kubernetes-int-or-string": True, "anyOf": [{"minimum": 3}, {"maxLength": 3}]}),
        ({"type": "array", "items": {"type": "object"}, "uniqueItems": True, "x-kubernetes-list-type": "map"}, {"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "map"}),
        ({**TEXT, "x-order": 1}, {**TEXT, "x-order": 1}),
        ({**NUMBER, "exclusiveMinimum": 3}, {**NUMBER, "minimum": 3, "exclusiveMinimum": True}),
        ({**NUMBER, "minimum": 5, "exclusiveMinimum": 3}, {**NUMBER, "minimum": 5}),
        ({**NUMBER, "minimum": 5, "exclusiveMinimum": True}, {**NUMBER, "minimum": 5, "exclusiveMinimum": True}),
        ({**NUMBER, "exclusiveMaximum": 3, "maximum": 9}, {**NUMBER, "maximum": 3, "exclusiveMaximum": True}),
        ({"type": "array", "items": TEXT, "uniqueItems": True}, {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}),
        ({"type": "array", "items": TEXT, "uniqueItems": False}, {"type": "array", "items": TEXT}),
        ({"type": "object", "additionalProperties": NUMBER}, {"type": "object", "additionalProperties": NUMBER}),
        ({"type": "object", "additionalProperties": True}, {"type": "object", **ANY}),
        ({"type": "object", "properties": {"b": TEXT}, "additionalProperties": False, "required": []}, {"type": "object", "properties": {"b": TEXT}}),
        ({}, ANY),
        (True, ANY),
        ({"description": "anything"}, {"description": "anything", **ANY}),
        ({**TEXT, "x-kubernetes-validations": [{"rule": "true"}]}, {**TEXT, "x-kubernetes-validations": [{"rule": "true"}]}),
        ({"$ref": "#/$defs/B", "description": "mine"}, {**TEXT, "description": "mine"}),
        ({"$ref": "#/$defs/B", "type": "string"}, {**TEXT, "description": "B"}),
        ({"allOf": [{"$ref": "#/$defs/B"}], "default": "x"}, {**TEXT, "description": "B", "default": "x"}),
    ],
)  # fmt: skip
def test_keywords_are_said_structurally(schema: Any, expected: JSON) -> None:
    definitions = {
        "B": {**TEXT, "description": "B"},
        "D": {**TEXT, "minLength": 3, "maxLength": 9, "enum": ["abc", "xyz"]},
        "O": {"type": "object", "required": ["b"], "properties": {"b": TEXT}},
    }
    assert read(schema, **definitions) == expected


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (False, "no value is allowed here, which a structural schema cannot say"),
        ({"type": "null"}, "its only value is null, which a structural schema cannot say"),
        ({"type": ["integer", "boolean"]}, "its types are integer and boolean; a structural schema has one type"),
        ({"enum": ["x", 1]}, "its values have the types integer and string; a structural schema has one type"),
        ({"anyOf": [TEXT, {"type": "boolean"}]}, "a union of boolean and string; a structural schema has one type"),
        ({"anyOf": [NUMBER, {**TEXT, "pattern": "^a"}]}, "a union of integer and string; a structural schema has one type"),
        ({"type": "object", "patternProperties": {"^a": TEXT}}, "a structural schema cannot say patternProperties"),
        ({"allOf": [{**TEXT, "pattern": "a"}, {"pattern": "b"}]}, "two schemas with another pattern apply, which a structural schema cannot say"),
        ({"allOf": [TEXT, NUMBER]}, "two schemas with another type apply, which a structural schema cannot say"),
        ({"allOf": [{**TEXT, "enum": ["x"]}, {"enum": ["y"]}]}, "two schemas with another enum apply, which a structural schema cannot say"),
        ({"allOf": [{**NUMBER, "exclusiveMinimum": True}, {"exclusiveMinimum": 3}]}, "two schemas with another exclusiveMinimum apply, which a structural schema cannot say"),
        ({"allOf": [{"type": "object", "additionalProperties": False}, {"properties": {"b": TEXT}}]}, "two schemas with another additionalProperties apply, which a structural schema cannot say"),
        ({"allOf": []}, "allOf has no list of schemas"),
        ({"allOf": [False]}, "no value is allowed here, which a structural schema cannot say"),
        ({"anyOf": [{"type": "null"}, {"const": None}]}, "its only value is null, which a structural schema cannot say"),
        ({"anyOf": [True, TEXT]}, "a union of None and string; a structural schema has one type"),
        ({"const": None}, "its only value is null, which a structural schema cannot say"),
        ({"enum": ["x"], "const": "y"}, "its const is not in its enum, so that no value is allowed"),
        ([TEXT], '[{"type": "string"}] is no schema'),
        ({"properties": [TEXT]}, "properties has no mapping of schemas"),
        ({"type": "object", "required": ["b"]}, "b is required and not in properties, so that a server drops it"),
        ({"type": "object", "properties": {"b": TEXT}, "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}, "c is required and not in properties, so that a server drops it"),
        ({"properties": {"b": TEXT}, "anyOf": [{"type": "object"}, {"type": "object"}]}, "properties stands beside anyOf, which a structural schema cannot say; put it into the branches"),
        ({**NUMBER, "anyOf": [{**TEXT, "minLength": 1}, {**TEXT, "maxLength": 1}]}, "a union of string beside another type"),
        ({"anyOf": [{"type": "object"}, {"type": "object", "additionalProperties": True}]}, "only some branches of a union have x-kubernetes-preserve-unknown-fields, which a structural schema cannot say"),
        ({"type": "array", "items": TEXT, "uniqueItems": True, "x-kubernetes-list-type": "atomic"}, "its items are unique, but not with x-kubernetes-list-type: atomic"),
        ({**TEXT, "x-kubernetes-validation": []}, "a structural schema cannot say x-kubernetes-validation"),
        ({**TEXT, "format": "duration"}, "to a server the format duration is a duration of Go such as 1h30m, and not of ISO 8601"),
        ({"type": "object", "properties": {"b": TEXT}, "additionalProperties": TEXT}, "a structural schema has either properties or additionalProperties"),
        ({"type": "array", "items": {"type": "object"}, "uniqueItems": True}, "its items are unique and no scalars, which a structural schema cannot say; see x-kubernetes-list-type: map"),
        ({"$ref": "#/$defs/C"}, "#/$defs/C leads nowhere"),
        ({"$ref": "other.json"}, "other.json leads nowhere"),
        ({"oneOf": [{"type": "array", "items": TEXT}, {"type": "array", "items": NUMBER}]}, "a union of lists or maps, which a structural schema cannot say"),
    ],
)  # fmt: skip
def test_the_rest_is_a_mistake_with_its_field(schema: Any, message: str) -> None:
    assert read(schema) == [f"Model, a: {message}"]


def test_a_recursive_model_is_a_mistake_that_says_where() -> None:
    node = {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}}

    assert read({"$ref": "#/$defs/Node"}, Node=node) == [
        "Model, a.next: Node -> Node: a structural schema has no references, so that it cannot be recursive"
    ]


S3: JSON = {
    "type": "object",
    "properties": {"kind": {"const": "s3"}, "bucket": {**TEXT, "minLength": 3}},
    "required": ["bucket"],
}
DISK: JSON = {"type": "object", "properties": {"kind": {"const": "disk"}, "size": TEXT}, "required": ["kind"]}


def test_a_discriminated_union_has_the_fields_of_all_branches() -> None:
    union = {"oneOf": [S3, DISK], "discriminator": {"propertyName": "kind"}}

    assert read(union) == {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["s3", "disk"]},
            "bucket": {**TEXT, "minLength": 3},
            "size": TEXT,
        },
        "oneOf": [
            {"required": ["kind", "bucket"], "properties": {"kind": {"enum": ["s3"]}, "bucket": {"minLength": 3}}},
            {"required": ["kind"], "properties": {"kind": {"enum": ["disk"]}}},
        ],
    }


def test_lists_and_maps_in_branches_keep_their_types_beside_the_junctor() -> None:
    texts, numbers = (
        {"type": "array", "items": {**TEXT, "minLength": 1}},
        {"type": "object", "additionalProperties": NUMBER},
    )
    branches = [
        {"type": "object", "properties": {"kind": {"const": kind, "default": kind}, name: schema}}
        for kind, name, schema in (("a", "texts", {**texts, "uniqueItems": True}), ("b", "numbers", numbers))
    ]

    assert read({"oneOf": branches, "discriminator": {"propertyName": "kind"}}) == {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["a", "b"]},
            "texts": {**texts, "x-kubernetes-list-type": "set"},
            "numbers": numbers,
        },
        "oneOf": [
            {"required": ["kind"], "properties": {"kind": {"enum": ["a"]}, "texts": {"items": {"minLength": 1}}}},
            {"required": ["kind"], "properties": {"kind": {"enum": ["b"]}}},
        ],
    }


def test_the_values_of_a_field_in_several_branches_may_be_objects() -> None:
    branches = [{"type": "object", "properties": {"kind": {"const": {"a": number}}}} for number in (1, 2)]

    assert read({"oneOf": branches})["properties"]["kind"] == {"type": "object", "enum": [{"a": 1}, {"a": 2}]}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"properties": {"bucket": NUMBER}}, "a.bucket: the branches of a union specify it differently; a structural schema has one schema for a field"),
        ({"properties": {"kind": {"const": "disk", "default": "disk"}}}, "a.kind: the branches of a union specify it differently; a structural schema has one schema for a field"),
        ({"properties": {"kind": {"anyOf": [{"const": "disk"}, {"type": "null"}]}}}, "a.kind: the branches of a union specify it differently; a structural schema has one schema for a field"),
        ({"properties": {"size": {**TEXT, "default": "x"}}}, "a.size: a server sets this default in objects of all branches of the union"),
    ],
)  # fmt: skip
def test_a_union_that_is_not_structural_is_a_mistake(other: JSON, message: str) -> None:
    assert read({"anyOf": [S3, {"type": "object", **other}]}) == [f"Model, {message}"]

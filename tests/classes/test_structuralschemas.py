"""Structural schemas from JSON Schemas."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.classes.structuralschemas import SchemaReader

JSON = dict[str, Any]
ANY: JSON = {"x-kubernetes-preserve-unknown-fields": True}
TEXT: JSON = {"type": "string"}
NUMBER: JSON = {"type": "integer"}


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
        ({"enum": ["x", None]}, {**TEXT, "enum": ["x"], "nullable": True}),
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
        ({"allOf": [{"$ref": "#/$defs/B"}], "default": "x"}, {**TEXT, "description": "B", "default": "x"}),
    ],
)  # fmt: skip
def test_keywords_are_said_structurally(schema: Any, expected: JSON) -> None:
    assert read(schema, B={**TEXT, "description": "B"}) == expected


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
        ({"allOf": [TEXT, TEXT]}, "a structural schema cannot say allOf"),
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


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"properties": {"bucket": NUMBER}}, "a.bucket: the branches of a union specify it differently; a structural schema has one schema for a field"),
        ({"properties": {"size": {**TEXT, "default": "x"}}}, "a.size: a server sets this default in objects of all branches of the union"),
    ],
)  # fmt: skip
def test_a_union_that_is_not_structural_is_a_mistake(other: JSON, message: str) -> None:
    assert read({"anyOf": [S3, {"type": "object", **other}]}) == [f"Model, {message}"]

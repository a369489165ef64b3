"""JSON Schemas of custom resources, as jsonschema reads them."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest
from conformance import casefile

from pytest_crd.engine import CustomResourceDefinition

_SPEC: Any = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False},
        "most": {"type": "number", "maximum": 2.5, "exclusiveMaximum": True, "exclusiveMinimum": True},
        "port": {"x-kubernetes-int-or-string": True},
        "maybe": {"x-kubernetes-int-or-string": True, "nullable": True, "description": "may be none"},
        "color": {"type": "string", "nullable": True, "enum": ["red"]},
        "word": {"type": "string", "nullable": True, "allOf": [{"pattern": "^a"}], "not": {"enum": ["ab"]}},
        "any": {"x-kubernetes-preserve-unknown-fields": True, "nullable": True},
        "free": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"a": {"type": "string"}},
        },
        "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string", "example": "x"}}}},
        "made": {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object"}}},
        "either": {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "oneOf": [{"properties": {"a": {"minLength": 1}}, "required": ["a"]}, {"required": ["b"]}],
        },
    },
}
_MADE = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}


def _version(root: Any = None) -> Any:
    schema = {"type": "object", "properties": {"spec": _SPEC}} if root is None else root
    return CustomResourceDefinition.from_manifest(casefile.manifest(schema, group="shop.example.com")).version("v1")


def _resource(**spec: Any) -> Any:
    metadata = {"name": "a", "creationTimestamp": None, "labels": {"a": "b"}}
    return {"apiVersion": "shop.example.com/v1", "kind": "Case", "metadata": metadata, "spec": {"size": 2, **spec}}


@pytest.mark.parametrize(
    ("spec", "is_valid"),
    [
        ({}, True),
        ({"size": 9}, True),
        ({"size": 1}, False),
        ({"most": 2.4}, True),
        ({"most": 2.5}, False),
        ({"port": "a"}, True),
        ({"port": 1}, True),
        ({"port": 1.5}, False),
        ({"maybe": None}, True),
        ({"maybe": 1}, True),
        ({"maybe": []}, False),
        ({"color": "red"}, True),
        ({"color": None}, False),
        ({"word": None}, True),
        ({"word": "a"}, True),
        ({"word": "ab"}, False),
        ({"word": "b"}, False),
        ({"any": None}, True),
        ({"any": [1]}, True),
        ({"free": {"a": "x", "b": 1}}, True),
        ({"free": {"a": 1}}, False),
        ({"map": {"x": {"a": "x"}}}, True),
        ({"map": {"x": {"b": "x"}}}, False),
        ({"list": [{"a": "x"}]}, True),
        ({"list": [{"c": "x"}]}, False),
        ({"made": {**_MADE, "spec": {}}}, True),
        ({"made": {"kind": "Pod"}}, False),
        ({"made": {**_MADE, "spac": {}}}, False),
        ({"either": {"a": "x"}}, True),
        ({"either": {"a": "x", "b": "y"}}, False),
        ({"spac": 1}, False),
    ],
)
def test_an_object_is_valid_if_a_strict_server_accepts_it(spec: Any, is_valid: Any) -> None:
    version = _version()
    resource = _resource(**spec)

    assert version.create(copy.deepcopy(resource), field_validation="Strict").accepted is is_valid
    assert jsonschema.Draft7Validator(version.json_schema()).is_valid(resource) is is_valid


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "Cose"},
        {"apiVersion": "shop.example.com/v2"},
        {"metadata": {"nom": "a"}},
        {"metadata": {"labels": []}},
        {"spac": {}},
    ],
)
def test_api_version_kind_and_metadata_are_validated(change: Any) -> None:
    validator = jsonschema.Draft7Validator(_version().json_schema())

    assert validator.is_valid(_resource())
    assert not validator.is_valid(_resource() | change)


def test_all_references_are_inside_the_schema() -> None:
    schema = _version().json_schema()

    jsonschema.Draft7Validator.check_schema(schema)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    assert sorted(name.rpartition(".")[2] for name in schema["definitions"]) == [
        *("FieldsV1", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "Time"),
    ]
    item = schema["properties"]["spec"]["properties"]["list"]["items"]
    assert item["properties"]["a"] == {"type": "string", "examples": ["x"]}


def test_the_schema_is_the_callers_own() -> None:
    version = _version()
    first = version.json_schema()
    again = copy.deepcopy(first)

    first["properties"]["spec"]["properties"].clear()
    first["definitions"].clear()

    assert version.json_schema() == again


def test_a_schema_that_is_not_structural_becomes_a_plain_object() -> None:
    json_schema = _version({"properties": {"spec": {"type": "object"}}}).json_schema()

    assert {key: json_schema[key] for key in json_schema if not key.startswith("x-")} == {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
    }


def test_versions_without_v3_have_no_json_schema() -> None:
    manifest = casefile.manifest({"type": "object"}, group="shop.example.com")
    crd = CustomResourceDefinition.from_manifest(manifest, kubernetes_version="1.21")

    assert crd.version("v1").json_schema() is None

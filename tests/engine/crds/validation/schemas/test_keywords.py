"""Keywords of a schema with the errors and the order of recorded servers."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.crds.validation.schemas import wholeschema
from pytest_crd.engine.fieldpath import FieldPath

STRING = {"type": "string"}
OBJECT = {"type": "object"}
TYPES = 'supported values: "array", "boolean", "integer", "number", "object", "string"'
META = "inside additionalProperties applying to object metadata"


def find_errors(schema: Any, *, version: str = "1.37", **options: Any) -> list[str]:
    errors = wholeschema.validate_keywords(
        schema, FieldPath(("s",)), ValidationOptions(**options), profile=profile.named(version)
    )
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("schema", "errors"),
    [
        pytest.param({"type": "foo"}, [f's.type: Unsupported value: "foo": {TYPES}'], id="a type that is none"),
        pytest.param(
            {"type": "null"},
            [
                f's.type: Unsupported value: "null": {TYPES}',
                "s.type: Forbidden: type cannot be set to null, use nullable as an alternative",
            ],
            id="null is no type, and says so twice",
        ),
        pytest.param({"type": ""}, [], id="an empty type counts as none"),
        pytest.param({"id": "x"}, ["s.id: Forbidden: id is not supported"], id="id"),
        pytest.param({"id": ""}, [], id="an empty id counts as none"),
        pytest.param(
            {"additionalItems": False},
            ["s.additionalItems: Forbidden: additionalItems is not supported"],
            id="additionalItems, even false",
        ),
        pytest.param(
            {"patternProperties": {"a": {"type": "foo"}}},
            ["s.patternProperties: Forbidden: patternProperties is not supported"],
            id="patternProperties, whose schemas nobody looks at",
        ),
        pytest.param({"patternProperties": {}}, [], id="empty patternProperties count as none"),
        pytest.param(
            {"definitions": {"b": {"id": "x"}, "a": {"type": "foo"}}},
            [
                "s.definitions: Forbidden: definitions is not supported",
                f's.definitions[a].type: Unsupported value: "foo": {TYPES}',
                "s.definitions[b].id: Forbidden: id is not supported",
            ],
            id="definitions, and what is wrong in them",
        ),
        pytest.param(
            {"dependencies": {"a": ["b"], "c": {"id": "x"}}},
            [
                "s.dependencies: Forbidden: dependencies is not supported",
                "s.dependencies[c].id: Forbidden: id is not supported",
            ],
            id="dependencies, and what is wrong in their schemas",
        ),
        pytest.param(
            {"dependencies": {}},
            ["s.dependencies: Forbidden: dependencies is not supported"],
            id="dependencies, even empty",
        ),
        pytest.param({"$ref": ""}, ["s.$ref: Forbidden: $ref is not supported"], id="$ref, even empty"),
        pytest.param(
            {"items": [STRING, {"type": "foo"}]},
            [
                "s.items: Forbidden: items must be a schema object and not an array",
                f's.items[1].type: Unsupported value: "foo": {TYPES}',
            ],
            id="a list of items, and what is wrong in them",
        ),
        pytest.param({"items": []}, [], id="an empty list of items counts as none"),
        pytest.param(
            {"uniqueItems": True},
            [
                "s.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
            ],
            id="uniqueItems",
        ),
        pytest.param(
            {"properties": {"a": STRING}, "additionalProperties": False},
            ["s.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
            id="additionalProperties false beside properties",
        ),
        pytest.param(
            {"properties": {"a": STRING}, "additionalProperties": {"type": "foo"}},
            [
                "s.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
                f's.additionalProperties.type: Unsupported value: "foo": {TYPES}',
            ],
            id="a schema of other properties beside properties",
        ),
        pytest.param(
            {"properties": {"a": STRING}, "additionalProperties": True},
            [],
            id="additionalProperties true beside properties is nothing new",
        ),
        pytest.param({"additionalProperties": STRING}, [], id="a map"),
        pytest.param(
            {"x-kubernetes-preserve-unknown-fields": False},
            ["s.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
            id="unknown fields are preserved, or nothing is said",
        ),
        pytest.param(
            {
                "anyOf": [{"id": "3"}],
                "allOf": [{"id": "1"}],
                "oneOf": [{}, {"id": "2"}],
                "not": {"id": "0"},
                "properties": {"a": {"id": "p"}},
                "items": {"id": "i"},
                "x-kubernetes-map-type": "foo",
            },
            [
                "s.properties[a].id: Forbidden: id is not supported",
                "s.not.id: Forbidden: id is not supported",
                "s.allOf[0].id: Forbidden: id is not supported",
                "s.oneOf[1].id: Forbidden: id is not supported",
                "s.anyOf[0].id: Forbidden: id is not supported",
                "s.items.id: Forbidden: id is not supported",
                "s.type: Required value: must be object if x-kubernetes-map-type is specified",
                's.x-kubernetes-map-type: Unsupported value: "foo": supported values: "atomic", "granular"',
            ],
            id="schemas below come before what depends on them",
        ),
        pytest.param(
            {"x-kubernetes-validations": [{"rule": ""}], "items": {"id": "x"}},
            [
                "s.items.id: Forbidden: id is not supported",
                "s.x-kubernetes-validations[0].rule: Required value: rule is not specified",
            ],
            id="rules come last",
        ),
        pytest.param(
            {
                "type": "number",
                "minimum": 5,
                "maximum": 1,
                "multipleOf": 0,
                "enum": [],
                "minLength": -1,
                "pattern": "(",
                "required": ["a", "a"],
            },
            [],
            id="much that looks wrong is accepted",
        ),
    ],
)
def test_constructs_are_refused_one_by_one(schema: Any, errors: list[str]) -> None:
    assert find_errors(schema) == errors


@pytest.mark.parametrize(
    ("schema", "errors"),
    [
        pytest.param(
            {"properties": {"metadata": {"default": {}}, "kind": {"default": "A"}, "a": {"default": 1}}},
            [
                "s.properties[kind].default: Forbidden: must not be set in top-level kind",
                "s.properties[metadata].default: Forbidden: must not be set in top-level metadata",
            ],
            id="metadata of the whole resource takes no defaults",
        ),
        pytest.param(
            {"properties": {"metadata": {"properties": {"name": {"default": "x"}}}}},
            ["s.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata"],
            id="nor anything inside of it",
        ),
        pytest.param(
            {
                "properties": {
                    "a": {
                        "x-kubernetes-embedded-resource": True,
                        "properties": {"metadata": {"default": {}}, "kind": {"default": "A"}, "spec": {"default": 1}},
                    }
                }
            },
            [],
            id="metadata of an embedded resource takes defaults",
        ),
        pytest.param(
            {
                "properties": {
                    "a": {
                        "x-kubernetes-embedded-resource": True,
                        "properties": {
                            "metadata": {"properties": {"labels": {"additionalProperties": {"default": "x"}}}}
                        },
                    }
                }
            },
            [
                (
                    "s.properties[a].properties[metadata].properties[labels].additionalProperties.default: Forbidden: "
                    f"must not be set {META}"
                )
            ],
            id="but not in the maps inside of it",
        ),
        pytest.param({"properties": {"a": {"additionalProperties": {"default": "x"}}}}, [], id="while other maps do"),
        pytest.param(
            {"properties": {"metadata": {"properties": {"a": {"x-kubernetes-embedded-resource": True}}}}},
            [
                (
                    "s.properties[metadata].properties[a].x-kubernetes-embedded-resource: Forbidden: "
                    "must not be used inside of resource meta"
                )
            ],
            id="no resource stands inside metadata",
        ),
        pytest.param({"default": None}, [], id="a null default is none"),
    ],
)
def test_schemas_inside_metadata_are_restricted(schema: Any, errors: list[str]) -> None:
    assert find_errors(schema) == errors


def test_defaults_may_be_forbidden_altogether_with_a_reason() -> None:
    schema = {"properties": {"a": {"default": 1}}}
    detail = "s.properties[a].default: Forbidden: must not be set"
    assert find_errors(schema, allow_defaults=False) == [detail]
    assert find_errors(schema, allow_defaults=False, disallow_defaults_reason="(why)") == [f"{detail} (why)"]


def test_an_old_crd_may_keep_invalid_types() -> None:
    assert find_errors({"type": "foo"}, require_valid_property_type=False) == []
    assert find_errors({"type": "null"}, require_valid_property_type=False) == [
        "s.type: Forbidden: type cannot be set to null, use nullable as an alternative"
    ]


@pytest.mark.parametrize(
    ("field", "place", "detail"),
    [
        pytest.param(STRING | {"default": "x"}, ".default", "must not be set (why)", id="a default"),
        pytest.param(OBJECT | {"not": {"id": "x"}}, ".not.id", "id is not supported", id="not"),
        pytest.param(OBJECT | {"allOf": [{"id": "x"}]}, ".allOf[0].id", "id is not supported", id="allOf"),
        pytest.param(
            OBJECT | {"additionalProperties": {"id": "x"}}, ".additionalProperties.id", "id is not supported", id="maps"
        ),
        pytest.param({"type": "array", "items": {"id": "x"}}, ".items.id", "id is not supported", id="lists"),
        pytest.param(STRING | {"id": "x"}, ".id", "id is not supported", id="what no CRD may use"),
        pytest.param(
            {"type": "array", "uniqueItems": True},
            ".uniqueItems",
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            id="unique items",
        ),
    ],
)
def test_a_field_with_a_valid_type_is_validated_for_other_keywords(field: Any, place: str, detail: str) -> None:
    errors = find_errors(OBJECT | {"properties": {"a": field}}, allow_defaults=False, disallow_defaults_reason="(why)")
    assert errors == [f"s.properties[a]{place}: Forbidden: {detail}"]


def test_an_embedded_resource_inside_of_metadata_is_found() -> None:
    embedded = OBJECT | {"x-kubernetes-embedded-resource": True}
    errors = find_errors(embedded | {"properties": {"metadata": OBJECT | {"properties": {"a": embedded}}}})
    place = "s.properties[metadata].properties[a].x-kubernetes-embedded-resource"
    assert errors == [f"{place}: Forbidden: must not be used inside of resource meta"]

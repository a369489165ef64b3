"""The whole answer to the schema of a CRD: which rules are asked, and in which order their errors come."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.crds.validation.schemas import wholeschema
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.schema.declaredschema import OpenAPISchema

ROOT = FieldPath(("spec", "validation", "openAPIV3Schema"))
S = str(ROOT)
STRING = {"type": "string"}
ALLOWED = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems "
    "MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields"
)


def find_errors(schema: Any, *, version: str = "1.37", has_status: bool = False, **options: Any) -> list[str]:
    declared = None if schema is None else OpenAPISchema(schema, profile.named(version))
    errors = wholeschema.validate(declared, ROOT, ValidationOptions(**options), has_status=has_status)
    return [str(error) for error in errors]


def test_no_schema_has_no_errors() -> None:
    assert find_errors(None) == []


def test_a_schema_without_flaws_has_no_errors() -> None:
    assert find_errors({"type": "object", "properties": {"a": STRING | {"default": "x"}}}, has_status=True) == []


def test_structure_comes_before_keywords_and_hides_defaults() -> None:
    schema = {
        "type": "object",
        "nullable": True,
        "properties": {"a": {"id": ""}, "b": STRING | {"uniqueItems": True, "default": 1}},
    }
    assert find_errors(schema) == [
        f"{S}.nullable: Forbidden: nullable cannot be true at the root",
        f"{S}.properties[a].type: Required value: must not be empty for specified object fields",
        (
            f"{S}.properties[b].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity "
            "becomes quadratic"
        ),
    ]


def test_defaults_come_before_keywords() -> None:
    schema = {"type": "object", "properties": {"a": STRING | {"uniqueItems": True, "default": 1}}}
    assert [error.split(": ")[0] for error in find_errors(schema)] == [
        f"{S}.properties[a].default",
        f"{S}.properties[a].uniqueItems",
    ]


def test_1_21_validates_keywords_before_structure() -> None:
    schema = {"type": "object", "properties": {"a": {"uniqueItems": True}}}
    assert [error.split(": ")[0] for error in find_errors(schema, version="1.21")] == [
        f"{S}.properties[a].uniqueItems",
        f"{S}.properties[a].type",
    ]


def test_schemas_with_unsupported_constructs_are_refused_by_keyword() -> None:
    assert find_errors({"type": "object", "id": "x"}) == [f"{S}.id: Forbidden: id is not supported"]


def test_other_unsupported_constructs_are_refused_at_the_whole_schema() -> None:
    """`$schema` is the only such construct."""
    schema = {"type": "object", "$schema": "x"}
    assert find_errors(schema) == [f"{S}: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"]
    assert find_errors(schema | {"nullable": True}) == [f"{S}.nullable: Forbidden: nullable cannot be true at the root"]


def test_structure_and_defaults_are_not_validated_unless_structure_is_required() -> None:
    """So it is for v1beta1 CRDs with `preserveUnknownFields`."""
    schema = {"properties": {"a": {"default": 1, "id": "x"}}}
    assert find_errors(schema, require_structural_schema=False) == [
        f"{S}.properties[a].id: Forbidden: id is not supported"
    ]
    assert find_errors({"$schema": "x"}, require_structural_schema=False) == []


def test_with_a_status_subresource_the_root_may_have_few_keywords() -> None:
    [error] = find_errors({"type": "object", "maxProperties": 3, "allOf": []}, has_status=True)
    assert error.startswith(f'{S}: Invalid value: {{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object",')
    assert '"MaxProperties":3,' in error
    assert error.endswith(
        f": only [{ALLOWED} XValidations] fields are allowed at the root of the schema "
        "if the status subresource is enabled"
    )


@pytest.mark.parametrize(
    "keyword",
    [
        pytest.param({"enum": []}, id="an empty list is set"),
        pytest.param({"patternProperties": {}}, id="an empty map is set"),
        pytest.param({"x-kubernetes-embedded-resource": True}, id="a true is set"),
        pytest.param({"default": 0}, id="a falsy default is set"),
    ],
)
def test_a_keyword_with_a_non_zero_value_is_set(keyword: Any) -> None:
    assert any(": only [" in error for error in find_errors({"type": "object"} | keyword, has_status=True))


@pytest.mark.parametrize("keyword", [{"nullable": False}, {"id": ""}, {"default": None}, {"description": "text"}])
def test_a_keyword_with_a_zero_value_is_not_set(keyword: Any) -> None:
    assert find_errors({"type": "object"} | keyword, has_status=True) == []


def test_with_a_status_subresource_only_the_first_error_is_reported() -> None:
    detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    options: dict[str, Any] = {"require_structural_schema": False}
    assert find_errors({"type": "array", "maxProperties": 1}, has_status=True, **options) == [
        f'{S}.type: Invalid value: "array": {detail}'
    ]
    assert len(find_errors({"type": "array", "id": "x"}, has_status=True, **options)) == 2  # id comes before type


def test_older_servers_print_the_schema_in_go_syntax_with_fewer_keywords() -> None:
    [error] = find_errors({"type": "object", "maxProperties": 3}, has_status=True, version="1.21")
    assert error.startswith(
        f'{S}: Invalid value: apiextensions.JSONSchemaProps{{ID:"", Schema:"", Ref:(*string)(nil), '
    )
    assert "XValidations" not in error
    assert f"only [{ALLOWED}] fields" in error


def test_up_to_1_35_the_check_of_structure_ignores_examples() -> None:
    schema = {
        "type": "object",
        "properties": {
            "metadata": {"type": "object", "example": 1},
            "a": {
                "type": "array",
                "items": {"type": "object", "additionalProperties": {"type": "string", "example": 1}},
            },
            "b": {
                "x-kubernetes-int-or-string": True,
                "anyOf": [{"type": "integer"}, {"type": "string", "externalDocs": {}}],
                "not": {"not": {"minLength": 1}},
            },
        },
    }
    assert find_errors(schema, version="1.35") == []
    assert find_errors(schema, version="1.36") == [
        f"{S}.properties[b].anyOf[0].type: Forbidden: must be empty to be structural",
        f"{S}.properties[b].anyOf[1].type: Forbidden: must be empty to be structural",
        (
            f"{S}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, "
            "but metadata is implicitly specified"
        ),
    ]


def test_1_21_forbids_false_additional_properties_inside_junctors() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "object", "additionalProperties": False}},
        "not": {"properties": {"a": {"additionalProperties": False}}},
    }
    assert find_errors(schema) == []
    assert find_errors(schema, version="1.21") == [
        f"{S}.not.properties[a].additionalProperties: Forbidden: must be undefined to be structural"
    ]


def test_the_schema_is_not_changed() -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    default = {"apiVersion": "v1", "kind": "Pod", "metadata": {"unknown": 1}}
    schema = {"type": "object", "properties": {"a": embedded | {"default": default}}}
    assert find_errors(schema) == []
    assert default == {"apiVersion": "v1", "kind": "Pod", "metadata": {"unknown": 1}}

"""Violations of structural schemas, in the server's words and order."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.schema import nonstructural, structural

METADATA = "must not specify anything other than name and generateName, but metadata is implicitly specified"
STRING = {"type": "string"}
INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]


def _violations(schema: dict[str, Any]) -> list[str]:
    return [
        str(error)
        for error in nonstructural.find_violations(
            structural.from_schema(schema), FieldPath(("s",)), profile.KNOWN["1.37"]
        )
    ]


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "object"}, id="an object without properties"),
        pytest.param({"x-kubernetes-preserve-unknown-fields": True}, id="no type where everything is preserved"),
        pytest.param(_object(a={"x-kubernetes-int-or-string": True}), id="no type for int-or-string"),
        pytest.param(_object(a={"x-kubernetes-int-or-string": True, "anyOf": INT_OR_STRING}), id="types in anyOf"),
        pytest.param(
            _object(a={"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": INT_OR_STRING}, {"pattern": "a"}]}),
            id="types in the first of allOf",
        ),
        pytest.param(_object(a={"type": "array", "items": STRING}), id="a list with items"),
        pytest.param(_object(a={"type": "object", "additionalProperties": STRING}), id="a map"),
        pytest.param(_object(a={"type": "object", "additionalProperties": True}), id="a map of anything"),
        pytest.param(_object(metadata=_object(name=STRING, generateName=STRING)), id="metadata restricts names"),
        pytest.param(
            _object(a={"x-kubernetes-embedded-resource": True, **_object(metadata=_object(labels={"type": "object"}))}),
            id="embedded metadata restricts what it likes",
        ),
        pytest.param(
            {
                **_object(a={"type": "array", "items": _object(b=STRING)}),
                "allOf": [{"properties": {"a": {"items": {"properties": {"b": {"pattern": "x"}}}}}}],
            },
            id="validations of what the structure has",
        ),
        pytest.param(
            {"type": "object", "oneOf": [{"x-kubernetes-list-map-keys": [], "x-kubernetes-validations": []}]},
            id="empty lists of what may not be nested",
        ),
    ],
)
def test_a_structural_schema_has_no_violations(schema: dict[str, Any]) -> None:
    assert _violations(schema) == []


@pytest.mark.parametrize(
    ("schema", "errors"),
    [
        pytest.param({}, ["s.type: Required value: must not be empty at the root"], id="no type at the root"),
        pytest.param(
            STRING, ['s.type: Invalid value: "string": must be object at the root'], id="a string at the root"
        ),
        pytest.param(
            _object(a={}),
            ["s.properties[a].type: Required value: must not be empty for specified object fields"],
            id="no type of a field",
        ),
        pytest.param(
            _object(a={"type": "object", "additionalProperties": {}}),
            [
                "s.properties[a].additionalProperties.type: Required value: must not be empty for specified object fields"
            ],
            id="no type of map values",
        ),
        pytest.param(
            _object(a={"type": "array", "items": {}}),
            ["s.properties[a].items.type: Required value: must not be empty for specified array items"],
            id="no type of items",
        ),
        pytest.param(
            _object(a={"type": "array"}), ["s.properties[a].items: Required value: must be specified"], id="no items"
        ),
        pytest.param(
            {"type": "object", "additionalProperties": True},
            ["s.additionalProperties: Forbidden: must not be used at the root"],
            id="additionalProperties at the root",
        ),
        pytest.param(
            _object(a={"x-kubernetes-int-or-string": True, "x-kubernetes-preserve-unknown-fields": True}),
            [
                (
                    "s.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: true:"
                    " must be false if x-kubernetes-int-or-string is true"
                )
            ],
            id="int-or-string that preserves",
        ),
        pytest.param(
            _object(
                a={
                    "x-kubernetes-int-or-string": True,
                    "x-kubernetes-embedded-resource": True,
                    "type": "string",
                    "properties": {"b": STRING},
                }
            ),
            [
                's.properties[a].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
                (
                    "s.properties[a].x-kubernetes-embedded-resource: Invalid value: true:"
                    " must be false if x-kubernetes-int-or-string is true"
                ),
            ],
            id="int-or-string that is a resource",
        ),
        pytest.param(
            _object(a={"x-kubernetes-embedded-resource": True, "additionalProperties": STRING}),
            [
                "s.properties[a].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
                (
                    "s.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true"
                    " without x-kubernetes-preserve-unknown-fields"
                ),
                "s.properties[a].type: Required value: must be object if x-kubernetes-embedded-resource is true",
            ],
            id="an embedded resource without anything",
        ),
        pytest.param(
            _object(kind={"type": "integer"}, apiVersion={"type": "object"}, metadata=STRING),
            [
                's.properties[apiVersion].type: Invalid value: "object": must be string',
                's.properties[kind].type: Invalid value: "integer": must be string',
                's.properties[metadata].type: Invalid value: "string": must be object',
            ],
            id="the implicit fields of another type",
        ),
        pytest.param(
            _object(metadata=_object(labels={"type": "object"})),
            [f"s.properties[metadata]: Forbidden: {METADATA}"],
            id="metadata that restricts labels",
        ),
        pytest.param(
            _object(metadata={"type": "object", "description": "d"}),
            [f"s.properties[metadata]: Forbidden: {METADATA}"],
            id="metadata with a description",
        ),
        pytest.param(
            _object(a={"type": "string", "pattern": "("}),
            [
                (
                    's.properties[a].pattern: Invalid value: "(": must be a valid regular expression,'
                    " but isn't: error parsing regexp: missing closing ): `(`"
                )
            ],
            id="a pattern that does not compile",
        ),
    ],
)
def test_violations_of_the_structure(schema: dict[str, Any], errors: list[str]) -> None:
    assert _violations(schema) == errors


@pytest.mark.parametrize(
    ("keyword", "value", "demanded"),
    [
        ("type", "object", "empty"),
        ("default", 0, "undefined"),
        ("title", "t", "empty"),
        ("description", "d", "empty"),
        ("nullable", True, "false"),
        ("x-kubernetes-preserve-unknown-fields", True, "false"),
        ("x-kubernetes-embedded-resource", True, "false"),
        ("x-kubernetes-int-or-string", True, "false"),
        ("x-kubernetes-list-map-keys", ["a"], "empty"),
        ("x-kubernetes-list-type", "set", "undefined"),
        ("x-kubernetes-map-type", "atomic", "undefined"),
        ("additionalProperties", True, "undefined"),
        ("x-kubernetes-validations", [{"rule": "true"}], "empty"),
    ],
)
@pytest.mark.parametrize("junctor", ["allOf", "anyOf", "oneOf", "not"])
def test_structural_keywords_may_not_be_nested_in_junctors(
    keyword: str, value: Any, demanded: str, junctor: str
) -> None:
    nested: Any = {keyword: value}
    place = junctor if junctor == "not" else f"{junctor}[1]"
    schema = {"type": "object", junctor: nested if junctor == "not" else [{}, nested]}
    assert _violations(schema) == [f"s.{place}.{keyword}: Forbidden: must be {demanded} to be structural"]


def test_nested_violations_are_found_below_items_properties_and_junctors() -> None:
    nested = {"properties": {"a": {"items": {"not": {"title": "t"}}}}}
    schema = {**_object(a={"type": "array", "items": STRING}), "anyOf": [nested]}
    assert _violations(schema) == [
        "s.anyOf[0].properties[a].items.not.title: Forbidden: must be empty to be structural"
    ]


def test_nested_validations_may_not_mention_metadata() -> None:
    schema = {**_object(metadata={"type": "object"}), "not": {"properties": {"metadata": {}}}}
    assert _violations(schema) == ["s.not.properties[metadata]: Forbidden: must not be specified in a nested context"]


def test_fields_in_value_validations_must_be_in_the_structure() -> None:
    schema = {
        **_object(a={"type": "object"}),
        "oneOf": [{"properties": {"b": {}, "a": {"properties": {"c": {"properties": {"deeper": {}}}}}}}],
        "allOf": [{"items": {}}],
    }
    assert _violations(schema) == [
        "s.items: Required value: because it is defined in s.allOf[0].items",
        "s.properties[a].properties[c]: Required value: because it is defined in s.oneOf[0].properties[a].properties[c]",
        "s.properties[b]: Required value: because it is defined in s.oneOf[0].properties[b]",
    ]


def test_only_the_two_patterns_of_int_or_string_may_nest_types() -> None:
    schema = _object(a={"x-kubernetes-int-or-string": True, "anyOf": INT_OR_STRING[::-1]})
    assert _violations(schema) == [
        "s.properties[a].anyOf[0].type: Forbidden: must be empty to be structural",
        "s.properties[a].anyOf[1].type: Forbidden: must be empty to be structural",
    ]

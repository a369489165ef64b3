"""Defaults are judged when the CRD is written: known to their schema, valid under it, with valid metadata."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds.validation.schemas import defaults
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.rules import evaluation
from pytest_crd.engine.schema.declaredschema import OpenAPISchema

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
META = "must result in valid metadata"


def find_errors(schema: Any, *, version: str = "1.37", require_pruned: bool = True) -> list[str]:
    declared = OpenAPISchema(schema, profile.named(version))
    errors = defaults.validate(declared, FieldPath(("s",)), require_pruned=require_pruned)
    return [str(error) for error in errors]


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def resource(**properties: Any) -> dict[str, Any]:
    return obj(**properties) | {"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}


@pytest.mark.parametrize(
    ("schema", "errors"),
    [
        pytest.param(obj(a=STRING | {"default": "x"}, b=obj(c=INTEGER) | {"default": {"c": 1}}), [], id="fine"),
        pytest.param(
            obj(a=STRING | {"default": 1}),
            ['s.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"'],
            id="a wrong type",
        ),
        pytest.param(
            obj(a={"type": "array", "items": obj(b=STRING | {"default": 1})}),
            [
                (
                    's.properties[a].items.properties[b].default: Invalid value: "integer":  '
                    'in body must be of type string: "integer"'
                )
            ],
            id="a wrong type below a list",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": STRING | {"default": 1}}, [], id="maps are not looked into"
        ),
        pytest.param(
            obj(a=obj(b=STRING) | {"default": {"b": "x", "c": 1}}),
            ['s.properties[a].default: Invalid value: {"b":"x","c":1}: must not have unknown fields'],
            id="an unknown field",
        ),
        pytest.param(
            obj(a=obj(b=STRING) | {"default": {"b": 1, "c": 1}}),
            [
                's.properties[a].default: Invalid value: {"b":1,"c":1}: must not have unknown fields',
                's.properties[a].default.b: Invalid value: "integer": b in body must be of type string: "integer"',
            ],
            id="an unknown field, and a wrong type",
        ),
        pytest.param(
            obj(a={"x-kubernetes-int-or-string": True, "default": False}),
            [],
            id="anything goes where an integer or a string is expected",
        ),
        pytest.param(
            obj(
                a=obj(
                    b={"type": "array", "items": {"x-kubernetes-int-or-string": True}},
                    m={"type": "object", "additionalProperties": STRING},
                )
                | {"default": {"b": [1.5], "m": {"k": 1}}}
            ),
            ['s.properties[a].default.m.k: Invalid value: "integer": m.k in body must be of type string: "integer"'],
            id="also deep inside of a default, while others are held to their types",
        ),
        pytest.param(
            obj(a=obj(b=INTEGER | {"default": 5, "maximum": 3})),
            [
                "s.properties[a].properties[b].default: Invalid value: 5:  in body should be less than or equal to 3",
            ],
            id="a value validation",
        ),
    ],
)
def test_a_default_is_pruned_and_valid(schema: Any, errors: list[str]) -> None:
    assert find_errors(schema) == errors


def test_an_old_crd_may_keep_unknown_fields_in_defaults() -> None:
    assert find_errors(obj(a=obj() | {"default": {"b": 1}}), require_pruned=False) == []


@pytest.mark.parametrize(
    ("default", "errors"),
    [
        pytest.param({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}, [], id="fine"),
        pytest.param(
            {},
            ["s.properties[a].default.apiVersion: Required value", "s.properties[a].default.kind: Required value"],
            id="no type",
        ),
        pytest.param(
            {"apiVersion": 1, "kind": "Pod"},
            ["s.properties[a].default.apiVersion: Invalid value: 1: must be a string"],
            id="a wrong type of apiVersion",
        ),
        pytest.param(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": 1}}},
            [
                (
                    's.properties[a].default.metadata: Invalid value: {"labels":{"a":1}}: '
                    "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"
                )
            ],
            id="metadata of a wrong type",
        ),
        pytest.param(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"generation": -1}},
            ["s.properties[a].default.metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
            id="wrong metadata",
        ),
        pytest.param(
            {"apiVersion": "v1", "kind": "Pod", "b": 1},
            ['s.properties[a].default.b: Invalid value: "integer": b in body must be of type string: "integer"'],
            id="a wrong type of something else, once metadata is fine",
        ),
        pytest.param(
            "x",
            ['s.properties[a].default: Invalid value: "string":  in body must be of type object: "string"'],
            id="no resource at all",
        ),
    ],
)
def test_a_default_of_an_embedded_resource_is_a_valid_resource(default: Any, errors: list[str]) -> None:
    assert find_errors(obj(a=resource(b=STRING) | {"default": default})) == errors


def test_errors_about_resources_inside_a_default_have_their_path() -> None:
    """A field may be called `[0]`: it has a dot before it, an index has none."""
    wrong = {"apiVersion": "v1"}
    schema = obj(a={"type": "array", "items": resource(), "default": [wrong]}, b=obj() | {"default": {"[0]": wrong}})
    schema["properties"]["b"]["properties"] = {"[0]": resource()}
    assert find_errors(schema) == [
        "s.properties[a].default[0].kind: Required value",
        "s.properties[b].default.[0].kind: Required value",
    ]


def test_errors_about_unknown_fields_print_coerced_metadata() -> None:
    default = {"x": 1, "r": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "n", "unknown": 1}}}
    assert find_errors(obj(a=obj(r=resource()) | {"default": default})) == [
        (
            's.properties[a].default: Invalid value: {"r":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"}},"x":1}: '
            "must not have unknown fields"
        )
    ]


_BOUNDARY = (
    's.properties[a].default: Invalid value: "": Minimum boundary value must be of type integer (default format) in '
)


@pytest.mark.parametrize(
    ("schema", "errors"),
    [
        pytest.param(INTEGER | {"minimum": 3, "maximum": 3, "default": 3}, [], id="a number on its bounds"),
        pytest.param(
            INTEGER | {"minimum": 3, "default": 2},
            ["s.properties[a].default: Invalid value: 2:  in body should be greater than or equal to 3"],
            id="a number below its bound",
        ),
        pytest.param(
            INTEGER | {"maximum": 3, "default": 4},
            ["s.properties[a].default: Invalid value: 4:  in body should be less than or equal to 3"],
            id="a number above its bound",
        ),
        pytest.param(INTEGER | {"minimum": 0.5, "default": 1}, [_BOUNDARY], id="a bound of another type"),
        pytest.param(INTEGER | {"minimum": 2**53 + 1, "default": 2**53}, [], id="numbers that float64 takes for equal"),
        pytest.param(
            INTEGER | {"minimum": 1, "enum": [2], "default": 3},
            ['s.properties[a].default: Unsupported value: 3: supported values: "2"'],
            id="a number beside its enum",
        ),
        pytest.param(STRING | {"nullable": True, "default": "x"}, [], id="a nullable text"),
        pytest.param({"x-kubernetes-int-or-string": True, "default": 1}, [], id="an integer or a string"),
        pytest.param({"x-kubernetes-int-or-string": True, "default": {}}, [], id="an object as an integer or a string"),
        pytest.param(obj(b=STRING) | {"default": {}}, [], id="an empty object"),
        pytest.param(
            obj(b=STRING) | {"required": ["b"], "default": {}},
            ["s.properties[a].default.b: Required value"],
            id="an empty object without a required field",
        ),
    ],
)
def test_a_default_holds_the_keywords_of_its_schema(schema: Any, errors: list[str]) -> None:
    assert find_errors(obj(a=schema)) == errors


def test_the_root_is_a_resource_whatever_its_schema_says() -> None:
    assert find_errors({"type": "object", "default": {}}) == [
        "s.default.apiVersion: Required value",
        "s.default.kind: Required value",
    ]
    schema = {"type": "object", "default": {"apiVersion": "v1", "kind": "A", "b": 1}}
    assert find_errors(schema) == [
        's.default: Invalid value: {"apiVersion":"v1","b":1,"kind":"A"}: must not have unknown fields'
    ]


@pytest.mark.parametrize(
    ("properties", "errors"),
    [
        pytest.param({"kind": STRING | {"default": "Pod"}, "apiVersion": STRING | {"default": "v1"}}, [], id="fine"),
        pytest.param(
            {"apiVersion": STRING | {"default": "a/b/c"}},
            [
                (
                    f's.properties[apiVersion].default: Invalid value: "a/b/c": {META}: '
                    'apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'
                )
            ],
            id="an apiVersion",
        ),
        pytest.param(
            {"metadata": obj(generation=INTEGER | {"default": -1})},
            [
                (
                    f"s.properties[metadata].properties[generation].default: Invalid value: -1: {META}: "
                    "metadata.generation: Invalid value: -1: must be greater than or equal to 0"
                )
            ],
            id="a field of metadata",
        ),
        pytest.param(
            {"metadata": obj(finalizers={"type": "array", "items": STRING | {"default": 1}})},
            [
                (
                    f"s.properties[metadata].properties[finalizers].items.default: Invalid value: 1: {META}: "
                    'metadata: Invalid value: {"finalizers":[1]}: '
                    "json: cannot unmarshal number into Go struct field ObjectMeta.finalizers of type string"
                )
            ],
            id="an item of a list in metadata",
        ),
        pytest.param(
            {"metadata": obj(name=STRING | {"default": "abc", "maxLength": 2})},
            ["s.properties[metadata].properties[name].default: Too long: may not be more than 2 bytes"],
            id="a valid name that is invalid under its schema",
        ),
        pytest.param(
            {"metadata": obj(foo=STRING | {"default": "x"})}, [], id="an unknown field of metadata goes unnoticed"
        ),
        pytest.param(
            {"metadata": obj(r=resource() | {"default": {}})},
            [
                "s.properties[metadata].properties[r].default.apiVersion: Required value",
                "s.properties[metadata].properties[r].default.kind: Required value",
            ],
            id="a resource inside of metadata stands for itself",
        ),
    ],
)
def test_a_default_inside_metadata_is_validated_with_the_resource_around_it(properties: Any, errors: list[str]) -> None:
    assert find_errors(resource(**properties)) == errors


def test_older_servers_print_values_in_go_syntax() -> None:
    [error] = find_errors(obj(a=obj() | {"default": {"b": 1}}), version="1.32")
    assert (
        error == 's.properties[a].default: Invalid value: map[string]interface {}{"b":1}: must not have unknown fields'
    )
    [error] = find_errors(obj(a=resource() | {"default": {"apiVersion": None, "kind": "Pod"}}), version="1.32")
    assert error == 's.properties[a].default.apiVersion: Invalid value: "null": must be a string'


@pytest.mark.parametrize(
    ("budget", "count"),
    [(evaluation.BUDGET // 100, 30), pytest.param(evaluation.BUDGET, 300, marks=pytest.mark.slow)],
)
def test_no_further_default_is_validated_once_the_budget_of_rules_is_spent(
    budget: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recorded from 1.37 with 300 items: 30 valid rules exceed the budget of an object; with 5 rules the error below is reported."""
    monkeypatch.setattr(evaluation, "BUDGET", budget)
    items = {"type": "integer", "default": "x"}

    def schema(rules: int) -> dict[str, Any]:
        dear = [{"rule": "self.all(x, self.all(y, x + y >= 0))" + " " * number} for number in range(rules)]
        listed = {"type": "array", "maxItems": count, "items": items, "x-kubernetes-validations": dear}
        return obj(a={**listed, "default": list(range(count))})

    assert find_errors(schema(5)) == [
        's.properties[a].items.default: Invalid value: "string":  in body must be of type integer: "string"'
    ]
    assert find_errors(schema(30)) == [
        (
            's.properties[a].default: Invalid value: "array": validation failed due to running out of cost budget, '
            "no further validation rules will be run"
        )
    ]

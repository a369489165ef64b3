"""Examples: the smallest and the fullest object that a server accepts."""

from __future__ import annotations

from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.synthesis import NoExampleError, exampleobjects

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
RULE = "x-kubernetes-validations"

SMALLEST: dict[str, tuple[dict[str, Any], Any]] = {
    "nothing is required": (fields(a=TEXT), {}),
    "what is required": (fields(a_=TEXT, b=TEXT), {"a": "a"}),
    "what has a default is left out": (fields(a_={**TEXT, "default": "x"}, b_=NUMBER), {"b": 0}),
    "bounds": (fields(a_={**NUMBER, "minimum": 5}, b_={**NUMBER, "maximum": -3}), {"a": 5, "b": -3}),
    "exclusive bounds": (
        fields(
            a_={**NUMBER, "minimum": 5, "exclusiveMinimum": True}, b_={"type": "number", "maximum": 1, "minimum": 0.5}
        ),
        {"a": 6, "b": 0.5},
    ),
    "multiples": (fields(a_={**NUMBER, "minimum": 5, "multipleOf": 4}), {"a": 8}),
    "multiples of fractions": (fields(a_={"type": "number", "minimum": 0.3, "multipleOf": 0.25}), {"a": 1.25}),
    "lengths": (fields(a_={**TEXT, "minLength": 3}), {"a": "aaa"}),
    "a pattern": (fields(a_={**TEXT, "pattern": "^[x-z]{2}$"}), {"a": "xx"}),
    "a pattern and a length": (fields(a_={**TEXT, "pattern": "^[x-z]+$", "minLength": 4}), {"a": "xxxx"}),
    "a pattern and a limit": (fields(a_={**TEXT, "pattern": "^[x-z]+$", "maxLength": 4}), {"a": "x"}),
    "two patterns": (
        fields(a_={**TEXT, "pattern": "^[a-z]+$", "allOf": [{"pattern": "^x"}]}),
        {"a": "x"},
    ),
    "a format": (fields(a_={**TEXT, "format": "date-time"}), {"a": "2024-01-31T12:00:00Z"}),
    "an enum": (fields(a_={**TEXT, "enum": ["y", "x"]}), {"a": "y"}),
    "two enums": (fields(a_={**TEXT, "enum": ["y", "x"], "allOf": [{"enum": ["x", "z"]}]}), {"a": "x"}),
    "a map that is not empty": (
        fields(a_={"type": "object", "additionalProperties": NUMBER, "not": {"maxProperties": 0}}),
        {"a": {"key": 0}},
    ),
    "a truth value": (fields(a_={"type": "boolean"}), {"a": False}),
    "a number or a text": (fields(a_={"x-kubernetes-int-or-string": True}), {"a": 0}),
    "no type": (fields(a_={"x-kubernetes-preserve-unknown-fields": True}), {"a": {}}),
    "items": (fields(a_={"type": "array", "minItems": 2, "items": TEXT}), {"a": ["a", "a"]}),
    "items that differ": (
        fields(a_={"type": "array", "minItems": 2, "items": TEXT, "x-kubernetes-list-type": "set"}),
        {"a": ["a", "b"]},
    ),
    "items of a list with keys": (
        fields(
            a_={
                "type": "array",
                "minItems": 2,
                "items": fields(key_=TEXT, value_=NUMBER),
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["key"],
            }
        ),
        {"a": [{"key": "a", "value": 0}, {"key": "b", "value": 0}]},
    ),
    "a map": (
        fields(a_={"type": "object", "minProperties": 1, "additionalProperties": NUMBER}),
        {"a": {"key": 0}},
    ),
    "a map of what is wanted": (
        fields(a_={"type": "object", "additionalProperties": NUMBER, "required": ["b"]}),
        {"a": {"b": 0}},
    ),
    "any object": (
        fields(
            a_={"type": "object", "minProperties": 2, "x-kubernetes-preserve-unknown-fields": True, "required": ["b"]}
        ),
        {"a": {"b": "a", "key": {}}},
    ),
    "so many fields": (fields(a_={**fields(b=TEXT, c=TEXT), "minProperties": 1}), {"a": {"b": "a"}}),
    "one branch": (
        fields(a_={**fields(b=TEXT, c=TEXT), "oneOf": [{"required": ["c"]}, {"required": ["b"]}]}),
        {"a": {"c": "a"}},
    ),
    "a branch in a branch": (
        fields(a_={**NUMBER, "anyOf": [{"allOf": [{"minimum": 4}], "anyOf": [{"maximum": 3}, {"maximum": 5}]}]}),
        {"a": 4},
    ),
    "what must not be": (fields(a_={**TEXT, "not": {"enum": ["a"]}}), {"a": "b"}),
    "an embedded resource": (
        fields(
            a_={"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
        ),
        {"a": {"apiVersion": "v1", "kind": "ConfigMap"}},
    ),
    "a rule": (
        {**fields(a=NUMBER, b=NUMBER), RULE: [{"rule": "has(self.a) && self.a > 41"}]},
        {"a": 42},
    ),
    "rules that hang together": (
        {
            **fields(mode_=TEXT, size=NUMBER),
            RULE: [{"rule": "self.mode in ['manual']"}, {"rule": "self.mode != 'manual' || has(self.size)"}],
        },
        {"mode": "manual", "size": 0},
    ),
    "a rule on a list": (
        fields(a_={"type": "array", "items": TEXT, RULE: [{"rule": "self.exists(x, x == 'z') && size(self) == 2"}]}),
        {"a": ["z", "z"]},
    ),
    "a rule on a map": (
        fields(
            a_={"type": "object", "additionalProperties": TEXT, RULE: [{"rule": "'k/x' in self && self['k/x'] == 'v'"}]}
        ),
        {"a": {"k/x": "v"}},
    ),
    "a rule with a pattern": (fields(a_={**TEXT, RULE: [{"rule": r"self.matches('[0-9]+px$')"}]}), {"a": "0px"}),
    "a rule on a field whose name is a word of CEL's": (
        {**fields(**{"in": NUMBER}), RULE: [{"rule": "has(self.__in__) && self.__in__ == 3"}]},
        {"in": 3},
    ),
    "a rule on each value of a map": (
        fields(
            a_={"type": "object", "minProperties": 1, "additionalProperties": {**NUMBER, RULE: [{"rule": "self == 7"}]}}
        ),
        {"a": {"key": 7}},
    ),
    "two branches at once": (
        fields(
            a_={
                **fields(b=TEXT, c=TEXT),
                "required": ["b"],
                "oneOf": [{"required": ["b"]}, {"properties": {"b": {"maxLength": 9}}, "required": ["b", "c"]}],
            }
        ),
        {"a": {"b": "a"}},
    ),
}


@pytest.mark.parametrize(("spec", "expected"), SMALLEST.values(), ids=SMALLEST)
def test_the_smallest_object_has_only_required_fields(spec: dict[str, Any], expected: Any) -> None:
    version = versions.create_version(spec)

    example = exampleobjects.example(version)

    assert example == {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "example"}, "spec": expected}
    assert version.create(example, field_validation="Strict").accepted


FULLEST: dict[str, tuple[dict[str, Any], Any]] = {
    "all fields": (fields(a=TEXT, b={"type": "boolean"}), {"a": "a", "b": True}),
    "defaults": (fields(a={**TEXT, "default": "x"}), {"a": "x"}),
    "items": (fields(a={"type": "array", "items": fields(b=TEXT)}), {"a": [{"b": "a"}]}),
    "no items where there may be none": (fields(a={"type": "array", "maxItems": 0, "items": TEXT}), {"a": []}),
    "a map": (fields(a={"type": "object", "additionalProperties": TEXT}), {"a": {"key": "a"}}),
    "no map where it may have no keys": (
        fields(a={"type": "object", "maxProperties": 0, "additionalProperties": TEXT}),
        {"a": {}},
    ),
    "what goes together": (
        {**fields(a=TEXT, b=TEXT), RULE: [{"rule": "!has(self.a) || !has(self.b)"}]},
        {"b": "a"},
    ),
    "one branch": (
        {**fields(a=TEXT, b=TEXT), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"b": "a"},
    ),
}


@pytest.mark.parametrize(("spec", "expected"), FULLEST.values(), ids=FULLEST)
def test_the_fullest_object_has_all_compatible_fields(spec: dict[str, Any], expected: Any) -> None:
    version = versions.create_version(spec, required=False)

    example = exampleobjects.example(version, full=True)

    assert example["spec"] == expected
    assert version.create(example, field_validation="Strict").accepted


def test_a_status_that_a_create_drops_is_left_out() -> None:
    root = {"properties": {"status": fields(ready=TEXT)}}

    assert "status" not in exampleobjects.example(
        versions.create_version({"type": "object"}, root=root, subresources={"status": {}}), full=True
    )
    assert exampleobjects.example(versions.create_version({"type": "object"}, root=root), full=True)["status"] == {
        "ready": "a"
    }


def test_the_name_satisfies_schema_and_rules() -> None:
    named = {"metadata": {"type": "object", "properties": {"name": {"type": "string", "pattern": "^cluster-[a-z]$"}}}}
    only = [{"rule": "self.metadata.name == 'cluster'"}]

    assert exampleobjects.example(versions.create_version({"type": "object"}, root={"properties": named}))[
        "metadata"
    ] == {"name": "cluster-a"}
    assert exampleobjects.example(versions.create_version({"type": "object"}, root={RULE: only}))["metadata"] == {
        "name": "cluster"
    }


def test_a_version_without_a_schema_has_an_example() -> None:
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tabs.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "version": "v1",
            "names": {"plural": "tabs", "kind": "Tab"},
        },
    }

    assert exampleobjects.example(engine.CustomResourceDefinition.from_manifest(manifest).versions[0]) == {
        "apiVersion": "example.com/v1",
        "kind": "Tab",
        "metadata": {"name": "example"},
    }


@pytest.mark.parametrize("most", [50, pytest.param(600, marks=pytest.mark.slow)])
def test_the_error_has_the_answer_to_the_nearest_object(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exampleobjects, "_MOST_TRIALS", most)
    impossible = {**fields(a_=NUMBER), RULE: [{"rule": "self.a > 5"}, {"rule": "self.a < 5", "message": "too much"}]}

    with pytest.raises(
        NoExampleError, match=r"no object of Tab v1 was found that a server accepts; .* \"example\" is invalid"
    ):
        exampleobjects.example(versions.create_version(impossible))


def test_a_version_that_is_not_served_has_no_example() -> None:
    spec = versions.create_version({"type": "object"}).crd.manifest
    stored = {**spec["spec"]["versions"][0], "name": "v2", "storage": False, "served": False}
    crd = engine.CustomResourceDefinition.from_manifest(
        {**spec, "spec": {**spec["spec"], "versions": [*spec["spec"]["versions"], stored]}}
    )

    with pytest.raises(NoExampleError, match=r"^tabs\.example\.com does not serve v2,"):
        exampleobjects.example(crd.version("v2"))


def test_examples_are_deterministic() -> None:
    spec = fields(a_=TEXT, b={"type": "object", "additionalProperties": NUMBER})

    assert exampleobjects.example(versions.create_version(spec), full=True) == exampleobjects.example(
        versions.create_version(spec), full=True
    )

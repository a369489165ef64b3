"""Constructs that no CRD may use: the causes that a server of Kubernetes 1.37 gave."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd import engine
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.schema import nonstructural

ROOT = FieldPath(("s",))


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({"id": "x"}, ["s.id: Forbidden: id is not supported"], id="an id"),
        pytest.param({"id": ""}, [], id="an empty id is none"),
        pytest.param({"$ref": ""}, ["s.$ref: Forbidden: $ref is not supported"], id="a reference, even to nothing"),
        pytest.param(
            {"anyOf": [{"items": [{}]}]},
            ["s.anyOf[0].items: Forbidden: items must be a schema object and not an array"],
            id="a list of items inside a junctor",
        ),
        pytest.param(
            {"items": [{"id": "x"}]},
            [
                "s.items: Forbidden: items must be a schema object and not an array",
                "s.items[0].id: Forbidden: id is not supported",
            ],
            id="below a list of items",
        ),
        pytest.param(
            {"not": {"x-kubernetes-preserve-unknown-fields": False}},
            ["s.not.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
            id="preserving nothing explicitly",
        ),
        pytest.param(
            {"properties": {"b": {"additionalItems": False}, "a": {"patternProperties": {"x": {}}}}},
            [
                "s.properties[a].patternProperties: Forbidden: patternProperties is not supported",
                "s.properties[b].additionalItems: Forbidden: additionalItems is not supported",
            ],
            id="in several properties",
        ),
        pytest.param({"type": "object", "properties": {"a": {"type": "string"}}}, [], id="none"),
    ],
)
def test_every_construct_is_refused_where_it_stands(schema: dict[str, Any], expected: list[str]) -> None:
    assert [str(error) for error in nonstructural.refuse_unsupported(schema, ROOT)] == expected


def test_errors_about_constructs_replace_the_structural_errors() -> None:
    """The structural check does not run on such a schema, so that the missing type is not reported."""
    version = _version({"type": "object", "properties": {"a": {"$ref": "#/x"}, "untyped": {}}})

    expected = "spec.validation.openAPIV3Schema.properties[a].$ref: Forbidden: $ref is not supported"
    assert [str(error) for error in version.structural_errors] == [expected]
    assert not version.is_structural


def test_a_dialect_is_refused_by_the_conversion_alone() -> None:
    version = _version({"type": "object", "$schema": "x"})

    expected = "spec.validation.openAPIV3Schema: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"
    assert [str(error) for error in version.structural_errors] == [expected]


def _version(schema: dict[str, Any]) -> engine.CrdVersion:
    spec = {
        "group": "example.com",
        "names": {"plural": "foos", "kind": "Foo"},
        "scope": "Namespaced",
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
    }
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": spec,
    }
    return engine.CustomResourceDefinition.from_manifest(manifest).version("v1")

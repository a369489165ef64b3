"""Defaults of schemas, pruned like the objects that they end up in."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.passes import defaulting
from pytest_crd.engine.schema import structural

FIELDS = {"type": "object", "properties": {"a": {"type": "string"}}}
RESOURCE = {
    "type": "object",
    "x-kubernetes-embedded-resource": True,
    "x-kubernetes-preserve-unknown-fields": True,
}


def _pruned(schema: dict[str, Any]) -> structural.Structural:
    return defaulting.prune(structural.from_schema(schema), profile.named("1.37"))


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        pytest.param(
            {"type": "object", "properties": {"f": {**FIELDS, "default": {"a": "", "x": 1}}}}, ("f",), id="field"
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {"l": {"type": "array", "items": {**FIELDS, "default": {"a": "", "x": 1}}}},
            },
            ("l", "[]"),
            id="item",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "m": {"type": "object", "additionalProperties": {**FIELDS, "default": {"a": "", "x": 1}}}
                },
            },
            ("m", "*"),
            id="map value",
        ),
    ],
)
def test_unknown_fields_of_a_default_are_dropped(schema: dict[str, Any], path: tuple[str, ...]) -> None:
    assert dict(structural.nodes(_pruned(schema)))[path].default == {"a": ""}


def test_a_schema_with_pruned_defaults_is_returned_itself() -> None:
    schema = structural.from_schema(
        {
            "type": "object",
            "properties": {
                "f": {**FIELDS, "default": {"a": "b"}},
                "l": {"type": "array", "items": {"type": "integer", "default": 1}},
                "m": {"type": "object", "additionalProperties": {"type": "integer", "default": 1}},
            },
        }
    )
    assert defaulting.prune(schema, profile.named("1.37")) is schema


def test_the_declared_schema_is_not_modified() -> None:
    schema = structural.from_schema({"type": "object", "properties": {"f": {**FIELDS, "default": {"x": 1}}}})
    defaulting.prune(schema, profile.named("1.37"))
    assert schema.properties["f"].default == {"x": 1}


def test_metadata_in_the_default_of_an_embedded_resource_is_coerced() -> None:
    """A malformed metadata field in a default is dropped, not refused."""
    default = {"apiVersion": "v1", "kind": "K", "metadata": {"name": "n", "labels": {"a": 5}, "x": 1}, "spec": {"y": 1}}
    schema = _pruned({"type": "object", "properties": {"r": {**RESOURCE, "default": default}}})
    pruned = schema.properties["r"].default
    assert pruned["metadata"]["name"] == "n"
    assert "x" not in pruned["metadata"]
    assert pruned["spec"] == {"y": 1}


def test_a_default_that_is_pruned_completely_is_none() -> None:
    """A default for a field of embedded metadata that the field's Go type cannot hold."""
    metadata = {"type": "object", "properties": {"labels": {"type": "object", "default": {"a": 5}}}}
    schema = _pruned({"type": "object", "properties": {"r": {**RESOURCE, "properties": {"metadata": metadata}}}})
    assert schema.properties["r"].properties["metadata"].properties["labels"].default is None

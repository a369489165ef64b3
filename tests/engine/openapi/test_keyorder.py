"""The order of keys in OpenAPI documents."""

from __future__ import annotations

from typing import Any

from pytest_crd.engine.openapi import keyorder


def test_a_boolean_for_other_properties_stays() -> None:
    schema = {"additionalProperties": True, "type": "object"}

    document: Any = keyorder.ordered({"definitions": {"b": schema, "a": {"properties": {"c": schema}}}}, 2)

    assert [*document["definitions"]] == ["a", "b"]
    assert [*document["definitions"]["b"].items()] == [("type", "object"), ("additionalProperties", True)]

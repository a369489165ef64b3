"""Defaults as the server stores them: it coerces metadata in them while it validates the CRD."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import storedcrd
from pytest_crd.engine.schema.declaredschema import OpenAPISchema

NEWEST = profile.named("1.37")

RESOURCE = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
GIVEN = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "n", "unknown": 1, "creationTimestamp": None}}
STORED = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "n"}}


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    "around",
    [
        pytest.param(lambda default: obj(a=RESOURCE | {"default": default}), id="of an embedded resource"),
        pytest.param(
            lambda default: obj(a={"type": "array", "items": RESOURCE | {"default": default}}),
            id="of an item of a list",
        ),
        pytest.param(
            lambda default: obj(a={"type": "array", "items": RESOURCE, "default": [default]}), id="of a list of them"
        ),
        pytest.param(lambda default: obj() | {"default": default}, id="of the whole resource"),
        pytest.param(
            lambda default: obj(a=RESOURCE | obj(metadata=obj(b=RESOURCE | {"default": default}))),
            id="of a resource inside of metadata",
        ),
    ],
)
def test_metadata_in_a_default_is_coerced(around: Any) -> None:
    schema = around(GIVEN)
    assert storedcrd.coerce_defaults(OpenAPISchema(schema, NEWEST)) == around(STORED)
    assert schema == around(GIVEN)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(
            obj(a=RESOURCE | {"default": STORED}, b={"type": "string", "default": "x"}), id="nothing to coerce"
        ),
        pytest.param(obj(a=obj(b={"type": "object"}) | {"default": {"b": GIVEN}}), id="no embedded resource"),
        pytest.param(
            obj(a=RESOURCE | obj(metadata=obj(b={"type": "object", "default": {"metadata": {"unknown": 1}}}))),
            id="a default inside of metadata",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": RESOURCE | {"default": GIVEN}}, id="a default in a map"
        ),
    ],
)
def test_other_schemas_are_returned_unchanged(schema: Any) -> None:
    assert storedcrd.coerce_defaults(OpenAPISchema(schema, NEWEST)) is schema

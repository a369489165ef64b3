"""Versions to make objects of."""

from __future__ import annotations

from typing import Any

from support import crds

from pytest_crd import engine


def of(
    spec: dict[str, Any], *, required: bool = True, root: dict[str, Any] | None = None, **version: Any
) -> engine.Version:
    """Return the version of a CRD whose objects have a `spec` of that schema; *root*: what else the schema says."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"spec": spec},
        **({"required": ["spec"]} if required else {}),
    }
    for key, value in (root or {}).items():
        schema[key] = {**schema[key], **value} if key == "properties" else value
    crd = engine.CustomResourceDefinition.from_manifest(crds.manifest(schema, **version))
    assert crd.response.accepted, crd.response.message
    return crd.versions[0]


def fields(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with these fields; those whose name ends in `_` must be there."""
    required = [name.rstrip("_") for name in properties if name.endswith("_")]
    named = {name.rstrip("_"): schema for name, schema in properties.items()}
    return {"type": "object", "properties": named, **({"required": required} if required else {})}

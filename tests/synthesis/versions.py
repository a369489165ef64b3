"""CRD versions for tests that make objects."""

from __future__ import annotations

from typing import Any

from support import crds

from pytest_crd import engine


def create_version(
    spec: dict[str, Any], *, required: bool = True, root: dict[str, Any] | None = None, **version: Any
) -> engine.CrdVersion:
    """Return the version of a CRD with *spec* as the schema of `spec`; *root* is merged into the root schema."""
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
    """Return the schema of an object with *properties*; fields with a name that ends in `_` are required."""
    required = [name.rstrip("_") for name in properties if name.endswith("_")]
    named = {name.rstrip("_"): schema for name, schema in properties.items()}
    return {"type": "object", "properties": named, **({"required": required} if required else {})}

"""Defaults (`default:`) of a schema as the server stores them in an accepted CRD."""

from __future__ import annotations

import dataclasses

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.passes import objectmeta
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.engine.schema.metafields import META_FIELDS
from pytest_crd.engine.schema.structural import Structural
from pytest_crd.engine.schema.subschemas import Schema


def coerce(declared: OpenAPISchema) -> Schema:
    """
    Return a schema with coerced metadata of the embedded resources in its defaults.

    Args:
        declared: A structural schema of a whole resource with valid defaults.

    Returns:
        The schema as it is stored; `declared.value` itself if nothing changes. Unknown fields and nulls of metadata are
        dropped, but not in defaults inside metadata, nor in maps.

    Reference:
        apiextensions-apiserver schema/defaulting/validation.go, validate: it coerces the defaults themselves.
    """
    schema = declared.value
    if schema.get("default") is None and not any(node.get("x-kubernetes-embedded-resource") for node in declared.nodes):
        return schema  # no default holds a resource
    root = dataclasses.replace(declared.structural, x_embedded_resource=True)
    return _coerced(root, schema, declared.profile, inside_meta=False)


def _coerced(node: Structural, schema: Schema, version: Profile, *, inside_meta: bool) -> Schema:
    inside_meta = inside_meta and not node.x_embedded_resource
    changes: dict[str, JSONValue] = {}
    if node.default and isinstance(node.default, dict | list) and not inside_meta:
        compiled = objectmeta.compile_embedded(node, version)
        changes["default"] = node.default if compiled is None else compiled(node.default).value
    if node.items is not None:
        changes["items"] = _coerced(node.items, schema["items"], version, inside_meta=inside_meta)
    if node.properties:
        fields = {name: _field(node, name, schema, version, inside_meta=inside_meta) for name in schema["properties"]}
        is_new = any(fields[name] is not child for name, child in schema["properties"].items())
        changes["properties"] = fields if is_new else schema["properties"]
    if all(value is schema[keyword] for keyword, value in changes.items()):
        return schema
    return {**schema, **changes}


def _field(node: Structural, name: str, schema: Schema, version: Profile, *, inside_meta: bool) -> Schema:
    is_meta_field = node.x_embedded_resource and name in META_FIELDS
    return _coerced(
        node.properties[name], schema["properties"][name], version, inside_meta=inside_meta or is_meta_field
    )

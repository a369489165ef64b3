"""CustomResourceDefinitions as the server stores them and returns them in answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from pytest_crd.engine.crds import encoded
from pytest_crd.engine.crds.crdforms import Forms
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.passes import objectmeta
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import subschemas
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.engine.schema.structural import META_FIELDS, Structural
from pytest_crd.engine.schema.subschemas import Schema


def encode(crd: Forms, profile: Profile) -> JSONObject:
    """
    Return a CRD as the server stores it.

    Args:
        crd: The CRD with the metadata and status that the server sets.
        profile: The Kubernetes version.
    """
    spec = crd.defaulted["spec"]
    versions = [_with_schema(version, "schema", crd, profile) for version in spec.get("versions") or ()]
    spec = _with_schema({**spec, "versions": versions}, "validation", crd, profile)
    return encoded.encode({**crd.defaulted, "spec": spec})


def _with_schema(holder: Mapping[str, JSONValue], field: str, crd: Forms, profile: Profile) -> Mapping[str, JSONValue]:
    """Return a version or a spec with the stored form of the schema in *field*."""
    schema = (holder.get(field) or {}).get("openAPIV3Schema")
    if schema is None:
        return holder
    declared = crd.internal.schema_in(holder[field]) or OpenAPISchema(schema, profile)
    stored = coerce_defaults(declared) if declared.has_defaults else schema
    if [] in [node.get("items") for node in declared.nodes]:
        # Go encodes an empty list of schemas as null, which means no schema.
        stored = subschemas.without(stored, lambda keyword, value: keyword == "items" and value == [])
    return holder if stored is schema else {**holder, field: {**holder[field], "openAPIV3Schema": stored}}


def coerce_defaults(declared: OpenAPISchema) -> Schema:
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
    holds_resources = "x-kubernetes-embedded-resource" in declared.keywords
    if schema.get("default") is None and not (
        holds_resources and any(node.get("x-kubernetes-embedded-resource") for node in declared.nodes)
    ):
        return schema  # no default holds a resource
    root = dataclasses.replace(declared.structural, x_embedded_resource=True)
    return _coerce_node(root, schema, declared.profile, inside_meta=False)


def _coerce_node(node: Structural, schema: Schema, version: Profile, *, inside_meta: bool) -> Schema:
    inside_meta = inside_meta and not node.x_embedded_resource
    changes: dict[str, JSONValue] = {}
    if node.default and isinstance(node.default, dict | list) and not inside_meta:
        compiled = objectmeta.compile_embedded(node, version)
        changes["default"] = node.default if compiled is None else compiled(node.default, objectmeta.ROOT, [])
    if node.items is not None:
        changes["items"] = _coerce_node(node.items, schema["items"], version, inside_meta=inside_meta)
    if node.properties:
        fields = {
            name: _coerce_field(node, name, schema, version, inside_meta=inside_meta) for name in schema["properties"]
        }
        is_new = any(fields[name] is not child for name, child in schema["properties"].items())
        changes["properties"] = fields if is_new else schema["properties"]
    if all(value is schema[keyword] for keyword, value in changes.items()):
        return schema
    return {**schema, **changes}


def _coerce_field(node: Structural, name: str, schema: Schema, version: Profile, *, inside_meta: bool) -> Schema:
    is_meta_field = node.x_embedded_resource and name in META_FIELDS
    return _coerce_node(
        node.properties[name], schema["properties"][name], version, inside_meta=inside_meta or is_meta_field
    )

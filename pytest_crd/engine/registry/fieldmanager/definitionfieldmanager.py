"""Field manager of CustomResourceDefinitions, with types from their Go structs instead of a schema."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Final

from pytest_crd.engine.crds import declared, decoded, encoded
from pytest_crd.engine.golang.gotypes import (
    Bytes,
    Float,
    GoType,
    Int,
    List,
    Map,
    Pointer,
    Raw,
    Scalar,
    Struct,
    StructReference,
    Time,
    Union,
)
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.openapi import commontypes
from pytest_crd.engine.openapi.commontypes import Schema
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.fieldmanager import fieldsets
from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
from pytest_crd.engine.registry.fieldmanager.openapitypes import OpenAPITypes
from pytest_crd.engine.registry.fieldmanager.pathelements import field
from pytest_crd.engine.registry.fieldmanager.versionedobjects import Versions

# Merge keys of lists with an owner for each item, by struct and field. Other lists are atomic.
_KEYED: Final[Mapping[tuple[str, str], str]] = {
    ("v1.CustomResourceDefinitionStatus", "conditions"): "type",
    ("v1.JSONSchemaProps", "x-kubernetes-validations"): "rule",
}
_SCHEMA: Final = "v1.JSONSchemaProps"
_REFERENCE: Final[Schema] = {"$ref": commontypes.PREFIXES[3] + _SCHEMA}
_OBJECT_META: Final = "v1.ObjectMeta"


@functools.cache
def of_definitions(profile: Profile) -> FieldManager:
    """
    Return the field manager of requests to CRDs in v1.

    Args:
        profile: The Kubernetes version.

    Reference:
        apiextensions-apiserver apis/apiextensions/v1, the `+listType` of types.go and types_jsonschema.go; registry/customresourcedefinition/strategy.go, GetResetFields.
    """
    type_meta = {"apiVersion": declared.V1, "kind": declared.KIND}
    not_status = ("spec",) if profile.apply.owns_crd_metadata_by_status else ("metadata", "spec")
    ignored = {
        subresource: {declared.V1: fieldsets.from_paths([(field(name),) for name in names])}
        for subresource, names in {"": ("status",), "status": not_status}.items()
    }
    empty = encoded.encode({**type_meta, "metadata": {}})
    versions = Versions(declared.GROUP, {declared.V1: lambda: _kind(profile)}, is_built_in=True)
    return FieldManager(versions, type_meta, ignored, profile.apply, empty=empty)


def _kind(profile: Profile) -> MergeType:
    published = commontypes.load(profile, 3 if profile.publishes_v3 else 2, scales=False)._replace(openapi=3)
    whole = decoded.custom_resource_definition("v1")
    schema = decoded.json_schema_props("v1")
    schemas = {**published.schemas, _SCHEMA: _struct_schema(schema, profile, published)}
    return OpenAPITypes(schemas, profile.apply).merge_type(_struct_schema(whole, profile, published))


def _type_schema(kind: GoType, profile: Profile, published: commontypes.Types) -> Schema:
    """Return the published schema of a Go type."""
    if isinstance(kind, Pointer):
        return _type_schema(kind.to, profile, published)
    if isinstance(kind, StructReference):
        return _REFERENCE
    if isinstance(kind, Struct):
        referred = {_OBJECT_META: {"$ref": published.ref(commontypes.OBJECT_META)}, _SCHEMA: _REFERENCE}
        return referred.get(kind.go) or _struct_schema(kind, profile, published)
    if isinstance(kind, List):
        return {"type": "array", "items": _type_schema(kind.item, profile, published)}
    if isinstance(kind, Map):
        return {"type": "object", "additionalProperties": _type_schema(kind.value, profile, published)}
    return _scalar_schema(kind)


def _scalar_schema(kind: GoType) -> Schema:
    if isinstance(kind, Raw | Union):
        return {}
    if isinstance(kind, Int | Float):
        return {"type": "number"}
    if isinstance(kind, Time | Bytes):
        return {"type": "string", "format": "date-time" if isinstance(kind, Time) else "byte"}
    return {"type": "boolean" if isinstance(kind, Scalar) and kind.empty is False else "string"}


def _struct_schema(kind: Struct, profile: Profile, published: commontypes.Types) -> Schema:
    properties: dict[str, JSONValue] = {}
    for name in _served_fields(kind, profile):
        schema = _type_schema(kind.fields[name], profile, published)
        if (key := _KEYED.get((kind.go, name))) is not None:
            schema = _with_key(schema, key)
        properties[name] = schema
    return {"type": "object", "properties": properties}


def _with_key(schema: Schema, key: str) -> Schema:
    """Return the schema of a list with items identified by *key*, which defaults to an empty text."""
    properties = schema["items"]["properties"]
    items = {**schema["items"], "properties": {**properties, key: {**properties[key], "default": ""}}}
    of_keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key]}
    return {**schema, "items": items, **of_keys}


def _served_fields(kind: Struct, profile: Profile) -> Iterator[str]:
    """Yield the names of the fields of a struct in a Kubernetes version."""
    unknown = {
        "selectableFields": not profile.selectable_fields,
        "x-kubernetes-validations": not profile.validation_rules,
        "observedGeneration": not profile.conditions_have_generations,
    }
    return (name for name in kind.fields if not unknown.get(name))

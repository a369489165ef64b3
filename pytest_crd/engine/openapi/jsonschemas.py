"""
JSON Schemas (draft 7) for editors and validators, derived from published OpenAPI schemas.

Unlike in the published schema, unspecified fields are errors, as with `kubectl apply --validate=strict`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.openapi import commontypes
from pytest_crd.engine.openapi.commontypes import Schema

JSONSchema: TypeAlias = "dict[str, JSONValue]"

_DRAFT: Final = "http://json-schema.org/draft-07/schema#"
_PREFIX: Final = "#/definitions/"
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf")
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_BOUNDS: Final = {"exclusiveMaximum": "maximum", "exclusiveMinimum": "minimum"}


def from_document(document: Mapping[str, JSONValue], name: str, *, api_version: str, kind: str) -> JSONSchema:
    """
    Return the JSON Schema of custom resources.

    Args:
        document: The OpenAPI v3 document of their version; the result shares parts of it.
        name: The name of their schema in the document.
        api_version: Their apiVersion.
        kind: Their kind.
    """
    schemas: Mapping[str, Schema] = document["components"]["schemas"]
    json_schema = _schema(schemas[name], closes=True)
    for field, value in (("apiVersion", api_version), ("kind", kind)):
        if "properties" in json_schema:
            json_schema["properties"][field]["enum"] = [value]
    definitions = {type_name: _type(schemas[type_name]) for type_name in _reachable(schemas, json_schema)}
    return {"$schema": _DRAFT, **json_schema, **({"definitions": definitions} if definitions else {})}


def _reachable(schemas: Mapping[str, Schema], json_schema: JSONSchema) -> list[str]:
    """Return the sorted names of the schemas reachable from *json_schema*."""
    names: set[str] = set()
    pending = list(commontypes.references(json_schema))
    while pending:
        name = pending.pop().rpartition("/")[2]
        if name not in names:
            names.add(name)
            pending += commontypes.references(schemas[name])
    return sorted(names)


def _type(schema: Schema) -> JSONSchema:
    """Return the JSON Schema of a Kubernetes type, in which null counts as an absent field."""
    json_schema = _schema(schema, closes=True)
    required = json_schema.get("required", ())
    fields = json_schema.get("properties", {})
    if fields:
        json_schema["properties"] = {
            name: field if name in required else _or_null(field) for name, field in fields.items()
        }
    return json_schema


def _schema(schema: Schema, *, closes: bool) -> JSONSchema:
    """Return the JSON Schema of *schema*; *closes* forbids unspecified fields, except inside junctors."""
    json_schema: JSONSchema = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            json_schema[keyword] = {name: _schema(child, closes=closes) for name, child in value.items()}
        elif keyword in ("items", "additionalProperties") and isinstance(value, Mapping):
            json_schema[keyword] = _schema(value, closes=closes)
        elif keyword in _JUNCTORS:
            json_schema[keyword] = [_schema(child, closes=False) for child in value]
        elif keyword == "not":
            json_schema[keyword] = _schema(value, closes=False)
        elif keyword == "$ref":
            json_schema[keyword] = _PREFIX + value.removeprefix(commontypes.PREFIXES[3])
        elif keyword == "example":
            json_schema["examples"] = [value]
        elif keyword != "nullable":
            json_schema[keyword] = value
    _bound(json_schema)
    if closes and "properties" in json_schema and not json_schema.get(_PRESERVE):
        json_schema.setdefault("additionalProperties", False)
    return _or_null(json_schema) if schema.get("nullable") else json_schema


def _bound(json_schema: JSONSchema) -> None:
    """Convert exclusive bounds from booleans to numbers."""
    for exclusive, bound in _BOUNDS.items():
        if json_schema.pop(exclusive, False) and bound in json_schema:
            json_schema[exclusive] = json_schema.pop(bound)


def _or_null(json_schema: JSONSchema) -> JSONSchema:
    """Return a JSON Schema that also accepts null; the server's restrictions apply to other values only."""
    if not json_schema.keys().isdisjoint((*_JUNCTORS, "not", "$ref")):
        annotations: JSONSchema = {
            key: json_schema[key] for key in ("description", "title", "default") if key in json_schema
        }
        return {
            **annotations,
            "anyOf": [{key: value for key, value in json_schema.items() if key not in annotations}, {"type": "null"}],
        }
    return {**json_schema, "type": [json_schema["type"], "null"]} if "type" in json_schema else json_schema

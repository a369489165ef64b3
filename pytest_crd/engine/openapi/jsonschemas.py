"""
JSON Schemas for editors and validators, made of what is published: in a file of their own, and in the words of draft 7.

What the server drops is an error there, as it is for `kubectl apply --validate=strict`.
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


def of_document(document: Mapping[str, JSONValue], name: str, *, api_version: str, kind: str) -> JSONSchema:
    """
    Return the JSON Schema of custom resources.

    Args:
        document: The OpenAPI v3 document of their version; parts of it are shared.
        name: The name of their schema there.
        api_version: Theirs.
        kind: Their kind.
    """
    schemas: Mapping[str, Schema] = document["components"]["schemas"]
    made = _schema(schemas[name], closes=True)
    for field, value in (("apiVersion", api_version), ("kind", kind)):
        if "properties" in made:
            made["properties"][field]["enum"] = [value]
    found = {one: _type(schemas[one]) for one in _reachable(schemas, made)}
    return {"$schema": _DRAFT, **made, **({"definitions": found} if found else {})}


def _reachable(schemas: Mapping[str, Schema], made: JSONSchema) -> list[str]:
    """Return the names of the schemas to which *made* refers, and those to which they refer, sorted."""
    found: set[str] = set()
    rest = list(commontypes.references(made))
    while rest:
        name = rest.pop().rpartition("/")[2]
        if name not in found:
            found.add(name)
            rest += commontypes.references(schemas[name])
    return sorted(found)


def _type(schema: Schema) -> JSONSchema:
    """Return the JSON Schema of a type of Kubernetes, in which a null is as good as no field."""
    made = _schema(schema, closes=True)
    required = made.get("required", ())
    fields = made.get("properties", {})
    if fields:
        made["properties"] = {name: one if name in required else _or_null(one) for name, one in fields.items()}
    return made


def _schema(schema: Schema, *, closes: bool) -> JSONSchema:
    """Return the JSON Schema of a *schema*, which *closes* objects that have named fields, as one inside of a junctor does not."""
    made: JSONSchema = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            made[keyword] = {name: _schema(one, closes=closes) for name, one in value.items()}
        elif keyword in ("items", "additionalProperties") and isinstance(value, Mapping):
            made[keyword] = _schema(value, closes=closes)
        elif keyword in _JUNCTORS:
            made[keyword] = [_schema(one, closes=False) for one in value]
        elif keyword == "not":
            made[keyword] = _schema(value, closes=False)
        elif keyword == "$ref":
            made[keyword] = _PREFIX + value.removeprefix(commontypes.PREFIXES[3])
        elif keyword == "example":
            made["examples"] = [value]
        elif keyword != "nullable":
            made[keyword] = value
    _bound(made)
    if closes and "properties" in made and not made.get(_PRESERVE):
        made.setdefault("additionalProperties", False)
    return _or_null(made) if schema.get("nullable") else made


def _bound(made: JSONSchema) -> None:
    """Say of exclusive bounds what they are, where OpenAPI says that they are exclusive."""
    for exclusive, bound in _BOUNDS.items():
        if made.pop(exclusive, False) and bound in made:
            made[exclusive] = made.pop(bound)


def _or_null(made: JSONSchema) -> JSONSchema:
    """Return a JSON Schema that takes null, too: of what it is made of, a server asks of other values alone."""
    if not made.keys().isdisjoint((*_JUNCTORS, "not", "$ref")):
        told: JSONSchema = {key: made[key] for key in ("description", "title", "default") if key in made}
        return {**told, "anyOf": [{key: value for key, value in made.items() if key not in told}, {"type": "null"}]}
    return {**made, "type": [made["type"], "null"]} if "type" in made else made

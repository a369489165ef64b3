"""All schemas inside a schema, whatever keyword they stand under: what the server asks of a CRD's schemas as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue

Schema: TypeAlias = Mapping[str, JSONValue]

# In the order in which the server looks into them.
_KEYWORDS: Final = (
    *("items", "allOf", "anyOf", "oneOf", "not"),
    *("properties", "additionalProperties", "patternProperties", "additionalItems", "definitions", "dependencies"),
)
_BY_NAME: Final = frozenset({"properties", "patternProperties", "definitions", "dependencies"})
_HOLDS_SCHEMAS: Final = frozenset(_KEYWORDS)
_EXTENSIONS: Final = (
    *("x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"),
    *("x-kubernetes-list-map-keys", "x-kubernetes-validations"),
)
# Behind these stands a pointer in Go: they count however they are set.
_EXTENSION_POINTERS: Final = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type")
_TYPES: Final = frozenset({"", "string", "number", "integer", "boolean", "array", "object"})


def walk(schema: Schema) -> Sequence[Schema]:
    """
    Return *schema* and all schemas inside it, in the server's order; where that is random, by name.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, SchemaHas.
    """
    nodes: list[Schema] = []
    _collect(schema, nodes)
    return nodes


def _collect(schema: Schema, nodes: list[Schema]) -> None:
    """Append what `walk` returns: generators in generators cost as much again for every level."""
    nodes.append(schema)
    for keyword in _KEYWORDS:
        if keyword not in schema:
            continue
        found = schema[keyword]
        if keyword in _BY_NAME and found:
            found = [found[name] for name in sorted(found)]
        for child in found if type(found) is list else (found,):
            if type(child) is not dict:
                continue
            if _HOLDS_SCHEMAS.isdisjoint(child):
                nodes.append(child)  # without a call, for most schemas hold none
            else:
                _collect(child, nodes)


def without(schema: Schema, falls_away: Callable[[str, JSONValue], bool]) -> Schema:
    """Return *schema* without the keywords of which *falls_away* is true, in all schemas inside it too."""
    return {
        keyword: _below_without(keyword, value, falls_away)
        for keyword, value in schema.items()
        if not falls_away(keyword, value)
    }


def have_defaults(nodes: Iterable[Schema]) -> bool:
    """Return whether one of the *nodes* has a default."""
    return any(node["default"] is not None for node in nodes if "default" in node)


def have_extensions(nodes: Iterable[Schema]) -> bool:
    """
    Return whether one of the *nodes* has an extension of Kubernetes that only structural schemas may have.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, schemaHasKubernetesExtensions.
    """
    return any(
        any(node.get(keyword) for keyword in _EXTENSIONS)
        or any(node.get(keyword) is not None for keyword in _EXTENSION_POINTERS)
        for node in nodes
    )


def have_invalid_types(nodes: Iterable[Schema]) -> bool:
    """Return whether one of the *nodes* has a `type` that OpenAPI v3 does not know."""
    return any(node.get("type", "") not in _TYPES for node in nodes)


def _below_without(keyword: str, value: JSONValue, falls_away: Callable[[str, JSONValue], bool]) -> JSONValue:
    if keyword not in _KEYWORDS:
        return value
    if keyword in _BY_NAME and isinstance(value, Mapping):
        return {name: _child_without(child, falls_away) for name, child in value.items()}
    return (
        [_child_without(child, falls_away) for child in value]
        if isinstance(value, list)
        else _child_without(value, falls_away)
    )


def _child_without(child: JSONValue, falls_away: Callable[[str, JSONValue], bool]) -> JSONValue:
    return without(child, falls_away) if isinstance(child, Mapping) else child

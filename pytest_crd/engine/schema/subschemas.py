"""Nested schemas of a schema under all keywords, for questions about a CRD's schemas as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue

Schema: TypeAlias = Mapping[str, JSONValue]

# In the order in which the server visits them.
_KEYWORDS: Final = (
    *("items", "allOf", "anyOf", "oneOf", "not"),
    *("properties", "additionalProperties", "patternProperties", "additionalItems", "definitions", "dependencies"),
)
# The keywords of structural schemas with schemas, with the number of steps to such a schema.
_DEPTHS: Final = {
    "properties": 2,
    "items": 1,
    "additionalProperties": 1,
    "not": 1,
    "allOf": 2,
    "anyOf": 2,
    "oneOf": 2,
}
_BY_NAME: Final = frozenset({"properties", "patternProperties", "definitions", "dependencies"})
_HOLDS_SCHEMAS: Final = frozenset(_KEYWORDS)
_EXTENSIONS: Final = (
    *("x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"),
    *("x-kubernetes-list-map-keys", "x-kubernetes-validations"),
)
# These are pointers in Go: any value counts as set.
_EXTENSION_POINTERS: Final = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type")
_TYPES: Final = frozenset({"", "string", "number", "integer", "boolean", "array", "object"})


def walk(schema: Schema) -> Sequence[Schema]:
    """
    Return *schema* and all nested schemas in the server's order; sorted by name where that is random.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, SchemaHas.
    """
    nodes: list[Schema] = []
    _collect(schema, nodes)
    return nodes


def _collect(schema: Schema, nodes: list[Schema]) -> None:
    """Append the result of `walk` to *nodes*; nested generators would cost the same again at every level."""
    nodes.append(schema)
    for keyword in _KEYWORDS:
        if keyword not in schema:
            continue
        children = schema[keyword]
        if keyword in _BY_NAME and children:
            children = [children[name] for name in sorted(children)]
        for child in children if type(children) is list else (children,):
            if type(child) is not dict:
                continue
            if _HOLDS_SCHEMAS.isdisjoint(child):
                nodes.append(child)  # most schemas have no nested schemas: save the call
            else:
                _collect(child, nodes)


def is_schema(steps: Sequence[str | int]) -> bool:
    """Return whether *steps* inside of a structural schema lead to a schema, and not to a value in one, such as a default."""
    rest = list(steps)
    while rest and rest[0] in _DEPTHS:
        rest = rest[_DEPTHS[str(rest[0])] :]
    return not rest


def without(schema: Schema, is_dropped: Callable[[str, JSONValue], bool]) -> Schema:
    """Return *schema* without the keywords for which *is_dropped* is true, in nested schemas too."""
    return {
        keyword: _below_without(keyword, value, is_dropped)
        for keyword, value in schema.items()
        if not is_dropped(keyword, value)
    }


def have_defaults(nodes: Iterable[Schema]) -> bool:
    """Return whether any of *nodes* has a default."""
    return any(node["default"] is not None for node in nodes if "default" in node)


def have_extensions(nodes: Iterable[Schema]) -> bool:
    """
    Return whether any of *nodes* has a Kubernetes extension that only structural schemas may have.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, schemaHasKubernetesExtensions.
    """
    return any(
        any(node.get(keyword) for keyword in _EXTENSIONS)
        or any(node.get(keyword) is not None for keyword in _EXTENSION_POINTERS)
        for node in nodes
    )


def have_invalid_types(nodes: Iterable[Schema]) -> bool:
    """Return whether any of *nodes* has a `type` that is not in OpenAPI v3."""
    return any(node.get("type", "") not in _TYPES for node in nodes)


def _below_without(keyword: str, value: JSONValue, is_dropped: Callable[[str, JSONValue], bool]) -> JSONValue:
    if keyword not in _KEYWORDS:
        return value
    if keyword in _BY_NAME and isinstance(value, Mapping):
        return {name: _child_without(child, is_dropped) for name, child in value.items()}
    return (
        [_child_without(child, is_dropped) for child in value]
        if isinstance(value, list)
        else _child_without(value, is_dropped)
    )


def _child_without(child: JSONValue, is_dropped: Callable[[str, JSONValue], bool]) -> JSONValue:
    return without(child, is_dropped) if isinstance(child, Mapping) else child

"""List and map types: the ownership of values at a place of a schema, and the places of owned fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.schemamap import SchemaNode

LIST_TYPE: Final = "x-kubernetes-list-type"
LIST_MAP_KEYS: Final = "x-kubernetes-list-map-keys"
MAP_TYPE: Final = "x-kubernetes-map-type"
# The list types with separate owners for each item.
_BY_ITEM: Final = ("map", "set")


def is_list(node: SchemaNode) -> bool:
    """Return whether the values at *node* are lists."""
    return bool(node.schema.get("type") == "array")


def is_shared_by_item(node: SchemaNode) -> bool:
    """Return whether the values at *node* are lists with separate owners for each item."""
    return shares_by_item(node.schema)


def shares_by_item(schema: Mapping[str, JSONValue]) -> bool:
    """Return whether a schema describes lists with separate owners for each item."""
    return schema.get(LIST_TYPE) in _BY_ITEM


def is_atomic_map(node: SchemaNode) -> bool:
    """Return whether the values at *node* are maps with one owner for the whole map."""
    return bool(node.schema.get(MAP_TYPE) == "atomic")


def keyword(node: SchemaNode) -> str:
    """Return the keyword that decides the ownership at *node*, whether or not it is declared."""
    return LIST_TYPE if is_list(node) else MAP_TYPE


def steps(node: SchemaNode) -> Steps:
    """Return the steps of the keyword that decides the ownership; of the node itself if the keyword is not declared."""
    name = keyword(node)
    return (*node.steps, name) if name in node.schema else node.steps


def find_nodes(node: SchemaNode, text: str) -> Iterator[tuple[SchemaNode, str]]:
    """
    Yield each node that a prefix of *text* may name, with the rest of the text.

    Args:
        node: The start of the path.
        text: `.spec.listeners[name="a"].port`, and text behind it; keys may contain dots and brackets.
    """
    yield node, text
    for child, rest in _children(node, text):
        yield from find_nodes(child, rest)


def _children(node: SchemaNode, text: str) -> Iterator[tuple[SchemaNode, str]]:
    """Yield each child of a node that *text* may start with, and the rest of the text."""
    if text.startswith("["):
        yield from ((node.items, text[end.end() :]) for end in re.finditer(r"\]", text) if node.items is not None)
    elif text.startswith("."):
        for name, child in node.properties.items():
            if text.startswith(name, 1):
                yield child, text[1 + len(name) :]
        if node.values is not None:
            yield from ((node.values, text[end.start() :]) for end in re.finditer(r"(?<=.)(?=[.\[]|: |$)", text))

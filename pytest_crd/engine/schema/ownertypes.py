"""List and map types: how managers share what is at a place of a schema, and which place a field leads to that somebody owns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema.schemamap import SchemaNode

LIST_TYPE: Final = "x-kubernetes-list-type"
LIST_MAP_KEYS: Final = "x-kubernetes-list-map-keys"
MAP_TYPE: Final = "x-kubernetes-map-type"
# The types of lists whose items have owners of their own.
_BY_ITEM: Final = ("map", "set")


def is_list(node: SchemaNode) -> bool:
    """Return whether the values are lists."""
    return bool(node.schema.get("type") == "array")


def is_shared_by_item(node: SchemaNode) -> bool:
    """Return whether the values are lists whose items have owners of their own."""
    return shares_by_item(node.schema)


def shares_by_item(schema: Mapping[str, JSONValue]) -> bool:
    """Return whether a schema is of lists whose items have owners of their own."""
    return schema.get(LIST_TYPE) in _BY_ITEM


def is_atomic_map(node: SchemaNode) -> bool:
    """Return whether the values are maps that have one owner as a whole."""
    return bool(node.schema.get(MAP_TYPE) == "atomic")


def keyword(node: SchemaNode) -> str:
    """Return the keyword by which the values are shared, whether it is stated or not."""
    return LIST_TYPE if is_list(node) else MAP_TYPE


def steps(node: SchemaNode) -> Steps:
    """Return where a schema says how the values are shared: at the keyword, or where it says nothing, at the place itself."""
    name = keyword(node)
    return (*node.steps, name) if name in node.schema else node.steps


def led_to(node: SchemaNode, text: str) -> Iterator[tuple[SchemaNode, str]]:
    """
    Yield each node that a text may lead to which begins with a field, and what is left of the text.

    Args:
        node: Where the field starts.
        text: `.spec.listeners[name="a"].port`, and what may follow: keys have dots and brackets as they like.
    """
    yield node, text
    for child, rest in _children(node, text):
        yield from led_to(child, rest)


def _children(node: SchemaNode, text: str) -> Iterator[tuple[SchemaNode, str]]:
    """Yield each child of a node that a text may begin with, and what follows."""
    if text.startswith("["):
        yield from ((node.items, text[end.end() :]) for end in re.finditer(r"\]", text) if node.items is not None)
    elif text.startswith("."):
        for name, child in node.properties.items():
            if text.startswith(name, 1):
                yield child, text[1 + len(name) :]
        if node.values is not None:
            yield from ((node.values, text[end.start() :]) for end in re.finditer(r"(?<=.)(?=[.\[]|: |$)", text))

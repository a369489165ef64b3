"""The schemas inside those of a CRD, each with the values that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from pytest_crd.checks.rules import KEYWORD
from pytest_crd.engine import Version
from pytest_crd.engine.crdfiles import ReadCrd
from pytest_crd.engine.crds import declared
from pytest_crd.engine.jsonvalue import JSONValue

Steps: TypeAlias = "tuple[str | int, ...]"
Schema: TypeAlias = "Mapping[str, JSONValue]"


class Node(NamedTuple):
    """
    A schema inside that of a version.

    Attributes:
        steps: Where it stands, from the root of the CRD.
        path: Of which values it speaks: `spec.items[*]`; empty for the whole object.
        schema: The schema.
        is_under_rule: Whether a rule speaks of the value, or of one around it.
    """

    steps: Steps
    path: str
    schema: Schema
    is_under_rule: bool


def nodes(read: ReadCrd) -> Iterator[tuple[Version, Node]]:
    """Yield the schemas inside those of all versions; one that versions share is told of once for each."""
    for version in read.crd.versions:
        if (root := root_of(read, version)) is not None:
            yield from ((version, node) for node in _visit(root))


def root_of(read: ReadCrd, version: Version) -> Node | None:
    """Return the schema of a version; None where it has none."""
    steps = declared.place_of_schema(read.crd.declared, version.name)
    schema: JSONValue = read.crd.declared
    for step in steps:
        schema = (schema or {}).get(step) if isinstance(step, str) else schema[step]
    return None if schema is None else Node(steps, "", schema, is_under_rule=bool(schema.get(KEYWORD)))


def children(node: Node) -> Iterator[Node]:
    """Yield the schemas of the fields, items and values of maps of a schema."""
    below = [
        ((*node.steps, "properties", name), f"{node.path}.{name}" if node.path else name, child)
        for name, child in (node.schema.get("properties") or {}).items()
    ]
    below += [
        ((*node.steps, key), f"{node.path}[*]", node.schema.get(key)) for key in ("items", "additionalProperties")
    ]
    for steps, path, child in below:
        if isinstance(child, dict):
            yield Node(steps, path, child, node.is_under_rule or bool(child.get(KEYWORD)))


def _visit(node: Node) -> Iterator[Node]:
    yield node
    for child in children(node):
        yield from _visit(child)

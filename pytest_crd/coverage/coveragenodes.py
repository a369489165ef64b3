"""The schema of a version as what is looked at: its nodes, with their points and what sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pytest_crd.coverage import keywordpoints
from pytest_crd.coverage.keywordpoints import Keywords, Probe
from pytest_crd.coverage.points import Point, PointKind
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.metafields import META_FIELDS, TYPE_META
from pytest_crd.engine.schema.schemamap import KEEPS_UNKNOWN, RULES, Each, SchemaNode
from pytest_crd.engine.schema.subschemas import Schema

UNKNOWN_DROPPED: Final = "unknown-dropped"


@dataclass(slots=True)
class PointNode:
    """
    A schema, and what is to be seen at its values.

    Attributes:
        schema: The schema.
        points: Those of this schema alone.
        probes: What looks at a value that was validated.
        properties: The nodes of the fields that it names.
        entries: The node of the values under any other key; None where it declares none.
        items: The node of items; None where it declares none.
        parts: The nodes of its `allOf`, which speak of the same value.
        seen: By side, the ids of what is seen where what was sent is held beside what became of it.
    """

    schema: Schema
    points: list[Point] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    properties: dict[str, PointNode] = field(default_factory=dict)
    entries: PointNode | None = None
    items: PointNode | None = None
    parts: list[PointNode] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)

    def child(self, key: str) -> PointNode | None:
        """Return the node of the value at *key*; None where the schema does not specify it."""
        return self.properties.get(key, self.entries)

    def all_points(self) -> Iterator[Point]:
        """Yield the points, those of the value before those inside it."""
        yield from self.points
        inner = (*self.parts, *self.properties.values(), self.entries, self.items)
        for node in inner:
            if node is not None:
                yield from node.all_points()


def build(schema: SchemaNode, profile: Profile, *, prunes: bool) -> PointNode:
    """
    Return the node of whole objects.

    Args:
        schema: What the schema says of them.
        profile: The Kubernetes version.
        prunes: Whether unknown fields and nulls are dropped, as of all CRDs but some of v1beta1.
    """
    return _Builder(profile, prunes=prunes).node(schema)


class _Builder:
    """Makes nodes."""

    def __init__(self, profile: Profile, *, prunes: bool) -> None:
        self._profile = profile
        self._prunes = prunes

    def node(self, at: SchemaNode) -> PointNode:
        """Return the node of a schema, with the nodes inside it."""
        node = PointNode(at.schema)
        # Nobody drops or puts in anything in the metadata of whole objects.
        if at.is_structural and not (at.meta_of is not None and not at.meta_of.place):
            self._add_changes(node, at)
        for found in keywordpoints.find(Keywords(at, self._profile)):
            node.points += found.points
            if found.probe is not None:
                node.probes.append(found.probe)
        for index, rule in enumerate(at.rules):
            node.points += _of_rule(at, index, rule)
        for name, child in at.properties.items():
            if at.place or name not in TYPE_META:  # these are those of the request
                node.properties[name] = self.node(child)
        node.entries = None if at.values is None else self.node(at.values)
        node.items = None if at.items is None else self.node(at.items)
        node.parts = [self.node(part) for part in at.branches("allOf")]
        return node

    def _add_changes(self, node: PointNode, at: SchemaNode) -> None:
        """Add what is seen of a value where what was sent is held beside what became of it."""

        def add(kind: PointKind, steps: Steps, side: str, words: str) -> None:
            point = Point(kind, at.place, (*at.steps, *steps), side, words)
            node.points.append(point)
            node.seen[side] = point.id

        schema = at.schema
        if at.place:
            never = "there is never an item or a value" if isinstance(at.place[-1], Each) else "never set"
            add("property", (), "set", never)
            if schema.get("default") is not None:
                shown = keywordpoints.shown(schema["default"])
                add("default", ("default",), "applied", f"the default {shown} is never put in")
            if schema.get("nullable"):
                add("null", ("nullable",), "null-kept", "null is never sent where it is allowed")
        if schema.get("type") != "object" or not self._prunes:
            return
        if at.keeps_unknown_fields:
            # Items of a list that keeps unknown fields need not say so.
            steps = (KEEPS_UNKNOWN,) if schema.get(KEEPS_UNKNOWN) else ()
            add("pruning", steps, "unknown-kept", "no unknown field is ever kept")
        elif at.drops_unknown_fields:
            add("pruning", (), UNKNOWN_DROPPED, "no unknown field is ever dropped")
        if any(_loses_null(child.schema) for child in _fields(at)):
            add("null", (), "null-dropped", "no field that is null is ever dropped")


def _fields(at: SchemaNode) -> Iterator[SchemaNode]:
    """Yield the fields that objects may have, those aside that every whole object has."""
    yield from (child for name, child in at.properties.items() if at.place or name not in META_FIELDS)
    if at.values is not None:
        yield at.values


def _loses_null(schema: Schema) -> bool:
    return not schema.get("nullable") and schema.get("default") is None


def _of_rule(at: SchemaNode, index: int, rule: Schema) -> Iterator[Point]:
    text = keywordpoints.shown(" ".join((rule.get("rule") or "").split()))
    for side in ("true", "false"):
        yield Point("rule", at.place, (*at.steps, RULES, index), side, f"the rule {text} is never {side}")
    if rule.get("messageExpression"):
        steps = (*at.steps, RULES, index, "messageExpression")
        yield Point("message", at.place, steps, "evaluated", f"the messageExpression of {text} is never evaluated")

"""Coverage nodes: the schema of a version with the points of each node and the probes that detect them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pytest_crd.coverage import keywordpoints
from pytest_crd.coverage.keywordpoints import Keywords, Probe
from pytest_crd.coverage.points import Point, PointKind
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.schemamap import KEEPS_UNKNOWN, RULES, Each, SchemaNode
from pytest_crd.engine.schema.structural import META_FIELDS, TYPE_META
from pytest_crd.engine.schema.subschemas import Schema

UNKNOWN_DROPPED: Final = "unknown-dropped"
LEFT_OUT: Final = "left-out"
OPERAND: Final = "operand-"


@dataclass(slots=True)
class PointNode:
    """
    A schema node with its points.

    Attributes:
        schema: The schema.
        points: The points of this schema without inner ones.
        probes: The probes of validated values.
        properties: The nodes of the declared fields.
        entries: The node of the values of other keys; None if undeclared.
        items: The node of list items; None if undeclared.
        parts: The nodes of `allOf`, which apply to the same value.
        optional: The ids of the points of fields that are left out, by the names of the fields.
        side_ids: The ids of the points that a comparison of the sent and the stored value detects, by side.
    """

    schema: Schema
    points: list[Point] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    properties: dict[str, PointNode] = field(default_factory=dict)
    entries: PointNode | None = None
    items: PointNode | None = None
    parts: list[PointNode] = field(default_factory=list)
    optional: dict[str, str] = field(default_factory=dict)
    side_ids: dict[str, str] = field(default_factory=dict)

    def child(self, key: str) -> PointNode | None:
        """Return the node of the value at *key*; None if it is unspecified."""
        return self.properties.get(key, self.entries)

    def all_points(self) -> Iterator[Point]:
        """Yield all points, the points of the value before those inside it."""
        yield from self.points
        inner = (*self.parts, *self.properties.values(), self.entries, self.items)
        for node in inner:
            if node is not None:
                yield from node.all_points()


def build(
    schema: SchemaNode, profile: Profile, *, prunes: bool, operands: Callable[[Steps], Iterable[str]]
) -> PointNode:
    """
    Return the node of whole objects.

    Args:
        schema: The root of the schema.
        profile: The Kubernetes version.
        prunes: Whether unknown fields and nulls are dropped; False only for some CRDs of v1beta1.
        operands: The words for the operands and quantifiers of each rule, by the steps of the rule.
    """
    return _Builder(profile, operands, prunes=prunes).node(schema)


class _Builder:
    """A builder of coverage nodes."""

    def __init__(self, profile: Profile, operands: Callable[[Steps], Iterable[str]], *, prunes: bool) -> None:
        self._profile = profile
        self._operands = operands
        self._prunes = prunes

    def node(self, at: SchemaNode) -> PointNode:
        """Return the node of a schema with all inner nodes."""
        node = PointNode(at.schema)
        # The server neither drops nor defaults fields in the metadata of whole objects.
        if at.is_structural and not (at.meta_of is not None and not at.meta_of.place):
            self._add_changes(node, at)
        for probed in keywordpoints.find_probes(Keywords(at, self._profile)):
            node.points += probed.points
            if probed.probe is not None:
                node.probes.append(probed.probe)
        for index, rule in enumerate(at.rules):
            node.points += _rule_points(at, index, rule, self._operands((*at.steps, RULES, index)))
        for name, child in at.properties.items():
            if at.place or name not in TYPE_META:  # these belong to the request
                node.properties[name] = self.node(child)
                if (left_out := node.properties[name].side_ids.get(LEFT_OUT)) is not None:
                    node.optional[name] = left_out
        node.entries = None if at.values is None else self.node(at.values)
        node.items = None if at.items is None else self.node(at.items)
        node.parts = [self.node(part) for part in at.branches("allOf")]
        return node

    def _add_changes(self, node: PointNode, at: SchemaNode) -> None:
        """Add the points that a comparison of the sent and the stored value detects."""

        def add(kind: PointKind, steps: Steps, side: str, words: str) -> None:
            point = Point(kind, at.place, (*at.steps, *steps), side, words)
            node.points.append(point)
            node.side_ids[side] = point.id

        schema = at.schema
        if at.place:
            never = "there is never an item or a value" if isinstance(at.place[-1], Each) else "never set"
            add("property", (), "set", never)
            if _is_optional(at):
                add("property", (), LEFT_OUT, "never left out")
            if schema.get("default") is not None:
                default = keywordpoints.format_value(schema["default"])
                add("default", ("default",), "applied", f"the default {default} is never put in")
            if schema.get("nullable"):
                add("null", ("nullable",), "null-kept", "null is never sent where it is allowed")
        if schema.get("type") != "object" or not self._prunes:
            return
        if at.keeps_unknown_fields:
            # Items of a list that preserves unknown fields need not declare it.
            steps = (KEEPS_UNKNOWN,) if schema.get(KEEPS_UNKNOWN) else ()
            add("pruning", steps, "unknown-kept", "no unknown field is ever kept")
        elif at.drops_unknown_fields:
            add("pruning", (), UNKNOWN_DROPPED, "no unknown field is ever dropped")
        if any(_loses_null(child.schema) for child in _fields(at)):
            add("null", (), "null-dropped", "no field that is null is ever dropped")


def _is_optional(at: SchemaNode) -> bool:
    """Return True if *at* is a field of an object that may lack it, and has no default."""
    outer, name = at.parent, at.place[-1]
    if outer is None or isinstance(name, Each) or at.meta_of is not None or at.schema.get("default") is not None:
        return False
    return not any(name in (part.schema.get("required") or ()) for part in (outer, *outer.branches("allOf")))


def _fields(at: SchemaNode) -> Iterator[SchemaNode]:
    """Yield the nodes of the fields of an object, except apiVersion, kind and metadata of whole objects."""
    yield from (child for name, child in at.properties.items() if at.place or name not in META_FIELDS)
    if at.values is not None:
        yield at.values


def _loses_null(schema: Schema) -> bool:
    return not schema.get("nullable") and schema.get("default") is None


def operand_side(index: int) -> str:
    """Return the side of the operand or quantifier of a rule at *index*."""
    return f"{OPERAND}{index}"


def _rule_points(at: SchemaNode, index: int, rule: Schema, operands: Iterable[str]) -> Iterator[Point]:
    text = keywordpoints.format_value(" ".join((rule.get("rule") or "").split()))
    for side in ("true", "false"):
        yield Point("rule", at.place, (*at.steps, RULES, index), side, f"the rule {text} is never {side}")
    steps: Steps = (*at.steps, RULES, index)
    for number, operand in enumerate(operands):
        yield Point("rule", at.place, steps, operand_side(number), f"the rule {text} never depends on {operand}")
    if rule.get("messageExpression"):
        steps = (*steps, "messageExpression")
        yield Point("message", at.place, steps, "evaluated", f"the messageExpression of {text} is never evaluated")

"""The schema of a version as what is looked at: its nodes, with their points and what sees them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pytest_crd.coverage import keywords
from pytest_crd.coverage.keywords import Probe, Subject
from pytest_crd.coverage.points import ANY, Kind, Place, Point
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.metadata.metafields import META_FIELDS
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.nodes import Schema

RULES: Final = "x-kubernetes-validations"
_KEEPS_UNKNOWN: Final = "x-kubernetes-preserve-unknown-fields"
_METADATA: Final = "metadata"
UNKNOWN_DROPPED: Final = "unknown-dropped"


@dataclass(slots=True)
class Node:
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
    properties: dict[str, Node] = field(default_factory=dict)
    entries: Node | None = None
    items: Node | None = None
    parts: list[Node] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)

    def child(self, key: str) -> Node | None:
        """Return the node of the value at *key*; None where the schema does not specify it."""
        return self.properties.get(key, self.entries)

    def all_points(self) -> Iterator[Point]:
        """Yield the points, those of the value before those inside it."""
        yield from self.points
        inner = (*self.parts, *self.properties.values(), self.entries, self.items)
        for node in inner:
            if node is not None:
                yield from node.all_points()


class _At(NamedTuple):
    """
    Where a schema stands.

    Attributes:
        schema: The schema.
        place: Where objects have its values.
        steps: Where it stands.
        structure: The schema that says which fields there are: the same, or that around the `allOf` that it stands in.
        keeps_items: Whether it is that of the items of a list that keeps unknown fields.
        is_meta: Whether its values are metadata of the whole object, or in it: nobody drops or puts in anything there.
    """

    schema: Schema
    place: Place = ()
    steps: Steps = ()
    structure: Schema | None = None
    keeps_items: bool = False
    is_meta: bool = False

    @property
    def is_structure(self) -> bool:
        return self.structure is None


def build(schema: Schema, profile: Profile, *, prunes: bool) -> Node:
    """
    Return the node of the schema of whole objects.

    Args:
        schema: The schema.
        profile: The Kubernetes version.
        prunes: Whether unknown fields and nulls are dropped, as of all CRDs but some of v1beta1.
    """
    return _Builder(profile, prunes=prunes).node(_At(schema))


class _Builder:
    """Makes nodes."""

    def __init__(self, profile: Profile, *, prunes: bool) -> None:
        self._profile = profile
        self._prunes = prunes

    def node(self, at: _At) -> Node:
        node = Node(at.schema)
        if at.is_structure and not at.is_meta:
            self._add_changes(node, at)
        structure = at.schema if at.structure is None else at.structure
        for found in keywords.find(Subject(at.schema, structure, at.place, at.steps, self._profile)):
            node.points += found.points
            if found.probe is not None:
                node.probes.append(found.probe)
        for index, rule in enumerate(at.schema.get(RULES) or ()):
            node.points += _of_rule(at, index, rule)
        self._add_children(node, at)
        for index, part in enumerate(at.schema.get("allOf") or ()):
            inner = _At(part, at.place, (*at.steps, "allOf", index), structure, is_meta=at.is_meta)
            node.parts.append(self.node(inner))
        return node

    def _add_children(self, node: Node, at: _At) -> None:
        schema, structure = at.schema, at.structure
        below = (structure or {}).get("properties") or {}
        for name, child in (schema.get("properties") or {}).items():
            if at.place or name not in META_FIELDS[:2]:  # apiVersion and kind are those of the request
                is_meta = at.is_meta or (not at.place and name == _METADATA)
                node.properties[name] = self.node(
                    _At(
                        child,
                        (*at.place, name),
                        (*at.steps, "properties", name),
                        None if structure is None else below.get(name, {}),
                        is_meta=is_meta,
                    )
                )
        node.entries = self._inner(at, "additionalProperties")
        node.items = self._inner(at, "items")

    def _inner(self, at: _At, keyword: str) -> Node | None:
        child = at.schema.get(keyword)
        if not isinstance(child, dict):
            return None
        around = None if at.structure is None else at.structure.get(keyword)
        return self.node(
            _At(
                child,
                (*at.place, ANY),
                (*at.steps, keyword),
                None if at.structure is None else around if isinstance(around, dict) else {},
                keeps_items=keyword == "items" and _keeps_unknown(at),
                is_meta=at.is_meta,
            )
        )

    def _add_changes(self, node: Node, at: _At) -> None:
        """Add what is seen of a value where what was sent is held beside what became of it."""

        def add(kind: Kind, steps: Steps, side: str, words: str) -> None:
            point = Point(kind, at.place, (*at.steps, *steps), side, words)
            node.points.append(point)
            node.seen[side] = point.id

        schema = at.schema
        if at.place:
            never = "there is never an item or a value" if at.place[-1] == ANY else "never set"
            add("property", (), "set", never)
            if schema.get("default") is not None:
                shown = keywords.shown(schema["default"])
                add("default", ("default",), "applied", f"the default {shown} is never put in")
            if schema.get("nullable"):
                add("null", ("nullable",), "null-kept", "null is never sent where it is allowed")
        if schema.get("type") != "object" or not self._prunes:
            return
        if _keeps_unknown(at):
            # Items of a list that keeps unknown fields need not say so.
            steps = (_KEEPS_UNKNOWN,) if schema.get(_KEEPS_UNKNOWN) else ()
            add("pruning", steps, "unknown-kept", "no unknown field is ever kept")
        elif schema.get("additionalProperties") in (None, False):
            add("pruning", (), UNKNOWN_DROPPED, "no unknown field is ever dropped")
        if any(_loses_null(child) for child in _fields(at)):
            add("null", (), "null-dropped", "no field that is null is ever dropped")


def _keeps_unknown(at: _At) -> bool:
    return bool(at.schema.get(_KEEPS_UNKNOWN)) or at.keeps_items


def _fields(at: _At) -> Iterator[Schema]:
    """Yield the schemas of the fields that objects may have, those aside that every whole object has."""
    for name, child in (at.schema.get("properties") or {}).items():
        if at.place or name not in META_FIELDS:
            yield child
    if isinstance(at.schema.get("additionalProperties"), dict):
        yield at.schema["additionalProperties"]


def _loses_null(schema: Schema) -> bool:
    return not schema.get("nullable") and schema.get("default") is None


def _of_rule(at: _At, index: int, rule: Schema) -> Iterator[Point]:
    text = keywords.shown(" ".join((rule.get("rule") or "").split()))
    for side in ("true", "false"):
        yield Point("rule", at.place, (*at.steps, RULES, index), side, f"the rule {text} is never {side}")
    if rule.get("messageExpression"):
        steps = (*at.steps, RULES, index, "messageExpression")
        yield Point("message", at.place, steps, "evaluated", f"the messageExpression of {text} is never evaluated")

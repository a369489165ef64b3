"""
Meters: the points of one version of a CRD, and which of them a request reaches.

What was sent is held beside what the server made of it, and what it validated against the keywords. Of an object whose status is a
subresource, each request counts for the part that it writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from weakref import WeakKeyDictionary

from pytest_crd.coverage import coveragenodes
from pytest_crd.coverage.coveragenodes import UNKNOWN_DROPPED, PointNode
from pytest_crd.coverage.evidence import (
    ROOT,
    Evidence,
    Kept,
    KeptSomewhere,
    NullDropped,
    Path,
    PutIn,
    ReachedPoints,
    Unknown,
    ValueRefused,
    Worded,
)
from pytest_crd.coverage.look import Look
from pytest_crd.coverage.points import Point
from pytest_crd.engine import Version, profile
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import ObservedRequest, RuleOutcome
from pytest_crd.engine.schema.metafields import META_FIELDS

_STATUS: Final = "status"


class Meter:
    """
    The points of a version.

    Attributes:
        points: All of them, those of a value before those inside it.
    """

    def __init__(self, version: Version) -> None:
        """
        Take the version.

        Raises:
            UnsupportedConstructError: Its schema has a construct under which the server serves no custom resources.
        """
        version.as_served  # noqa: B018 - raises where nothing is served, so that nothing is exercised
        self._profile = profile.named(version.crd.kubernetes_version)
        self._type = (f"{version.crd.group}/{version.name}", version.crd.kind)
        self._has_status = version.has_status
        self._root = coveragenodes.build(version.schema_map, self._profile, prunes=not version.preserves_unknown_fields)
        self._conversion = _conversion(version)
        self.points: tuple[Point, ...] = (*self._conversion, *self._root.all_points())
        self._ids = {point.id for point in self.points}
        self._places = {point.id: point.place for point in self.points if point.kind == "rule"}

    def read(self, exchange: ObservedRequest) -> ReachedPoints:
        """Return the points that a request has reached."""
        look = Look()
        made = exchange.validated
        if made is not None and (made.get("apiVersion"), made.get("kind")) != self._type:
            return look.findings  # it is none of the objects of the version
        if exchange.decoded is not None:
            self._compare(exchange, exchange.decoded, look.findings)
        elif exchange.pruned is not None:
            self._compare_refused(exchange, exchange.pruned, look.findings)
        if exchange.validated is not None:
            self._look_at(exchange, exchange.validated, look)
            look.read(exchange.errors, self._ids)
            if not exchange.errors:
                for point in self._conversion:
                    look.findings.see(point.id, Kept(ROOT))
        for outcome in exchange.rules:
            self._see_rule(outcome, exchange, look.findings)
        return look.findings

    def _see_rule(self, outcome: RuleOutcome, exchange: ObservedRequest, findings: ReachedPoints) -> None:
        """See what a rule was, and whether its message was made."""
        rule = Point("rule", (), outcome.steps, "true" if outcome.holds else "false", "").id
        if outcome.holds:
            findings.see(rule, KeptSomewhere(self._places[rule]))
            return
        errors = [error for error in exchange.errors if error.rule is not None and error.rule.steps == outcome.steps]
        for error in errors:
            findings.see(rule, ValueRefused(error))
        if outcome.made_message:
            message = Point("message", (), (*outcome.steps, "messageExpression"), "evaluated", "").id
            for error in errors:
                findings.see(message, Worded(error))

    def _compare(self, exchange: ObservedRequest, made: Mapping[str, JSONValue], findings: ReachedPoints) -> None:
        """See what became of what was sent."""
        sent, kept = (
            {key: value for key, value in one.items() if self._is_written(exchange, key)}
            for one in (exchange.sent, made)
        )
        _Comparison(findings).compare(self._root, sent, kept, ROOT, is_given=True)

    def _compare_refused(
        self, exchange: ObservedRequest, pruned: Mapping[str, JSONValue], findings: ReachedPoints
    ) -> None:
        """See the fields for which a strict server refuses a request: they would have been dropped."""
        found = ReachedPoints()
        self._compare(exchange, pruned, found)
        dropped = {point.id for point in self.points if point.side == UNKNOWN_DROPPED}
        findings.update({id_: evidence for id_, evidence in found.items() if id_ in dropped})

    def _is_written(self, exchange: ObservedRequest, key: str) -> bool:
        """Return whether a request writes the field *key* of the object."""
        if key in META_FIELDS:
            return False
        if not self._has_status or not exchange.written:
            return True
        return (key == _STATUS) == (exchange.written == _STATUS)

    def _look_at(self, exchange: ObservedRequest, value: Mapping[str, JSONValue], look: Look) -> None:
        """Look at what was validated."""
        if exchange.written == _STATUS:
            node = self._root.properties.get(_STATUS)
            if node is not None and _STATUS in value:
                self._visit(node, value[_STATUS], look, path=(_STATUS,))
            return
        without = {_STATUS} if self._has_status else ()
        self._visit(self._root, value, look, without)

    def _visit(
        self, node: PointNode, value: JSONValue, look: Look, without: set[str] | tuple[()] = (), path: Path = ROOT
    ) -> None:
        """Look at a value, which stands at *path*, and at what is in it, the fields *without* aside."""
        for probe in node.probes:
            probe(value, look.at(path))
        for part in node.parts:
            self._visit(part, value, look, without, path)
        if type(value) is dict:
            for key, item in value.items():
                child = node.child(key)
                if child is not None and key not in without:
                    self._visit(child, item, look, path=(*path, key))
        elif type(value) is list and node.items is not None:
            for index, item in enumerate(value):
                self._visit(node.items, item, look, path=(*path, index))


# A meter takes as long to make as some hundred requests to read; it does not hold its version.
_METERS: Final[WeakKeyDictionary[Version, Meter]] = WeakKeyDictionary()


def of(version: Version) -> Meter:
    """
    Return the meter of *version*, always the same one.

    Raises:
        UnsupportedConstructError: As for `Meter`.
    """
    if version not in _METERS:
        _METERS[version] = Meter(version)
    return _METERS[version]


class _Comparison:
    """Holds what was sent beside what became of it."""

    def __init__(self, findings: ReachedPoints) -> None:
        self._findings = findings

    def compare(self, node: PointNode, sent: JSONValue, made: JSONValue, path: Path, *, is_given: bool) -> None:
        """
        See what became of a value.

        Args:
            node: Its schema.
            sent: What was sent.
            made: What became of it.
            path: Where it stands.
            is_given: Whether it was sent, or is a default in which others are put.
        """
        if type(sent) is dict and type(made) is dict:
            if is_given:
                self._compare_fields(node, sent, made, path)
            for key, value in made.items():
                child, below = node.child(key), (*path, key)
                if child is None:
                    continue
                if key in sent and not (sent[key] is None and value is not None):
                    self.compare(child, sent[key], value, below, is_given=is_given)
                else:
                    self._see(child, "applied", PutIn(below))
                    self.compare(child, child.schema.get("default"), value, below, is_given=False)
        elif type(sent) is list and type(made) is list and node.items is not None:
            for index, (before, after) in enumerate(zip(sent, made, strict=True)):
                below = (*path, index)
                if is_given:
                    self._see(node.items, "set", Kept(below))
                self.compare(node.items, before, after, below, is_given=is_given)

    def _compare_fields(
        self, node: PointNode, sent: Mapping[str, JSONValue], made: Mapping[str, JSONValue], path: Path
    ) -> None:
        """See which fields of an object stay."""
        for key, value in sent.items():
            child, below = node.child(key), (*path, key)
            if child is None:
                if key in made:
                    self._see(node, "unknown-kept", Kept(below))
                else:
                    self._see(node, UNKNOWN_DROPPED, Unknown(below))
            elif key not in made:
                self._see(node, "null-dropped", NullDropped(below))
            elif value is not None:
                self._see(child, "set", Kept(below))
            elif made[key] is None:
                self._see(child, "null-kept", Kept(below))

    def _see(self, node: PointNode, side: str, evidence: Evidence) -> None:
        if (found := node.seen.get(side)) is not None:
            self._findings.see(found, evidence)


def _conversion(version: Version) -> tuple[Point, ...]:
    """Return the point of the conversion to the storage version: none where it is that version, or a webhook converts."""
    storage = next((one.name for one in version.crd.versions if one.storage), version.name)
    if storage == version.name or version.unknown_when_stored:
        return ()
    return (Point("conversion", (), (), "stored", f"no object of {version.name} is ever stored as {storage}"),)

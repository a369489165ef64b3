"""
Meters: the points of a version of a CRD, and the points that a request reaches.

A meter compares the sent object with the server's result, and tests the validated object against the keywords. If the status is a
subresource, each request counts only for the part that it writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from pytest_crd.coverage import nodes
from pytest_crd.coverage.evidence import (
    ROOT,
    Evidence,
    Kept,
    KeptSomewhere,
    LeftOut,
    NullDropped,
    Path,
    PutIn,
    ReachedPoints,
    Unknown,
    ValueRefused,
    Worded,
)
from pytest_crd.coverage.look import Look
from pytest_crd.coverage.nodes import UNKNOWN_DROPPED, PointNode
from pytest_crd.coverage.points import Point, id_of
from pytest_crd.engine import CrdVersion, profile
from pytest_crd.engine.cel import variants
from pytest_crd.engine.cel.run.interpreter import Program
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import ObservedRequest, RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import tree
from pytest_crd.engine.rules.compilation import Expression
from pytest_crd.engine.rules.tree import RuleNode
from pytest_crd.engine.schema.schemamap import RULES
from pytest_crd.engine.schema.structural import META_FIELDS

_STATUS: Final = "status"
# The cost of a variant does not count.
_NO_LIMIT: Final = 2**63


class Meter:
    """
    The points of a version.

    Attributes:
        points: All points, the points of a value before those inside it.
    """

    def __init__(self, version: CrdVersion) -> None:
        """
        Build the nodes of the version.

        Raises:
            UnsupportedConstructError: The schema has a construct with which the server serves no custom resources.
        """
        version.as_served  # noqa: B018 - raises if nothing is served
        self._profile = profile.named(version.crd.kubernetes_version)
        self._type = (f"{version.crd.group}/{version.name}", version.crd.kind)
        self._has_status = version.has_status
        self._variants = RuleVariants(version, self._profile)
        self._root = nodes.build(
            version.schema_map,
            self._profile,
            prunes=not version.preserves_unknown_fields,
            operands=self._variants.words,
        )
        self._conversion = _conversion(version)
        self.points: tuple[Point, ...] = (*self._conversion, *_webhook_conversions(version), *self._root.all_points())
        self._ids = {point.id for point in self.points}
        self._places = {point.id: point.place for point in self.points if point.kind == "rule"}

    def read(self, exchange: ObservedRequest) -> ReachedPoints:
        """Return the points that a request has reached."""
        look = Look()
        if exchange.converted_to:
            look.findings.see(_conversion_point(exchange.converted_to, "").id, Kept(ROOT))
            return look.findings
        resource = exchange.validated
        if resource is not None and (resource.get("apiVersion"), resource.get("kind")) != self._type:
            return look.findings  # not an object of the version
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
        """Record the result of a rule, and whether its message was computed."""
        rule = Point("rule", (), outcome.steps, "true" if outcome.holds else "false", "").id
        operands = [id_of(outcome.steps, nodes.operand_side(index)) for index in self._variants.differing(outcome)]
        if outcome.holds:
            for id_ in (rule, *operands):
                findings.see(id_, KeptSomewhere(self._places[rule]))
            return
        errors = [error for error in exchange.errors if error.rule is not None and error.rule.steps == outcome.steps]
        for error in errors:
            findings.see(rule, ValueRefused(error))
            for id_ in operands:
                findings.see(id_, Worded(error))
        if outcome.made_message:
            message = Point("message", (), (*outcome.steps, "messageExpression"), "evaluated", "").id
            for error in errors:
                findings.see(message, Worded(error))

    def _compare(self, exchange: ObservedRequest, result: Mapping[str, JSONValue], findings: ReachedPoints) -> None:
        """Record the points that a comparison of the sent object with the result reaches."""
        sent, written = (
            {key: value for key, value in resource.items() if self._is_written(exchange, key)}
            for resource in (exchange.sent, result)
        )
        _Comparison(findings).compare(self._root, sent, written, ROOT, is_given=True)
        if exchange.validated is not None and not exchange.errors:
            _see_left_out(self._root, sent, written, findings, is_object=exchange.written != _STATUS)

    def _compare_refused(
        self, exchange: ObservedRequest, pruned: Mapping[str, JSONValue], findings: ReachedPoints
    ) -> None:
        """Record the unknown fields for which strict field validation refuses a request."""
        reached = ReachedPoints()
        self._compare(exchange, pruned, reached)
        dropped = {point.id for point in self.points if point.side == UNKNOWN_DROPPED}
        findings.update({id_: evidence for id_, evidence in reached.items() if id_ in dropped})

    def _is_written(self, exchange: ObservedRequest, key: str) -> bool:
        """Return True if a request writes the field *key* of the object."""
        if key in META_FIELDS:
            return False
        if not self._has_status or not exchange.written:
            return True
        return (key == _STATUS) == (exchange.written == _STATUS)

    def _look_at(self, exchange: ObservedRequest, value: Mapping[str, JSONValue], look: Look) -> None:
        """Record the points that the validated object reaches."""
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
        """Record the points of the value at *path* and of values inside it, except the fields *without*."""
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


# Building a meter takes as long as reading some hundred requests. A meter does not refer to its version.
_METERS: Final[WeakKeyDictionary[CrdVersion, Meter]] = WeakKeyDictionary()


def find_meter(version: CrdVersion) -> Meter:
    """
    Return the cached meter of *version*.

    Raises:
        UnsupportedConstructError: As in `Meter`.
    """
    if version not in _METERS:
        _METERS[version] = Meter(version)
    return _METERS[version]


class _Comparison:
    """A comparison of a sent value with the server's result."""

    def __init__(self, findings: ReachedPoints) -> None:
        self._findings = findings

    def compare(self, node: PointNode, sent: JSONValue, result: JSONValue, path: Path, *, is_given: bool) -> None:
        """
        Record the points of a value.

        Args:
            node: The coverage node of the value.
            sent: The sent value.
            result: The resulting value.
            path: The path of the value.
            is_given: Whether the value was sent, and is not a default that gets further defaults.
        """
        if type(sent) is dict and type(result) is dict:
            if is_given:
                self._compare_fields(node, sent, result, path)
            for key, value in result.items():
                child, below = node.child(key), (*path, key)
                if child is None:
                    continue
                if key in sent and not (sent[key] is None and value is not None):
                    self.compare(child, sent[key], value, below, is_given=is_given)
                else:
                    self._see(child, "applied", PutIn(below))
                    self.compare(child, child.schema.get("default"), value, below, is_given=False)
        elif type(sent) is list and type(result) is list and node.items is not None:
            for index, (before, after) in enumerate(zip(sent, result, strict=True)):
                below = (*path, index)
                if is_given:
                    self._see(node.items, "null-kept" if after is None else "set", Kept(below))
                self.compare(node.items, before, after, below, is_given=is_given)

    def _compare_fields(
        self, node: PointNode, sent: Mapping[str, JSONValue], result: Mapping[str, JSONValue], path: Path
    ) -> None:
        """Record the points of the fields of an object: set, dropped, or null."""
        for key, value in sent.items():
            child, below = node.child(key), (*path, key)
            if child is None:
                if key in result:
                    self._see(node, "unknown-kept", Kept(below))
                else:
                    self._see(node, UNKNOWN_DROPPED, Unknown(below))
            elif key not in result:
                self._see(node, "null-dropped", NullDropped(below))
            elif value is not None:
                self._see(child, "set", Kept(below))
            elif result[key] is None:
                self._see(child, "null-kept", Kept(below))

    def _see(self, node: PointNode, side: str, evidence: Evidence) -> None:
        if (point_id := node.side_ids.get(side)) is not None:
            self._findings.see(point_id, evidence)


def _see_left_out(  # noqa: PLR0913 - the state of a walk
    node: PointNode,
    sent: JSONValue,
    result: JSONValue,
    findings: ReachedPoints,
    path: Path = ROOT,
    *,
    is_object: bool = True,
) -> None:
    """Record the optional fields that are in neither of two values at *path*, unless *is_object* is False, and inside the values."""
    if type(sent) is dict and type(result) is dict:
        for name, point_id in node.optional.items() if is_object else ():
            if name not in sent and name not in result:
                findings.see(point_id, LeftOut((*path, name)))
        for key in sent.keys() & result.keys():
            if (child := node.child(key)) is not None:
                _see_left_out(child, sent[key], result[key], findings, (*path, key))
    elif type(sent) is list and type(result) is list and node.items is not None:
        for index, (before, after) in enumerate(zip(sent, result, strict=True)):
            _see_left_out(node.items, before, after, findings, (*path, index))


def _conversion(version: CrdVersion) -> tuple[Point, ...]:
    """Return the point of the conversion to the storage version; empty for the storage version itself, or with a webhook."""
    storage = next((item.name for item in version.crd.versions if item.storage), version.name)
    if storage == version.name or version.unknown_when_stored or version.converter is not None:
        return ()
    return (Point("conversion", (), (), "stored", f"no object of {version.name} is ever stored as {storage}"),)


def _webhook_conversions(version: CrdVersion) -> Iterator[Point]:
    """Yield a point for each version to which a webhook that can be called converts the objects of a version."""
    if version.converter is not None:
        for other in version.crd.versions:
            if other.name != version.name and (other.served or other.storage):
                yield _conversion_point(other.name, f"no object of {version.name} is ever converted to {other.name}")


def _conversion_point(target: str, words: str) -> Point:
    return Point("conversion", (), (), f"to-{target}", words)


class RuleVariant(NamedTuple):
    """
    A variant of a rule.

    Attributes:
        words: The place of the change, for people.
        program: Evaluates the variant.
    """

    words: str
    program: Program


class RuleVariants:
    """
    The variants of all rules of a version.

    Attributes:
        by_rule: The variants of each rule with any, by the steps of the rule in the schema.
    """

    def __init__(self, version: CrdVersion, profile: Profile) -> None:
        schema = version.schema
        root = None if schema is None else tree.build_stored(schema, profile, is_resource=True)
        self.by_rule: Mapping[Steps, tuple[RuleVariant, ...]] = {} if root is None else dict(_find(root, ()))

    def words(self, steps: Steps) -> tuple[str, ...]:
        """Return the places of change of the variants of the rule at *steps*."""
        return tuple(variant.words for variant in self.by_rule.get(steps, ()))

    def differing(self, outcome: RuleOutcome) -> Iterator[int]:
        """Yield the indices of the variants with another result for the value of a rule than *outcome*."""
        for index, variant in enumerate(self.by_rule.get(outcome.steps, ())):
            result = _evaluate(variant.program, outcome.variables)
            if result is not outcome.holds:
                yield index


def _evaluate(program: Program, variables: Mapping[str, Any]) -> bool | None:
    """Return the result of a variant; None if it cannot be evaluated."""
    result = program.evaluate(variables, _NO_LIMIT)
    return None if result.error is not None else result.value is True


def _find(node: RuleNode, steps: Steps) -> Iterator[tuple[Steps, tuple[RuleVariant, ...]]]:
    expressions = ((index, rule.expression) for index, rule in enumerate(node.rules))
    yield from (
        ((*steps, RULES, index), tuple(_plan(item))) for index, item in expressions if isinstance(item, Expression)
    )
    for name, child in node.properties.items():
        yield from _find(child, (*steps, "properties", name))
    for key, inner in (("items", node.items), ("additionalProperties", node.values)):
        if inner is not None:
            yield from _find(inner, (*steps, key))


def _plan(expression: Expression) -> Iterator[RuleVariant]:
    checked = expression.checked
    for root, words in variants.find_variants(checked.parsed.root):
        varied = replace(checked, parsed=replace(checked.parsed, root=root))
        yield RuleVariant(words, Program(varied, expression.environment.functions))

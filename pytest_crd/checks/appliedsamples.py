"""
Checks that objects which a server accepts can also be applied: by one manager, by the same one again, and by another one.

Of several objects that cannot be applied for the same reason, only the first reports it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from pytest_crd.cases.acceptance import RefusedCrdError
from pytest_crd.checks import applycauses
from pytest_crd.checks.applycauses import Cause
from pytest_crd.checks.samplefiles import Claims, Sample
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.engine import CrdVersion, Response, UnsupportedConstructError, UnsupportedExpressionError, jsonvalue
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.request import Subresource
from pytest_crd.engine.schema import ownertypes
from pytest_crd.engine.schema.schemamap import Each, SchemaNode
from pytest_crd.synthesis import NoExampleError, objectplaces
from pytest_crd.synthesis.demands import ANYTHING, Demand
from pytest_crd.synthesis.placement import Placer
from pytest_crd.synthesis.schemavalues import Maker

_FIRST: Final = "a first manager"
_SECOND: Final = "a second manager"
_STATUS: Final = "status"
_NO_ANSWER: Final = (RefusedCrdError, UnsupportedConstructError, UnsupportedExpressionError)
_MOST_SHOWN: Final = 200


class AppliedSamples:
    """The samples of a project; each is applied when its check runs."""

    def __init__(self, samples: Sequence[Sample], claims: Claims) -> None:
        """
        Create from samples and CRDs.

        Args:
            samples: The samples, in the order of their checks.
            claims: The CRDs; of the alternatives for a kind, the first one that accepts a sample is used.
        """
        self._samples = samples
        self._claims = claims
        self._verdicts: dict[int, CheckVerdict] = {}

    def verdict(self, number: int) -> CheckVerdict:
        """Return the verdict on a sample, without findings that an earlier sample reports."""
        own = self._own(number)
        sample = self._samples[number]
        samples_by_cause: dict[Cause, Sample] = {}
        for earlier in range(number if own.findings else 0):
            earlier_sample = self._samples[earlier]
            if (earlier_sample.group, earlier_sample.kind) == (
                sample.group,
                sample.kind,
            ) and earlier_sample.can_be_applied:
                samples_by_cause |= {
                    applycauses.cause(finding): earlier_sample for finding in self._own(earlier).findings
                }
        findings = tuple(finding for finding in own.findings if applycauses.cause(finding) not in samples_by_cause)
        if own.findings and not findings:
            teller = samples_by_cause[applycauses.cause(own.findings[0])]
            return CheckVerdict(passed_over=f"{own.heading}, as {teller.manifest.where}, whose check says why")
        return replace(own, findings=findings)

    def _own(self, number: int) -> CheckVerdict:
        if number not in self._verdicts:
            sample = self._samples[number]
            self._verdicts[number] = _judge_sample(sample, self._claims)
        return self._verdicts[number]


def judge_generated(version: CrdVersion, nodes: Sequence[SchemaNode], source: str) -> CheckVerdict:
    """
    Return the verdict on generated objects, one for each list.

    Args:
        version: The version.
        nodes: The schema nodes of the lists.
        source: The place of the CRD, `file:line`.
    """
    try:
        placer = Placer(version.unobserved)
    except NoExampleError as error:
        return CheckVerdict(passed_over=f"no object is found: {error}")
    except _NO_ANSWER:
        return CheckVerdict(passed_over="the server's answer is unknown; another check says why")
    findings: dict[Cause, CheckFinding] = {}
    headings: list[str] = []
    without: list[str] = []
    for node in nodes:
        pair = _pair(placer, node)
        if pair is None:
            without.append(node.path)
            continue
        verdict = _Attempt(version, *pair, source, _subresource(placer, node), node).verdict()
        headings += [verdict.heading] if verdict.findings else []
        findings |= {applycauses.cause(finding): finding for finding in verdict.findings}
    notes = (f"no object is found with {', '.join(without)}",) if without else ()
    if findings:
        return CheckVerdict("; ".join(dict.fromkeys(headings)), tuple(findings.values()), notes=notes)
    return CheckVerdict(notes=notes)


def _subresource(placer: Placer, node: SchemaNode) -> Subresource:
    return _STATUS if placer.subresource(node.place) else ""


def _pair(placer: Placer, node: SchemaNode) -> tuple[JSONObject, JSONObject] | None:
    """Return two accepted objects with different items in a list if possible; None if no object with an item was found."""
    example = placer.existing((*node.place, Each.ITEM))
    if example is None:
        return None
    value, steps = example
    demand, judge = placer.node(node.place), placer.judge(node.place)
    if (names := _find_optional_keys(demand)) and isinstance(item := objectplaces.get_value(value, steps), dict):
        keyless = objectplaces.replace_value(
            value, steps, {name: first for name, first in item.items() if name not in names}
        )
        if judge(keyless).accepted:
            return keyless, keyless
    two = placer.maker.items(demand, 2)
    for items in [two] if two else []:
        first, second, both = (
            objectplaces.replace_value(value, steps[:-1], part) for part in (items[:1], items[1:], items)
        )
        if all(judge(candidate).accepted for candidate in (first, second, both)):
            return first, second
    return value, value


def _judge_sample(sample: Sample, claims: Claims) -> CheckVerdict:
    manifest = sample.manifest
    versions = [version for crd in claims[sample.group, sample.kind] for version in crd.versions]
    for version in versions:
        if version.name == sample.version and version.served and _is_accepted(version, manifest.value):
            if not _is_named(manifest.value):
                return CheckVerdict(passed_over="it has no name of its own: kubectl can create it, and not apply it")
            more = _add_items(version, manifest.value)
            second_value = more if _is_accepted(version, more) else manifest.value
            return _Attempt(version, manifest.value, second_value, manifest.where).verdict()
    return CheckVerdict(passed_over="no server takes it as it is")


def _is_accepted(version: CrdVersion, value: JSONObject) -> bool:
    try:
        answer = version.unobserved.create(value)
    except _NO_ANSWER:
        return False
    return answer.accepted and not (answer.pruned or answer.lost)


def _is_named(value: JSONObject) -> bool:
    metadata = value.get("metadata")
    return isinstance(metadata, Mapping) and bool(metadata.get("name"))


class _Attempt(NamedTuple):
    """
    An object to be applied.

    Attributes:
        version: The version.
        value: The object that a first manager applies.
        other: The object that a second manager applies.
        source: The place of the object, or of the CRD from which it is generated.
        subresource: The subresource of the apply, for which the object is created before; empty for the object itself.
        node: The list of interest; None for the whole object.
    """

    version: CrdVersion
    value: JSONObject
    other: JSONObject
    source: str
    subresource: Subresource = ""
    node: SchemaNode | None = None

    def verdict(self) -> CheckVerdict:
        """Apply the object, apply it again, and apply it by another manager, until there is a finding."""
        old = self.version.unobserved.create(self.value) if self.subresource else None
        first = self._applied(self.value, _FIRST, old)
        if not first.accepted:
            return self._refused("can be created, but not applied", first, first)
        again = self._applied(self.value, _FIRST, first)
        if not again.accepted:
            return self._refused("can be applied once, but not again", again, first)
        if findings := tuple(self._changes(first, again)):
            return CheckVerdict("changes when it is applied again", findings)
        second = self._applied(self.other, _SECOND, first)
        if second.accepted or not self._is_about_list(second):
            return CheckVerdict()
        return self._refused("can be applied by one manager, but not by a second one", second, first)

    def _applied(self, value: JSONObject, manager: str, old: Response | None) -> Response:
        quiet = self.version.unobserved
        return quiet.apply(value, manager=manager, old=old, subresource=self.subresource)

    def _is_about_list(self, answer: Response) -> bool:
        """Return whether an answer is about the list, and not only conflicts beside or around it."""
        if self.node is None or not answer.conflicts:
            return True
        place = self.node.place
        nodes = (applycauses.find_node(self.version, conflict.field) for conflict in answer.conflicts)
        return any(conflict is not None and conflict.place[: len(place)] == place for conflict in nodes)

    def _refused(self, heading: str, answer: Response, first: Response) -> CheckVerdict:
        findings = applycauses.find_causes(self.version, answer, first, self.source)
        return CheckVerdict(f"{heading} ({answer.code})", findings)

    def _changes(self, first: Response, again: Response) -> Iterator[CheckFinding]:
        """Yield the differences between the two stored objects, without a status subresource, which gets defaults late."""
        before, after = (self._comparable(answer.stored) for answer in (first, again))
        for name in sorted({*before, *after}):
            if not jsonvalue.equal(before.get(name), after.get(name)):
                values = (_shorten(answer.get(name)) for answer in (before, after))
                yield CheckFinding(self.source, "{}: {} was stored, and then {}".format(name, *values))
        if first.managers != again.managers:
            yield CheckFinding(
                self.source, f"owned was {_shorten(first.managers)}, and then {_shorten(again.managers)}"
            )

    def _comparable(self, stored: JSONValue) -> dict[str, JSONValue]:
        assert isinstance(stored, dict)  # noqa: S101 - it is accepted
        is_left_out = self.version.has_status and not self.subresource
        return {name: part for name, part in stored.items() if not (is_left_out and name == _STATUS)}


def _shorten(value: object) -> str:
    text = str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _add_items(version: CrdVersion, value: JSONObject) -> JSONObject:
    """
    Return an object with one more item in each list that has an owner for each item.

    Args:
        version: The version of the object.
        value: The object.
    """
    root = Demand.of_version(version)
    for steps in reversed([*_open_lists(version.schema_map, value, ())]):  # inner lists before outer ones
        items = objectplaces.get_value(value, steps)
        more = _find_new_item(root.at(steps), items)
        value = objectplaces.replace_value(value, steps, [*items, *more])
    return value


def _find_optional_keys(demand: Demand) -> list[str]:
    """Return the map keys of a list that its items need not state, and that have no default."""
    required = (demand.items or ANYTHING).required
    return [name for name, key in _keys(demand, {}).items() if key is None and name not in required]


def _open_lists(node: SchemaNode, value: JSONValue, steps: Steps) -> Iterator[Steps]:
    """Yield the non-empty lists with an owner for each item that are in no list or map with a single owner."""
    if isinstance(value, list) and value:
        if not ownertypes.is_shared_by_item(node):
            return
        yield steps
        children: Iterator[tuple[str | int, JSONValue]] = enumerate(value)
    elif isinstance(value, dict) and not ownertypes.is_atomic_map(node):
        children = iter(value.items())
    else:
        return
    for step, child in children:
        inner = node.child(step)
        if inner is not None and inner.meta_of is None:
            yield from _open_lists(inner, child, (*steps, step))


def _find_new_item(demand: Demand, items: list[JSONValue]) -> list[JSONValue]:
    """Return another item for a list; for a map list, a copy of the last one with new keys. Empty if the schema allows none."""
    candidates = _make_items(demand, len(items) + 1)
    if not demand.map_keys:
        return next(([value] for value in candidates if value not in items), [])
    used_keys = [_keys(demand, item) for item in items]
    last = items[-1] if isinstance(items[-1], dict) else {}
    for candidate in candidates:
        keys = _keys(demand, candidate)
        if keys not in used_keys:
            return [{**last, **{name: key for name, key in keys.items() if key is not None}}]
    return []


def _make_items(demand: Demand, most: int) -> list[JSONValue]:
    maker = Maker()
    counts = itertools.takewhile(lambda count_tried: count_tried > 0, (most, most - 1))
    return next((items for count in counts if (items := maker.items(demand, count)) is not None), [])


def _keys(demand: Demand, item: JSONValue) -> dict[str, JSONValue]:
    """Return the map keys of an item, with their defaults where it states none."""
    of_item = demand.items or ANYTHING
    fields = item if isinstance(item, dict) else {}
    return {name: fields.get(name, (of_item.field(name) or ANYTHING).default) for name in demand.map_keys}

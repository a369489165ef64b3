"""
Whether objects that a server takes can be applied, too: by one manager, by the same again, and by another one.

Of two objects that cannot be applied for the same reason, the first one tells it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from pytest_crd.cases.acceptance import RefusedCrdError
from pytest_crd.checks import applieditems, applycauses
from pytest_crd.checks.applycauses import Cause
from pytest_crd.checks.samplefiles import Claims, Sample
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.engine import Response, UnsupportedConstructError, UnsupportedExpressionError, Version, jsonvalue
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.requests.request import Subresource
from pytest_crd.engine.schema.schemamap import Each, SchemaNode
from pytest_crd.synthesis import NoExampleError, objectplaces
from pytest_crd.synthesis.placement import Placer

_FIRST: Final = "a first manager"
_SECOND: Final = "a second manager"
_STATUS: Final = "status"
_NO_ANSWER: Final = (RefusedCrdError, UnsupportedConstructError, UnsupportedExpressionError)
_MOST_SHOWN: Final = 200


class AppliedSamples:
    """The samples of a project, each of which is applied when it is asked for."""

    def __init__(self, samples: Sequence[Sample], claims: Claims) -> None:
        """
        Take what is applied.

        Args:
            samples: The samples, in the order of their checks.
            claims: The CRDs: of the alternatives of a kind, the first one that takes a sample is asked.
        """
        self._samples = samples
        self._claims = claims
        self._verdicts: dict[int, CheckVerdict] = {}

    def verdict(self, number: int) -> CheckVerdict:
        """Return the verdict on the sample of that number; what an earlier one is wrong in, too, that one tells."""
        own = self._own(number)
        sample = self._samples[number]
        told: dict[Cause, Sample] = {}
        for earlier in range(number if own.findings else 0):
            other = self._samples[earlier]
            if (other.group, other.kind) == (sample.group, sample.kind) and other.can_be_applied:
                told |= {applycauses.cause(one): other for one in self._own(earlier).findings}
        left = tuple(one for one in own.findings if applycauses.cause(one) not in told)
        if own.findings and not left:
            teller = told[applycauses.cause(own.findings[0])]
            return CheckVerdict(passed_over=f"{own.heading}, as {teller.manifest.where}, whose check says why")
        return replace(own, findings=left)

    def _own(self, number: int) -> CheckVerdict:
        if number not in self._verdicts:
            sample = self._samples[number]
            self._verdicts[number] = _of_sample(sample, self._claims)
        return self._verdicts[number]


def made_up(version: Version, nodes: Sequence[SchemaNode], source: str) -> CheckVerdict:
    """
    Return the verdict on objects that are made up, one for each list.

    Args:
        version: The version.
        nodes: What the schema says of the lists.
        source: Where the CRD stands.
    """
    try:
        placer = Placer(version.unobserved)
    except NoExampleError as error:
        return CheckVerdict(passed_over=f"no object is found: {error}")
    except _NO_ANSWER:
        return CheckVerdict(passed_over="what a server answers is not known; another check says why")
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
        findings |= {applycauses.cause(one): one for one in verdict.findings}
    notes = (f"no object is found with {', '.join(without)}",) if without else ()
    if findings:
        return CheckVerdict("; ".join(dict.fromkeys(headings)), tuple(findings.values()), notes=notes)
    return CheckVerdict(notes=notes)


def _subresource(placer: Placer, node: SchemaNode) -> Subresource:
    return _STATUS if placer.subresource(node.place) else ""


def _pair(placer: Placer, node: SchemaNode) -> tuple[JSONObject, JSONObject] | None:
    """Return two objects that a server takes, with another item each in a list where that may be; None where none was found."""
    held = placer.existing((*node.place, Each.ITEM))
    if held is None:
        return None
    value, steps = held
    demand, judge = placer.node(node.place), placer.judge(node.place)
    if (names := applieditems.missing_keys(demand)) and isinstance(item := objectplaces.at(value, steps), dict):
        keyless = objectplaces.replaced(value, steps, {name: one for name, one in item.items() if name not in names})
        if judge(keyless).accepted:
            return keyless, keyless
    two = placer.maker.items(demand, 2)
    for items in [two] if two else []:
        one, other, both = (objectplaces.replaced(value, steps[:-1], part) for part in (items[:1], items[1:], items))
        if all(judge(made).accepted for made in (one, other, both)):
            return one, other
    return value, value


def _of_sample(sample: Sample, claims: Claims) -> CheckVerdict:
    manifest = sample.manifest
    versions = [version for crd in claims[sample.group, sample.kind] for version in crd.versions]
    for version in versions:
        if version.name == sample.version and version.served and _is_taken(version, manifest.value):
            if not _is_named(manifest.value):
                return CheckVerdict(passed_over="it has no name of its own: kubectl can create it, and not apply it")
            more = applieditems.with_others(version, manifest.value)
            other = more if _is_taken(version, more) else manifest.value
            return _Attempt(version, manifest.value, other, manifest.where).verdict()
    return CheckVerdict(passed_over="no server takes it as it is")


def _is_taken(version: Version, value: JSONObject) -> bool:
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
    An object that is applied.

    Attributes:
        version: The version.
        value: What a first manager applies.
        other: What a second one does.
        source: Where the object stands, or the CRD that it is made of.
        subresource: Through which subresource: then the object is created before.
        node: The list that it is about; None where it is about all of the object.
    """

    version: Version
    value: JSONObject
    other: JSONObject
    source: str
    subresource: Subresource = ""
    node: SchemaNode | None = None

    def verdict(self) -> CheckVerdict:
        """Apply it, again, and by another manager, as long as nothing is wrong."""
        old = self.version.unobserved.create(self.value) if self.subresource else None
        first = self._applied(self.value, _FIRST, old)
        if not first.accepted:
            return self._refused("can be created, but not applied", first, first)
        again = self._applied(self.value, _FIRST, first)
        if not again.accepted:
            return self._refused("can be applied once, but not again", again, first)
        if found := tuple(self._changes(first, again)):
            return CheckVerdict("changes when it is applied again", found)
        second = self._applied(self.other, _SECOND, first)
        if second.accepted or not self._is_meant(second):
            return CheckVerdict()
        return self._refused("can be applied by one manager, but not by a second one", second, first)

    def _applied(self, value: JSONObject, manager: str, old: Response | None) -> Response:
        quiet = self.version.unobserved
        return quiet.apply(value, manager=manager, old=old, subresource=self.subresource)

    def _is_meant(self, answer: Response) -> bool:
        """Return whether an answer is not only of conflicts about what is beside or around the list."""
        if self.node is None or not answer.conflicts:
            return True
        place = self.node.place
        found = (applycauses.of_field(self.version, one.field) for one in answer.conflicts)
        return any(one is not None and one.place[: len(place)] == place for one in found)

    def _refused(self, heading: str, answer: Response, first: Response) -> CheckVerdict:
        found = applycauses.findings(self.version, answer, first, self.source)
        return CheckVerdict(f"{heading} ({answer.code})", found)

    def _changes(self, first: Response, again: Response) -> Iterator[CheckFinding]:
        """Yield what is not stored as it was; of a status that is a subresource, defaults come with the second write."""
        before, after = (self._seen(one.stored) for one in (first, again))
        for name in sorted({*before, *after}):
            if not jsonvalue.equal(before.get(name), after.get(name)):
                shown = (_shown(one.get(name)) for one in (before, after))
                yield CheckFinding(self.source, "{}: {} was stored, and then {}".format(name, *shown))
        if first.managers != again.managers:
            yield CheckFinding(self.source, f"owned was {_shown(first.managers)}, and then {_shown(again.managers)}")

    def _seen(self, stored: JSONValue) -> dict[str, JSONValue]:
        assert isinstance(stored, dict)  # noqa: S101 - it is accepted
        is_left_out = self.version.has_status and not self.subresource
        return {name: part for name, part in stored.items() if not (is_left_out and name == _STATUS)}


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"

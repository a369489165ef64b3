"""The check `roundtrip`: objects that another version and the way back change, or that a conversion refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pytest_crd.checks.roundtrips import planning, trips
from pytest_crd.checks.roundtrips.differences import RoundTripDifferenceKind
from pytest_crd.checks.roundtrips.surveys import Survey
from pytest_crd.checks.roundtrips.tripobjects import RoundTripObjects
from pytest_crd.checks.roundtrips.trips import Conversions, Resource, RoundTrip, Route
from pytest_crd.checks.samplefiles import Sample
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import objectwords
from pytest_crd.wording import counted

# The time that conversions may take before further objects are left out.
_SECONDS: Final = 3.0
_MOST_PATHS: Final = 5
# The most warnings about the conversion None that are not summed up.
_MOST_WARNINGS: Final = 3
_HEADING: Final = "objects differ after a round trip between versions"
_MINOR_WORDS: Final = {
    RoundTripDifferenceKind.EMPTY: "empty values are lost or added, as by structs of Go",
    RoundTripDifferenceKind.SPELLING: "the same amounts are spelled otherwise",
}
_OF_TARGET: Final = frozenset({RoundTripDifferenceKind.INVALID, RoundTripDifferenceKind.UNSTABLE})


def judge(crd: CustomResourceDefinition, samples: Sequence[Sample]) -> CheckVerdict:
    """
    Return the differences that round trips of a CRD's objects show.

    Differences by the strategy `None`, which follow from the schemas, are warnings.

    Args:
        crd: The CRD; its conversion is known.
        samples: The samples of its kind.
    """
    if not crd.first_response.accepted:
        return CheckVerdict(passed_over="the server refuses the CRD; another check says why")
    return _Judge(crd, samples).run()


class _Judge:
    def __init__(self, crd: CustomResourceDefinition, samples: Sequence[Sample]) -> None:
        self._crd = crd
        self._conversions = Conversions()
        self._has_webhook = any(version.converter is not None for version in crd.versions)
        self._objects = {version.name: RoundTripObjects(version, samples) for version in crd.versions if version.served}
        self._notes: list[str] = []

    def run(self) -> CheckVerdict:
        """Return the verdict."""
        surveys = [self._survey(source, target) for source, target in planning.find_pairs(self._crd)]
        done = [survey for survey in surveys if survey is not None]
        findings = tuple(_merge(finding for survey in done for finding in _find_findings(survey)))
        zeros = tuple(finding for survey in done for finding in _find_zeros(survey))
        if not any(survey.count for survey in done) and done:
            return CheckVerdict(passed_over=f"no object of {self._crd.kind} is found that a server accepts")
        notes = (*(note for survey in done for note in _describe(survey)), *dict.fromkeys(self._notes))
        if not self._has_webhook:
            warnings, listed = _sum_up(findings, self._crd)
            return CheckVerdict(allowed=(*warnings, *zeros), notes=(*notes, *listed))
        return CheckVerdict(_HEADING, findings, allowed=zeros, notes=notes)

    def _survey(self, source: CrdVersion, target: CrdVersion) -> Survey | None:
        """Return the trips of all objects; None if the schemas are equal and no webhook converts."""
        if not self._has_webhook and _are_same(source.schema_map.schema, target.schema_map.schema):
            return None
        route = Route(source, target, self._conversions)
        objects = self._objects[source.name]
        survey = Survey(route, objects)
        for number, candidate in enumerate(objects.candidates):
            if survey.is_over:
                break
            if self._conversions.seconds > _SECONDS and not candidate.is_first:
                self._note_end(number, len(objects.candidates), route)
                break
            survey.add(candidate.accepted)
        return survey

    def _note_end(self, number: int, count: int, route: Route) -> None:
        each = self._conversions.seconds / self._conversions.count
        self._notes.append(
            f"{route}: {number} of {count} objects, as a conversion takes {each * 1000:.0f} ms: the time for round trips is spent"
        )


def _are_same(left: JSONValue, right: JSONValue) -> bool:
    """Return True if two schemas differ in descriptions at most."""
    return jsonvalue.equal(_without_descriptions(left), _without_descriptions(right))


def _without_descriptions(schema: JSONValue) -> JSONValue:
    if isinstance(schema, list):
        return [_without_descriptions(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    is_text = isinstance(schema.get("description"), str)
    return {key: _without_descriptions(item) for key, item in schema.items() if not (is_text and key == "description")}


class _Finding(NamedTuple):
    """A finding with the key that it shares with findings of other routes."""

    key: tuple[str, Place, RoundTripDifferenceKind]
    target: str
    finding: CheckFinding


def _find_findings(survey: Survey) -> Iterator[_Finding]:
    """Yield the findings of a survey."""
    route = survey.route
    for difference, trip in survey.find_evidence():
        version = route.target if difference.kind in _OF_TARGET else route.source
        path = schemamap.spelled(difference.place)
        field = f"{path}: " if path else ""
        place = difference.source or _find_line(version, difference.place)
        finding = CheckFinding(place, f"{field}{difference.words}", tuple(_show_trip(trip, route)), path)
        key = (version.name, difference.place, difference.kind)
        yield _Finding(key, route.target.name, finding)


def _merge(found: Iterable[_Finding]) -> Iterator[CheckFinding]:
    """Yield each finding once, with the other versions that show it."""
    by_key: dict[tuple[str, Place, RoundTripDifferenceKind], list[_Finding]] = {}
    for item in found:
        by_key.setdefault(item.key, []).append(item)
    for same in by_key.values():
        first, *others = same
        targets = [item.target for item in others if item.target != first.target]
        details = (f"as well by way of {', '.join(targets)}",) if targets else ()
        yield first.finding._replace(details=(*first.finding.details, *details))


def _sum_up(
    findings: tuple[CheckFinding, ...], crd: CustomResourceDefinition
) -> tuple[tuple[CheckFinding, ...], tuple[str, ...]]:
    """Return many warnings as one, and the text of each as a note; few warnings unchanged, and no notes."""
    if len(findings) <= _MOST_WARNINGS:
        return findings, ()
    paths = [finding.field or "the whole object" for finding in findings]
    words = f"{len(findings)} fields of {crd.kind} change on the way between versions, as the conversion is None"
    warning = CheckFinding(crd.source, f"{words}: {_list_paths(paths)} (-v lists them)")
    return (warning,), tuple(f"{finding.place}: {finding.text}" for finding in findings)


def _find_line(version: CrdVersion, place: Place) -> str:
    """Return `file:line` of a field in the CRD, or of the nearest field around it."""
    depths = range(len(place), -1, -1)
    nodes = (version.schema_map.at(place[:depth]) for depth in depths)
    return version.source_of(next(node.steps for node in nodes if node is not None)) or version.crd.source


def _show_trip(trip: RoundTrip, route: Route) -> Iterator[str]:
    """Yield the object in each version of a trip."""
    names = (route.source.name, route.target.name, route.source.name)
    resources = (
        trip.accepted.resource,
        *(item and _without_server_metadata(item) for item in (trip.there, trip.back)),
    )
    width = max(map(len, names))
    for name, resource in zip(names, resources, strict=True):
        if resource is not None:
            yield f"{name:<{width}}  {objectwords.shorten(resource)}"


def _without_server_metadata(resource: Resource) -> Resource:
    compared = trips.select_compared(resource)
    return {**compared, "metadata": {name: values for name, values in compared["metadata"].items() if values}}


def _find_zeros(survey: Survey) -> Iterator[CheckFinding]:
    """Yield one finding about all fields that lose a value such as 0."""
    paths = survey.find_minor()[RoundTripDifferenceKind.ZERO]
    if paths:
        words = f'false, 0 or "" is lost on the way {survey.route}, as by omitempty of Go: {_list_paths(paths)}'
        yield CheckFinding(survey.route.source.crd.source, words)


def _describe(survey: Survey) -> Iterator[str]:
    """Yield notes about a survey."""
    yield f"{survey.route}: {counted(survey.count, 'object')}"
    minor = survey.find_minor()
    yield from (
        f"{survey.route}: {words}: {_list_paths(minor[kind])}" for kind, words in _MINOR_WORDS.items() if minor[kind]
    )
    if survey.carriers:
        yield f"{survey.route}: {', '.join(sorted(survey.carriers))} carries parts that {survey.route.source.name} does not have"


def _list_paths(paths: Sequence[str]) -> str:
    names = ", ".join(paths[:_MOST_PATHS])
    return f"{names} and {len(paths) - _MOST_PATHS} more" if len(paths) > _MOST_PATHS else names

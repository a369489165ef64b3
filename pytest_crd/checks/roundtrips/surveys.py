"""Survey of one route: the differences of many objects, one finding a field, each with the smallest object that shows it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_crd.checks.roundtrips import differences, trips
from pytest_crd.checks.roundtrips.differences import ABSENT, MINOR, RoundTripDifference, RoundTripDifferenceKind
from pytest_crd.checks.roundtrips.tripobjects import RoundTripObjects
from pytest_crd.checks.roundtrips.trips import AcceptedObject, Resource, RoundTrip, Route
from pytest_crd.engine.schema import schemamap
from pytest_crd.engine.schema.schemamap import Place
from pytest_crd.synthesis import objectplaces, shrinking

# The number of values that may be visited to shrink one object, and all objects of a route.
_BUDGET: Final = 4_000
_WHOLE_BUDGET: Final = 40_000
_MOST_REFUSED: Final = 20
# The number of values from which a new object is smaller than a shrunk one.
_LARGE: Final = 100
_OF_SOURCE: Final = frozenset(
    {RoundTripDifferenceKind.LOST, RoundTripDifferenceKind.CHANGED, RoundTripDifferenceKind.ADDED}
)
_EMPTY: Final[tuple[Any, ...]] = ({}, [], None)


class Evidence(NamedTuple):
    """
    A difference with the smallest known trip that shows it.

    Attributes:
        difference: The difference.
        trip: The trip.
    """

    difference: RoundTripDifference
    trip: RoundTrip


class Survey:
    """
    The trips of the objects of one version to another.

    Attributes:
        route: The route.
        count: The number of trips.
        carriers: The annotations that carry parts of the other version.
    """

    def __init__(self, route: Route, objects: RoundTripObjects) -> None:
        """
        Create for a route.

        Args:
            route: The route.
            objects: The objects of its first version.
        """
        self.route = route
        self.count = 0
        self.carriers: set[str] = set()
        self._objects = objects
        self._smallest = objects.smallest or {}
        self._kept: set[Place] = set()
        self._by_key: dict[tuple[RoundTripDifferenceKind, Place, str], Evidence] = {}
        self._refused: list[RoundTrip] = []
        self._budget = _WHOLE_BUDGET

    @property
    def is_over(self) -> bool:
        """Whether further objects show nothing, as too many conversions are refused."""
        return len(self._refused) >= _MOST_REFUSED

    def add(self, accepted: AcceptedObject) -> None:
        """Run the trip of an object, and collect its differences."""
        self.count += 1
        trip = self.route.run(accepted, is_repeated=True)
        if trip.refusal:
            self._refused.append(trip)
            return
        self.carriers |= trips.find_carriers(trip)
        for leaf in differences.compare(trip):
            if leaf.was not in _EMPTY and leaf.now is not ABSENT:
                place = schemamap.place_in(leaf.steps, self.route.source.schema_map)
                self._kept.update(place[:depth] for depth in range(1, len(place) + 1))
        size = shrinking.count_values(accepted.resource)
        for difference in differences.find_differences(trip, self.route):
            key = (difference.kind, difference.place, difference.cause)
            former = self._by_key.get(key)
            if former is None or size < shrinking.count_values(former.trip.accepted.resource):
                self._by_key[key] = Evidence(difference, trip)

    def find_evidence(self) -> Iterator[Evidence]:
        """Yield one difference a field, with the smallest object that shows it."""
        yield from self._find_refusals()
        lost = [item for item in self._by_key.values() if item.difference.kind is RoundTripDifferenceKind.LOST]
        yield from self._find_lost(lost)
        reported = [item.difference.place for item in lost]
        added = [
            item.difference.place
            for item in self._by_key.values()
            if item.difference.kind is RoundTripDifferenceKind.ADDED
        ]
        reported += [place for place in added if any(_is_inside(inner, place) for inner in added)]
        for kind in (
            RoundTripDifferenceKind.CHANGED,
            RoundTripDifferenceKind.ADDED,
            RoundTripDifferenceKind.INVALID,
            RoundTripDifferenceKind.UNSTABLE,
        ):
            places = reported if kind in _OF_SOURCE else []
            for evidence in self._by_key.values():
                if evidence.difference.kind is kind and evidence.difference.place not in places:
                    places.append(evidence.difference.place)
                    yield self._shrink(evidence)

    def find_minor(self) -> Mapping[RoundTripDifferenceKind, list[str]]:
        """Return the paths of the values that change without a loss, by kind."""
        reported = {key[1] for key in self._by_key if key[0] not in MINOR}
        paths: dict[RoundTripDifferenceKind, list[str]] = {kind: [] for kind in MINOR}
        for kind, place, _ in self._by_key:
            if kind in MINOR and place not in reported:
                paths[kind].append(schemamap.spelled(place))
        return paths

    def _find_lost(self, lost: list[Evidence]) -> Iterator[Evidence]:
        """Yield the lost fields; an object is lost as a whole if several fields are, and no other field stays."""
        places = {item.difference.place for item in lost}
        reported: set[Place] = set()
        for evidence in lost:
            place = evidence.difference.place
            for depth in range(1, len(place)):
                around = place[:depth]
                if around not in self._kept and sum(inner[:depth] == around for inner in places) > 1:
                    place = around
                    break
            if place not in reported:
                reported.add(place)
                smallest = self._shrink(evidence)
                yield smallest if place == evidence.difference.place else self._as_whole(smallest, place)

    def _as_whole(self, evidence: Evidence, place: Place) -> Evidence:
        words = f"all fields are lost on the way {self.route}"
        return evidence._replace(difference=evidence.difference._replace(place=place, words=words))

    def _shrink(self, evidence: Evidence) -> Evidence:
        """Return the evidence with an object without the parts that the difference does not need."""
        is_unstable = evidence.difference.kind is RoundTripDifferenceKind.UNSTABLE
        matches = [evidence]
        resource = evidence.trip.accepted.resource

        def is_shown(resource: Resource) -> bool:
            accepted = None if self.route.conversions.is_time_spent else self.route.begin(resource)
            if accepted is None:
                return False
            trip = self.route.run(accepted, is_repeated=is_unstable)
            same = [
                item for item in differences.find_differences(trip, self.route) if item.is_same(evidence.difference)
            ]
            matches.extend(Evidence(item, trip) for item in same[:1])
            return bool(same)

        if shrinking.count_values(resource) > _LARGE and evidence.difference.kind in _OF_SOURCE:
            small = self._objects.find_object(evidence.difference.place)
            resource = small if small is not None and is_shown(small) else resource
        budget = min(_BUDGET, self._budget)
        self._budget -= budget
        shrinking.shrink(resource, is_shown, budget=budget)
        return matches[-1]

    def _find_refusals(self) -> Iterator[Evidence]:
        """Yield a refused conversion for each field that causes one."""
        by_size = sorted(self._refused, key=lambda trip: shrinking.count_values(trip.accepted.resource))
        reported: list[tuple[str, Place]] = []
        for trip in by_size:
            difference = next(differences.find_differences(trip, self.route))
            resource = trip.accepted.resource
            if any(cause == difference.cause and _has(resource, place) for cause, place in reported):
                continue
            smallest = self._shrink(Evidence(difference, trip))
            place = self._find_cause(smallest.trip.accepted.resource)
            reported.append((difference.cause, place))
            yield smallest._replace(difference=smallest.difference._replace(place=place))

    def _find_cause(self, resource: Resource) -> Place:
        """Return the place of the first value that the smallest object does not have; empty without one."""
        leaves = [*itertools.islice(objectplaces.all_steps(resource), 1, None)]
        own = [steps for steps in leaves if not _is_in(self._smallest, resource, steps)]
        inner = max(own, key=len, default=())
        return schemamap.place_in(inner, self.route.source.schema_map)


def _is_in(smallest: Resource, resource: Resource, steps: objectplaces.Steps) -> bool:
    """Return True if the smallest object has the same value, or an object or list at the same steps."""
    existing, rest = objectplaces.split_path(smallest, steps)
    if rest:
        return False
    old, new = objectplaces.get_value(smallest, existing), objectplaces.get_value(resource, steps)
    return bool(old == new or (isinstance(old, dict | list) and type(old) is type(new)))


def _is_inside(inner: Place, outer: Place) -> bool:
    return len(inner) > len(outer) and inner[: len(outer)] == outer


def _has(value: Any, place: Place) -> bool:
    """Return True if an object has a value at a place."""
    for step in place:
        if isinstance(step, schemamap.Each):
            inner = value if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else []
            return any(_has(item, place[place.index(step) + 1 :]) for item in inner)
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return True

"""Collectors: the points that requests reach."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pytest_crd.cases.caseresult import JudgedCase
from pytest_crd.coverage import meter
from pytest_crd.coverage.evidence import ReachedPoints
from pytest_crd.coverage.points import Point
from pytest_crd.coverage.statements import Statement
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.api.context import WrittenCrd
from pytest_crd.engine.observer import ObservedRequest, Observer

# Copies of a CRD that was read count together; any other CRD counts for itself.
_Identity: TypeAlias = "WrittenCrd | CustomResourceDefinition"


@dataclass(slots=True)
class Reached:
    """
    The reached points of a version.

    Attributes:
        requests: The number of requests.
        points: The ids of the points that requests have reached.
        held: The ids of the points whose result a case expects; a subset of *points*.
    """

    requests: int = 0
    points: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)

    def add(self, reached: Reached) -> None:
        """Add the requests and points of another value."""
        self.requests += reached.requests
        self.points |= reached.points
        self.held |= reached.held


class Collector:
    """
    A collector of the points that requests reach and cases hold.

    Attributes:
        crds: The CRDs of the requests, each once.
    """

    def __init__(self) -> None:
        self.crds: dict[_Identity, CustomResourceDefinition] = {}
        self._reached: dict[tuple[_Identity, str], Reached] = {}
        # The points reached by the last request to each version, for a case that is judged after it.
        self._last: dict[tuple[_Identity, str], ReachedPoints] = {}

    @property
    def observer(self) -> Observer:
        """A new observer that reports requests and judged cases to this collector."""
        return Observer(self.take, verdict=self.hear)

    def take(self, version: Any, request: ObservedRequest) -> None:
        """Record a request to *version*."""
        crd = version.crd
        identity = _identity(crd)
        self.crds.setdefault(identity, crd)
        key = (identity, version.name)
        reached = self._reached.setdefault(key, Reached())
        reached.requests += 1
        self._last[key] = meter.find_meter(version).read(request)
        reached.points.update(self._last[key])

    def hear(self, verdict: JudgedCase) -> None:
        """Record the points of the last request that a passed case holds."""
        last = self._last.get(_key(verdict.version))
        if verdict.result.holds and last:
            statement = Statement(verdict)
            held_ids = (id_ for id_, evidence in last.items() if any(map(statement.states, evidence)))
            self._reached[_key(verdict.version)].held.update(held_ids)

    def add(self, collector: Collector) -> None:
        """Add the requests and points of another collector."""
        for identity, crd in collector.crds.items():
            self.crds.setdefault(identity, crd)
        for key, theirs in collector._reached.items():
            self._reached.setdefault(key, Reached()).add(theirs)

    def snapshot(self, version: CrdVersion) -> Reached:
        """Return a copy of the reached points of *version*."""
        reached = Reached()
        reached.add(self._reached.get(_key(version), reached))
        return reached

    def requests(self, version: CrdVersion) -> int:
        """Return the number of requests to *version*."""
        return self.snapshot(version).requests

    def reached(self, version: CrdVersion) -> frozenset[str]:
        """Return the ids of the points of *version* that requests have reached."""
        return frozenset(self.snapshot(version).points)

    def held_points(self, version: CrdVersion) -> frozenset[str]:
        """Return the ids of the points of *version* that cases hold."""
        return frozenset(self.snapshot(version).held)

    def missing(self, version: CrdVersion) -> tuple[Point, ...]:
        """Return the points of *version* that are not held, in the order of the schema."""
        held_ids = self.snapshot(version).held
        return tuple(point for point in meter.find_meter(version).points if point.id not in held_ids)


def points(version: CrdVersion) -> tuple[Point, ...]:
    """
    Return the points of *version*, the points of a value before those inside it.

    Raises:
        UnsupportedConstructError: The schema has a construct with which the server serves no custom resources.
    """
    return meter.find_meter(version).points


def _identity(crd: CustomResourceDefinition) -> _Identity:
    return crd.written or crd


def _key(version: CrdVersion) -> tuple[_Identity, str]:
    return _identity(version.crd), version.name

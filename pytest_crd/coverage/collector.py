"""Collectors: which points of which versions the requests reach that are made while somebody collects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pytest_crd.cases.caseverdicts import JudgedCase
from pytest_crd.coverage import meter
from pytest_crd.coverage.evidence import ReachedPoints
from pytest_crd.coverage.points import Point
from pytest_crd.coverage.statements import Statement
from pytest_crd.engine import CustomResourceDefinition, Version
from pytest_crd.engine.api.context import WrittenCrd
from pytest_crd.engine.observer import OF_PROCESS, ObservedRequest

# What was read, for copies of one CRD count together; a CRD that was not read, for itself.
_Identity: TypeAlias = "WrittenCrd | CustomResourceDefinition"


@dataclass(slots=True)
class Reached:
    """
    What was reached of a version.

    Attributes:
        requests: How many requests were made to it.
        points: The ids of the points that requests have reached.
        held: Those of them of which a case states what follows.
    """

    requests: int = 0
    points: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)

    def add(self, other: Reached) -> None:
        """Add what others have reached."""
        self.requests += other.requests
        self.points |= other.points
        self.held |= other.held


class Collector:
    """
    What requests reach, and what cases state of it.

    Attributes:
        crds: The CRDs that were asked about, each once.
    """

    def __init__(self) -> None:
        self.crds: dict[_Identity, CustomResourceDefinition] = {}
        self._reached: dict[tuple[_Identity, str], Reached] = {}
        # By version, what the last request has reached, of which a case may still state what follows.
        self._last: dict[tuple[_Identity, str], ReachedPoints] = {}

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Count all requests until the end of the `with` block, whoever makes them, and all cases that are judged."""
        with OF_PROCESS.heard_by(request=self.take, verdict=self.hear):
            yield

    def take(self, version: Any, request: ObservedRequest) -> None:
        """Take note of a request to *version*."""
        crd = version.crd
        identity = _identity(crd)
        self.crds.setdefault(identity, crd)
        key = (identity, version.name)
        found = self._reached.setdefault(key, Reached())
        found.requests += 1
        self._last[key] = meter.of(version).read(request)
        found.points.update(self._last[key])

    def hear(self, verdict: JudgedCase) -> None:
        """Take note of what a case, if it holds, states of the last request to its version."""
        last = self._last.get(_key(verdict.version))
        if verdict.result.holds and last:
            statement = Statement(verdict)
            held = (id_ for id_, evidence in last.items() if any(map(statement.states, evidence)))
            self._reached[_key(verdict.version)].held.update(held)

    def add(self, other: Collector) -> None:
        """Add what another has collected."""
        for identity, crd in other.crds.items():
            self.crds.setdefault(identity, crd)
        for key, theirs in other._reached.items():
            self._reached.setdefault(key, Reached()).add(theirs)

    def of(self, version: Version) -> Reached:
        """Return what was reached of *version*, which no later request changes."""
        found = Reached()
        found.add(self._reached.get(_key(version), found))
        return found

    def requests(self, version: Version) -> int:
        """Return how many requests were made to *version*."""
        return self.of(version).requests

    def reached(self, version: Version) -> frozenset[str]:
        """Return the ids of the points of *version* that requests have reached, held or not."""
        return frozenset(self.of(version).points)

    def held(self, version: Version) -> frozenset[str]:
        """Return the ids of the points of *version* of which a case states what follows."""
        return frozenset(self.of(version).held)

    def missing(self, version: Version) -> tuple[Point, ...]:
        """Return the points of *version* that are not held, in the order of its schema."""
        held = self.of(version).held
        return tuple(point for point in meter.of(version).points if point.id not in held)


def points(version: Version) -> tuple[Point, ...]:
    """
    Return the points of *version*, those of a value before those inside it.

    Raises:
        UnsupportedConstructError: Its schema has a construct under which the server serves no custom resources.
    """
    return meter.of(version).points


def _identity(crd: CustomResourceDefinition) -> _Identity:
    return crd.written or crd


def _key(version: Version) -> tuple[_Identity, str]:
    return _identity(version.crd), version.name

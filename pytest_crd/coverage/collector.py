"""Collectors: which points of which versions the requests reach that are made while somebody collects."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from pytest_crd.coverage import meter
from pytest_crd.coverage.points import Point
from pytest_crd.engine import CustomResourceDefinition, Version, observation
from pytest_crd.engine.crd import Written
from pytest_crd.engine.observation import Exchange

# What was read, for copies of one CRD count together; a CRD that was not read, for itself.
_Identity: TypeAlias = "Written | CustomResourceDefinition"


class Collector:
    """
    What requests reach.

    Attributes:
        crds: The CRDs that were asked about, each once.
    """

    def __init__(self) -> None:
        self.crds: dict[_Identity, CustomResourceDefinition] = {}
        self._reached: dict[tuple[_Identity, str], set[str]] = {}
        self._requests: dict[tuple[_Identity, str], int] = {}

    def collecting(self) -> AbstractContextManager[None]:
        """Return the context in which all requests count, whoever makes them."""
        return observation.observing(self.take)

    def take(self, version: Any, exchange: Exchange) -> None:
        """Take note of a request to *version*."""
        crd = version.crd
        identity = _identity(crd)
        self.crds.setdefault(identity, crd)
        key = (identity, version.name)
        self._requests[key] = self._requests.get(key, 0) + 1
        self._reached.setdefault(key, set()).update(meter.of(version).read(exchange))

    def requests(self, version: Version) -> int:
        """Return how many requests were made to *version*."""
        return self._requests.get((_identity(version.crd), version.name), 0)

    def reached(self, version: Version) -> frozenset[str]:
        """Return the ids of the points of *version* that were reached."""
        return frozenset(self._reached.get((_identity(version.crd), version.name), ()))

    def missing(self, version: Version) -> tuple[Point, ...]:
        """Return the points of *version* that were not reached, in the order of its schema."""
        return without(meter.of(version).points, self.reached(version))


def points(version: Version) -> tuple[Point, ...]:
    """
    Return the points of *version*, those of a value before those inside it.

    Raises:
        UnsupportedConstructError: Its schema has a construct under which the server serves no custom resources.
    """
    return meter.of(version).points


def without(points: Iterable[Point], reached: frozenset[str]) -> tuple[Point, ...]:
    """Return those *points* whose id is not among those *reached*."""
    return tuple(point for point in points if point.id not in reached)


def _identity(crd: CustomResourceDefinition) -> _Identity:
    return crd.written or crd

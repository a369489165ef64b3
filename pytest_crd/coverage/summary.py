"""What was reached of all CRDs and what was not, point by point: what reports tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pytest_crd.coverage import data
from pytest_crd.coverage.collector import points
from pytest_crd.coverage.data import Data
from pytest_crd.coverage.lines import Exclusion, Lines
from pytest_crd.coverage.points import Point
from pytest_crd.engine import CustomResourceDefinition, UnsupportedConstructError, Version


@dataclass(frozen=True, slots=True)
class Counted:
    """
    A point, and what became of it.

    Attributes:
        point: The point.
        line: Where it stands.
        is_reached: Whether a request has reached it.
        is_left_out: Whether it need not be.
    """

    point: Point
    line: int
    is_reached: bool
    is_left_out: bool = False


@dataclass(frozen=True)
class Tally:
    """
    How many points there are, and how many of them were reached.

    Attributes:
        points: Those that count.
        missed: Those of them that were not reached.
        left_out: Those that do not count.
    """

    points: int
    missed: int
    left_out: int

    @property
    def percent(self) -> float:
        """Which part of the points was reached; 0 where there is none: what cannot be covered is not covered."""
        return 100 * (self.points - self.missed) / self.points if self.points else 0.0

    @property
    def shown(self) -> str:
        """The percentage as reports have it: 100% only where nothing is missed, and 0% only where all is."""
        if 0 < self.missed < self.points:
            return f"{min(99, max(1, math.floor(self.percent + 0.5)))}%"
        return f"{self.percent:.0f}%"


@dataclass(frozen=True)
class VersionCoverage:
    """
    What was reached of a version.

    Attributes:
        version: The version.
        lines: The lines of its CRD.
        counted: Its points, in the order of the schema.
        requests: How many requests were made to it.
    """

    version: Version
    lines: Lines
    counted: tuple[Counted, ...]
    requests: int

    @property
    def path(self) -> Path | None:
        """The file of the CRD; None where a command has printed it."""
        return self.version.crd.written.path if self.version.crd.written else None

    @property
    def name(self) -> str:
        """The CRD and the version."""
        return f"{self.version.crd.name} {self.version.name}"

    @cached_property
    def missing(self) -> tuple[Counted, ...]:
        """The points that were not reached and should be, by line."""
        found = (one for one in self.counted if not one.is_reached and not one.is_left_out)
        return tuple(sorted(found, key=lambda one: one.line))

    @cached_property
    def tally(self) -> Tally:
        """How many points there are."""
        left_out = sum(one.is_left_out for one in self.counted)
        return Tally(len(self.counted) - left_out, len(self.missing), left_out)


@dataclass(frozen=True)
class Summary:
    """
    What was reached of all CRDs.

    Attributes:
        versions: What was reached of each served version of each CRD.
        problems: What is wrong with comments and settings, and what could not be counted.
    """

    versions: tuple[VersionCoverage, ...]
    problems: tuple[str, ...] = field(default=())

    @cached_property
    def tally(self) -> Tally:
        """The sum of all."""
        tallies = [one.tally for one in self.versions]
        return Tally(
            sum(one.points for one in tallies),
            sum(one.missed for one in tallies),
            sum(one.left_out for one in tallies),
        )

    @property
    def requests(self) -> int:
        """How many requests were made."""
        return sum(one.requests for one in self.versions)


def summarize(crds: Iterable[CustomResourceDefinition], reached: Data, exclusions: Sequence[Exclusion] = ()) -> Summary:
    """
    Return what was reached of *crds*, which were read, and of which each counts once.

    Args:
        crds: The CRDs.
        reached: What runs have reached.
        exclusions: What need not be covered.
    """
    found: list[VersionCoverage] = []
    problems: list[str] = []
    used: set[Exclusion] = set()
    for crd in crds:
        assert crd.written is not None  # noqa: S101
        lines = Lines(crd, crd.written)
        digest = data.digest_of(crd)
        for version in crd.versions:
            if not version.served:
                continue  # no request reaches it
            try:
                declared = points(version)
            except UnsupportedConstructError as error:
                problems.append(f"{crd.source}: {crd.name} {version.name} cannot be covered: {error}")
                continue
            its = reached.of(digest, version.name)
            counted = tuple(_counted(version, point, lines, its.points, exclusions, used) for point in declared)
            found.append(VersionCoverage(version, lines, counted, its.requests))
        problems += [f"{lines.file}:{line}: {text}" for line, text in lines.problems()]
    problems += [f"crd_cov_exclude: `{one.text}` leaves out nothing" for one in exclusions if one not in used]
    return Summary(tuple(found), tuple(problems))


def _counted(  # noqa: PLR0913, PLR0917 - what decides whether one point counts
    version: Version,
    point: Point,
    lines: Lines,
    reached: set[str],
    exclusions: Sequence[Exclusion],
    used: set[Exclusion],
) -> Counted:
    steps = lines.steps_of(version.name, point)
    excluding = [one for one in exclusions if one.leaves_out(version.crd.name, version.name, point)]
    used.update(excluding)
    is_left_out = lines.are_left_out(steps) or bool(excluding)
    return Counted(point, lines.line_of(steps), point.id in reached, is_left_out)

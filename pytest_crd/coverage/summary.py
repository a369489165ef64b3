"""The coverage summary: the state of all points of all CRDs, for reports."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pytest_crd.coverage import coretypes, data
from pytest_crd.coverage.collector import Reached, points
from pytest_crd.coverage.data import Data
from pytest_crd.coverage.lines import CrdLines, Exclusion
from pytest_crd.coverage.points import Point
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, UnsupportedConstructError

# Held by a case, only reached by a request, or not reached.
State: TypeAlias = Literal["held", "seen", "missed"]
_UNSTATED: Final = "where a case states what follows"


@dataclass(frozen=True, slots=True)
class Counted:
    """
    A point with its state.

    Attributes:
        point: The point.
        line: The line of the point.
        state: The state of the point.
        is_left_out: Whether the point is excluded.
        is_covered: Whether the state counts as covered.
        is_kubernetes: Whether the point is inside of an embedded Kubernetes type.
    """

    point: Point
    line: int
    state: State
    is_left_out: bool = False
    is_covered: bool = False
    is_kubernetes: bool = False

    @property
    def is_counted(self) -> bool:
        """Whether the point counts: it is neither left out nor of an embedded Kubernetes type."""
        return not self.is_left_out and not self.is_kubernetes

    @property
    def text(self) -> str:
        """The place and the missing behaviour."""
        return f"{self.point.text} {_UNSTATED}" if self.state == "seen" else self.point.text


@dataclass(frozen=True)
class Tally:
    """
    The number of points by state.

    Attributes:
        points: The number of counted points.
        held: The number of points that cases hold.
        seen: The number of points that only requests have reached.
        left_out: The number of excluded points.
        counts_seen: Whether seen points are covered.
        kubernetes: The number of points inside of embedded Kubernetes types, which do not count.
        kubernetes_held: The number of these points that cases hold.
    """

    points: int
    held: int
    seen: int
    left_out: int
    counts_seen: bool = False
    kubernetes: int = 0
    kubernetes_held: int = 0

    @property
    def missed(self) -> int:
        """The number of points that no request has reached."""
        return self.points - self.held - self.seen

    @property
    def covered(self) -> int:
        """The number of covered points."""
        return self.held + (self.seen if self.counts_seen else 0)

    @property
    def kubernetes_text(self) -> str:
        """The held points inside of embedded Kubernetes types, of all these points."""
        return f"{self.kubernetes_held} of {self.kubernetes}" if self.kubernetes else "0"

    @property
    def percent(self) -> float:
        """The percentage of covered points; 0 without any points."""
        return 100 * self.covered / self.points if self.points else 0.0

    @property
    def percent_seen(self) -> float:
        """The percentage of held and seen points; 0 without any points."""
        return 100 * (self.held + self.seen) / self.points if self.points else 0.0

    @property
    def percent_text(self) -> str:
        """The percentage in reports: 100% only if all points are covered, 0% only if no point is."""
        if 0 < self.covered < self.points:
            return f"{min(99, max(1, math.floor(self.percent + 0.5)))}%"
        return f"{self.percent:.0f}%"


@dataclass(frozen=True)
class VersionCoverage:
    """
    The coverage of a version.

    Attributes:
        version: The version.
        lines: The lines of its CRD.
        counted: The points with their states, in the order of the schema.
        requests: The number of requests by passed tests.
        counts_seen: Whether seen points are covered.
    """

    version: CrdVersion
    lines: CrdLines
    counted: tuple[Counted, ...]
    requests: int
    counts_seen: bool = False

    @property
    def path(self) -> Path | None:
        """The file of the CRD; None if a command printed it."""
        return self.version.crd.written.path if self.version.crd.written else None

    @property
    def name(self) -> str:
        """The names of the CRD and the version."""
        return f"{self.version.crd.name} {self.version.name}"

    @cached_property
    def missing(self) -> tuple[Counted, ...]:
        """The points that are neither covered nor excluded, by line."""
        missing = (item for item in self.counted if not item.is_covered and item.is_counted)
        return tuple(sorted(missing, key=lambda item: item.line))

    @cached_property
    def tally(self) -> Tally:
        """The number of points by state."""
        states = Counter(item.state for item in self.counted if item.is_counted)
        left_out = sum(item.is_left_out for item in self.counted)
        embedded = [item.state for item in self.counted if item.is_kubernetes and not item.is_left_out]
        return Tally(
            states.total(),
            states["held"],
            states["seen"],
            left_out,
            self.counts_seen,
            len(embedded),
            embedded.count("held"),
        )


@dataclass(frozen=True)
class Summary:
    """
    The coverage of all CRDs.

    Attributes:
        versions: The coverage of each served version of each CRD.
        problems: Problems of comments and settings, and versions that cannot be covered.
    """

    versions: tuple[VersionCoverage, ...]
    problems: tuple[str, ...] = field(default=())

    @cached_property
    def tally(self) -> Tally:
        """The number of points by state, in all versions."""
        tallies = [version.tally for version in self.versions]
        return Tally(
            sum(tally.points for tally in tallies),
            sum(tally.held for tally in tallies),
            sum(tally.seen for tally in tallies),
            sum(tally.left_out for tally in tallies),
            any(tally.counts_seen for tally in tallies),
            sum(tally.kubernetes for tally in tallies),
            sum(tally.kubernetes_held for tally in tallies),
        )

    @property
    def requests(self) -> int:
        """The number of requests."""
        return sum(version.requests for version in self.versions)


def summarize(
    crds: Iterable[CustomResourceDefinition],
    reached: Data,
    exclusions: Sequence[Exclusion] = (),
    *,
    counts_seen: bool = False,
) -> Summary:
    """
    Return the coverage of *crds*, which must have been read, each once.

    Args:
        crds: The CRDs.
        reached: The reached points of the runs.
        exclusions: The exclusions of the settings.
        counts_seen: Whether seen points are covered.
    """
    coverages: list[VersionCoverage] = []
    problems: list[str] = []
    used: set[Exclusion] = set()
    for crd in crds:
        assert crd.written is not None  # noqa: S101
        lines = CrdLines(crd, crd.written)
        digest = data.compute_digest(crd)
        for version in crd.versions:
            if not version.served:
                continue  # no request reaches the version
            try:
                declared = points(version)
            except UnsupportedConstructError as error:
                problems.append(f"{crd.source}: {crd.name} {version.name} cannot be covered: {error}")
                continue
            version_reached = reached.find(digest, version.name)
            counting = _Counting(version, lines, version_reached, exclusions, counts_seen=counts_seen)
            counted = tuple(map(counting.count, declared))
            used |= counting.used
            coverages.append(VersionCoverage(version, lines, counted, version_reached.requests, counts_seen))
        problems += [f"{lines.file}:{line}: {text}" for line, text in lines.problems()]
    problems += [f"crd_cov_exclude: `{item.text}` leaves out nothing" for item in exclusions if item not in used]
    return Summary(tuple(coverages), tuple(problems))


class _Counting:
    """
    A count of the points of one version.

    Attributes:
        used: The exclusions that apply to a point.
    """

    def __init__(
        self,
        version: CrdVersion,
        lines: CrdLines,
        reached: Reached,
        exclusions: Sequence[Exclusion],
        *,
        counts_seen: bool,
    ) -> None:
        self.used: set[Exclusion] = set()
        self._version = version
        self._lines = lines
        self._reached = reached
        self._exclusions = exclusions
        self._core_types = coretypes.find_places(version)
        self._covering: set[State] = {"held", "seen"} if counts_seen else {"held"}

    def count(self, point: Point) -> Counted:
        version = self._version
        steps = self._lines.steps_of(version.name, point)
        excluding = [item for item in self._exclusions if item.leaves_out(version.crd.name, version.name, point)]
        self.used.update(excluding)
        is_left_out = self._lines.are_left_out(steps) or bool(excluding)
        id_ = point.id
        state: State = "held" if id_ in self._reached.held else "seen" if id_ in self._reached.points else "missed"
        is_kubernetes = coretypes.is_inside(point.place, self._core_types)
        return Counted(point, self._lines.line_of(steps), state, is_left_out, state in self._covering, is_kubernetes)

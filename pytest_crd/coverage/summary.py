"""What was reached of all CRDs and what was not, point by point: what reports tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pytest_crd.coverage import data
from pytest_crd.coverage.collector import Reached, points
from pytest_crd.coverage.data import Data
from pytest_crd.coverage.lines import CrdLines, Exclusion
from pytest_crd.coverage.points import Point
from pytest_crd.engine import CustomResourceDefinition, UnsupportedConstructError, Version

# A case states what follows; or only a request has reached it; or nobody has.
State: TypeAlias = Literal["held", "seen", "missed"]
_UNSTATED: Final = "where a case states what follows"


@dataclass(frozen=True, slots=True)
class Counted:
    """
    A point, and what became of it.

    Attributes:
        point: The point.
        line: Where it stands.
        state: What became of it.
        is_left_out: Whether it need not be covered.
        is_covered: Whether that is enough.
    """

    point: Point
    line: int
    state: State
    is_left_out: bool = False
    is_covered: bool = False

    @property
    def text(self) -> str:
        """Where, and what is missed."""
        return f"{self.point.text} {_UNSTATED}" if self.state == "seen" else self.point.text


@dataclass(frozen=True)
class Tally:
    """
    How many points there are, and what became of them.

    Attributes:
        points: Those that count.
        held: Those of them of which a case states what follows.
        seen: Those that requests have only reached.
        left_out: Those that do not count.
        counts_seen: Whether what is only seen is covered.
    """

    points: int
    held: int
    seen: int
    left_out: int
    counts_seen: bool = False

    @property
    def missed(self) -> int:
        """How many were not even seen."""
        return self.points - self.held - self.seen

    @property
    def covered(self) -> int:
        """How many are covered."""
        return self.held + (self.seen if self.counts_seen else 0)

    @property
    def percent(self) -> float:
        """Which part of the points is covered; 0 where there is none: what cannot be covered is not covered."""
        return 100 * self.covered / self.points if self.points else 0.0

    @property
    def percent_seen(self) -> float:
        """Which part of the points would be covered if what is only seen were."""
        return 100 * (self.held + self.seen) / self.points if self.points else 0.0

    @property
    def shown(self) -> str:
        """The percentage as reports have it: 100% only where all is covered, and 0% only where nothing is."""
        if 0 < self.covered < self.points:
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
        requests: How many requests tests that passed have made to it.
        counts_seen: Whether what is only seen is covered.
    """

    version: Version
    lines: CrdLines
    counted: tuple[Counted, ...]
    requests: int
    counts_seen: bool = False

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
        """The points that are not covered and should be, by line."""
        found = (one for one in self.counted if not one.is_covered and not one.is_left_out)
        return tuple(sorted(found, key=lambda one: one.line))

    @cached_property
    def tally(self) -> Tally:
        """How many points there are, and what became of them."""
        states = Counter(one.state for one in self.counted if not one.is_left_out)
        left_out = len(self.counted) - states.total()
        return Tally(states.total(), states["held"], states["seen"], left_out, self.counts_seen)


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
            sum(one.held for one in tallies),
            sum(one.seen for one in tallies),
            sum(one.left_out for one in tallies),
            any(one.counts_seen for one in tallies),
        )

    @property
    def requests(self) -> int:
        """How many requests were made."""
        return sum(one.requests for one in self.versions)


def summarize(
    crds: Iterable[CustomResourceDefinition],
    reached: Data,
    exclusions: Sequence[Exclusion] = (),
    *,
    counts_seen: bool = False,
) -> Summary:
    """
    Return what was reached of *crds*, which were read, and of which each counts once.

    Args:
        crds: The CRDs.
        reached: What runs have reached.
        exclusions: What need not be covered.
        counts_seen: Whether what is only seen is covered.
    """
    found: list[VersionCoverage] = []
    problems: list[str] = []
    used: set[Exclusion] = set()
    for crd in crds:
        assert crd.written is not None  # noqa: S101
        lines = CrdLines(crd, crd.written)
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
            counting = _Counting(version, lines, its, exclusions, counts_seen=counts_seen)
            counted = tuple(map(counting.count, declared))
            used |= counting.used
            found.append(VersionCoverage(version, lines, counted, its.requests, counts_seen))
        problems += [f"{lines.file}:{line}: {text}" for line, text in lines.problems()]
    problems += [f"crd_cov_exclude: `{one.text}` leaves out nothing" for one in exclusions if one not in used]
    return Summary(tuple(found), tuple(problems))


class _Counting:
    """
    Counts the points of one version.

    Attributes:
        used: The exclusions that leave something out.
    """

    def __init__(
        self, version: Version, lines: CrdLines, its: Reached, exclusions: Sequence[Exclusion], *, counts_seen: bool
    ) -> None:
        self.used: set[Exclusion] = set()
        self._version = version
        self._lines = lines
        self._its = its
        self._exclusions = exclusions
        self._covering: set[State] = {"held", "seen"} if counts_seen else {"held"}

    def count(self, point: Point) -> Counted:
        version = self._version
        steps = self._lines.steps_of(version.name, point)
        excluding = [one for one in self._exclusions if one.leaves_out(version.crd.name, version.name, point)]
        self.used.update(excluding)
        is_left_out = self._lines.are_left_out(steps) or bool(excluding)
        id_ = point.id
        state: State = "held" if id_ in self._its.held else "seen" if id_ in self._its.points else "missed"
        return Counted(point, self._lines.line_of(steps), state, is_left_out, state in self._covering)

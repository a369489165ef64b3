"""Reach: the schema points that cases cover, and whether the cases pass."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pytest_crd import engine
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.objectsources import resolve
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.coverage import Collector, Point, coretypes, points
from pytest_crd.engine import InputError


def parse_cases(text: str) -> Iterator[AnyCase]:
    """Yield the cases of a generated file."""
    for case_file in loader.load(text, source="the generated file"):
        for case in case_file.cases:
            yield resolve(case, Path())


class Reach:
    """The schema points that a sequence of cases covers in one version."""

    def __init__(self, version: engine.CrdVersion, *, is_whole: bool = False) -> None:
        """Begin without any cases; *is_whole* also counts the points inside of embedded Kubernetes types."""
        self._version = version
        self._core_types = {} if is_whole else coretypes.find_places(version)
        self._collector = Collector()
        self._subject = CaseSubject(version.observed_by(self._collector.observer))
        self._ids = frozenset(point.id for point in points(version))

    @property
    def missed(self) -> tuple[Point, ...]:
        """The counted points that no case covers so far."""
        missing = self._collector.missing(self._version)
        return tuple(point for point in missing if not coretypes.is_inside(point.place, self._core_types))

    @property
    def points(self) -> int:
        """The number of counted points."""
        return sum(not coretypes.is_inside(point.place, self._core_types) for point in points(self._version))

    @property
    def count(self) -> int:
        """The number of points that cases cover so far."""
        return len(self._ids & self._collector.held_points(self._version))

    def check(self, case: AnyCase) -> None:
        """
        Run a case that is about to be written.

        Raises:
            RuntimeError: The case does not pass, which is a bug of the generator.
        """
        result = caserunner.run(case, self._subject)
        if result.mismatches:
            crd = self._version.crd
            raise RuntimeError(f"{crd.name} {self._version.name}: {case.title}: {result.mismatches}")

    def follow(self, case: AnyCase) -> bool:
        """Run an existing case unless it is skipped; return True if it passes. Errors are left to the test of the case."""
        if case.skip is None:
            with contextlib.suppress(InputError):
                return caserunner.run(case, self._subject).holds
        return False

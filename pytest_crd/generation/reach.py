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
from pytest_crd.coverage import Collector, Point, points
from pytest_crd.engine import InputError


def parse_cases(text: str) -> Iterator[AnyCase]:
    """Yield the cases of a generated file."""
    for case_file in loader.load(text, source="the generated file"):
        for case in case_file.cases:
            yield resolve(case, Path())


class Reach:
    """The schema points that a sequence of cases covers in one version."""

    def __init__(self, version: engine.CrdVersion) -> None:
        self._version = version
        self._collector = Collector()
        self._subject = CaseSubject(version.observed_by(self._collector.observer))
        self._ids = frozenset(point.id for point in points(version))

    @property
    def missed(self) -> tuple[Point, ...]:
        """The points that no case covers so far."""
        return self._collector.missing(self._version)

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

"""What cases hold of a version's schema, and whether they hold themselves."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pytest_crd import engine
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.objectsources import resolve
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.coverage import Collector, Point, points
from pytest_crd.engine import InputError


def cases_of(text: str) -> Iterator[AnyCase]:
    """Yield the cases of a generated file."""
    for case_file in loader.load(text, source="the generated file"):
        for case in case_file.cases:
            yield resolve(case, Path())


class Reach:
    """What cases reach of one version, one after the other."""

    def __init__(self, version: engine.Version) -> None:
        self._version = version
        self._subject = CaseSubject(version)
        self._collector = Collector()
        self._ids = frozenset(point.id for point in points(version))

    @property
    def missed(self) -> tuple[Point, ...]:
        """The points that no case holds so far."""
        return self._collector.missing(self._version)

    @property
    def count(self) -> int:
        """How many points cases hold so far."""
        return len(self._ids & self._collector.held(self._version))

    def check(self, case: AnyCase) -> None:
        """
        Run a case that is about to be written.

        Raises:
            RuntimeError: It does not hold, which is a mistake here.
        """
        result = self._run(case)
        if result.mismatches:
            crd = self._version.crd
            raise RuntimeError(f"{crd.name} {self._version.name}: {case.title}: {result.mismatches}")

    def follow(self, case: AnyCase) -> bool:
        """Run a case that is there already, if it is run at all, and return whether it holds; what is wrong, its own test says."""
        if case.skip is None:
            with contextlib.suppress(InputError):
                return self._run(case).holds
        return False

    def _run(self, case: AnyCase) -> CaseResult:
        with self._collector.collecting():
            return caserunner.run(case, self._subject)

"""What cases reach of a version's schema, and whether they hold."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_crd import engine
from pytest_crd.cases import loader, runner
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.sources import resolved
from pytest_crd.cases.subject import Subject
from pytest_crd.coverage import Collector, Point
from pytest_crd.engine import InputError


def cases_of(text: str) -> Iterator[AnyCase]:
    """Yield the cases of a generated file."""
    for case_file in loader.load(text, source="the generated file"):
        for case in case_file.cases:
            yield resolved(case, Path())


def check(cases: Iterable[AnyCase], version: engine.Version) -> None:
    """
    Run what is about to be written.

    Raises:
        RuntimeError: A case does not hold, which is a mistake here.
    """
    subject = Subject(version)
    for case in cases:
        result = runner.run(case, subject)
        if result.mismatches:
            raise RuntimeError(f"{version.crd.name} {version.name}: {case.title}: {result.mismatches}")


def of_case(case: AnyCase, version: engine.Version) -> frozenset[str]:
    """Return the ids of the points that *case* reaches."""
    collector = Collector()
    with collector.collecting():
        runner.run(case, Subject(version))
    return collector.reached(version)


def missed(cases: Iterable[AnyCase], version: engine.Version) -> tuple[Point, ...]:
    """Return the points that none of *cases* reaches."""
    collector, subject = Collector(), Subject(version)
    with collector.collecting():
        for case in cases:
            if case.skip is None:
                with contextlib.suppress(InputError):  # which its own test says
                    runner.run(case, subject)
    return collector.missing(version)

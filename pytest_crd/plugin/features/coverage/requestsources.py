"""
Attribution of requests to the running test, or to a fixture that several tests share.

Requests count from the setup of a test to its teardown. Those during collection do not: they only look for mistakes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_crd.cases.caseresult import JudgedCase
from pytest_crd.coverage.accounts import Attempt, Ledger
from pytest_crd.coverage.collector import Collector
from pytest_crd.engine.observer import ObservedRequest, Observer


class RequestSources:
    """
    Hooks that attribute requests to tests and shared fixtures.

    Attributes:
        ledger: The requests of all tests and fixtures.
    """

    def __init__(self, observer: Observer) -> None:
        """Create hooks with an empty ledger for the requests that *observer* reports."""
        self._observer = observer
        self.ledger = Ledger()
        self._attempt = Attempt()
        # The fixtures in setup, the innermost last: a collector, and the name if tests share the fixture.
        self._setups: list[tuple[str, Collector]] = []
        # The requests at the start or end of a test outside of a fixture's setup; they belong to a fixture that ends, or to the test.
        self._loose: Collector | None = None
        # The shared fixtures that are set up: their definitions by name, and the names of other shared fixtures that each needs.
        self._alive: dict[str, pytest.FixtureDef[Any]] = {}
        self._needed: dict[str, set[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Collect the requests of a test and its fixtures, in each of its attempts."""
        self._attempt = Attempt()
        with self._observer.heard_by(request=self._take, verdict=self._hear):
            try:
                return (yield)
            finally:
                self.ledger.close(self._attempt)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, None, None]:
        """Begin an attempt: earlier ones, as of pytest-rerunfailures, do not count."""
        if self._attempt.is_begun:
            self._attempt = Attempt()
        self._attempt.is_begun = True
        with self._loosely():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        """Record the fixtures of the test before they end."""
        self._attempt.fixtures |= self._used(item)
        with self._loosely():
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the outcome of a phase; with pytest-xdist, the controller sees reports, too, but makes no requests."""
        # An expected failure that passes is broken and states nothing.
        is_passed = report.passed and not hasattr(report, "wasxfail")
        self._attempt.hear(report.when, is_passed=is_passed)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """Collect the requests of a fixture: for the test if no other test can share it, else for all tests that use it."""
        if request.scope == "function":
            name, collector = "", self._attempt.collector
        else:
            name = _name(fixturedef, request)
            collector = self.ledger.fixture_collector(name)
            self._alive[name] = fixturedef
            self._needed[name] = set()
        before = set(request.fixturenames)
        self._setups.append((name, collector))
        try:
            return (yield)
        finally:
            self._setups.pop()
            if name:
                self._needed[name] |= self._named(set(request.fixturenames) - before)
            for outer, _ in self._setups:
                if outer and name:
                    self._needed[outer].add(name)

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """Attribute the requests of a fixture's teardown to it."""
        name = next((name for name, alive in self._alive.items() if alive is fixturedef), "")
        collector = self.ledger.fixture_collector(name) if name else self._attempt.collector
        if name:
            del self._alive[name]
            self._attempt.ended.add(name)
        if self._loose is not None:
            collector.add(self._loose)
            self._loose = Collector()

    @contextmanager
    def _loosely(self) -> Iterator[None]:
        """Collect requests in the context until their owner turns up; at the end, the rest belongs to the test."""
        self._loose = Collector()
        try:
            yield
        finally:
            self._attempt.collector.add(self._loose)
            self._loose = None

    def _used(self, item: pytest.Item) -> set[str]:
        """Return the names of the shared fixtures that a test uses, directly or through another fixture."""
        # pytest has no public way to get the fixtures that were requested at run time.
        request = getattr(item, "_request", None)
        used: set[str] = set()
        names = self._named(set(request.fixturenames)) if request is not None else set()
        while names:
            used |= names
            names = set().union(*(self._needed[name] for name in names)) - used
        return used

    def _named(self, names: set[str]) -> set[str]:
        """Return the full names of the shared fixtures with an argument name in *names*."""
        return {name for name, alive in self._alive.items() if alive.argname in names}

    def _take(self, version: Any, request: ObservedRequest) -> None:
        # A CRD that a test builds is not the project's, and some tests build thousands.
        if version.crd.written is not None:
            self._collector.take(version, request)

    def _hear(self, verdict: JudgedCase) -> None:
        self._collector.hear(verdict)

    @property
    def _collector(self) -> Collector:
        """The collector of the current requests."""
        if self._setups:
            return self._setups[-1][1]
        return self._attempt.collector if self._loose is None else self._loose


def _name(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> str:
    """Return the name of a fixture, the same in each process, with the number of its parameter."""
    return f"{fixturedef.baseid}::{fixturedef.argname}[{getattr(request, 'param_index', 0)}]"

"""
The hooks that know who makes a request: the test that runs, or a fixture that several tests share.

Requests count from the setup of a test to its teardown; those that are made while tests are collected only look for mistakes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_crd.cases.caseverdicts import JudgedCase
from pytest_crd.coverage.accounts import Attempt, Ledger
from pytest_crd.coverage.collector import Collector
from pytest_crd.engine.observer import OF_PROCESS, ObservedRequest


class Askers:
    """
    Tells requests apart by who makes them.

    Attributes:
        ledger: Where that is noted.
    """

    def __init__(self) -> None:
        """Begin with nobody."""
        self.ledger = Ledger()
        self._attempt = Attempt()
        # What collects for the fixtures that are set up, the innermost last, each with its name where tests share it.
        self._setups: list[tuple[str, Collector]] = []
        # What is asked while a test begins or ends, outside of the setup of a fixture: by one that ends, or by the test.
        self._loose: Collector | None = None
        # The fixtures that tests share and that are set up: their definitions by name, and which of them each needs.
        self._alive: dict[str, pytest.FixtureDef[Any]] = {}
        self._needed: dict[str, set[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Collect what a test and its fixtures ask for, in each of its tries."""
        self._attempt = Attempt()
        with OF_PROCESS.heard_by(request=self._take, verdict=self._hear):
            try:
                return (yield)
            finally:
                self.ledger.close(self._attempt)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, None, None]:
        """Begin a try: those before it, as of pytest-rerunfailures, do not count."""
        if self._attempt.is_begun:
            self._attempt = Attempt()
        self._attempt.is_begun = True
        with self._loosely():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        """Note which fixtures the test has used, before they end."""
        self._attempt.fixtures |= self._used(item)
        with self._loosely():
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of how a phase of the test has ended; with pytest-xdist, nobody asks in the process that hears of all."""
        # One that was expected to fail and did not says nothing where it is broken.
        is_passed = report.passed and not hasattr(report, "wasxfail")
        self._attempt.hear(report.when, is_passed=is_passed)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """Collect what a fixture asks: for the test, if it is its own, else for all that use it."""
        if request.scope == "function":
            name, collector = "", self._attempt.collector
        else:
            name = _name(fixturedef, request)
            collector = self.ledger.of_fixture(name)
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
        """Note what a fixture has asked at its end."""
        name = next((name for name, alive in self._alive.items() if alive is fixturedef), "")
        collector = self.ledger.of_fixture(name) if name else self._attempt.collector
        if name:
            del self._alive[name]
            self._attempt.ended.add(name)
        if self._loose is not None:
            collector.add(self._loose)
            self._loose = Collector()

    @contextmanager
    def _loosely(self) -> Iterator[None]:
        """Keep apart what is asked in the context, until it is known by whom; at the end, it was the test."""
        self._loose = Collector()
        try:
            yield
        finally:
            self._attempt.collector.add(self._loose)
            self._loose = None

    def _used(self, item: pytest.Item) -> set[str]:
        """Return the shared fixtures that a test has used, and those that they need."""
        # pytest has no public way to ask for those that were asked for while it ran.
        request = getattr(item, "_request", None)
        used: set[str] = set()
        found = self._named(set(request.fixturenames)) if request is not None else set()
        while found:
            used |= found
            found = set().union(*(self._needed[name] for name in found)) - used
        return used

    def _named(self, names: set[str]) -> set[str]:
        """Return the shared fixtures that are set up, of those *names* in tests."""
        return {name for name, alive in self._alive.items() if alive.argname in names}

    def _take(self, version: Any, request: ObservedRequest) -> None:
        # A CRD that a test makes up is its own, and some tests make up thousands.
        if version.crd.written is not None:
            self._collector.take(version, request)

    def _hear(self, verdict: JudgedCase) -> None:
        self._collector.hear(verdict)

    @property
    def _collector(self) -> Collector:
        """What collects now."""
        if self._setups:
            return self._setups[-1][1]
        return self._attempt.collector if self._loose is None else self._loose


def _name(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> str:
    """Return what names a fixture in each process, with the number of its parameter."""
    return f"{fixturedef.baseid}::{fixturedef.argname}[{getattr(request, 'param_index', 0)}]"

"""
Accounts: the points reached by tests and fixtures, and whether they count.

The points of a test count if its last attempt passed. The points of a fixture that several tests share count if all tests that used it
passed, in all processes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_crd.coverage import data
from pytest_crd.coverage.collector import Collector
from pytest_crd.coverage.data import Data

_PHASES: Final = frozenset({"setup", "call", "teardown"})


class Attempt:
    """
    One attempt of a test.

    Attributes:
        collector: The collector of its own requests.
        fixtures: The shared fixtures that it used.
        ended: The shared fixtures that were torn down with it.
        is_begun: Whether its setup has begun.
    """

    def __init__(self) -> None:
        self.collector = Collector()
        self.fixtures: set[str] = set()
        self.ended: set[str] = set()
        self.is_begun = False
        self._passed: set[str] = set()
        self._failed: set[str] = set()

    def hear(self, phase: str, *, is_passed: bool) -> None:
        """Record the outcome of a phase: setup, call or teardown."""
        (self._passed if is_passed else self._failed).add(phase)

    @property
    def has_passed(self) -> bool:
        """Whether all phases have passed."""
        return not self._failed and self._passed >= _PHASES

    @property
    def has_ended_badly(self) -> bool:
        """Whether its teardown has failed, which may be the fault of a fixture that ended with it."""
        return "teardown" in self._failed


@dataclass(slots=True)
class Shared:
    """
    The points that a shared fixture has reached.

    Attributes:
        reached: The reached points.
        has_passed: Whether a test that used the fixture has passed.
        has_failed: Whether a test that used the fixture has failed.
    """

    reached: Data = field(default_factory=Data)
    has_passed: bool = False
    has_failed: bool = False


@dataclass(slots=True)
class Accounts:
    """
    The reached points of tests and fixtures, in a form that is exchanged between processes.

    Attributes:
        reached: The points reached by passed tests.
        shared: The points reached by shared fixtures, by a name that is unique in the session.
        uncounted: The number of tests that made requests and did not pass.
    """

    reached: Data = field(default_factory=Data)
    shared: dict[str, Shared] = field(default_factory=dict)
    uncounted: int = 0

    def add(self, accounts: Accounts) -> None:
        """Add the accounts of another process."""
        self.reached.add(accounts.reached)
        self.uncounted += accounts.uncounted
        for name, theirs in accounts.shared.items():
            own = self.shared.setdefault(name, Shared())
            own.reached.add(theirs.reached)
            own.has_passed |= theirs.has_passed
            own.has_failed |= theirs.has_failed

    def settle(self) -> Data:
        """Return the points that count, after the last test."""
        settled = Data()
        settled.add(self.reached)
        for fixture in self.shared.values():
            if fixture.has_passed and not fixture.has_failed:
                settled.add(fixture.reached)
        return settled

    def to_json(self) -> dict[str, Any]:
        """Return the accounts as a JSON value."""
        shared = {
            name: {"reached": fixture.reached.to_json(), "passed": fixture.has_passed, "failed": fixture.has_failed}
            for name, fixture in self.shared.items()
        }
        return {"reached": self.reached.to_json(), "shared": shared, "uncounted": self.uncounted}


def from_json(value: Any) -> Accounts:
    """Return the accounts from the JSON value of another process."""
    shared = {
        name: Shared(data.from_json(fixture["reached"]), fixture["passed"], fixture["failed"])
        for name, fixture in value["shared"].items()
    }
    return Accounts(data.from_json(value["reached"]), shared, value["uncounted"])


class Ledger:
    """The collectors of the tests and fixtures of this process."""

    def __init__(self) -> None:
        self._passed = Collector()
        self._shared: dict[str, Collector] = {}
        self._has_passed: set[str] = set()
        self._has_failed: set[str] = set()
        self._uncounted = 0

    def fixture_collector(self, name: str) -> Collector:
        """Return the collector of the shared fixture *name*."""
        return self._shared.setdefault(name, Collector())

    def close(self, attempt: Attempt) -> None:
        """Record the last attempt of a test."""
        if attempt.has_passed:
            self._passed.add(attempt.collector)
            self._has_passed |= attempt.fixtures
        else:
            self._uncounted += bool(attempt.collector.crds)
            self._has_failed |= attempt.fixtures
        if attempt.has_ended_badly:
            self._has_failed |= attempt.ended

    def accounts(self, root: Path) -> Accounts:
        """Return the reached points; file names below *root* are relative to it."""
        shared = {
            name: Shared(data.export_collector(collector, root), name in self._has_passed, name in self._has_failed)
            for name, collector in self._shared.items()
            if collector.crds
        }
        return Accounts(data.export_collector(self._passed, root), shared, self._uncounted)

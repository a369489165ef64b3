"""
Accounts: who has asked for what, and whether it counts.

What a test has reached counts where it has passed, by its last try. What a fixture has reached that several tests share counts where
each test that used it has passed, in whichever process.
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
    One try of a test.

    Attributes:
        collector: What it has reached itself.
        fixtures: The fixtures that it used and that others may use too.
        ended: Those of them, or of others, that ended with it.
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
        """Take note of how a phase has ended: its setup, its call, its teardown."""
        (self._passed if is_passed else self._failed).add(phase)

    @property
    def has_passed(self) -> bool:
        """Whether all of it has passed."""
        return not self._failed and self._passed >= _PHASES

    @property
    def has_ended_badly(self) -> bool:
        """Whether its teardown has failed, and so that of a fixture that ended with it."""
        return "teardown" in self._failed


@dataclass(slots=True)
class Shared:
    """
    What a fixture has reached that several tests share.

    Attributes:
        reached: What it has reached.
        has_passed: Whether a test that used it has passed.
        has_failed: Whether one has not.
    """

    reached: Data = field(default_factory=Data)
    has_passed: bool = False
    has_failed: bool = False


@dataclass(slots=True)
class Accounts:
    """
    What tests and fixtures have reached, as it travels between processes.

    Attributes:
        reached: What tests that passed have reached.
        shared: What fixtures have reached that several tests share, by what names them in each process.
        uncounted: How many tests made requests and did not pass.
    """

    reached: Data = field(default_factory=Data)
    shared: dict[str, Shared] = field(default_factory=dict)
    uncounted: int = 0

    def add(self, other: Accounts) -> None:
        """Add those of another process."""
        self.reached.add(other.reached)
        self.uncounted += other.uncounted
        for name, theirs in other.shared.items():
            own = self.shared.setdefault(name, Shared())
            own.reached.add(theirs.reached)
            own.has_passed |= theirs.has_passed
            own.has_failed |= theirs.has_failed

    def settle(self) -> Data:
        """Return what counts, once there are no more tests."""
        settled = Data()
        settled.add(self.reached)
        for one in self.shared.values():
            if one.has_passed and not one.has_failed:
                settled.add(one.reached)
        return settled

    def to_json(self) -> dict[str, Any]:
        """Return them as JSON."""
        shared = {
            name: {"reached": one.reached.to_json(), "passed": one.has_passed, "failed": one.has_failed}
            for name, one in self.shared.items()
        }
        return {"reached": self.reached.to_json(), "shared": shared, "uncounted": self.uncounted}


def from_json(value: Any) -> Accounts:
    """Return what another process has made JSON of."""
    shared = {
        name: Shared(data.from_json(one["reached"]), one["passed"], one["failed"])
        for name, one in value["shared"].items()
    }
    return Accounts(data.from_json(value["reached"]), shared, value["uncounted"])


class Ledger:
    """Who asks, in this process, while its tests run."""

    def __init__(self) -> None:
        self._passed = Collector()
        self._shared: dict[str, Collector] = {}
        self._has_passed: set[str] = set()
        self._has_failed: set[str] = set()
        self._uncounted = 0

    def of_fixture(self, name: str) -> Collector:
        """Return what collects what a fixture asks that several tests share."""
        return self._shared.setdefault(name, Collector())

    def close(self, attempt: Attempt) -> None:
        """Take the last try of a test."""
        if attempt.has_passed:
            self._passed.add(attempt.collector)
            self._has_passed |= attempt.fixtures
        else:
            self._uncounted += bool(attempt.collector.crds)
            self._has_failed |= attempt.fixtures
        if attempt.has_ended_badly:
            self._has_failed |= attempt.ended

    def accounts(self, root: Path) -> Accounts:
        """Return what was reached; *root*: the folder to which files are relative that are below it."""
        shared = {
            name: Shared(data.of_collector(collector, root), name in self._has_passed, name in self._has_failed)
            for name, collector in self._shared.items()
            if collector.crds
        }
        return Accounts(data.of_collector(self._passed, root), shared, self._uncounted)

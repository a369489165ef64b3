"""
Report of branches that no test takes, at the end of a run that counts them.

`.ci/run` counts: it sets `BRANCH_COUNTS` to an empty folder, and `PYTHONPATH` to `tools/branchcounts`. A branch that no test takes fails the run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

import pytest

VARIABLE: Final = "BRANCH_COUNTS"
_MISSING: Final = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """
    Check that this process counts into an empty folder.

    Raises:
        pytest.UsageError: Nothing would be counted, or counts of an earlier run would count too.
    """
    if VARIABLE not in os.environ or hasattr(config, "workerinput"):
        return
    if "branchcounts.counting" not in sys.modules:
        raise pytest.UsageError(
            f"{VARIABLE} is set, but PYTHONPATH does not name tools/branchcounts: nothing is counted"
        )
    folder = Path(os.environ[VARIABLE])
    if not folder.is_dir() or any(folder.iterdir()):
        raise pytest.UsageError(f"{VARIABLE} names {folder}, which is not an empty folder")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Save the counts of this process; after all workers, fail if a branch is missing."""
    if VARIABLE not in os.environ:
        return
    counting: Any = sys.modules["branchcounts.counting"]
    counting.Count.running.save()
    if not hasattr(session.config, "workerinput"):
        session.config.stash[_MISSING] = missing = [*counting.missing(counting.merge(Path(os.environ[VARIABLE])))]
        if missing and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the lines and branches that no process took."""
    missing = config.stash.get(_MISSING, None)
    if missing is not None:
        terminalreporter.section("branch coverage", sep="-")
        terminalreporter.write_line(f"{len(missing)} files have untested lines or branches", red=bool(missing))
        for line in missing:
            terminalreporter.write_line(line, red=True)

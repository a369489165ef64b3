"""A pytest plugin that writes the outcome of each test as a line of JSON, and ends a test after its time."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

_REPORT: Final = "SUITE_REPORT"
_SECONDS: Final = 15


class SlowTestError(Exception):
    """A test that takes too long."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """End a test that takes too long."""

    def end(_signal: int, _frame: object) -> None:
        raise SlowTestError(f"{item.nodeid} takes more than {_SECONDS} s")

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS, _SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write the outcome of a test, and of a failing setup or teardown."""
    if report.skipped or (report.when != "call" and report.passed):
        return
    line = {
        "test": report.nodeid,
        "passed": report.passed,
        "message": "" if report.passed else report.longreprtext[-2000:],
    }
    with Path(os.environ[_REPORT]).open("a", encoding="utf-8") as file:
        print(json.dumps(line), file=file)

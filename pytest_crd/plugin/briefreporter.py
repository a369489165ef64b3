"""Terminal reporter of `pytest-crd test` without `-v`: failures and one line of totals, without a header and without a line for each file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from typing import Any, Final, TextIO

import pytest
from _pytest.terminal import TerminalReporter

from pytest_crd import progress
from pytest_crd.plugin import alone, options, progressline
from pytest_crd.progress import Tell

_NAME: Final = "terminalreporter"
_REASONS: Final = "fE"  # pytest's default of `-r`


# pytest marks its reporter as final, and has no other way to replace its lines.
class BriefReporter(TerminalReporter):  # type: ignore[misc]
    """Reporter that writes failures, the messages of plugins, and totals."""

    def __init__(self, config: pytest.Config, file: TextIO) -> None:
        """Create it with the session's configuration and the file for its lines."""
        super().__init__(config, file)
        self.showfspath = False
        self._is_silent = False
        self._done = 0
        self._tell: Tell = progress.ignore_step

    @property
    def verbosity(self) -> int:
        """The verbosity of the lines around failures: as with `-q`."""
        return min(-1, super().verbosity)

    def report_collect(self, final: bool = False) -> None:  # noqa: FBT001, FBT002 - pytest's signature
        """Write nothing about collection."""

    def pytest_collection(self) -> None:
        """Write nothing about collection."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a report, and write neither its letter nor its word."""
        self._is_silent = True
        super().pytest_runtest_logreport(report)
        self._is_silent = False

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, tuple[str, Any, Any], tuple[str, Any, Any]]:
        """Return the category of a report, without its letter and word while it is counted."""
        category, letter, word = yield
        return (category, "", "") if self._is_silent else (category, letter, word)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Show the number of finished tests on a terminal while tests run."""
        with progressline.get_progress(self.config)("tests") as self._tell:
            return (yield)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Count a finished test."""
        self._done += 1
        self._tell(self._done, self._session.testscollected if self._session else self._done, nodeid)

    def summary_errors(self) -> None:
        """Write the errors of files that cannot be collected, as failures are written."""
        self._write_reports("error", super().summary_errors)

    def summary_failures(self) -> None:
        """Write the failures; each begins with its own title."""
        self._write_reports("failed", super().summary_failures)

    def _write_reports(self, outcome: str, write_as_pytest: Callable[[], None]) -> None:
        if self.config.option.tbstyle in {"no", "line"}:
            write_as_pytest()
            return
        for report in self.getreports(outcome):
            title, *_ = report.longreprtext.splitlines() or [""]
            if report.location[2] not in title:
                self.write_line(report.nodeid, bold=True)
            self._outrep_summary(report)
            self.line("")

    def short_test_summary(self) -> None:
        """Write a line for each test only if `-r` asks for it."""
        if self.config.getoption("reportchars") != _REASONS:
            super().short_test_summary()


def install(config: pytest.Config) -> None:
    """Replace pytest's reporter in a session for CRDs alone, unless `-v` asks for all lines, or they go to stderr."""
    manager, has_results = config.pluginmanager, bool(config.getoption(options.STDOUT_DEST))
    file = sys.stderr if has_results else sys.stdout
    is_brief = alone.is_brief(config)
    if (is_brief or has_results) and type(manager.get_plugin(_NAME)) is TerminalReporter:
        manager.unregister(name=_NAME)
        manager.register(BriefReporter(config, file) if is_brief else TerminalReporter(config, file), _NAME)

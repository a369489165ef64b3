"""The hooks of a session that writes what is observed into case files."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from pytest_crd.casefiles import filereplacement, notes
from pytest_crd.casefiles.notes import FillOutcome, Note
from pytest_crd.casefiles.observation import Mode
from pytest_crd.plugin import session
from pytest_crd.plugin.features.fill.content import Content
from pytest_crd.plugin.items import cases, extensions
from pytest_crd.plugin.settings import project

# The attribute of a report with what is to be written into a case file; it travels with it from a worker of pytest-xdist.
_OBSERVED: Final = "crd_observed"


class Hooks:
    """Has cases observed where they run, and writes their files in one process: the only one, or the controller of pytest-xdist."""

    def __init__(self, config: pytest.Config, settings: Mode) -> None:
        """Take the session's configuration, and how much is written."""
        self._config = config
        self._mode = settings
        self._is_worker = hasattr(config, "workerinput")
        self._notes: list[Note] = []
        self._outcome = FillOutcome()
        config.stash[extensions.FILLER] = self

    def content(self, path: Path, text: bytes, *, is_suite: bool) -> Content:
        """Return the file at *path*, which holds *text*."""
        versions = project.kubernetes_versions(self._config)
        return Content(path.resolve(), filereplacement.digest(text), is_suite, self._mode, versions)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put what was observed of a case into the report on it."""
        report = yield
        if call.when == "call" or (call.when == "setup" and report.skipped):
            setattr(report, _OBSERVED, cases.observed_json(item))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what was observed."""
        text: str = getattr(report, _OBSERVED, "")
        if text:
            note = Note.from_json(text)
            is_known_to_fail = hasattr(report, "wasxfail")
            if note.is_to_be_written and (is_known_to_fail or not report.passed):
                problem = f"its test {'is known to fail' if is_known_to_fail else report.outcome}"
                note = note._replace(problem=problem)
            self._notes.append(note)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write it, unless the session was stopped; where something cannot be written, the session has failed."""
        if self._is_worker:
            return
        is_over = session.exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
        with _stops() as heard:
            self._outcome = notes.write(self._notes, display_name=_shown, is_stopped=lambda: is_over or bool(heard))
        if heard:
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        if session.exitstatus == pytest.ExitCode.OK and any(line.problem for line in self._outcome.lines):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was written, and what was not."""
        from pytest_crd.report import casefilechanges  # noqa: PLC0415 - not before something was written

        for line in casefilechanges.lines(self._outcome, display_name=_shown):
            terminalreporter.write_line(line)


@contextlib.contextmanager
def _stops() -> Iterator[list[int]]:
    """Give a list that hears of the first Ctrl-C or SIGTERM, so that a file is written whole; another one means what it always does."""
    heard: list[int] = []
    handlers: dict[int, Any] = {}

    def restore() -> None:
        while handlers:
            signal.signal(*handlers.popitem())

    def hear(number: int, _: FrameType | None) -> None:
        heard.append(number)
        restore()

    if threading.current_thread() is threading.main_thread():  # which alone may ask for signals
        handlers |= {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield heard
    finally:
        restore()


def _shown(path: Path) -> str:
    return session.display_path(path)

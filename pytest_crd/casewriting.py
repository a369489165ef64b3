"""What `--crd-fill` and `--crd-update` do in a session: cases are observed where they run, and one process writes the files."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pytest

from pytest_crd import options, session
from pytest_crd.cases.model import Case
from pytest_crd.cases.result import CaseResult
from pytest_crd.writing import files, notes, observation
from pytest_crd.writing.notes import Note, Outcome
from pytest_crd.writing.observation import Mode, Observed


class Content(NamedTuple):
    """
    A file with cases, as it was read.

    Attributes:
        path: The file; of a link, what it leads to.
        digest: The digest of its content.
        is_suite: Whether it is in the format of openshift/api.
    """

    path: Path
    digest: str
    is_suite: bool


def content(path: Path, text: bytes, *, is_suite: bool) -> Content:
    """Return what is known of the file at *path*, which holds *text*."""
    return Content(path.resolve(), files.digest(text), is_suite)


def observe(
    case: Any, run: Callable[[Any], CaseResult], content: Content, config: pytest.Config, *, version: str
) -> tuple[CaseResult, Note]:
    """
    Return the outcome of *case*, as it will be once it is written, and what is to be written.

    Args:
        case: The case.
        run: What runs it, or the same case with other expectations.
        content: Its file.
        config: What is set.
        version: The Kubernetes version that it is run for, where the session has several; else empty.

    Raises:
        InputError: What the case says cannot be.
    """
    mode = Mode(options.writing(config))
    observed = _of_suite(run(case), mode) if content.is_suite else observation.observe(case, run, mode)
    note = Note(
        path=str(content.path),
        digest=content.digest,
        name=case.name,
        title=case.title,
        line=case.line,
        version=version,
        versions=options.kubernetes_versions(config) if version else (),
        values=observed.values,
        removed=observed.removed,
        filled=observed.filled,
        turn=observed.turn,
        problem=observed.problem,
    )
    return observed.result, note


def passed_over(case: Case, content: Content) -> Note:
    """Return that what *case* leaves out stays so, as it is skipped or known to fail."""
    return Note(str(content.path), content.digest, case.name, case.title, case.line, passed_over=case.passed_over)


def _of_suite(result: CaseResult, mode: Mode) -> Observed:
    is_asked = not result.held and mode >= Mode.UPDATE
    return Observed(result, problem="suites in the format of openshift/api are never written" if is_asked else "")


class Writer:
    """The process that writes: the only one, or the controller of pytest-xdist's workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._notes: list[Note] = []
        self._outcome = Outcome()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what was observed."""
        text: str = getattr(report, "crd_observed", "")
        if text:
            note = Note.from_json(text)
            outcome = "is known to fail" if hasattr(report, "wasxfail") else report.outcome
            is_trusted = outcome == "passed" or not note.values
            self._notes.append(note if is_trusted else note._replace(problem=f"its test {outcome}"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write it, unless the session was stopped; where something cannot be written, the session has failed."""
        is_over = session.exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
        with _stops() as heard:
            self._outcome = notes.write(self._notes, shown=_shown, is_stopped=lambda: is_over or bool(heard))
        if heard:
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        if session.exitstatus == pytest.ExitCode.OK and any(line.problem for line in self._outcome.lines):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was written, and what was not."""
        from pytest_crd.report import writing  # noqa: PLC0415 - not before something was written

        for line in writing.lines(self._outcome, shown=_shown):
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
    return session.shown(path)

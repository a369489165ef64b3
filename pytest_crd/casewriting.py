"""What `--crd-fill` and `--crd-update` do in a session: cases are observed where they run, and one process writes the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_crd import options, session
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
        """Write it, unless the user has stopped the session; where something cannot be written, the session has failed."""
        if session.exitstatus not in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR):
            self._outcome = notes.write(self._notes, shown=_shown)
        if session.exitstatus == pytest.ExitCode.OK and any(line.problem for line in self._outcome.lines):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was written, and what was not."""
        from pytest_crd.report import writing  # noqa: PLC0415 - not before something was written

        for line in writing.lines(self._outcome, shown=_shown):
            terminalreporter.write_line(line)


def _shown(path: Path) -> str:
    return session.shown(path)

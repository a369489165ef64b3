"""Hooks of a session that writes observed results into case files."""

from __future__ import annotations

import contextlib
import functools
import signal
import threading
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import pytest

from pytest_crd.casefiles import filereplacement, notes
from pytest_crd.casefiles.notes import FillOutcome, Note
from pytest_crd.casefiles.observation import Mode
from pytest_crd.cases.model import CaseFile
from pytest_crd.generation import baseobjects
from pytest_crd.plugin import session
from pytest_crd.plugin.features.fill.content import Content
from pytest_crd.plugin.items import cases, extensions
from pytest_crd.plugin.session import Part
from pytest_crd.plugin.settings import project
from pytest_crd.report import casefilechanges
from pytest_crd.wording import escape_lines

# The attribute of a report with the note to write into a case file; it travels with the report from a worker of pytest-xdist.
_OBSERVED: Final = "crd_observed"


class _Repair(NamedTuple):
    """The repaired text of a case file, with the digest of the old one."""

    old: str
    text: baseobjects.RepairedText


class Hooks:
    """Collects the notes of all cases, and writes their files in one process: the only one, or the controller of pytest-xdist."""

    def __init__(self, config: pytest.Config, settings: Mode) -> None:
        """Create the hooks with the session's configuration, and how much is written."""
        self._config = config
        self._mode = settings
        self._is_worker = hasattr(config, "workerinput")
        self._notes: list[Note] = []
        self._outcome = FillOutcome()
        self._repairs: dict[Path, _Repair] = {}
        session.add_part(config, self._part)
        config.stash[extensions.FILLER] = self

    def content(self, path: Path, text: bytes, *, is_suite: bool) -> Content:
        """Return the case file at *path*, which has the content *text*."""
        versions = project.kubernetes_versions(self._config)
        return Content(path.resolve(), filereplacement.digest(text), is_suite, self._mode, versions)

    def repair(self, path: Path, text: bytes, parts: Sequence[CaseFile]) -> bytes:
        """
        Return the content of the case file at *path* with base objects that are accepted; it is written once its cases are chosen.

        With `--crd-update` a base object that is refused would change each case that uses it.
        """
        if self._mode < Mode.UPDATE or self._config.option.collectonly:
            return text
        catalog = session.catalogs(self._config)[0]
        find_version = functools.partial(catalog.version_of, folder=path.parent)
        repaired = baseobjects.repair(text, parts, find_version, source=_display(path))
        if repaired is None:
            return text
        self._repairs[path.resolve()] = _Repair(filereplacement.digest(text), repaired)
        return repaired.content

    @pytest.hookimpl(tryfirst=True)  # before the header
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Write the repaired files, but only those with a case that is run."""
        is_stopped = session.testsfailed and not self._config.option.continue_on_collection_errors
        bound_cases = [] if is_stopped else map(cases.bound_case, session.items)
        paths = {bound.path.resolve() for bound in bound_cases if bound is not None}
        self._repairs = {path: repair for path, repair in self._repairs.items() if path in paths}
        for path, repair in self._repairs.items():
            with contextlib.suppress(
                filereplacement.ChangedError
            ):  # another worker of pytest-xdist has written the same
                filereplacement.replace(path, repair.text.content, old=repair.old)

    def _part(self) -> Part | None:
        """Return the repairs for the header, even with `-q`: other cases of these files use the objects, too."""
        lines = (
            f"{_display(path)}: the base object has other values now: {', '.join(repair.text.fields)}"
            for path, repair in self._repairs.items()
        )
        return Part(not_tested=tuple(lines)) if self._repairs else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the note of a case to its test report."""
        report = yield
        if call.when == "call" or (call.when == "setup" and report.skipped):
            setattr(report, _OBSERVED, cases.observed_json(item))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the note of a case; a test that failed gets no result written."""
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
        """Write the notes unless the session was stopped; if a file cannot be written, the session fails."""
        if self._is_worker:
            return
        is_over = session.exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
        with _stops() as received:
            self._outcome = notes.write(
                self._notes, display_name=_display, is_stopped=lambda: is_over or bool(received)
            )
        if received:
            session.exitstatus = pytest.ExitCode.INTERRUPTED
        if session.exitstatus == pytest.ExitCode.OK and any(line.problem for line in self._outcome.lines):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write which files were changed, and which cases were not."""
        for line in casefilechanges.lines(self._outcome, display_name=_display):
            terminalreporter.write_line(escape_lines(line))


@contextlib.contextmanager
def _stops() -> Iterator[list[int]]:
    """Yield a list that gets the first SIGINT or SIGTERM, so that a file is written whole; a second signal has its usual effect."""
    received: list[int] = []
    handlers: dict[int, Any] = {}

    def restore() -> None:
        while handlers:
            signal.signal(*handlers.popitem())

    def receive(number: int, _: FrameType | None) -> None:
        received.append(number)
        restore()

    if threading.current_thread() is threading.main_thread():  # other threads cannot set signal handlers
        handlers |= {number: signal.signal(number, receive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        restore()


def _display(path: Path) -> str:
    return session.display_path(path)

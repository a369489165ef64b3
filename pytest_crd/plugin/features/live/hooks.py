"""Hooks of a session with a live server: header, temporary CRDs and their removal, and counts of the answers."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any, Final

import pytest

from pytest_crd.cases.questions import AnyQuestion
from pytest_crd.engine.observer import SESSION
from pytest_crd.live import connection
from pytest_crd.live.lease import Remnant
from pytest_crd.live.policies.livepolicies import PolicyJudge
from pytest_crd.live.run import LiveOutcome, LiveVerdict, Run
from pytest_crd.live.transport import NoAnswerError
from pytest_crd.plugin import progressline
from pytest_crd.plugin.features.live import items
from pytest_crd.plugin.features.live.lookahead import Lookahead
from pytest_crd.plugin.items import extensions
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import TextItem
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.live import LiveSettings
from pytest_crd.report import remarkwords
from pytest_crd.wording import escape_lines

# The properties of a test with the outcome of its questions, and with notes about the answers.
_OUTCOME: Final = "crd_live"
_NOTE: Final = "crd_live_note"
_RUN: Final = "pytest_crd_live_run"
_LEFT: Final = "pytest_crd_live_left"
_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


class Hooks:
    """
    Sends the questions of tests to the live server, and reports the outcome.

    Attributes:
        address: The address of the server, for messages.
    """

    def __init__(self, config: pytest.Config, settings: LiveSettings) -> None:
        """
        Connect to the server and read its version.

        Raises:
            UsageError: The server does not answer, or its version is unknown.
        """
        try:
            self._target = connection.connect(settings.server, settings.context, base=settings.base)
        except connection.UsageProblemError as error:
            raise pytest.UsageError(f"--crd-live: {error}") from None
        self.address = self._target.server.address
        self._config = config
        self._worker_input: dict[str, Any] | None = getattr(config, "workerinput", None)
        run_id = self._worker_input[_RUN] if self._worker_input else ""
        self._run = Run(self._target, PolicyJudge, run_id=run_id, installed=settings.is_installed)
        self._is_installed = settings.is_installed
        self._verdicts: list[LiveVerdict] = []
        self._item: pytest.Item | None = None
        self._lookahead = Lookahead(self._run, self._target.server.worker_lock, SESSION)
        self._counts: Counter[LiveOutcome] = Counter()
        self._reasons: Counter[tuple[LiveOutcome, str]] = Counter()
        self._lines: list[str] = []
        self._handlers: dict[int, Any] = {}
        config.stash[extensions.COMPANION] = self

    def mirror(self, place: TestPlace) -> AbstractContextManager[None]:
        """Send the questions of a test to the server, too, until the end of the `with` block."""
        return items.compare_answers(self, place, SESSION)

    def judge(self, questions: list[AnyQuestion]) -> LiveVerdict:
        """Return the verdict on the questions of a test, and keep it for the test report."""
        verdict = self._lookahead.verdict(self._item, questions)
        self._verdicts.append(verdict)
        return verdict

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """Send the questions of the next tests in advance; a worker of pytest-xdist knows only one next test."""
        with self._target.server.worker_lock.acquired():
            self._item = item
            if self._worker_input is not None:
                self._lookahead.ask_all([item, *([nextitem] if nextitem else ())])
            else:
                self._lookahead.ask_next(item, item.session.items)
                if item is item.session.items[0]:  # before later tests, pytest's own output occupies the line
                    self._wait(item)
            return (yield)

    def _wait(self, item: pytest.Item) -> None:
        """Show the number of installed CRDs while a test waits for its own."""
        with progressline.get_progress(self._config)("live: CRDs on the server") as tell:
            self._lookahead.wait(item, lambda: tell(*self._run.counts, ""))

    def pytest_report_header(self) -> list[str]:
        """Return the lines about the server, before any write there."""
        return self._header()

    def pytest_sessionstart(self) -> None:
        """Write these lines if pytest shows no header, and handle signals that end the session like Ctrl-C."""
        if self._worker_input is not None:
            return
        if getattr(self._config.option, "verbose", 0) < 0 or getattr(self._config.option, "no_header", False):
            self._write(self._header())
        for number in _SIGNALS:
            self._handlers[number] = signal.signal(number, _interrupt)

    def _header(self) -> list[str]:
        how = "the CRDs that are installed, by dry runs" if self._is_installed else "CRDs in groups of their own"
        lines = [f"crd: live: {self._target}: {how}"]
        if self._target.server.is_trusted_blindly:
            lines.append("crd: live: its certificate is not verified: the kubeconfig says insecure-skip-tls-verify")
        versions = project.kubernetes_versions(self._config)
        if versions != (self._target.version,):
            lines.append(
                f"crd: live: tests answer for Kubernetes {', '.join(versions)}, and are compared as {self._target.version}"
            )
        return lines

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Send the id of the run to a worker of pytest-xdist."""
        node.workerinput[_RUN] = self._run.id

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Remove remnants of earlier runs, name the remaining ones, and begin to create the CRDs of this run."""
        if self._worker_input is not None or session.config.option.collectonly:
            return
        self._report_remnants()
        if not self._is_installed:
            self._lookahead.prepare(session.items)

    def _report_remnants(self) -> None:
        try:
            removed, others = self._run.clear_up()
        except NoAnswerError as error:
            self._write([f"crd: live: whether earlier runs have left something is not known: {error}"])
            return
        if removed:
            self._write_remnants("removed leftovers of an earlier run", removed)
        if others:
            self._write_remnants("left alone, of another run or not ours", others)

    def _write_remnants(self, words: str, remnants: Sequence[Remnant]) -> None:
        """Write remnants on the server: one by its name, several as a count, with `-v` by name, with `-vv` with their leases."""
        verbosity = self._config.get_verbosity()
        is_whole = verbosity > 1 or len(remnants) == 1
        names = [str(remnant) if is_whole else f"{remnant.kind}/{remnant.name}" for remnant in remnants]
        self._write(
            [f"crd: live: {words}: {line}" for line in remarkwords.listed(names, "objects", verbosity=verbosity)]
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the outcome of a test's questions to its report."""
        if call.when == "call":
            verdicts, self._verdicts = self._verdicts, []
            if not verdicts and _has_server(item):
                verdicts = [] if call.excinfo else [LiveVerdict(LiveOutcome.AGREED)]
            elif not verdicts and (reason := _unasked_reason(item)):
                verdicts = [LiveVerdict(LiveOutcome.NOT_ASKED, reason)]
            for verdict in verdicts:
                text = f"{verdict.outcome}: {verdict.reason}" if verdict.reason else str(verdict.outcome)
                item.user_properties.append((_OUTCOME, text))
                item.user_properties.extend((_NOTE, note) for note in verdict.notes)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the outcomes; the controller of pytest-xdist counts for all workers."""
        if report.when != "call":
            return
        for name, value in report.user_properties:
            if name == _OUTCOME:
                outcome, _, reason = str(value).partition(": ")
                self._counts[LiveOutcome(outcome)] += 1
                if LiveOutcome(outcome) is LiveOutcome.NOT_ASKED:
                    self._reasons[LiveOutcome.NOT_ASKED, reason] += 1
            elif name == _NOTE:
                self._reasons[LiveOutcome.AGREED, str(value)] += 1

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Remove all objects of the run, and fail a session in which no question was answered."""
        self._lookahead.end()
        try:
            lines = self._run.end(whole=self._worker_input is None)
        except KeyboardInterrupt:
            self._write(
                [f"crd: live: left on the server: {', '.join(self._run.names)}; to remove it: {self._run.command}"]
            )
            raise
        if self._worker_input is not None:
            session.config.workeroutput[_LEFT] = lines  # type: ignore[attr-defined] # workers of pytest-xdist have it
            return
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._lines += lines
        is_answered = self._counts[LiveOutcome.AGREED] + self._counts[LiveOutcome.DISAGREED] > 0
        if not is_answered and session.exitstatus == pytest.ExitCode.OK and not session.config.option.collectonly:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Keep the messages of a worker of pytest-xdist about objects that it could not remove."""
        self._lines += getattr(node, "workeroutput", {}).get(_LEFT, ())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the summary: counts, reasons for skipped questions, and leftovers on the server."""
        if self._config.option.collectonly:
            return
        counts = ", ".join(
            f"{self._counts[outcome]} {outcome}"
            for outcome in (LiveOutcome.AGREED, LiveOutcome.DISAGREED, LiveOutcome.NOT_ASKED, LiveOutcome.NO_ANSWER)
        )
        answered = self._counts[LiveOutcome.AGREED] + self._counts[LiveOutcome.DISAGREED]
        terminalreporter.write_line(
            f"crd: live: {counts}" + ("" if answered else ": nothing was answered"), red=not answered
        )
        for (outcome, reason), count in self._reasons.most_common():
            terminalreporter.write_line(escape_lines(f"crd: live: {count} {outcome}: {reason}"))
        for line in dict.fromkeys(self._lines):
            terminalreporter.write_line(escape_lines(f"crd: live: {line}"), red=True)

    def _write(self, lines: list[str]) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        for line in lines if reporter is not None else ():  # pytest may run without a terminal
            reporter.write_line(escape_lines(line))


def _has_server(item: pytest.Item) -> bool:
    """Return whether a test uses the live server through `crd_server`."""
    return "crd_server" in getattr(item, "fixturenames", ())


def _unasked_reason(item: pytest.Item) -> str:
    """Return why a test about CRDs had no questions; empty for a test about something else."""
    if isinstance(item, TextItem) and item.unasked:
        return item.unasked
    if {"crd", "crd_version", "crds"} & {*getattr(item, "fixturenames", ())}:
        return "a Python test asks the engine alone"
    return ""


def _interrupt(number: int, _: FrameType | None) -> None:
    raise KeyboardInterrupt(signal.Signals(number).name)

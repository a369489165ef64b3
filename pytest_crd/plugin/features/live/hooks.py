"""The hooks of a session that asks a server, too: what it says first, what it makes and removes there, and what it counts."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any, Final

import pytest

from pytest_crd.cases.questions import AnyQuestion
from pytest_crd.live import connection
from pytest_crd.live.lease import Remnant
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

# The property of a test with what became of its questions, and with what is worth to know of the answers.
_OUTCOME: Final = "crd_live"
_NOTE: Final = "crd_live_note"
_RUN: Final = "pytest_crd_live_run"
_LEFT: Final = "pytest_crd_live_left"
_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)


class Hooks:
    """
    Asks the server what tests ask, and tells what came of it.

    Attributes:
        address: What a person calls the server.
    """

    def __init__(self, config: pytest.Config, settings: LiveSettings) -> None:
        """
        Ask the server for its version.

        Raises:
            UsageError: It does not say one that is known, or is not there.
        """
        try:
            self._target = connection.connect(settings.server, settings.context, base=settings.base)
        except connection.UsageProblemError as error:
            raise pytest.UsageError(f"--crd-live: {error}") from None
        self.address = self._target.server.address
        self._config = config
        self._of_controller: dict[str, Any] | None = getattr(config, "workerinput", None)
        run_id = self._of_controller[_RUN] if self._of_controller else ""
        self._run = Run(self._target, run_id=run_id, installed=settings.is_installed)
        self._is_installed = settings.is_installed
        self._new: list[LiveVerdict] = []
        self._item: pytest.Item | None = None
        self._lookahead = Lookahead(self._run, self._target.server.worker_lock)
        self._counts: Counter[LiveOutcome] = Counter()
        self._reasons: Counter[tuple[LiveOutcome, str]] = Counter()
        self._lines: list[str] = []
        self._handlers: dict[int, Any] = {}
        config.stash[extensions.COMPANION] = self

    def mirror(self, place: TestPlace) -> AbstractContextManager[None]:
        """Ask what a test asks until the end of the `with` block."""
        return items.beside(self, place)

    def ask(self, questions: list[AnyQuestion]) -> LiveVerdict:
        """Return what becomes of the questions of a test, and count it."""
        verdict = self._lookahead.verdict(self._item, questions)
        self._new.append(verdict)
        return verdict

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """Begin to ask what the next tests will ask; in a worker of pytest-xdist, the next one alone is known."""
        with self._target.server.worker_lock.held():
            self._item = item
            if self._of_controller is not None:
                self._lookahead.ask_all([item, *([nextitem] if nextitem else ())])
            else:
                self._lookahead.ask(item, item.session.items)
                if item is item.session.items[0]:  # the only one before which nothing stands on the terminal's line
                    self._wait(item)
            return (yield)

    def _wait(self, item: pytest.Item) -> None:
        """Tell how many CRDs are installed while a test waits for its own."""
        with progressline.get_progress(self._config)("live: CRDs on the server") as tell:
            self._lookahead.wait(item, lambda: tell(*self._run.counts, ""))

    def pytest_report_header(self) -> list[str]:
        """Say which server is asked, before anything is written there."""
        return self._header()

    def pytest_sessionstart(self) -> None:
        """Say the same where pytest has no header; be as good as Ctrl-C to who ends the session otherwise."""
        if self._of_controller is not None:
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
        """Tell a worker of pytest-xdist whose run it belongs to."""
        node.workerinput[_RUN] = self._run.id

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Remove what earlier runs have left, name what may be left, and begin to make the CRDs of this one."""
        if self._of_controller is not None or session.config.option.collectonly:
            return
        self._tell_remnants()
        if not self._is_installed:
            self._lookahead.prepare(session.items)

    def _tell_remnants(self) -> None:
        try:
            removed, others = self._run.clear_up()
        except NoAnswerError as error:
            self._write([f"crd: live: whether earlier runs have left something is not known: {error}"])
            return
        if removed:
            self._tell("removed what an earlier run has left", removed)
        if others:
            self._tell("left alone, of another run or not ours", others)

    def _tell(self, words: str, found: Sequence[Remnant]) -> None:
        """Say what is left on the server: one by name, more by their count, with `-v` by name, with `-vv` with their leases."""
        verbosity = self._config.get_verbosity()
        names = [str(one) if verbosity > 1 or len(found) == 1 else f"{one.kind}/{one.name}" for one in found]
        self._write(
            [f"crd: live: {words}: {line}" for line in remarkwords.listed(names, "objects", verbosity=verbosity)]
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put what became of a test's questions into its reports."""
        if call.when == "call":
            verdicts, self._new = self._new, []
            if not verdicts and _has_server(item):
                verdicts = [] if call.excinfo else [LiveVerdict(LiveOutcome.AGREED)]
            elif not verdicts and (reason := _unasked(item)):
                verdicts = [LiveVerdict(LiveOutcome.NOT_ASKED, reason)]
            for verdict in verdicts:
                said = f"{verdict.outcome}: {verdict.reason}" if verdict.reason else str(verdict.outcome)
                item.user_properties.append((_OUTCOME, said))
                item.user_properties.extend((_NOTE, note) for note in verdict.notes)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count; in the controller of pytest-xdist for all workers."""
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
        """Remove what was made, and fail a session in which nothing was asked."""
        self._lookahead.end()
        try:
            lines = self._run.end(whole=self._of_controller is None)
        except KeyboardInterrupt:
            self._write(
                [f"crd: live: left on the server: {', '.join(self._run.names)}; to remove it: {self._run.command}"]
            )
            raise
        if self._of_controller is not None:
            session.config.workeroutput[_LEFT] = lines  # type: ignore[attr-defined] # which workers of pytest-xdist have
            return
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._lines += lines
        is_asked = self._counts[LiveOutcome.AGREED] + self._counts[LiveOutcome.DISAGREED] > 0
        if not is_asked and session.exitstatus == pytest.ExitCode.OK and not session.config.option.collectonly:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Listen to what a worker of pytest-xdist could not remove."""
        self._lines += getattr(node, "workeroutput", {}).get(_LEFT, ())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what came of it: counts, why what was not asked, and what is left on the server."""
        if self._config.option.collectonly:
            return
        counts = ", ".join(
            f"{self._counts[outcome]} {outcome}"
            for outcome in (LiveOutcome.AGREED, LiveOutcome.DISAGREED, LiveOutcome.NOT_ASKED, LiveOutcome.NO_ANSWER)
        )
        asked = self._counts[LiveOutcome.AGREED] + self._counts[LiveOutcome.DISAGREED]
        terminalreporter.write_line(f"crd: live: {counts}" + ("" if asked else ": nothing was answered"), red=not asked)
        for (outcome, reason), count in self._reasons.most_common():
            terminalreporter.write_line(f"crd: live: {count} {outcome}: {reason}")
        for line in dict.fromkeys(self._lines):
            terminalreporter.write_line(f"crd: live: {line}", red=True)

    def _write(self, lines: list[str]) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        for line in lines if reporter is not None else ():  # without one, nobody hears anything
            reporter.write_line(line)


def _has_server(item: pytest.Item) -> bool:
    """Return whether a test works with the server itself."""
    return "crd_server" in getattr(item, "fixturenames", ())


def _unasked(item: pytest.Item) -> str:
    """Return why nothing was heard of a test that is about CRDs; empty for any other test."""
    if isinstance(item, TextItem) and item.unasked:
        return item.unasked
    if {"crd", "crd_version", "crds"} & {*getattr(item, "fixturenames", ())}:
        return "a Python test asks the engine alone"
    return ""


def _interrupt(number: int, _: FrameType | None) -> None:
    raise KeyboardInterrupt(signal.Signals(number).name)

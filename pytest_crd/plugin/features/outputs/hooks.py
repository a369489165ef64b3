"""The hooks of a session whose verdicts are told to code hosts and programs: they are put together, and written in the end."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Generator, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest._io import TerminalWriter

from pytest_crd.casefiles import reports
from pytest_crd.plugin import session as sessions
from pytest_crd.plugin.features.outputs import testsubjects
from pytest_crd.plugin.features.outputs.ledger import FACTS, VerdictLedger
from pytest_crd.plugin.settings import project
from pytest_crd.plugin.settings.outputs import CodeHost, OutputSettings
from pytest_crd.plugin.settings.setting import folder
from pytest_crd.report.outputs import codequality, jobsummary, sarif, verdictfile, workflowcommands
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import SessionFacts

# What is sent from a worker of pytest-xdist to its controller: files that cannot be collected, of which it hears of each text but once.
_UNCOLLECTED: Final = "pytest_crd_uncollected"
# The root of a repository, by the code host that has checked it out.
_WORKSPACES: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_ENDS: Final = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}


class Hooks:
    """Keeps what tests came to, and tells it in the end."""

    def __init__(self, config: pytest.Config, settings: OutputSettings) -> None:
        """Take the session's configuration, and the settings of reports."""
        self._config = config
        self._settings = settings
        self._is_worker = hasattr(config, "workerinput")
        self._ledger = VerdictLedger()
        self._uncollected: list[dict[str, Any]] = []
        self._stopped = ""
        self._told: list[str] = []

    def pytest_sessionstart(self) -> None:
        """Remove what an earlier run has written: whatever becomes of this one, that is not its report."""
        if not self._is_silent():
            for path, *_ in self._files():
                with contextlib.suppress(OSError):
                    reports.remove(path)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put into a report what the test is about, and what is wrong."""
        report = yield
        if (call.when == "call" or not report.passed) and (facts := testsubjects.of_test(item, call, report)):
            setattr(report, FACTS, facts.to_text())
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Put into a report what is wrong with a file that cannot be collected."""
        report = yield
        if report.failed:
            setattr(report, FACTS, testsubjects.of_collector(collector, report).to_text())
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what became of a test."""
        self._ledger.add_test(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Take what cannot be collected."""
        self._ledger.add_collector(report)
        if report.failed and self._is_worker:
            data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
            self._uncollected.append(data)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker of pytest-xdist cannot collect."""
        for data in json.loads(getattr(node, "workeroutput", {}).get(_UNCOLLECTED, "[]")):
            report = self._config.hook.pytest_report_from_serializable(config=self._config, data=data)
            self._ledger.add_collector(report)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Learn that the session is stopped, and why."""
        is_by_hand = isinstance(excinfo.value, KeyboardInterrupt) and type(excinfo.value) is KeyboardInterrupt
        self._stopped = "the run was interrupted" if is_by_hand else f"the run was stopped: {excinfo.value}"

    def pytest_internalerror(self, excrepr: Any) -> None:
        """Learn that pytest has failed."""
        crash = getattr(excrepr, "reprcrash", None)
        self._stopped = f"the run ended with an internal error: {crash.message if crash is not None else excrepr}"

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the reports, after all others have said what becomes of the session."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_UNCOLLECTED] = json.dumps(self._uncollected)
        if self._is_silent():
            return
        facts = self._facts(session)
        roots = self._roots()
        is_written = [self._write(path, what, render(facts, roots)) for path, what, render in self._files()]
        if self._settings.host is CodeHost.GITHUB and (facts.verdicts or facts.remark):
            has_summary = self._summarize(facts, roots)
            self._told += workflowcommands.lines(facts, roots, has_summary=has_summary)
        if not all(is_written) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what there is to say, below what other features say."""
        if self._told:
            terminalreporter.ensure_newline()
        self._say(terminalreporter.write_line)

    def pytest_unconfigure(self) -> None:
        """Say it where there was no summary: nobody else would."""
        if self._told:
            self._say(TerminalWriter(sys.stdout).line)

    def _say(self, write: Callable[[str], None]) -> None:
        told, self._told = self._told, []
        for line in told:
            write(line)

    def _is_silent(self) -> bool:
        """Return whether this process tells nothing: a worker, whose controller does, or one that runs no tests."""
        return self._is_worker or bool(self._config.option.collectonly)

    def _files(self) -> Iterator[tuple[Path, str, Callable[[SessionFacts, Roots], str]]]:
        """Yield the files that are written whole, what is in them, and what makes their texts."""
        if self._settings.json is not None:
            yield self._settings.json, "every verdict is", verdictfile.render
        if self._settings.sarif is not None:
            yield self._settings.sarif, "SARIF is", sarif.render
        if self._settings.host is CodeHost.GITLAB:
            yield self._roots().folders[0] / codequality.FILE, "the code quality report is", self._code_quality

    def _code_quality(self, facts: SessionFacts, roots: Roots) -> str:
        home = self._config.inipath or self._config.rootpath
        return codequality.render(facts, roots, home.name)

    def _facts(self, session: pytest.Session) -> SessionFacts:
        # What cannot be collected stops some runs; others, as those of pytest-xdist, go on.
        problem = self._ledger.problem or self._stopped or str(session.shouldfail or session.shouldstop or "")
        if not problem and session.exitstatus not in _ENDS:
            problem = f"the run ended with exit code {int(session.exitstatus)}"
        return SessionFacts(
            verdicts=self._ledger.verdicts(),
            exit_code=int(session.exitstatus),
            is_complete=not problem,
            problem=problem,
            kubernetes_versions=project.kubernetes_versions(self._config),
            others=self._ledger.others(),
            tool_version=metadata.version("pytest-crd"),
        )

    def _roots(self) -> Roots:
        """Return what files are named by: the root of the repository, or that of pytest; and where names were written."""
        root = self._config.rootpath
        spaces = [Path(os.environ[name]) for name in _WORKSPACES if os.environ.get(name)]
        around = [one for one in spaces if root.resolve().is_relative_to(one.resolve())]
        bases = (
            self._config.invocation_params.dir,
            project.get_settings(self._config).base,
            folder(self._config),
            root,
        )
        return Roots((*around, root), (*bases, *around))

    def _write(self, path: Path, what: str, text: str) -> bool:
        """Write a file, and say what is in it; return whether it could be written."""
        try:
            reports.write(path, text)
        except OSError as error:
            self._told.append(f"crd: {sessions.display_path(path)} cannot be written: {error.strerror}")
            return False
        if self._config.get_verbosity() >= 0:
            self._told.append(f"crd: {what} written to {sessions.display_path(path)}")
        return True

    def _summarize(self, facts: SessionFacts, roots: Roots) -> bool:
        """Add the summary of the job to what it has; return whether there is one."""
        name = os.environ.get(_SUMMARY)
        if not name:
            return False
        path, coverage = Path(name), sessions.get_coverage(self._config)
        try:
            size = path.stat().st_size if path.exists() else 0
            text = jobsummary.render(facts, roots, coverage, room=jobsummary.LIMIT - size)
            reports.append(path, text)
        except OSError as error:
            self._told.append(f"crd: the job summary {name} cannot be written: {error.strerror}")
            return False
        return True

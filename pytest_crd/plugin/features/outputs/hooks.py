"""Hooks of a session with reports for code hosts and programs: they collect the verdicts, and write the reports at the end."""

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
from pytest_crd.report.outputs import codequality, jobsummary, sarif, testformats, verdictfile, workflowcommands
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import SessionFacts
from pytest_crd.wording import escape_lines

# The key of the data about files that cannot be collected; of several equal reports, the controller itself gets only the first.
_UNCOLLECTED: Final = "pytest_crd_uncollected"
# Environment variables of code hosts with the root of the checked-out repository.
_WORKSPACES: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_ENDS: Final = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}


class Hooks:
    """Collects the verdicts, and writes the reports at the end."""

    def __init__(self, config: pytest.Config, settings: OutputSettings) -> None:
        """Create the hooks with the session's configuration and the settings of reports."""
        self._config = config
        self._settings = settings
        self._is_worker = hasattr(config, "workerinput")
        self._ledger = VerdictLedger()
        self._uncollected: list[dict[str, Any]] = []
        self._stopped = ""
        self._messages: list[str] = []
        self._text = ""

    def pytest_sessionstart(self) -> None:
        """Remove the reports of an earlier run, so that they are not mistaken for reports of a run that fails early."""
        if not self._is_silent():
            for path, *_ in self._files():
                with contextlib.suppress(OSError):
                    reports.remove(path)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the facts about a test, and the causes of its failure, to its report."""
        report = yield
        if (call.when == "call" or not report.passed) and (facts := testsubjects.of_test(item, call, report)):
            setattr(report, FACTS, facts.to_text())
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add the causes of a collection error to its report."""
        report = yield
        if report.failed:
            setattr(report, FACTS, testsubjects.of_collector(collector, report).to_text())
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the report on a test to the ledger."""
        self._ledger.add_test(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Add the report on a file that cannot be collected to the ledger."""
        self._ledger.add_collector(report)
        if report.failed and self._is_worker:
            data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
            self._uncollected.append(data)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the collection errors of a worker of pytest-xdist to the ledger."""
        for data in json.loads(getattr(node, "workeroutput", {}).get(_UNCOLLECTED, "[]")):
            report = self._config.hook.pytest_report_from_serializable(config=self._config, data=data)
            self._ledger.add_collector(report)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Record why the session is stopped."""
        is_by_hand = isinstance(excinfo.value, KeyboardInterrupt) and type(excinfo.value) is KeyboardInterrupt
        self._stopped = "the run was interrupted" if is_by_hand else f"the run was stopped: {excinfo.value}"

    def pytest_internalerror(self, excrepr: Any) -> None:
        """Record that pytest has an internal error."""
        crash = getattr(excrepr, "reprcrash", None)
        self._stopped = f"the run ended with an internal error: {crash.message if crash is not None else excrepr}"

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the reports, after all other plugins have set the exit status."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_UNCOLLECTED] = json.dumps(self._uncollected)
        if self._is_silent():
            return
        facts = self._facts(session)
        roots = self._roots()
        if self._settings.stdout:
            self._text = self._render_stdout(facts, roots)
        is_written = [self._write(path, phrase, render(facts, roots)) for path, phrase, render in self._files()]
        if self._settings.host is CodeHost.GITHUB and (facts.verdicts or facts.remark):
            has_summary = self._summarize(facts, roots)
            self._messages += workflowcommands.lines(facts, roots, has_summary=has_summary)
        if not all(is_written) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the messages, below other features' messages."""
        if self._messages:
            terminalreporter.ensure_newline()
        self._flush_messages(terminalreporter.write_line)

    def pytest_unconfigure(self) -> None:
        """Write the results to stdout if they are asked for there; write the messages if pytest showed no summary."""
        if self._text:
            sys.stdout.write(escape_lines(self._text))
        if self._messages:
            self._flush_messages(TerminalWriter(sys.stderr if self._settings.stdout else sys.stdout).line)

    def _render_stdout(self, facts: SessionFacts, roots: Roots) -> str:
        if self._settings.stdout == "json":
            return verdictfile.render(facts, roots)
        return testformats.RENDERERS[self._settings.stdout](testformats.of_session(facts, roots))

    def _flush_messages(self, write: Callable[[str], None]) -> None:
        messages, self._messages = self._messages, []
        for line in messages:
            write(line)

    def _is_silent(self) -> bool:
        """Return whether this process writes no report: a worker, or a session that runs no tests."""
        return self._is_worker or bool(self._config.option.collectonly)

    def _files(self) -> Iterator[tuple[Path, str, Callable[[SessionFacts, Roots], str]]]:
        """Yield the report files, each with a phrase for the message about it and its renderer."""
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
        # A collection error stops some runs; others, as with pytest-xdist, go on.
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
        """Return the root folders for file names in reports, and the folders that written names may be relative to."""
        root = self._config.rootpath
        spaces = [Path(os.environ[name]) for name in _WORKSPACES if os.environ.get(name)]
        around = [space for space in spaces if root.resolve().is_relative_to(space.resolve())]
        bases = (
            self._config.invocation_params.dir,
            project.get_settings(self._config).base,
            folder(self._config),
            root,
        )
        return Roots((*around, root), (*bases, *around))

    def _write(self, path: Path, phrase: str, text: str) -> bool:
        """Write a file and add a message about it; return whether that succeeded."""
        try:
            reports.write(path, text)
        except OSError as error:
            self._messages.append(f"crd: {sessions.display_path(path)} cannot be written: {error.strerror}")
            return False
        if self._config.get_verbosity() >= 0:
            self._messages.append(f"crd: {phrase} written to {sessions.display_path(path)}")
        return True

    def _summarize(self, facts: SessionFacts, roots: Roots) -> bool:
        """Append to the summary of the GitHub job; return whether there is one."""
        name = os.environ.get(_SUMMARY)
        if not name:
            return False
        path, coverage = Path(name), sessions.get_coverage(self._config)
        try:
            size = path.stat().st_size if path.exists() else 0
            text = jobsummary.render(facts, roots, coverage, room=jobsummary.LIMIT - size)
            reports.append(path, text)
        except OSError as error:
            self._messages.append(escape_lines(f"crd: the job summary {name} cannot be written: {error.strerror}"))
            return False
        return True

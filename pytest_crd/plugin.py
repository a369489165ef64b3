"""
The pytest plugin `crd`: hooks, in the order in which pytest calls them, and nothing else.

A session without CRDs and cases pays for this module alone; what a hook needs, it imports.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from pytest_crd import coverageoptions, folders, idle, liveoptions, options, session
from pytest_crd.fixtures import MARKERS, crd, crd_case, crd_version, crds, parametrize
from pytest_crd.session import was_in_vain

__all__ = ["crd", "crd_case", "crd_version", "crds"]

# The attribute of a report with what is to be written into a case file.
_OBSERVED: Final = "crd_observed"
# What is sent from a worker of pytest-xdist to its controller.
_FAILURE: Final = "pytest_crd_failure"
_HEADER: Final = "pytest_crd_header"
# The property of a test with what is worth to know of its case.
_NOTE: Final = "crd_note"
# The property of a test with what its reader should know, however little he wants to hear: what the server warns of, and where.
_WARNING: Final = "crd_warning"
# As an entry point or by `-p crd`, and as a module in `pytest_plugins`.
_NAMES = ("crd", "pytest_crd.plugin")
# What every case file has, and hardly any other: enough to tell whose file it is that was named on the command line.
_CASE_FILE = re.compile(rb"""^["']?(crd|crdName)["']?\s*:|^\s*\{\s*["']?(crd|crdName)["']?\s*:""", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the settings, and make sure that the plugin is not registered again under its other name."""
    if pluginmanager.is_blocked("crd"):
        return  # by `-p no:crd`; the module was named all the same
    for name in _NAMES:
        if pluginmanager.get_plugin(name) is None:
            pluginmanager.set_blocked(name)
    options.add(parser)
    liveoptions.add(parser)
    options.add(parser, coverageoptions.SETTINGS)


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, and declare the markers."""
    if options.are_declared(config):
        options.check(config)
        if options.has_baseline(config):
            config.pluginmanager.register(_NamedUpgrades(), "crd-upgrades")
        if options.generate(config):
            from pytest_crd import generator  # noqa: PLC0415 - only a session that writes such files loads what makes them

            config.pluginmanager.register(generator.Generator(config), "crd-generator")
        if live := liveoptions.read(config):
            from pytest_crd import livesession  # noqa: PLC0415 - a session that asks no server loads nothing that could

            config.pluginmanager.register(livesession.LiveSession(config, live), "crd-live")
        if options.writing(config) and not hasattr(config, "workerinput"):
            from pytest_crd import casewriting  # noqa: PLC0415 - only a session that writes loads what does

            config.pluginmanager.register(casewriting.Writer(config), "crd-writer")
        # A session that runs no tests exercises nothing, and must not forget what others have.
        if (coverage := coverageoptions.read(config)) is not None and not options.generate(config):
            from pytest_crd import coveragehooks  # noqa: PLC0415 - only a session that measures loads what does

            config.pluginmanager.register(coveragehooks.CoverageHooks(config, coverage), "crd-coverage")
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over folders that lead back to where they stand, which pytest would go through again and again."""
    is_endless = options.are_declared(config) and collection_path.is_symlink() and folders.leads_back(collection_path)
    return True if is_endless else None  # who says False keeps others from saying anything


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect case files: by the patterns of crd_case_files, or named on the command line; and named files with checks."""
    if not options.are_declared(parent.config):
        return None
    is_named = parent.session.isinitpath(file_path)
    if folders.is_manifest(file_path.name) and _is_case_file(file_path, parent.config, is_named=is_named):
        from pytest_crd import nodes  # noqa: PLC0415 - only a session with cases loads what runs them

        return nodes.CaseFileCollector.from_parent(parent, path=file_path)
    if is_named and options.has_checks(parent.config):
        from pytest_crd import checknodes  # noqa: PLC0415 - only a session with checks loads what makes them

        return checknodes.named(file_path, parent)
    if folders.is_manifest(file_path.name):
        idle.note_unmatched(file_path, parent.config)
    return None


class _NamedUpgrades:
    """A hook of its own, for a file may have upgrades beside checks."""

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect the upgrades of files that are named on the command line."""
        if not parent.session.isinitpath(file_path):
            return None
        from pytest_crd import upgradenodes  # noqa: PLC0415 - only a session with a baseline loads what judges upgrades

        return upgradenodes.named(file_path, parent)


def _is_case_file(path: Path, config: pytest.Config, *, is_named: bool) -> bool:
    return options.is_case_file(path, config) or (is_named and _CASE_FILE.search(path.read_bytes()) is not None)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Add the files with checks and upgrades, which may lie where pytest does not look, to what a session is made of."""
    report = yield
    if isinstance(collector, pytest.Session) and report.passed:
        if options.has_checks(collector.config):
            from pytest_crd import checknodes  # noqa: PLC0415 - only a session with checks loads what makes them

            report.result.extend(checknodes.added(collector))
        if options.has_baseline(collector.config):
            from pytest_crd import upgradenodes  # noqa: PLC0415 - only a session with a baseline loads what judges upgrades

            report.result.extend(upgradenodes.added(collector))
    return report


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that ask for a CRD, a version or a case once for each."""
    if options.are_declared(metafunc.config):
        parametrize(metafunc)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show a case that does not hold as what differs and why, and fail a test in which what is the plugin's does nothing."""
    report = yield
    nodes, failures = _loaded("nodes"), _loaded("failuretext")
    if (
        call.excinfo is not None
        and failures
        and isinstance(call.excinfo.value, failures.TextFailure)
        and not isinstance(report.longrepr, failures.FailureText)  # as it is of a test in Python
    ):
        report.longrepr = call.excinfo.value.shown()
    is_over = call.when == "call" or (call.when == "setup" and report.skipped)
    if is_over and nodes and options.are_declared(item.config) and options.writing(item.config):
        setattr(
            report, _OBSERVED, nodes.observed_of(item)
        )  # which travels with the report from a worker of pytest-xdist
    if call.when == "call" and options.are_declared(item.config):
        is_xfailed = hasattr(report, "wasxfail")
        if (report.passed or is_xfailed) and (problem := idle.problem(item, is_passed=report.passed)):
            report.outcome, report.longrepr = "failed", problem
            vars(report).pop("wasxfail", None)
        report.user_properties.extend((_NOTE, note) for note in (nodes.notes_of(item) if nodes else ()))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(
    report: pytest.CollectReport | pytest.TestReport,
) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
    """Let a failure of a case reach another process whole, as with pytest-xdist."""
    data = yield
    failures = _loaded("failuretext")
    if data is not None and failures and isinstance(report.longrepr, failures.FailureText):
        data[_FAILURE] = report.longrepr.to_json()
    return data


@pytest.hookimpl(wrapper=True)
def pytest_report_from_serializable(
    data: dict[str, Any],
) -> Generator[None, pytest.TestReport | None, pytest.TestReport | None]:
    """Take what another process says of a failure of a case."""
    failure = data.pop(_FAILURE, None)
    report = yield
    if report is not None and failure is not None:
        from pytest_crd import failuretext  # noqa: PLC0415 - only a case or a check that fails needs it here

        report.longrepr = failuretext.FailureText(**failure)
    return report


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """Say what was loaded, and from where."""
    return _with_unmatched(session.tell(config), config)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """
    Tell pytest-xdist's controller what this worker has loaded: nobody sees a worker's header.

    Where there was nothing to check, no test that passed makes up for that.
    """
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_HEADER] = tuple(_header(session.config))
    elif session.exitstatus == pytest.ExitCode.OK and was_in_vain(session.config):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Listen to what a worker of pytest-xdist has loaded; one that crashed tells nothing."""
    if told := getattr(node, "workeroutput", {}).get(_HEADER):
        session.hear(node.config, session.Header(*told))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """
    Say what the workers of pytest-xdist have loaded, and from where, or what only a fixture that ran has asked for.

    Say what tests warn of; with `-v`, what is worth to know of cases and checks that hold.
    """
    if text := session.heard(config):
        terminalreporter.write_line(text)
    shown = (_NOTE, _WARNING) if config.get_verbosity() > 0 else (_WARNING,)
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        for name, value in getattr(report, "user_properties", ()):
            if name in shown and report.when == "call":
                terminalreporter.write_line(f"crd: {value if name == _WARNING else f'{report.nodeid}: {value}'}")


def _header(config: pytest.Config) -> session.Header:
    """Return what is loaded, and from where, and which case files are not."""
    header = session.header(config)
    return header._replace(text=_with_unmatched(header.text, config))


def _with_unmatched(text: str, config: pytest.Config) -> str:
    return "\n".join(filter(None, (text, *idle.unmatched(config))))


def _loaded(name: str) -> ModuleType | None:
    """Return a module of the plugin where it is loaded: without it there is nothing of its kind that could have failed."""
    return sys.modules.get(f"pytest_crd.{name}")

"""
The pytest plugin `crd`: hooks, in the order in which pytest calls them, and nothing else.

A session without CRDs and cases pays for this module alone; what a hook needs, it imports.
"""

from __future__ import annotations

import functools
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd import folders
from pytest_crd.plugin import (
    alone,
    bytecode,
    commandline,
    features,
    heap,
    hookspecs,
    manifests,
    servers,
    session,
    settings,
    unused,
)
from pytest_crd.plugin.fixtures import MARKERS, crd, crd_case, crd_server, crd_version, crds, parametrize
from pytest_crd.plugin.items import casefiles
from pytest_crd.plugin.items.failures import FailureText, TextFailure
from pytest_crd.plugin.session import NOTE, PLACE, WARNING, was_in_vain
from pytest_crd.plugin.settings import checks, project

__all__ = ["crd", "crd_case", "crd_server", "crd_version", "crds"]

# What is sent from a worker of pytest-xdist to its controller.
_FAILURE: Final = "pytest_crd_failure"
_HEADER: Final = "pytest_crd_header"
# As an entry point or by `-p crd`, and as a module in `pytest_plugins`.
_NAMES: Final = ("crd", __name__)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks that others may have."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_plugin_registered(plugin: object, manager: pytest.PytestPluginManager) -> None:
    """Refuse what would make CRDs after they were read."""
    manifests.refuse_late(plugin, manager)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the settings, and make sure that the plugin is not registered again under its other name."""
    if pluginmanager.is_blocked("crd"):
        return  # by `-p no:crd`; the module was named all the same
    for name in _NAMES:
        if pluginmanager.get_plugin(name) is None:
            pluginmanager.set_blocked(name)
    bytecode.keep()
    settings.add(parser)
    alone.declare(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Leave of the options in the ini file those that a session for CRDs alone can have."""
    alone.load(early_config, args)


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, register what they ask for, and declare the markers."""
    if settings.are_declared(config):
        alone.read(config)
        project.read(config)
        commandline.read(config)
        features.register(config)
        config.add_cleanup(functools.partial(heap.thaw, config))
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """
    Pass over folders that lead back to where they stand, which pytest would go through again and again.

    Pass over Python files where nobody has written them for pytest: to collect one is to run it.
    """
    if not settings.are_declared(config):
        return None
    manifests.note_unloaded(collection_path, config)
    is_endless = collection_path.is_symlink() and folders.leads_back(collection_path)
    is_ignored = is_endless or commandline.leaves_out(collection_path, config)
    return True if is_ignored else None  # who says False keeps others from saying anything


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take a package for a mere folder where Python is left out: pytest would import it before the first test in it."""
    is_mere = settings.are_declared(parent.config) and commandline.is_without_python(parent.config)
    return pytest.Dir.from_parent(parent, path=path) if is_mere else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect case files: by the patterns of crd_case_files, or named on the command line."""
    if not settings.are_declared(parent.config):
        return None
    is_named = parent.session.isinitpath(file_path)
    if casefiles.is_one(file_path, parent.config, is_named=is_named):
        heap.begin(parent.config)
        from pytest_crd.plugin.items import cases  # noqa: PLC0415 - only a session with cases loads what runs them

        return cases.CaseFileCollector.from_parent(parent, path=file_path)
    is_for_checks = is_named and checks.CHECKS.of(parent.config)
    if folders.is_manifest(file_path.name) and not is_for_checks:
        casefiles.note_unmatched(file_path, parent.config)
    return None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that ask for a CRD, a version or a case once for each."""
    if settings.are_declared(metafunc.config):
        parametrize(metafunc)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show a case that does not hold as what differs and why, and fail a test in which what is the plugin's does nothing."""
    report = yield
    if (
        call.excinfo is not None
        and isinstance(call.excinfo.value, TextFailure)
        and not isinstance(report.longrepr, FailureText)  # as it is of a test in Python
    ):
        report.longrepr = call.excinfo.value.shown()
    if call.when == "call" and settings.are_declared(item.config):
        is_xfailed = hasattr(report, "wasxfail")
        if (report.passed or is_xfailed) and (problem := unused.problem(item, is_passed=report.passed)):
            report.outcome, report.longrepr = "failed", problem
            vars(report).pop("wasxfail", None)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(
    report: pytest.CollectReport | pytest.TestReport,
) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
    """Let a failure of a case reach another process whole, as with pytest-xdist."""
    data = yield
    if data is not None and isinstance(report.longrepr, FailureText):
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
        report.longrepr = FailureText(**failure)
    return report


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let Python look for garbage again."""
    heap.end(session)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """Say what was loaded, and from where."""
    return _with_files(session.tell(config), config)


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
    shown = (NOTE, PLACE, WARNING) if config.get_verbosity() > 0 else (WARNING,)
    reports = [report for found in terminalreporter.stats.values() for report in found]
    for text in servers.summarize(reports):
        terminalreporter.write_line(text)
    lines = dict.fromkeys(
        f"crd: {f'{report.nodeid}: {value}' if name == NOTE else value}"
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name in shown and report.when == "call"
    )
    for line in lines:  # of many tests that warn of the same, one
        terminalreporter.write_line(line)


def _header(config: pytest.Config) -> session.Header:
    """Return what is loaded, and from where, and which files are not collected."""
    header = session.header(config)
    return header._replace(text=_with_files(header.text, config))


def _with_files(text: str, config: pytest.Config) -> str:
    return "\n".join(
        filter(None, (text, *casefiles.unmatched(config), *commandline.left_out(config), *manifests.unloaded(config)))
    )

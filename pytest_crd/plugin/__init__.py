"""
The pytest plugin `crd`: its hooks, in the order in which pytest calls them.

A session without CRDs and cases imports this module and little else; each hook imports what it needs.
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
    failureblocks,
    features,
    fixtures,
    heap,
    hookspecs,
    manifests,
    servers,
    session,
    settings,
    threads,
    tracebacks,
)
from pytest_crd.plugin.fixtures import (
    MARKERS,
    crd,
    crd_case,
    crd_parity,
    crd_server,
    crd_server_module,
    crd_server_session,
    crd_version,
    crds,
    parametrize,
)
from pytest_crd.plugin.items import casefiles
from pytest_crd.plugin.items.failures import CausedFailure, FailureText, TextFailure, TextItem, node_id
from pytest_crd.plugin.session import NOTE, PLACE, WARNING, was_in_vain
from pytest_crd.plugin.settings import checks, project
from pytest_crd.wording import counted, escape_lines

__all__ = [
    "crd",
    "crd_case",
    "crd_parity",
    "crd_server",
    "crd_server_module",
    "crd_server_session",
    "crd_version",
    "crds",
]

# Keys of the data that a worker of pytest-xdist sends to its controller.
_FAILURE: Final = "pytest_crd_failure"
_HEADER: Final = "pytest_crd_header"
# The names of the plugin: as an entry point or with `-p crd`, and as a module in `pytest_plugins`.
_NAMES: Final = ("crd", __name__)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks that projects and other plugins can implement."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_plugin_registered(plugin: object, manager: pytest.PytestPluginManager) -> None:
    """Refuse an implementation of a hook that is registered after all were called."""
    manifests.refuse_late(plugin, manager)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the settings, and block the plugin's other name, so that it is not registered twice."""
    if pluginmanager.is_blocked("crd"):
        return  # `-p no:crd` was given, and `pytest_plugins` names the module all the same
    for name in _NAMES:
        if pluginmanager.get_plugin(name) is None:
            pluginmanager.set_blocked(name)
    bytecode.install_finder()
    settings.add(parser)
    alone.declare(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Drop the options of the ini file that do not concern CRDs, in a session for CRDs alone."""
    alone.load(early_config, args)


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, register the features that they switch on, and declare the markers."""
    if settings.are_declared(config):
        alone.read(config)
        project.read(config)
        commandline.read(config)
        features.register(config)
        threads.register(config)
        config.pluginmanager.register(failureblocks.Hooks(), failureblocks.__name__)
        config.add_cleanup(functools.partial(heap.thaw, config))
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """
    Ignore links to a folder above them, through which pytest would collect without end.

    Also ignore Python files of a project that does not use pytest, because collecting such a file runs it.
    """
    if not settings.are_declared(config):
        return None
    manifests.note_unloaded(collection_path, config)
    is_endless = collection_path.is_symlink() and folders.is_link_cycle(collection_path)
    is_ignored = is_endless or commandline.leaves_out(collection_path, config)
    return True if is_ignored else None  # False would overrule other plugins


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a package as a plain folder if Python files are left out: pytest would import it before its first test."""
    is_mere = settings.are_declared(parent.config) and commandline.is_without_python(parent.config)
    return pytest.Dir.from_parent(parent, path=path) if is_mere else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect case files: files that match a pattern of crd_case_files, or that the command line names."""
    if not settings.are_declared(parent.config):
        return None
    is_named = parent.session.isinitpath(file_path)
    if casefiles.is_case_file(file_path, parent.config, is_named=is_named):
        heap.begin(parent.config)
        from pytest_crd.plugin.items import cases  # noqa: PLC0415 - only a session with cases loads the runner

        name = node_id(file_path, parent.config)
        return cases.CaseFileCollector.from_parent(parent, path=file_path, name=name, nodeid=name)
    is_for_checks = is_named and checks.CHECKS.read_value(parent.config)
    if folders.is_manifest(file_path.name) and not is_for_checks:
        casefiles.note_unmatched(file_path, parent.config)
    return None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize tests that request a CRD, a version or a case."""
    if settings.are_declared(metafunc.config):
        parametrize(metafunc)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shorten tracebacks, show a failed case by its report, and fail a passed test that leaves a marker or case unused."""
    if call.excinfo is not None and not item.config.getoption("fulltrace", default=False):
        tracebacks.shorten(call.excinfo)
    report = yield
    if (
        call.excinfo is not None
        and isinstance(call.excinfo.value, TextFailure)
        and not isinstance(report.longrepr, FailureText)  # already set if the test is an item of the plugin
    ):
        report.longrepr = call.excinfo.value.to_text()
    if call.excinfo is not None and isinstance(call.excinfo.value, CausedFailure) and isinstance(item, TextItem):
        failureblocks.mark(report, item, call.excinfo.value)
    if call.when == "call" and settings.are_declared(item.config):
        is_xfailed = hasattr(report, "wasxfail")
        if (report.passed or is_xfailed) and (problem := fixtures.describe_unused(item, is_passed=report.passed)):
            report.outcome, report.longrepr = "failed", problem
            vars(report).pop("wasxfail", None)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(
    report: pytest.CollectReport | pytest.TestReport,
) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
    """Add the whole failure of a case to the data of a report that goes to another process."""
    data = yield
    if data is not None and isinstance(report.longrepr, FailureText):
        data[_FAILURE] = report.longrepr.to_json()
    return data


@pytest.hookimpl(wrapper=True)
def pytest_report_from_serializable(
    data: dict[str, Any],
) -> Generator[None, pytest.TestReport | None, pytest.TestReport | None]:
    """Restore the failure of a case in a report from another process."""
    failure = data.pop(_FAILURE, None)
    report = yield
    if report is not None and failure is not None:
        report.longrepr = FailureText(**failure)
    return report


def pytest_collection_finish(session: pytest.Session) -> None:
    """Resume the garbage collector after collection."""
    heap.end(session)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """Return the header: the number of loaded CRDs, and their sources."""
    return escape_lines(_with_files(session.take_header_text(config), config))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """
    Send the header of a worker of pytest-xdist to the controller, because a worker's output is not shown.

    If a feature had nothing to check, the session ends as one without tests, even if other tests passed.
    """
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_HEADER] = tuple(_header(session.config))
    elif session.exitstatus == pytest.ExitCode.OK and was_in_vain(session.config):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Store the header that a worker of pytest-xdist sent; a worker that crashed sent none."""
    if fields := getattr(node, "workeroutput", {}).get(_HEADER):
        session.store_worker_header(node.config, session.Header(*fields))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """
    Write the header of workers of pytest-xdist, or of CRDs that a fixture loaded after collection.

    Then write the warnings of tests and, with `-v`, notes about cases and checks that hold.
    """
    if text := session.late_header_text(config):
        terminalreporter.write_line(escape_lines(text))
    names = (NOTE, PLACE, WARNING) if config.get_verbosity() > 0 else (WARNING,)
    reports = failureblocks.all_reports(terminalreporter, config)
    for text in servers.summarize(reports):
        terminalreporter.write_line(escape_lines(text))
    lines = dict.fromkeys(
        f"crd: {f'{report.nodeid}: {value}' if name == NOTE else value}"
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name in names and report.when == "call"
    )
    if lines and alone.is_brief(config):
        lines = dict.fromkeys(
            [f"crd: {counted(len(lines), 'warning')}; -v shows {'it' if len(lines) == 1 else 'them'}"]
        )
    for line in lines:  # one line for many tests with the same warning
        terminalreporter.write_line(escape_lines(line))


def _header(config: pytest.Config) -> session.Header:
    """Return the header of this process, with the lines about files that are not collected."""
    header = session.header(config)
    return header._replace(text=_with_files(header.text, config))


def _with_files(text: str, config: pytest.Config) -> str:
    left_out = () if alone.is_brief(config) else commandline.left_out(config)
    return "\n".join(filter(None, (text, *casefiles.unmatched(config), *left_out, *manifests.unloaded(config))))

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

from pytest_crd import idle, options, session
from pytest_crd.fixtures import MARKERS, crd, crd_case, crd_version, crds, parametrize

__all__ = ["crd", "crd_case", "crd_version", "crds"]

# What is sent from a worker of pytest-xdist to its controller.
_FAILURE: Final = "pytest_crd_failure"
_HEADER: Final = "pytest_crd_header"
# The property of a test with what is worth to know of its case.
_NOTE: Final = "crd_note"
# As an entry point or by `-p crd`, and as a module in `pytest_plugins`.
_NAMES = ("crd", "pytest_crd.plugin")
# Those of `manifest.ENDINGS`, which a session without CRDs does not load.
_ENDINGS = (".yaml", ".yml", ".json")
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


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, and declare the markers."""
    if options.are_declared(config):
        options.check(config)
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect case files: by the patterns of crd_case_files, or named on the command line."""
    if file_path.suffix not in _ENDINGS or not options.are_declared(parent.config):
        return None
    is_case_file = any(file_path.match(pattern) for pattern in options.of(parent.config).case_files)
    if not is_case_file and not (parent.session.isinitpath(file_path) and _CASE_FILE.search(file_path.read_bytes())):
        idle.note_unmatched(file_path, parent.config)
        return None
    from pytest_crd import nodes  # noqa: PLC0415 - only a session with cases loads what runs them

    return nodes.CaseFileCollector.from_parent(parent, path=file_path)


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
    nodes = _nodes()
    if call.excinfo is not None and nodes and isinstance(call.excinfo.value, nodes.CaseFailure):
        report.longrepr = nodes.FailureText.of(call.excinfo.value)
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
    if data is not None and (nodes := _nodes()) and isinstance(report.longrepr, nodes.FailureText):
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
        from pytest_crd import nodes  # noqa: PLC0415 - only a case that fails needs it here

        report.longrepr = nodes.FailureText(**failure)
    return report


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """Say what was loaded, and from where."""
    return _with_unmatched(session.tell(config), config)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell pytest-xdist's controller what this worker has loaded: nobody sees a worker's header."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_HEADER] = tuple(_header(session.config))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Listen to what a worker of pytest-xdist has loaded; one that crashed tells nothing."""
    if told := getattr(node, "workeroutput", {}).get(_HEADER):
        session.hear(node.config, session.Header(*told))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """
    Say what the workers of pytest-xdist have loaded, and from where, or what only a fixture that ran has asked for.

    With `-v`, say what is worth to know of cases that hold.
    """
    if text := session.heard(config):
        terminalreporter.write_line(text)
    if config.get_verbosity() > 0:
        for report in (report for reports in terminalreporter.stats.values() for report in reports):
            for name, value in getattr(report, "user_properties", ()):
                if name == _NOTE and report.when == "call":
                    terminalreporter.write_line(f"crd: {report.nodeid}: {value}")


def _header(config: pytest.Config) -> session.Header:
    """Return what is loaded, and from where, and which case files are not."""
    header = session.header(config)
    return session.Header(header.is_loaded, _with_unmatched(header.text, config))


def _with_unmatched(text: str, config: pytest.Config) -> str:
    return "\n".join(filter(None, (text, *idle.unmatched(config))))


def _nodes() -> ModuleType | None:
    """Return the module of cases, where it is loaded: without it there is no case that could have failed."""
    return sys.modules.get("pytest_crd.nodes")

"""
The hooks of a session with CRDs, cases or settings, in the order in which pytest calls them.

The start of the plugin, `pytest_crd.plugin`, registers this module when the first of these appears.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import pytest_crd
from pytest_crd import folders, lazyimport
from pytest_crd.plugin import (
    FAILURE,
    HEADER,
    alone,
    commandline,
    features,
    heap,
    manifests,
    options,
    session,
)
from pytest_crd.plugin.items import casefiles
from pytest_crd.plugin.items.failures import CausedFailure, FailureText, TextFailure, TextItem, node_id
from pytest_crd.plugin.session import NOTE, PLACE, WARNING, was_in_vain
from pytest_crd.plugin.settings import checks, project
from pytest_crd.wording import counted, escape_lines

if TYPE_CHECKING:
    from pytest_crd.plugin import failureblocks, fixtures, servers
else:
    fixtures = lazyimport.module("pytest_crd.plugin.fixtures")
    failureblocks = lazyimport.module("pytest_crd.plugin.failureblocks")
    servers = lazyimport.module("pytest_crd.plugin.servers")

is_link_cycle = folders.is_link_cycle
_REASON: Final = "uses crd_server: the clients of a process share one server and one $KUBECONFIG"
_FAILED: Final = "failed"
_PACKAGE: Final = Path(pytest_crd.__file__).parent


def __dir__() -> list[str]:
    """Return the hooks: pytest and pluggy inspect each name."""
    return [name for name in globals() if name[:7] == "pytest_"]


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, and register the features that they switch on."""
    alone.read(config)
    project.read(config)
    commandline.read(config)
    if config.option.noconftest or commandline.is_without_python(config):
        config.pluginmanager.register(PythonHooks(), "crd-python")
    features.register(config)
    register(config)
    config.add_cleanup(functools.partial(heap.thaw, config))


class PythonHooks:
    """Hooks of a session that does not load or collect the Python files of its project."""

    @pytest.hookimpl
    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        """Ignore Python files of a project that does not use pytest, because collecting such a file runs it."""
        manifests.note_unloaded(collection_path, config)
        return commandline.leaves_out(collection_path, config) or None  # False would overrule other plugins

    @pytest.hookimpl(tryfirst=True)
    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect a package as a plain folder if Python files are left out: pytest would import it before its first test."""
        return pytest.Dir.from_parent(parent, path=path) if commandline.is_without_python(parent.config) else None


def collect_file(file_path: Path, parent: pytest.Collector, name: str) -> pytest.Collector | None:
    """
    Collect a YAML or JSON file that matches a pattern of crd_case_files, or a case file that the command line names.

    Args:
        file_path: The file.
        parent: Its folder.
        name: Its name, in lower case.
    """
    config = parent.config
    # The current folder names no file, and pytest takes eight calls for each file that it compares with the named ones.
    is_named = config.args_source is not config.ArgsSource.INVOCATION_DIR and parent.session.isinitpath(file_path)
    if casefiles.is_case_file(file_path, config, is_named=is_named):
        heap.begin(config)
        from pytest_crd.plugin.items import cases  # noqa: PLC0415 - only a session with cases loads the runner

        id_ = node_id(file_path, config)
        return cases.CaseFileCollector.from_parent(parent, path=file_path, name=id_, nodeid=id_)
    if casefiles.PART in name and not (is_named and checks.CHECKS.read_value(config)):
        casefiles.note_unmatched(file_path, name, config)
    return None


def make_report(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shorten tracebacks, show a failed case by its report, and fail a passed test that leaves a marker or case unused."""
    if call.excinfo is not None and not item.config.getoption("fulltrace", default=False):
        shorten_traceback(call.excinfo)
    report = yield
    if (
        call.excinfo is not None
        and isinstance(call.excinfo.value, TextFailure)
        and not isinstance(report.longrepr, FailureText)  # already set if the test is an item of the plugin
    ):
        report.longrepr = call.excinfo.value.to_text()
    if call.excinfo is not None and isinstance(call.excinfo.value, CausedFailure) and isinstance(item, TextItem):
        failureblocks.mark(report, item, call.excinfo.value)
    if call.when == "call" and isinstance(item, pytest.Function) and options.are_declared(item.config):
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
        data[FAILURE] = report.longrepr.to_json()
    return data


def restore(report: pytest.TestReport | None, failure: dict[str, Any] | None) -> None:
    """Restore the failure of a case in a report from another process."""
    if report is not None and failure is not None:
        report.longrepr = FailureText(**failure)


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

    If a feature had nothing to check, the session ends as one without tests, even if other tests passed. Failures are shown in blocks.
    """
    config = session.config
    output = getattr(config, "workeroutput", None)
    if output is not None:
        output[HEADER] = tuple(_header(config))
    elif session.exitstatus == pytest.ExitCode.OK and was_in_vain(config):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get(_FAILED):
        config.pluginmanager.register(failureblocks.Hooks(), failureblocks.__name__)


def store_worker_header(config: pytest.Config, fields: Sequence[Any]) -> None:
    """Store the header that a worker of pytest-xdist sent."""
    session.store_worker_header(config, session.Header(*fields))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """
    Write the header of workers of pytest-xdist, or of CRDs that a fixture loaded after collection.

    Then write the warnings of tests and, with `-v`, notes about cases and checks that hold.
    """
    if text := session.late_header_text(config):
        terminalreporter.write_line(escape_lines(text))
    names = (NOTE, PLACE, WARNING) if config.get_verbosity() > 0 else (WARNING,)
    stats = terminalreporter.stats
    reports = failureblocks.all_reports(config) if stats.get(_FAILED) else itertools.chain.from_iterable(stats.values())
    with_properties = [report for report in reports if getattr(report, "user_properties", ())]
    for text in servers.summarize(with_properties) if with_properties else ():
        terminalreporter.write_line(escape_lines(text))
    lines = dict.fromkeys(
        f"crd: {f'{report.nodeid}: {value}' if name == NOTE else value}"
        for report in with_properties
        for name, value in report.user_properties
        if name in names and report.when == "call"
    )
    if lines and alone.is_brief(config):
        lines = dict.fromkeys(
            [f"crd: {counted(len(lines), 'warning')}; -v shows {'it' if len(lines) == 1 else 'them'}"]
        )
    for line in lines:  # one line for many tests with the same warning
        terminalreporter.write_line(escape_lines(line))


def write_commands(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the commands for a project with CRDs after a run of the whole project that has no test, not even a deselected one."""
    is_whole = commandline.is_whole(config) and "deselected" not in terminalreporter.stats
    if is_whole and (crds := session.describe_crds(config)):
        line = f"crd: {crds}, and no test: `pytest-crd test` checks them, `pytest-crd init` sets up tests"
        terminalreporter.write_line(escape_lines(line))


def _header(config: pytest.Config) -> session.Header:
    """Return the header of this process, with the lines about files that are not collected."""
    header = session.header(config)
    return header._replace(text=_with_files(header.text, config))


def _with_files(text: str, config: pytest.Config) -> str:
    left_out = () if alone.is_brief(config) else commandline.left_out(config)
    lines = (*casefiles.unmatched(config), *casefiles.unvisited(config), *left_out, *manifests.unloaded(config))
    return "\n".join(filter(None, (text, *lines)))


class OneThreadHooks:
    """Hooks that let a test with a server run in one thread."""

    @pytest.hookimpl
    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Mark a test that uses `crd_server`, so that pytest-run-parallel runs it in one thread and shows the reason."""
        if "crd_server" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.thread_unsafe(reason=_REASON))


def register(config: pytest.Config) -> None:
    """Register the hooks if pytest-run-parallel is installed."""
    if hasattr(config.option, "parallel_threads"):
        config.pluginmanager.register(OneThreadHooks(), "crd-threads")


def shorten_traceback(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """
    Remove the frames of the package from the end of a traceback if its exception is one of the package's own.

    Such an exception tells a mistake in a call of the API, a mistake in a file, or a refusal. Any other exception is a bug of the
    package and keeps all frames, and so does an exception without a frame of the project.
    """
    if not type(excinfo.value).__module__.startswith(f"{pytest_crd.__name__}."):
        return
    last, entry = None, excinfo.value.__traceback__
    while entry is not None:
        if _PACKAGE not in Path(entry.tb_frame.f_code.co_filename).parents:
            last = entry
        entry = entry.tb_next
    if last is not None and last.tb_next is not None:
        last.tb_next = None
        excinfo.traceback = type(excinfo.traceback)(excinfo.tb)  # pytest may have read it before

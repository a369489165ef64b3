"""
The pytest plugin `crd`: its start, which every session imports, and its fixtures.

A session without CRDs imports this module, `hookspecs` and the table of options, and nothing else of the package. The first setting,
case file, fixture or marker registers the other hooks, `hooks`, which import the rest. A contract in pyproject.toml holds this.

pytest recompiles every module of a plugin to rewrite its assertions, and caches the result if it can write there. In CI every run is the
first one: 400 modules take two seconds, and no user sees an assertion of theirs. So pytest rewrites nothing here (PYTEST_DONT_REWRITE), and
all modules after this one are imported from the bytecode that was compiled at their installation.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Generator, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import pytest


class InstalledFinder:
    """
    Finder of the modules of this package that comes before pytest's.

    It takes a third of the calls of the usual finder, which looks for three kinds of extension modules first.
    """

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module of this package; None for any other."""
        if fullname[:11] != "pytest_crd.":
            return None
        for folder in path or ():
            inner = f"{folder}/{fullname.rpartition('.')[2]}"
            for file, folders in ((f"{inner}.py", None), (f"{inner}/__init__.py", [inner])):
                if os.access(file, os.R_OK):
                    loader = SourceFileLoader(fullname, file)
                    return spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=folders)
        return PathFinder.find_spec(fullname, path, target)


sys.meta_path.insert(0, InstalledFinder)

from pytest_crd.plugin import hookspecs, options  # noqa: E402 - after the finder

if TYPE_CHECKING:
    from pytest_crd.engine import CrdVersion, CustomResourceDefinition, CustomResourceDefinitions
    from pytest_crd.plugin.features.parity.marked import MarkedParity
    from pytest_crd.plugin.items.cases import BoundCase
    from pytest_crd.server.accessor import CrdServer

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

MARKERS: Final = (
    "crd(name, version=None): the CRD (by name or kind) that the fixtures crd and crd_version stand for.",
    "crd_cases(*globs): the case files, relative to the test file, whose cases the fixture crd_case stands for.",
    "crd_parity(model, version, allow=()): the class and the version of a CRD that the fixture crd_parity compares.",
    "crd_server(kubernetes_version=None, namespaces=(), objects=(), rbac=(), faults=(), garbage_collection=None, workloads=None, admission_plugins=None): what crd_server is at first.",
)
# The key of the header in the data that a worker of pytest-xdist sends to its controller, and of a failed case in reports.
HEADER: Final = "pytest_crd_header"
FAILURE: Final = "pytest_crd_failure"
# The names of the plugin: as an entry point or with `-p crd`, and as a module in `pytest_plugins`.
_NAMES: Final = ("crd", __name__)
_HOOKS: Final = f"{__name__}.hooks"
# The beginning of the names of its fixtures, markers and user properties.
_OWN: Final = "crd"
_ENDINGS: Final = (".yaml", ".yml", ".json")


def __dir__() -> list[str]:
    """Return the hooks and fixtures: pytest and pluggy inspect each name."""
    return [name for name in globals() if name[:7] == "pytest_" or name in __all__]


def _load(name: str) -> Any:
    """Import a module of the plugin; import contracts must not see it."""
    return importlib.import_module(f"{__name__}.{name}")


def _hooks(config: pytest.Config) -> Any:
    """Return the hooks of a session that concerns CRDs, and register them at the first call."""
    manager = config.pluginmanager
    if not manager.hasplugin(_HOOKS):
        manager.register(_load("hooks"), _HOOKS)
    return _load("hooks")


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks that projects and other plugins can implement."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_plugin_registered(plugin: object, manager: pytest.PytestPluginManager) -> None:
    """Refuse an implementation of a hook that is registered after all were counted."""
    config: Any = manager.get_plugin("pytestconfig")
    if config is not None and config.stash.get(options.IS_CONFIGURED, False) and hookspecs.implementations(manager):
        _load("manifests").refuse_late(plugin, manager)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the settings, and block the plugin's other name, so that it is not registered twice."""
    if pluginmanager.is_blocked("crd"):
        return  # `-p no:crd` was given, and `pytest_plugins` names the module all the same
    for name in _NAMES:
        if pluginmanager.get_plugin(name) is None:
            pluginmanager.set_blocked(name)
    options.declare(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Drop the options of the ini file that do not concern CRDs, in a session for CRDs alone."""
    if options.is_alone(early_config):
        _load("alone").load(early_config, args)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, and register the other hooks if a setting, the code host or a hook of the project asks for them."""
    if options.are_declared(config):
        if options.are_set(config) or options.find_code_host() or hookspecs.implementations(config.pluginmanager):
            _hooks(config)
        config.stash[options.IS_CONFIGURED] = True
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


@pytest.hookimpl(wrapper=True)
def pytest_collect_directory(
    path: Path, parent: pytest.Collector
) -> Generator[None, pytest.Collector | None, pytest.Collector | None]:
    """Leave out links to a folder above them, through which pytest would collect without end, unless the command line names them."""
    collector = yield
    if collector is None or not path.is_symlink() or not options.are_declared(parent.config):
        return collector
    is_left_out = not parent.session.isinitpath(path, with_parents=True) and _load("hooks").is_link_cycle(path)
    return None if is_left_out else collector


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect case files. The first one registers the other hooks."""
    name = file_path.name.lower()
    if not name.endswith(_ENDINGS):
        return None
    hooks: Any = parent.config.pluginmanager.get_plugin(_HOOKS)
    if hooks is None:
        is_of_interest = f".{_OWN}" in name or parent.session.isinitpath(file_path)
        if not is_of_interest or not options.are_declared(parent.config):
            return None
        hooks = _hooks(parent.config)
    collector: pytest.Collector | None = hooks.collect_file(file_path, parent, name)
    return collector


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize tests that request a CRD, a version or a case."""
    if options.are_declared(metafunc.config):
        for name in metafunc.fixturenames:
            if name[:3] == _OWN:
                _hooks(metafunc.config)
                _load("fixtures").parametrize(metafunc)
                return


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show failures of the package by their own reports, and fail a passed test that leaves a marker or case unused."""
    if not _concerns_crds(item, call):
        return (yield)
    report: pytest.TestReport = yield from _load("hooks").make_report(item, call)
    return report


def _concerns_crds(item: pytest.Item, call: pytest.CallInfo[None]) -> bool:
    """Return whether a session has CRDs, a test raises an exception of the package, or a marker of the package is set."""
    if item.config.pluginmanager.hasplugin(_HOOKS):
        return True
    if call.excinfo is not None:
        return type(call.excinfo.value).__module__.partition(".")[0] == "pytest_crd"
    return any(mark.name[:3] == _OWN for mark in item.own_markers)


@pytest.hookimpl(wrapper=True)
def pytest_report_from_serializable(
    config: pytest.Config, data: dict[str, Any]
) -> Generator[None, pytest.TestReport | None, pytest.TestReport | None]:
    """Restore the failure of a case in a report from another process, and register the hooks for reports about CRDs."""
    failure = data.pop(FAILURE, None)
    report = yield
    if failure is not None or any(name[:3] == _OWN for name, _ in data.get("user_properties", ())):
        _hooks(config).restore(report, failure)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """Write the commands for a project with CRDs if the session has no test, and no setting or case file."""
    is_empty = exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and not config.pluginmanager.hasplugin(_HOOKS)
    if is_empty and options.are_declared(config):
        _hooks(config).write_commands(terminalreporter, config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Store the header that a worker of pytest-xdist sent; a worker that crashed sent none."""
    if fields := getattr(node, "workeroutput", {}).get(HEADER):
        _hooks(node.config).store_worker_header(node.config, fields)


@pytest.fixture(scope="session")
def crds(request: pytest.FixtureRequest) -> CustomResourceDefinitions:
    """All CRDs of the project: `crds["crontabs.stable.example.com"]`, by name, kind or file."""
    return _open_fixtures(request).find_crds(request)  # type: ignore[no-any-return]


@pytest.fixture
def crd(request: pytest.FixtureRequest) -> CustomResourceDefinition:
    """One CRD of the project; the test runs once for each, or for those of `@pytest.mark.crd(name)`."""
    return _open_fixtures(request).get_param(request)  # type: ignore[no-any-return]


@pytest.fixture
def crd_version(request: pytest.FixtureRequest) -> CrdVersion:
    """One served version of a CRD; the test runs once for each, or for those of `@pytest.mark.crd(name, version=…)`."""
    return _open_fixtures(request).get_param(request)  # type: ignore[no-any-return]


@pytest.fixture
def crd_case(request: pytest.FixtureRequest) -> BoundCase:
    """One declared case; the test runs once for each in the files of `@pytest.mark.crd_cases(…)`."""
    return _open_fixtures(request).get_case(request)  # type: ignore[no-any-return]


@pytest.fixture
def crd_server(request: pytest.FixtureRequest, crds: CustomResourceDefinitions) -> Iterator[CrdServer]:
    """A server of the project's CRDs, fresh and empty for each test: `crd_server["backups"].create({…})`."""
    with _load("features.server.opening").open_server(request, crds) as server:
        yield server


@pytest.fixture(scope="module")
def crd_server_module(request: pytest.FixtureRequest, crds: CustomResourceDefinitions) -> Iterator[CrdServer]:
    """A server that the tests of a module share: `crd_server_module.reset()` returns it to its state at the start."""
    with _load("features.server.opening").open_server(request, crds) as server:
        yield server


@pytest.fixture(scope="session")
def crd_server_session(request: pytest.FixtureRequest, crds: CustomResourceDefinitions) -> Iterator[CrdServer]:
    """A server that all tests of a session share: `crd_server_session.reset()` returns it to its state at the start."""
    with _load("features.server.opening").open_server(request, crds) as server:
        yield server


@pytest.fixture
def crd_parity(request: pytest.FixtureRequest, crds: CustomResourceDefinitions) -> MarkedParity:
    """The comparison of `@pytest.mark.crd_parity(BackupSpec, "backups.example.com/v1")`: `crd_parity.check()`."""
    return _load("features.parity.marked").open_checks(request.node, crds)  # type: ignore[no-any-return]


def _open_fixtures(request: pytest.FixtureRequest) -> Any:
    """Return the functions of fixtures; fail the test if `-p no:crd` is given."""
    if not options.are_declared(request.config):
        pytest.fail("pytest-crd is switched off by `-p no:crd`", pytrace=False)
    _hooks(request.config)
    return _load("fixtures")

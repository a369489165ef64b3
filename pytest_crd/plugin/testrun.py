"""
A run of pytest for CRDs alone, as `pytest-crd test` starts it: it imports no Python code of the project, except with `--crd-python`.

The settings of the plugin in the ini file count. Those of pytest (`addopts`, plugins, warning filters) do not: they are for Python tests.
With `--crd-python`, plugins, `pythonpath` and `conftest.py` count.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import shlex
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_crd.plugin import alone, briefreporter, options
from pytest_crd.plugin.settings import checks, project, upgrades, webhooks
from pytest_crd.plugin.settings.allsettings import SETTINGS

if TYPE_CHECKING:
    from pytest_crd.checks.verdict import Check

_PLUGIN: Final = "pytest_crd.plugin"
_IMPORTS: Final = "pythonpath"
# Settings of pytest with their values for such a run; the project's values may import modules, write files, or require plugins.
_OF_PYTHON: Final = {
    "addopts": "",
    "cache_dir": alone.CACHE,
    "console_output_style": "classic",
    "filterwarnings": "ignore:Unknown config option. (?!crd):pytest.PytestConfigWarning",  # options of plugins that are not loaded
    "log_cli": "false",
    "log_file": "",
    "minversion": "0",
    _IMPORTS: "",
    "required_plugins": "",
    "strict": "false",  # else an unknown setting would be an error
    "strict_config": "false",
}
# Plugins that are not loaded because they run Python code.
_WITHOUT: Final = ("doctest", "unittest")
# Warnings that a user cannot act on: the plugin is imported before pytest can rewrite it; the cache may be read only.
_IGNORED: Final = ("PytestAssertRewriteWarning", "PytestCacheWarning")

# Settings that are no options of `pytest-crd test`: checks always run.
_NOT_HERE: Final = (checks.CHECKS,)
_SHORT: Final = {upgrades.BASELINE: ("--baseline",), project.KUBERNETES_VERSION: ("--kubernetes-version",)}


class FailedCheck(NamedTuple):
    """
    A check that failed in a run, or was skipped because another check of the refused CRD failed.

    Attributes:
        kind: The kind of check, as in `crd_checks_allow`.
        subject: The name of the checked thing.
        path: Its file.
        is_told: Whether another check failed in its place.
    """

    kind: str
    subject: str
    path: Path
    is_told: bool = False

    @property
    def name(self) -> str:
        """The name of the check, as in reports."""
        return f"{self.kind}[{self.subject}]"


class SessionEnd(NamedTuple):
    """
    The end of a run.

    Attributes:
        code: The exit code of pytest.
        was_interrupted: Whether the user interrupted the run; pytest has the same exit code for other reasons, too.
        failed_checks: The checks that failed.
    """

    code: pytest.ExitCode
    was_interrupted: bool
    failed_checks: tuple[FailedCheck, ...] = ()


class _HandOn(argparse.Action):
    """Action that keeps an option for pytest, under its name there."""

    def __call__(self, _: object, namespace: argparse.Namespace, value: Any, __: str | None = None) -> None:
        written = str(self.const) if self.nargs == 0 else f"{self.const}={value}"
        namespace.settings = [*namespace.settings, written]


class _Session:
    """Hooks of the session, which record an interruption and prepare workers."""

    def __init__(self) -> None:
        self.was_interrupted = False
        self.failed_checks: list[FailedCheck] = []

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Replace the terminal reporter after pytest has registered it."""
        briefreporter.install(config)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Record that the user interrupted the run."""
        self.was_interrupted |= excinfo.type is KeyboardInterrupt  # pytest's own reasons to stop are subclasses

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Record a check that fails, or would fail if another one did not."""
        report = yield
        check: Check | None = getattr(item, "check", None)
        is_told = report.skipped and getattr(item, "is_told", False)
        if check is not None and (report.failed or is_told):
            self.failed_checks.append(FailedCheck(check.kind, check.subject, item.path, is_told=is_told))
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: Sequence[Any]) -> None:
        """Start workers without the current folder in `sys.path`."""
        for spec in specs:
            if spec.popen and not spec.python:
                spec.python = f"{shlex.quote(sys.executable)} -P"


def declare(parser: argparse.ArgumentParser, *, is_hidden: bool = False) -> None:
    """Declare the settings of the plugin as options of a command; its help may hide all but the commonest."""
    parser.set_defaults(settings=[])
    group = parser.add_argument_group(
        "settings",
        f"as pytest has them, and the project's ini file{'; --help-settings lists all' if is_hidden else ''}",
    )
    for setting in SETTINGS:
        if setting in _NOT_HERE:
            continue
        names = (*_SHORT.get(setting, ()), setting.option)
        value: dict[str, Any] = {"metavar": setting.placeholder}
        if setting.kind == options.SWITCH:
            value = {"nargs": 0}
        group.add_argument(
            *names,
            action=_HandOn,
            const=setting.option,
            help=argparse.SUPPRESS if is_hidden and setting not in _SHORT else setting.help.replace("%", "%%"),
            **value,
        )
    group.add_argument(
        alone.WEBHOOKS_SHORT,
        action=_HandOn,
        nargs=0,
        const=options.ALONE_WEBHOOKS,
        help=argparse.SUPPRESS
        if is_hidden
        else "Call the webhooks of crd_webhooks in the ini file, and start their commands. Default: only those of "
        f"{webhooks.WEBHOOKS.option}.",
    )


def find_versions(settings: Sequence[str]) -> list[str]:
    """Return the Kubernetes versions that *settings*, which are options of the plugin, name."""
    written = (text.partition("=") for text in settings)
    return [word for name, _, value in written if name == project.KUBERNETES_VERSION.option for word in value.split()]


def run(
    paths: Sequence[str], settings: Sequence[str], handed_on: Sequence[str], *, has_baseline: bool, stdout: str = ""
) -> SessionEnd:
    """
    Run case files, checks and upgrades and return how the run ended.

    Args:
        paths: Files and folders; none for the current folder.
        settings: Options of the plugin.
        handed_on: Options of pytest.
        has_baseline: Whether upgrades are judged from the last release if no other baseline is set.
        stdout: The format of the results on stdout, where pytest writes no lines then; empty for pytest's lines.
    """
    has_python = project.PYTHON.option in settings
    if not has_python:
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # also for workers
        os.environ.pop("PYTEST_PLUGINS", None)
    session = _Session()
    baseline = upgrades.AUTO if has_baseline else ""
    own = (f"{options.ALONE}={baseline}", f"{options.STDOUT}={stdout}")
    plugins = () if has_python else _import_plugins()
    code = pytest.main([*_arguments(has_python=has_python), *own, *settings, *handed_on, *paths], [session, *plugins])
    return SessionEnd(pytest.ExitCode(code), session.was_interrupted, tuple(session.failed_checks))


def ini_options(*, has_python: bool) -> Iterator[str]:
    """Yield options that replace settings of pytest in the ini file; those about imports stay if Python code of the project is imported."""
    for name, value in _OF_PYTHON.items():
        if not (has_python and name == _IMPORTS):
            yield from ("-o", f"{name}={value}")


def _import_plugins() -> list[ModuleType]:
    """Import the plugins of a run: pytest reads all installed distributions for each plugin that is imported by `-p` alone."""
    plugins = [sys.modules[_PLUGIN]]
    if importlib.util.find_spec("xdist"):
        plugins.append(importlib.import_module("xdist.plugin"))
    return plugins


def _arguments(*, has_python: bool) -> Iterator[str]:
    yield from ("-p", _PLUGIN)  # also for workers
    if not has_python:
        # That plugin reads a setting that pytest below 8.4 cannot unset.
        yield from ("--noconftest", "-p", "no:python_path")
    for name in _IGNORED:
        yield from ("-W", f"ignore::pytest.{name}")
    if importlib.util.find_spec("xdist"):  # for `-n` behind `--`
        yield from ("-p", "xdist" if has_python else "xdist.plugin")  # as an entry point, which may be loaded anyway
    for name in _WITHOUT:
        yield from ("-p", f"no:{name}")
    yield from ini_options(has_python=has_python)
    # Report all mistakes at once.
    yield "--continue-on-collection-errors"

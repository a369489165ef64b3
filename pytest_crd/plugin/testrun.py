"""
A run of pytest for CRDs alone, as `pytest-crd test` has it: no Python of the project is imported, and nobody needs to know pytest.

The settings of the project count. What its pytest is told besides (`addopts`, plugins, warnings that fail) is about its Python tests.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import pytest

from pytest_crd.plugin import alone
from pytest_crd.plugin.settings import SETTINGS, checks, project, upgrades
from pytest_crd.plugin.settings.setting import SettingKind

# Settings of pytest, each with its value for CRDs: those of the project may import, write anywhere, or demand plugins.
_OF_PYTHON: Final = {
    "addopts": "",
    "cache_dir": alone.CACHE,
    "filterwarnings": "ignore:Unknown config option. (?!crd):pytest.PytestConfigWarning",  # of plugins that are left out
    "log_file": "",
    "pythonpath": "",
    "required_plugins": "",
    "strict": "false",  # else a setting that is left out would be an error
    "strict_config": "false",
}
# Python's own tests, texts in which there are some, and `pythonpath` in pytest below 8.4, which cannot set it to nothing without an ini file.
_WITHOUT: Final = ("doctest", "unittest", "python_path")
# What nobody can do anything about: the module is imported before pytest can look into it; a folder may be read only.
_IGNORED: Final = ("PytestAssertRewriteWarning", "PytestCacheWarning")

# What a run always does, and what it never does.
_NOT_HERE: Final = (checks.CHECKS, project.PYTHON)
_SHORT: Final = {upgrades.BASELINE: ("--baseline",), project.KUBERNETES_VERSION: ("--kubernetes-version",)}


class SessionEnd(NamedTuple):
    """
    What came of a run.

    Attributes:
        code: What pytest says.
        was_interrupted: Whether somebody has interrupted it, and not it itself.
    """

    code: pytest.ExitCode
    was_interrupted: bool


class _HandOn(argparse.Action):
    """Keeps an option for pytest, under the name that it has there."""

    def __call__(self, _: object, namespace: argparse.Namespace, value: Any, __: str | None = None) -> None:
        written = str(self.const) if self.nargs == 0 else f"{self.const}={value}"
        namespace.settings = [*namespace.settings, written]


class _Session:
    """Hooks of the session: they note an interruption, which pytest answers as many other reasons to stop, and prepare workers."""

    def __init__(self) -> None:
        self.was_interrupted = False

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Learn that somebody has interrupted it."""
        self.was_interrupted |= excinfo.type is KeyboardInterrupt  # of which pytest derives its own reasons to stop

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, specs: Sequence[Any]) -> None:
        """Start workers without the current folder in `sys.path`."""
        for spec in specs:
            if spec.popen and not spec.python:
                spec.python = f"{shlex.quote(sys.executable)} -P"


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the settings of the plugin, each as pytest has it."""
    parser.set_defaults(settings=[])
    group = parser.add_argument_group("settings", "as pytest has them, and the project's ini file")
    for setting in SETTINGS:
        if setting in _NOT_HERE:
            continue
        names = (*_SHORT.get(setting, ()), setting.option)
        value: dict[str, Any] = {"metavar": setting.placeholder}
        if setting.kind is SettingKind.SWITCH:
            value = {"nargs": 0}
        group.add_argument(*names, action=_HandOn, const=setting.option, help=setting.help.replace("%", "%%"), **value)


def run(paths: Sequence[str], settings: Sequence[str], handed_on: Sequence[str], *, has_baseline: bool) -> SessionEnd:
    """
    Run case files, checks and upgrades.

    Args:
        paths: Files and folders; none for the current folder.
        settings: Options of the plugin.
        handed_on: Options of pytest.
        has_baseline: Whether upgrades are judged from the last release where nobody names another baseline.
    """
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # also for workers
    os.environ.pop("PYTEST_PLUGINS", None)
    session = _Session()
    baseline = upgrades.AUTO if has_baseline else ""
    code = pytest.main([*_arguments(), f"{alone.OPTION}={baseline}", *settings, *handed_on, *paths], [session])
    return SessionEnd(pytest.ExitCode(code), session.was_interrupted)


def _arguments() -> Iterator[str]:
    yield from ("-p", "pytest_crd.plugin", "--noconftest")
    for name in _IGNORED:
        yield from ("-W", f"ignore::pytest.{name}")
    if importlib.util.find_spec("xdist"):  # for who hands on -n
        yield from ("-p", "xdist.plugin")
    for name in _WITHOUT:
        yield from ("-p", f"no:{name}")
    for name, value in _OF_PYTHON.items():
        yield from ("-o", f"{name}={value}")
    # All that is wrong is told at once.
    yield from ("--continue-on-collection-errors", checks.CHECKS.option)

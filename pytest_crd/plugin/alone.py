"""
A session for CRDs alone, as `pytest-crd test` starts it: no Python of the project counts, nor what its pytest is told about that.

It is asked for by an option, which workers of pytest-xdist are given too.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

from pytest_crd.plugin import commandline
from pytest_crd.plugin.settings import SETTINGS, coverage, outputs, upgrades
from pytest_crd.plugin.settings.setting import SettingKind

# Its value: the baseline where nobody names another; empty for none.
OPTION: Final = "--crd-alone"
_DEST: Final = "crd_alone"
# The folder of pytest's cache; a folder that an ini file names may be anywhere.
CACHE: Final = ".pytest_cache"
# Options whose value is a file that is written.
_WRITING: Final = (outputs.JSON.option, outputs.SARIF.option)


def declare(parser: pytest.Parser) -> None:
    """Declare the option, which is not for people."""
    parser.addoption(OPTION, dest=_DEST, default=None, help=argparse.SUPPRESS)


def load(config: pytest.Config, arguments: list[str]) -> None:
    """
    Keep the options about CRDs of the project's `addopts`; all others are for Python tests.

    Raises:
        UsageError: The ini file cannot be read, or a file outside of the project would be written without the user's word.
    """
    if getattr(config.known_args_namespace, _DEST, None) is None:  # no such option where the plugin is blocked
        return
    _refuse_linked_cache(config)
    if config.inipath is None:
        return
    from pytest_crd.discovery import inifiles  # noqa: PLC0415 - other sessions load nothing

    try:
        kept = [*_of_crds(inifiles.words(config.inipath, "addopts"))]
        reports = inifiles.words(config.inipath, coverage.REPORTS.ini)
    except inifiles.IniFileError as error:
        raise pytest.UsageError(str(error)) from None
    for word in kept:
        _refuse_outside(config, word, config.invocation_params.dir)
    for word in reports:
        _refuse_outside(config, f"{coverage.REPORTS.option}={word}", config.inipath.parent)
    arguments[:0] = kept


def read(config: pytest.Config) -> None:
    """Leave out Python files, wherever they are, and judge upgrades from the last release where no other baseline is named."""
    baseline = config.getoption(_DEST)
    if baseline is None:
        return
    commandline.leave_out_python(config, "which pytest runs")
    if baseline and not upgrades.BASELINE.given(config).is_set:
        setattr(config.option, upgrades.BASELINE.dest, [baseline])


def _of_crds(words: Iterable[str]) -> Iterator[str]:
    """Yield the options of the plugin among *words*, with their values."""
    known = {setting.option: setting.kind for setting in SETTINGS}
    waiting = iter(words)
    for word in waiting:
        option, has_value, _ = word.partition("=")
        if option in known:
            needs_value = known[option] is not SettingKind.SWITCH and not has_value
            yield f"{word}={next(waiting, '')}" if needs_value else word


def _refuse_outside(config: pytest.Config, word: str, base: Path) -> None:
    """
    Check that an option of the ini file writes no file outside of the project.

    Raises:
        UsageError: It does.
    """
    option, _, value = word.partition("=")
    name = value.partition(":")[2] if option == coverage.REPORTS.option else value if option in _WRITING else ""
    if name and not (base / name).resolve().is_relative_to(config.rootpath.resolve()):
        raise pytest.UsageError(
            f"{config.inipath}: {option}={value}: {name} is outside of {config.rootpath}; a file there is written only "
            f"if the command line says so: write pytest-crd test {option}={value}, and take it out of the ini file"
        )


def _refuse_linked_cache(config: pytest.Config) -> None:
    """
    Check that no link leads out of pytest's cache, which pytest would follow.

    Raises:
        UsageError: One does.
    """
    cache = config.rootpath / CACHE
    if config.pluginmanager.is_blocked("cacheprovider"):
        return
    entries = (Path(folder, name) for folder, *names in os.walk(cache) for name in (*names[0], *names[1]))
    if link := next((path for path in (cache, *entries) if path.is_symlink()), None):
        raise pytest.UsageError(
            f"{link} is a link, through which pytest would write; remove it, or write pytest-crd test -- -p no:cacheprovider"
        )

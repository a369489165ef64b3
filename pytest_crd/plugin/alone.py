"""
A session for CRDs alone, as `pytest-crd test` starts it: no Python of the project counts, nor what its pytest is told about that.

It is asked for by an option, which workers of pytest-xdist are given too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import Final

import pytest

from pytest_crd.plugin import commandline
from pytest_crd.plugin.settings import SETTINGS, upgrades
from pytest_crd.plugin.settings.setting import SettingKind

# Its value: the baseline where nobody names another; empty for none.
OPTION: Final = "--crd-alone"
_DEST: Final = "crd_alone"
# The folder of pytest's cache; a folder that an ini file names may be anywhere.
CACHE: Final = ".pytest_cache"


def declare(parser: pytest.Parser) -> None:
    """Declare the option, which is not for people."""
    parser.addoption(OPTION, dest=_DEST, default=None, help=argparse.SUPPRESS)


def load(config: pytest.Config, arguments: list[str]) -> None:
    """Keep of the `addopts` of the project what is about CRDs: for Python tests there may be much else."""
    is_asked_for = (
        getattr(config.known_args_namespace, _DEST, None) is not None
    )  # no such option where the plugin is blocked
    if is_asked_for and config.inipath is not None:
        from pytest_crd.discovery import inifiles  # noqa: PLC0415 - other sessions load nothing

        try:
            arguments[:0] = _of_crds(inifiles.words(config.inipath, "addopts"))
        except inifiles.IniFileError as error:
            raise pytest.UsageError(str(error)) from None


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

"""
A session for CRDs alone, as `pytest-crd test` starts it, without the project's Python code and the pytest settings for it.

A hidden option switches it on, so that workers of pytest-xdist get it too.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd import lazyimport
from pytest_crd.plugin import commandline, options
from pytest_crd.plugin.settings import checks, project, webhooks

if TYPE_CHECKING:
    from pytest_crd.plugin.settings import allsettings, upgrades
else:
    allsettings = lazyimport.module("pytest_crd.plugin.settings.allsettings")
    upgrades = lazyimport.module("pytest_crd.plugin.settings.upgrades")


# The hidden option for calls of the webhooks that files of the project name, in `pytest-crd test`.
WEBHOOKS_SHORT: Final = "--webhooks"
# The folder of pytest's cache, used in place of the ini file's, which may be anywhere.
CACHE: Final = ".pytest_cache"
# Options of pytest about the session itself.
_ASKING: Final = ("collectonly", "setuponly", "setupplan", "traceconfig", "debug")


def calls_webhooks(config: pytest.Config) -> bool:
    """Return whether such a session calls the webhooks that files of the project name."""
    return bool(getattr(config.known_args_namespace, options.ALONE_WEBHOOKS_DEST))


def load(config: pytest.Config, arguments: list[str]) -> None:
    """
    Prepend the options about CRDs of the project's `addopts` to *arguments*; all others are for Python tests.

    If the project's Python code is imported, also load the plugins of `addopts`.

    Raises:
        UsageError: The ini file cannot be read.
    """
    _refuse_linked_cache(config)
    if config.inipath is None:
        return
    from pytest_crd.discovery import inifiles  # noqa: PLC0415 - other sessions load nothing

    try:
        written = inifiles.words(config.inipath, "addopts")
    except inifiles.IniFileError as error:
        raise pytest.UsageError(str(error)) from None
    arguments[:0] = _drop_webhooks(config, [*_of_crds(written)])
    if getattr(config.known_args_namespace, project.PYTHON.dest):
        # pytest below 8.4 sets the path only after this hook.
        sys.path[:0] = [str(path) for path in config.getini("pythonpath") if str(path) not in sys.path]
        for name in _plugins(written):
            config.pluginmanager.import_plugin(name)


def read(config: pytest.Config) -> None:
    """Leave out all Python files, check CRDs, and judge upgrades from the last release unless another baseline is set."""
    baseline = config.getoption(options.ALONE_DEST)
    if baseline is None:
        return
    commandline.leave_out_python(config, "which pytest runs")
    setattr(config.option, checks.CHECKS.dest, True)
    if baseline and not upgrades.BASELINE.find_entry(config).is_set:
        setattr(config.option, upgrades.BASELINE.dest, [baseline])


def is_brief(config: pytest.Config) -> bool:
    """Return whether the output is a summary: in such a session, unless `-v` or an option about pytest itself asks for more."""
    asks_for_more = config.get_verbosity() > 0 or any(config.getoption(name, default=False) for name in _ASKING)
    return config.getoption(options.ALONE_DEST, default=None) is not None and not asks_for_more


def _of_crds(words: Iterable[str]) -> Iterator[str]:
    """Yield the options of the plugin among *words*, each with its value."""
    kinds = {setting.option: setting.kind for setting in allsettings.SETTINGS}
    remaining = iter(words)
    for word in remaining:
        option, has_value, _ = word.partition("=")
        if option in kinds:
            needs_value = kinds[option] != options.SWITCH and not has_value
            yield f"{word}={next(remaining, '')}" if needs_value else word


def _drop_webhooks(config: pytest.Config, words: list[str]) -> list[str]:
    """Return *words* without endpoints of webhooks, unless the command line lets the session call them."""
    if calls_webhooks(config):
        return words
    others = [word for word in words if word.partition("=")[0] != webhooks.WEBHOOKS.option]
    config.stash[webhooks.IS_DROPPED] = len(others) < len(words)
    return others


def _plugins(words: Sequence[str]) -> Iterator[str]:
    """Yield the plugins that `-p` loads."""
    for word, following in itertools.pairwise((*words, "")):
        name = following if word == "-p" else word.removeprefix("-p") if word.startswith("-p") else ""
        if name and not name.startswith("no:"):
            yield name.strip()


def _refuse_linked_cache(config: pytest.Config) -> None:
    """
    Refuse a cache of pytest that is a link or contains one, because pytest would write through it.

    Raises:
        UsageError: There is a link.
    """
    cache = config.rootpath / CACHE
    if config.pluginmanager.is_blocked("cacheprovider"):
        return
    entries = (Path(folder, name) for folder, *names in os.walk(cache) for name in (*names[0], *names[1]))
    if link := next((path for path in (cache, *entries) if path.is_symlink()), None):
        raise pytest.UsageError(
            f"{link} is a link, through which pytest would write; remove it, or write pytest-crd test -- -p no:cacheprovider"
        )

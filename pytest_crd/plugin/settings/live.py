"""Settings of `--crd-live`: options of the command line only, because a shared file would make everybody write to a server."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import SettingEntry, define
from pytest_crd.records import NamedTuple


def _read_text(entry: SettingEntry) -> str | None:
    if not entry.is_set:
        return None
    (value,) = entry.value
    return str(value)


LIVE: Final = define("--crd-live", _read_text)
CONTEXT: Final = define("--crd-live-context", _read_text)
INSTALLED: Final = define("--crd-live-installed", setting.switch)
SETTINGS: Final = (LIVE, CONTEXT, INSTALLED)


class LiveSettings(NamedTuple):
    """
    Values of the settings of the live server.

    Attributes:
        server: A URL, or the path of a kubeconfig.
        context: The context of the kubeconfig; None for its current one.
        is_installed: Whether to use the CRDs that are installed on the server.
        base: The folder that a relative path is relative to.
    """

    server: str
    context: str | None
    is_installed: bool
    base: Path


def read(config: pytest.Config) -> LiveSettings | None:
    """
    Return the settings of the live server; None if there is none.

    Raises:
        UsageError: An option is not on the command line itself, is given twice, or has no effect without another one.
    """
    entries = {option: option.find_entry(config) for option in SETTINGS}
    for option, entry in entries.items():
        value, source, is_set = entry.value, entry.source, entry.is_set
        if is_set and not _is_on_command_line(source, config):
            raise pytest.UsageError(f"{source}: on the command line only, never in addopts or PYTEST_ADDOPTS")
        if is_set and option.times == "once" and (len(value) > 1 or not value[0].strip()):
            raise pytest.UsageError(f"{source}: write one {option.placeholder}, once")
        if is_set and not entries[LIVE].is_set:
            raise pytest.UsageError(f"{source} does nothing without {LIVE.option}: name the server")
    server = LIVE.read(entries[LIVE])
    if server is None:
        return None
    if server in config.invocation_params.args and (config.invocation_params.dir / server).exists():
        # pytest knows no options of plugins when it looks for its root folder.
        raise entries[LIVE].error(f"write {LIVE.option}={server}: pytest takes a separate path for a path of tests")
    return LiveSettings(server, CONTEXT.read_value(config), INSTALLED.read_value(config), config.invocation_params.dir)


def _is_on_command_line(option: str, config: pytest.Config) -> bool:
    if hasattr(config, "workerinput"):
        return True  # the controller has checked its own command line
    # pytest reads further arguments from `@file`.
    return any(
        str(argument).partition("=")[0] == option or str(argument).startswith("@")
        for argument in config.invocation_params.args
    )

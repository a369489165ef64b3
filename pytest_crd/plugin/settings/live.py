"""`--crd-live` and what goes with it: on the command line alone, lest a file that is shared makes everybody write to a server."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

import pytest

from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import Given, Setting, SettingKind, Times


def _one(given: Given) -> str | None:
    if not given.is_set:
        return None
    (value,) = given.value
    return str(value)


LIVE: Final = Setting(
    SettingKind.TEXT,
    "Ask a real API server, too, what cases and checks ask, and fail where it answers otherwise: a URL that needs no"
    " credentials, as `kubectl proxy` prints it, or a kubeconfig. What is made there is removed again.",
    _one,
    option="--crd-live",
    times=Times.ONCE,
    placeholder="URL|KUBECONFIG",
)
CONTEXT: Final = Setting(
    SettingKind.TEXT,
    "The context of the kubeconfig of `--crd-live`.",
    _one,
    option="--crd-live-context",
    times=Times.ONCE,
    placeholder="NAME",
)
INSTALLED: Final = Setting(
    SettingKind.SWITCH,
    "Ask `--crd-live` about the CustomResourceDefinitions that are installed there, by dry runs alone: nothing is made.",
    setting.switch,
    option="--crd-live-installed",
)
SETTINGS: Final = (LIVE, CONTEXT, INSTALLED)


class LiveSettings(NamedTuple):
    """
    What is said of the server.

    Attributes:
        server: A URL, or the path of a kubeconfig.
        context: The context of the kubeconfig; None where none is named.
        is_installed: Whether CRDs are those that are installed.
        base: What a relative path is relative to.
    """

    server: str
    context: str | None
    is_installed: bool
    base: Path


def read(config: pytest.Config) -> LiveSettings | None:
    """
    Return what is set; None where no server is asked.

    Raises:
        UsageError: It is set elsewhere than on the command line, twice, or without what it belongs to.
    """
    given = {one: one.given(config) for one in SETTINGS}
    for one, (value, said_by, _, is_set) in given.items():
        if is_set and not _is_on_command_line(said_by, config):
            raise pytest.UsageError(f"{said_by}: on the command line only, never in addopts or PYTEST_ADDOPTS")
        if is_set and one.times is Times.ONCE and (len(value) > 1 or not value[0].strip()):
            raise pytest.UsageError(f"{said_by}: write one {one.placeholder}, once")
        if is_set and not given[LIVE].is_set:
            raise pytest.UsageError(f"{said_by} does nothing without {LIVE.option}: name the server")
    named = LIVE.read(given[LIVE])
    if named is None:
        return None
    if named in config.invocation_params.args and (config.invocation_params.dir / named).exists():
        # It knows no options of plugins when it looks for the project.
        raise given[LIVE].wrong(
            f"write {LIVE.option}={named}: pytest takes a path that stands alone for a part of the project"
        )
    return LiveSettings(named, CONTEXT.of(config), INSTALLED.of(config), config.invocation_params.dir)


def _is_on_command_line(option: str, config: pytest.Config) -> bool:
    if hasattr(config, "workerinput"):
        return True  # its controller has looked at its own
    # pytest reads `@file` as more of the command line.
    return any(
        str(one).partition("=")[0] == option or str(one).startswith("@") for one in config.invocation_params.args
    )

"""Settings of reports for code hosts and programs: which are written, and to which files."""

from __future__ import annotations

import enum
import os
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from pytest_crd.plugin.settings.setting import Setting, SettingEntry, SettingKind, Times


class CodeHost(enum.StrEnum):
    """Code host that annotations are written for; the value is the word of the user."""

    GITHUB = "github"
    GITLAB = "gitlab"


_AUTO: Final = "auto"
_NEVER: Final = "never"
_CHOICES: Final = (_AUTO, *CodeHost, _NEVER)
# Environment variables that code hosts set in their CI.
_SIGNS: Final = {"GITHUB_ACTIONS": CodeHost.GITHUB, "GITLAB_CI": CodeHost.GITLAB}
# The environment variable of a session that a test started.
_NESTED: Final = "PYTEST_CURRENT_TEST"


def _code_host(entry: SettingEntry) -> CodeHost | None:
    if entry.value not in _CHOICES:
        raise entry.error(f"{entry.value!r}: write {', '.join(_CHOICES[:-1])} or {_CHOICES[-1]}")
    if entry.value == _AUTO:
        hosts = (host for name, host in _SIGNS.items() if os.environ.get(name) == "true")
        return None if _NESTED in os.environ else next(hosts, None)
    return None if entry.value == _NEVER else CodeHost(entry.value)


def _file(entry: SettingEntry) -> Path | None:
    if entry.value is None:
        return None
    path: Path = entry.base / entry.value
    if not entry.value or path.is_dir():
        raise entry.error(f"{entry.value!r} is no name of a file")
    entry.require_output(entry.value)
    return path


ANNOTATIONS: Final = Setting(
    SettingKind.TEXT,
    "The code host for annotations at the lines of CRDs, samples and cases: `github`, `gitlab`, `never`, or "
    "`auto` (default), from the environment.",
    _code_host,
    ini="crd_annotations",
    option="--crd-annotations",
    default=_AUTO,
    replaces="crd_annotations",
    times=Times.LAST,
)
SARIF: Final = Setting(
    SettingKind.TEXT,
    "Write failures as SARIF 2.1.0 into this file.",
    _file,
    option="--crd-sarif",
    times=Times.LAST,
    placeholder="FILE",
)
JSON: Final = Setting(
    SettingKind.TEXT,
    "Write every verdict as JSON into this file.",
    _file,
    option="--crd-json",
    times=Times.LAST,
    placeholder="FILE",
)
# A hidden option of `pytest-crd test`: the format of the results on stdout, where pytest writes no lines then.
STDOUT_OPTION: Final = "--crd-stdout"
STDOUT_DEST: Final = "crd_stdout"
SETTINGS: Final = (ANNOTATIONS, SARIF, JSON)


class OutputSettings(NamedTuple):
    """
    Values of the settings of reports for code hosts and programs.

    Attributes:
        host: The code host whose annotations are written; None for none.
        sarif: The SARIF file; None for none.
        json: The JSON file with every verdict; None for none.
        stdout: The format that is written to stdout in place of pytest's lines; empty for pytest's lines.
    """

    host: CodeHost | None
    sarif: Path | None
    json: Path | None
    stdout: str = ""


def read(config: pytest.Config) -> OutputSettings | None:
    """
    Return the settings of reports; None if no report is written.

    Raises:
        UsageError: A setting has a wrong value.
    """
    stdout = config.getoption(STDOUT_DEST, default="")
    host = None if stdout else ANNOTATIONS.read_value(config)
    settings = OutputSettings(host, SARIF.read_value(config), JSON.read_value(config), stdout)
    if settings.json is not None and settings.json == settings.sarif:
        raise pytest.UsageError(f"{SARIF.option} and {JSON.option} name the same file")
    return settings if any(settings) else None

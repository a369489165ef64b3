"""Settings of reports for code hosts and programs: which are written, and to which files."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Final

import pytest

from pytest_crd.plugin import options
from pytest_crd.plugin.settings.setting import SettingEntry, define
from pytest_crd.records import NamedTuple


class CodeHost(enum.StrEnum):
    """Code host that annotations are written for; the value is the word of the user."""

    GITHUB = "github"
    GITLAB = "gitlab"


_AUTO: Final = "auto"
_NEVER: Final = "never"
_CHOICES: Final = (_AUTO, *CodeHost, _NEVER)


def _code_host(entry: SettingEntry) -> CodeHost | None:
    if entry.value not in _CHOICES:
        raise entry.error(f"{entry.value!r}: write {', '.join(_CHOICES[:-1])} or {_CHOICES[-1]}")
    if entry.value == _AUTO:
        host = options.find_code_host()
        return CodeHost(host) if host else None
    return None if entry.value == _NEVER else CodeHost(entry.value)


def _file(entry: SettingEntry) -> Path | None:
    if entry.value is None:
        return None
    path: Path = entry.base / entry.value
    if not entry.value or path.is_dir():
        raise entry.error(f"{entry.value!r} is no name of a file")
    entry.require_output(entry.value)
    return path


ANNOTATIONS: Final = define("--crd-annotations", _code_host, default=_AUTO)
SARIF: Final = define("--crd-sarif", _file)
JSON: Final = define("--crd-json", _file)
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
    stdout = config.getoption(options.STDOUT_DEST, default=None) or ""
    host = None if stdout else ANNOTATIONS.read_value(config)
    settings = OutputSettings(host, SARIF.read_value(config), JSON.read_value(config), stdout)
    if settings.json is not None and settings.json == settings.sarif:
        raise pytest.UsageError(f"{SARIF.option} and {JSON.option} name the same file")
    return settings if any(settings) else None

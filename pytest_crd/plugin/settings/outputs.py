"""What is set about reports for code hosts and programs: which there are, and into which files they go."""

from __future__ import annotations

import enum
import os
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from pytest_crd.plugin.settings.setting import Given, Setting, SettingKind, Times


class CodeHost(enum.StrEnum):
    """Whose pages show at the lines of files what is wrong; the value is what is written for it."""

    GITHUB = "github"
    GITLAB = "gitlab"


_AUTO: Final = "auto"
_NEVER: Final = "never"
_CHOICES: Final = (_AUTO, *CodeHost, _NEVER)
# What an environment has that belongs to a code host.
_SIGNS: Final = {"GITHUB_ACTIONS": CodeHost.GITHUB, "GITLAB_CI": CodeHost.GITLAB}
# What the environment of a session has that was started by a test.
_NESTED: Final = "PYTEST_CURRENT_TEST"


def _code_host(given: Given) -> CodeHost | None:
    if given.value not in _CHOICES:
        raise given.wrong(f"{given.value!r}: write {', '.join(_CHOICES[:-1])} or {_CHOICES[-1]}")
    if given.value == _AUTO:
        found = (host for name, host in _SIGNS.items() if os.environ.get(name) == "true")
        return None if _NESTED in os.environ else next(found, None)
    return None if given.value == _NEVER else CodeHost(given.value)


def _file(given: Given) -> Path | None:
    if given.value is None:
        return None
    path: Path = given.base / given.value
    if not given.value or path.is_dir():
        raise given.wrong(f"{given.value!r} is no name of a file")
    return path


ANNOTATIONS: Final = Setting(
    SettingKind.TEXT,
    "Which code host shows what is wrong at the lines of CRDs, samples and cases: `github`, `gitlab`, `never`, or `auto` (if"
    " unset), by the environment.",
    _code_host,
    ini="crd_annotations",
    option="--crd-annotations",
    default=_AUTO,
    replaces="crd_annotations",
    times=Times.LAST,
)
SARIF: Final = Setting(
    SettingKind.TEXT,
    "Write what is wrong as SARIF 2.1.0 into this file.",
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
SETTINGS: Final = (ANNOTATIONS, SARIF, JSON)


class OutputSettings(NamedTuple):
    """
    What is set about reports for code hosts and programs.

    Attributes:
        host: Whose pages show what is wrong; None for nobody's.
        sarif: Where SARIF is written; None where it is not.
        json: Where every verdict is written; None where none is.
    """

    host: CodeHost | None
    sarif: Path | None
    json: Path | None


def read(config: pytest.Config) -> OutputSettings | None:
    """
    Return what is set; None where no report is asked for, by anybody or by the environment.

    Raises:
        UsageError: Something that cannot be.
    """
    settings = OutputSettings(ANNOTATIONS.of(config), SARIF.of(config), JSON.of(config))
    if settings.json is not None and settings.json == settings.sarif:
        raise pytest.UsageError(f"{SARIF.option} and {JSON.option} name the same file")
    return settings if any(settings) else None

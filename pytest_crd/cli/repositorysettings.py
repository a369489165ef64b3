"""
Settings of the command `validate` for a repository, which options of the command line override.

They are in the table `validate` of a `pytest-crd.toml`, or in `tool.pytest-crd.validate` of a `pyproject.toml`: in the current folder, or in the
nearest folder of the repository above it.
"""

from __future__ import annotations

import argparse
import itertools
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_crd import boundary, suggestions
from pytest_crd.boundary import ProjectBoundary
from pytest_crd.cli import helmcharts
from pytest_crd.cli.objectfiles import STREAM
from pytest_crd.engine import InputError, Mistake, UnknownVersionError, profile
from pytest_crd.engine.yaml import manifest
from pytest_crd.suggestions import WorkBudget

_NAME: Final = "pytest-crd.toml"
_PROJECT: Final = "pyproject.toml"
_OF_PROJECT: Final = ("tool", "pytest-crd")
_TABLE: Final = "validate"
_LIST: Final = "a list of texts"
_SWITCH: Final = "true or false"
_TEXT: Final = "a text"
_SOURCES: Final = "local-sources"
_PATHS: Final = ("files", "crd", _SOURCES)
# The options of the same names, with the values that they take.
_KEYS: Final[Mapping[str, str]] = {
    "files": _LIST,
    "crd": _LIST,
    "skip": _LIST,
    _SOURCES: _LIST,
    "helm-charts": _SWITCH,
    "strict": _SWITCH,
    "kubernetes-version": _TEXT,
}


class SettingsError(InputError):
    """Settings that cannot be read."""


class _File(NamedTuple):
    """A file with settings: its path and text, the name of their table, and the table with `validate`."""

    path: Path
    text: str
    name: str
    table: Any

    def mistake(self, words: str, text: str = "") -> Mistake:
        """Return a mistake at the first line with *text* in the table, else in the file, else at the header of the table."""
        lines = [*enumerate(self.text.splitlines(), 1)]
        start = next((number for number, line in lines if line.strip().startswith(f"[{self.name}")), 1)
        places = (number for number, line in (*lines[start - 1 :], *lines) if text in line)
        return Mistake(os.path.relpath(self.path), next(places, start), words)


def complete(options: argparse.Namespace) -> None:
    """
    Set the options that the command line leaves out to the settings of the repository.

    Raises:
        SettingsError: The settings cannot be read, or one is wrong.
    """
    file = _find_file(Path.cwd())
    table = {} if file is None else _read(file)
    for key in _KEYS:
        name = key.replace("-", "_")
        value = table.get(key)
        if getattr(options, name) or (key == "crd" and options.crd_live):
            continue
        if getattr(options, name) is None and value is not None:
            setattr(options, name, value)
        elif key == "files" and value:
            options.files = value
    # A command for some files of a repository with charts, such as a hook, need not name a chart.
    if table.get("helm-charts") and options.helm_charts and options.files is not table.get("files"):
        options.helm_charts = helmcharts.has_charts(options.files)


def _find_file(folder: Path) -> _File | None:
    """
    Return the nearest file with settings, from a folder up to the top of its repository; None without one.

    Raises:
        SettingsError: It cannot be read, or its folder has two.
    """
    top = Path(boundary.find_project(folder))
    below = itertools.takewhile(lambda parent: parent != top, (folder, *folder.parents))
    for parent in (*below, top):
        files = [*_load_files(parent)]
        if len(files) > 1:
            raise SettingsError([files[1].mistake(f"the settings are in {_NAME}, too: keep one of the two tables")])
        if files:
            return files[0]
    return None


def _load_files(folder: Path) -> Iterator[_File]:
    for name, steps in ((_NAME, ()), (_PROJECT, _OF_PROJECT)):
        path = folder / name
        if not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
            table: Any = tomllib.loads(text)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise SettingsError([Mistake(os.path.relpath(path), 0, f"cannot be read: {error}")]) from None
        for step in steps:
            table = table if isinstance(table, dict) else {}
            if misspelt := [key for key in table if key != step and key.casefold().replace("_", "-") == step]:
                words = f"no table is {misspelt[0]}; did you mean {step}?"
                raise SettingsError([_File(path, text, misspelt[0], table).mistake(words, misspelt[0])])
            table = table.get(step, {})
        if table or not steps:
            yield _File(path, text, ".".join(steps) or _TABLE, table)


def _read(file: _File) -> Mapping[str, Any]:
    """
    Return the settings of a file, with paths relative to the current folder.

    Raises:
        SettingsError: All wrong settings.
    """
    outer = file.table if isinstance(file.table, dict) else {_TABLE: file.table}
    table = outer.get(_TABLE, {})
    mistakes = [file.mistake(_explain_unknown(key, [_TABLE]), key) for key in outer if key != _TABLE]
    if not isinstance(table, dict):
        raise SettingsError([*mistakes, file.mistake(f"write the settings of {_TABLE} as a table")])
    settings: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            mistakes.append(file.mistake(_explain_unknown(key, _KEYS), key))
        elif problem := _find_problem(key, value):
            mistakes.append(file.mistake(f"{key}: {problem}", key))
        else:
            outside = [*_find_outside(file, key, value)] if key in _PATHS else []
            mistakes += [file.mistake(f"{key}: {path}: {boundary.OUTSIDE}", path) for path in outside]
            settings[key] = [*_relative(file, key, value)] if key in _PATHS else value
    if mistakes:
        raise SettingsError(mistakes)
    return settings


def _explain_unknown(key: str, known: Sequence[str] | Mapping[str, str]) -> str:
    if key in _KEYS:
        return f"{key} is a setting of {_TABLE}: write it below [{_TABLE}]"
    near = suggestions.hint(suggestions.nearest(key, known, WorkBudget()))
    return f"no setting is {key}{near or '; there are ' + ', '.join(known)}"


def _find_problem(key: str, value: Any) -> str:
    """Return the problem of a value; empty if it has none."""
    kind = _KEYS[key]
    texts = value if isinstance(value, list) else [value]
    is_text = all(isinstance(text, str) and text for text in texts)
    is_right = isinstance(value, bool) if kind == _SWITCH else is_text and isinstance(value, list) == (kind == _LIST)
    if not is_right:
        return f"write {kind}"
    if key == _SOURCES and (joined := next((text for text in texts if "," in text), "")):
        return f"{joined}: write a text for each source"
    if STREAM in texts:
        return f"{STREAM} is standard input, which only the command line names"
    if kind == _TEXT:
        try:
            profile.named(value)
        except UnknownVersionError as error:
            return str(error)
    return ""


def _find_outside(file: _File, key: str, patterns: Sequence[str]) -> Iterator[str]:
    """Yield the paths that lead out of the project."""
    limits = ProjectBoundary(file.path.parent)
    for pattern in patterns:
        path = os.path.normpath(pattern.removeprefix(_mark_of(key, pattern)))
        start = path if key == _SOURCES else boundary.start_of(path)
        if not limits.holds(os.path.realpath(file.path.parent / start)):
            yield pattern


def _relative(file: _File, key: str, patterns: Sequence[str]) -> Iterator[str]:
    """Yield patterns relative to the current folder."""
    for pattern in patterns:
        mark = _mark_of(key, pattern)
        yield f"{mark}{os.path.relpath(file.path.parent / pattern.removeprefix(mark))}"


def _mark_of(key: str, pattern: str) -> str:
    """Return the text before a path: the name of a source, or the mark of a pattern that excludes files."""
    if key == _SOURCES:
        return pattern[: pattern.find("=") + 1]
    return manifest.LEFT_OUT if pattern.startswith(manifest.LEFT_OUT) else ""

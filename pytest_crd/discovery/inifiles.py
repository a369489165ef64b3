"""Settings of pytest in an ini file, as they are written there."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import iniconfig

from pytest_crd import boundary
from pytest_crd.boundary import ProjectBoundary
from pytest_crd.engine.inputerror import InputError, Mistake

# In pytest's order; files of other programs count if they have the section.
_NAMES: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_PYTEST_FILES: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
# The tables with settings in a pyproject.toml; the first that has a setting counts.
_OF_PYPROJECT: Final = (("tool", "pytest", "ini_options"), ("tool", "pytest"))
_OF_TOML: Final = (("pytest",),)


class IniFileError(InputError):
    """An ini file cannot be read."""


def find_file(folder: Path) -> Path | None:
    """
    Return the file in *folder* from which pytest takes its settings; None without such a file.

    Raises:
        IniFileError: A file cannot be read.
    """
    for name in _NAMES:
        path = folder / name
        if path.is_file() and (name in _PYTEST_FILES or any(_tables(path))):
            return path
    return None


def section(path: Path) -> str:
    """
    Return the name of the section with pytest's settings; the default name if the file has none yet.

    Raises:
        IniFileError: The file cannot be read.
    """
    return next((name for name, _ in _tables(path)), "pytest")


def read_value(path: Path, name: str) -> Any:
    """
    Return the value of a setting, a text or a list of texts; None if it is unset.

    Raises:
        IniFileError: The file cannot be read.
    """
    return next((table[name] for _, table in _tables(path) if name in table), None)


def words(path: Path, name: str) -> Sequence[str]:
    """
    Return the words of a setting; empty if it is unset.

    Raises:
        IniFileError: The file cannot be read, or a quote is not closed.
    """
    value = read_value(path, name)
    if not isinstance(value, str):
        return list(map(str, value or ()))
    try:
        return shlex.split(value)
    except ValueError as error:
        raise _mistake(path, f"{name}: {error}") from None


def paths(path: Path, name: str) -> Sequence[str]:
    """
    Return the paths of a setting; empty if it is unset.

    Raises:
        IniFileError: The file cannot be read, or a path leads out of the project.
    """
    limits = ProjectBoundary(path.parent)
    patterns = words(path, name)
    for pattern in patterns:
        if not limits.holds(os.path.realpath(path.parent / boundary.start_of(pattern.removeprefix("!")))):
            raise _mistake(path, f"{name}: {pattern}: {boundary.OUTSIDE}")
    return patterns


def lines(path: Path, name: str) -> Sequence[str]:
    """
    Return the lines of a setting; empty if it is unset.

    Raises:
        IniFileError: The file cannot be read.
    """
    value = read_value(path, name) or ()
    listed = value.splitlines() if isinstance(value, str) else map(str, value)
    return [line.strip() for line in listed if line.strip()]


def _tables(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the sections of a file with pytest's settings, by name."""
    try:
        content = path.read_text(encoding="utf-8")
        sections = [*(_of_toml(path, tomllib.loads(content)) if path.suffix == ".toml" else _of_ini(path, content))]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, iniconfig.ParseError) as error:
        raise _mistake(path, f"cannot be read: {error}") from None
    yield from sections


def _of_ini(path: Path, content: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    sections = iniconfig.IniConfig(str(path), data=content)
    name = "tool:pytest" if path.suffix == ".cfg" else "pytest"
    if name in sections:
        yield name, dict(sections[name].items())


def _of_toml(path: Path, tables: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for steps in _OF_PYPROJECT if path.name == "pyproject.toml" else _OF_TOML:
        table: Any = tables
        for step in steps:
            table = table.get(step, {})
        if table:
            yield ".".join(steps), table


def _mistake(path: Path, words: str) -> IniFileError:
    return IniFileError([Mistake(path.name, 0, words)])

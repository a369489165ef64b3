"""What an ini file of pytest says of a setting, as it is written there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_crd.engine.inputerror import InputError, Mistake

# As pytest looks for them; those that are there for other programs too count where they have the section.
_NAMES: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_OWN: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
# Where a pyproject.toml has the settings; the first counts that has the one that is asked for.
_OF_PYPROJECT: Final = (("tool", "pytest", "ini_options"), ("tool", "pytest"))
_OF_TOML: Final = (("pytest",),)


class IniFileError(InputError):
    """An ini file that cannot be read."""


def find(folder: Path) -> Path | None:
    """
    Return the file in a folder that pytest takes its settings from; None where there is none.

    Raises:
        IniFileError: One cannot be read.
    """
    for name in _NAMES:
        path = folder / name
        if path.is_file() and (name in _OWN or any(_tables(path))):
            return path
    return None


def section(path: Path) -> str:
    """
    Return the name of the section with settings of pytest; of an empty file that which is to be written.

    Raises:
        IniFileError: The file cannot be read.
    """
    return next((name for name, _ in _tables(path)), "pytest")


def written(path: Path, name: str) -> Any:
    """
    Return what is written for a setting, a text or a list of some; None where the file does not have it.

    Raises:
        IniFileError: The file cannot be read.
    """
    return next((table[name] for _, table in _tables(path) if name in table), None)


def words(path: Path, name: str) -> Sequence[str]:
    """
    Return the words of a setting; none where the file does not have it.

    Raises:
        IniFileError: The file cannot be read, or a quotation has no end.
    """
    value = written(path, name)
    if not isinstance(value, str):
        return list(map(str, value or ()))
    try:
        return shlex.split(value)
    except ValueError as error:
        raise _mistake(path, f"{name}: {error}") from None


def lines(path: Path, name: str) -> Sequence[str]:
    """
    Return the lines of a setting; none where the file does not have it.

    Raises:
        IniFileError: The file cannot be read.
    """
    value = written(path, name) or ()
    listed = value.splitlines() if isinstance(value, str) else map(str, value)
    return [line.strip() for line in listed if line.strip()]


def _tables(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the sections of a file that are there, and hold settings of pytest, by name."""
    import tomllib  # noqa: PLC0415 - few sessions need it

    import iniconfig  # noqa: PLC0415 - the same

    try:
        content = path.read_text(encoding="utf-8")
        found = [*(_of_toml(path, tomllib.loads(content)) if path.suffix == ".toml" else _of_ini(path, content))]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, iniconfig.ParseError) as error:
        raise _mistake(path, f"cannot be read: {error}") from None
    yield from found


def _of_ini(path: Path, content: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    import iniconfig  # noqa: PLC0415 - few sessions need it

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

"""What an ini file of pytest says of a setting, as it is written there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

# As pytest looks for them; those that are there for other programs too count where they have the section.
_NAMES: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_OWN: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
# Where a pyproject.toml has the settings; the first counts that has the one that is asked for.
_OF_PYPROJECT: Final = (("tool", "pytest", "ini_options"), ("tool", "pytest"))
_OF_TOML: Final = (("pytest",),)


def find(folder: Path) -> Path | None:
    """Return the file in a folder that pytest takes its settings from; None where there is none."""
    for name in _NAMES:
        path = folder / name
        if path.is_file() and (name in _OWN or any(_tables(path))):
            return path
    return None


def words(path: Path, name: str) -> Sequence[str]:
    """Return the words of a setting; none where the file does not have it."""
    value = _value(path, name)
    return shlex.split(value) if isinstance(value, str) else list(map(str, value))


def lines(path: Path, name: str) -> Sequence[str]:
    """Return the lines of a setting; none where the file does not have it."""
    value = _value(path, name)
    listed = value.splitlines() if isinstance(value, str) else map(str, value)
    return [line.strip() for line in listed if line.strip()]


def _value(path: Path, name: str) -> Any:
    return next((table[name] for table in _tables(path) if name in table), [])


def _tables(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the sections of a file that are there, and hold settings of pytest."""
    content = path.read_text(encoding="utf-8")
    if path.suffix != ".toml":
        import iniconfig  # noqa: PLC0415 - few sessions need it

        sections = iniconfig.IniConfig("", data=content)
        section = "tool:pytest" if path.suffix == ".cfg" else "pytest"
        if section in sections:
            yield dict(sections[section].items())
        return
    import tomllib  # noqa: PLC0415 - few sessions need it

    for steps in _OF_PYPROJECT if path.name == "pyproject.toml" else _OF_TOML:
        table: Any = tomllib.loads(content)
        for step in steps:
            table = table.get(step, {})
        if table:
            yield table

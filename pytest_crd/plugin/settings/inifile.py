"""What the ini file says of a setting, as it is written there: also where the command line says otherwise."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, Final

import pytest

# Where each form of file has the settings; of a pyproject.toml the first that is there.
_TABLES: Final = {"pyproject.toml": (("tool", "pytest", "ini_options"), ("tool", "pytest"))}
_OWN_TABLE: Final = (("pytest",),)


def words(config: pytest.Config, name: str) -> Sequence[str]:
    """Return the words of a setting; none where there is no ini file, or it does not have it."""
    path = config.inipath
    if path is None:
        return []
    content = path.read_text(encoding="utf-8")
    value = _of_toml(content, path.name, name) if path.suffix == ".toml" else _of_ini(content, path.suffix, name)
    return shlex.split(value) if isinstance(value, str) else list(map(str, value))


def _of_toml(content: str, file: str, name: str) -> Any:
    import tomllib  # noqa: PLC0415 - few sessions need it

    for steps in _TABLES.get(file, _OWN_TABLE):
        table: Any = tomllib.loads(content)
        for step in steps:
            table = table.get(step, {})
        if name in table:
            return table[name]
    return []


def _of_ini(content: str, suffix: str, name: str) -> str:
    import iniconfig  # noqa: PLC0415 - few sessions need it

    section = "tool:pytest" if suffix == ".cfg" else "pytest"
    return iniconfig.IniConfig("", data=content).get(section, name) or ""

"""Lines of settings in the ini file, for messages about their values."""

from __future__ import annotations

from typing import Any, Final

import pytest

from pytest_crd import lazyre
from pytest_crd.plugin.settings.setting import Setting

# The tables and sections that pytest reads in pytest.ini, tox.ini, setup.cfg, pyproject.toml and pytest.toml.
_SECTIONS: Final = frozenset({"pytest", "tool:pytest", "tool.pytest", "tool.pytest.ini_options"})
_SECTION: Final = lazyre.compile(r"\s*\[++([^\[\]]*+)\]")
_KEY: Final = lazyre.compile(r"""\s*["']?([\w-]+)["']?\s*[=:]""")


def line_of_entry(config: pytest.Config, setting: Setting[Any], written: str) -> int:
    """Return the 1-based line of an entry of *setting* in the ini file, else the line of the setting; 0 as for `line_of`."""
    first = line_of(config, setting)
    if config.inipath is None or not first:
        return 0
    following = config.inipath.read_text(encoding="utf-8").splitlines()[first - 1 :]
    return next((number for number, line in enumerate(following, start=first) if written in line), first)


def line_of(config: pytest.Config, setting: Setting[Any]) -> int:
    """Return the 1-based line of *setting* in the ini file; 0 if it is not set there, or an option overrides it."""
    if config.inipath is None or setting.find_entry(config).source != setting.ini:
        return 0
    is_read = False
    for number, line in enumerate(config.inipath.read_text(encoding="utf-8").splitlines(), start=1):
        if section := _SECTION.match(line):
            is_read = section[1].strip() in _SECTIONS
        elif is_read and (key := _KEY.match(line)) and key[1] == setting.ini:
            return number
    return 0

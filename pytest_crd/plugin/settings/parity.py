"""Settings of parity checks: classes that agree with CRDs, and allowed divergences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd import lazyimport
from pytest_crd.plugin import hookspecs
from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import Setting, SettingEntry, define
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.plugin.settings import inilines
else:
    inilines = lazyimport.module("pytest_crd.plugin.settings.inilines")


PARITY: Final = define("--crd-parity", setting.words)
ALLOWED: Final = define("--crd-parity-allow", setting.words)
SETTINGS: Final = (PARITY, ALLOWED)


class ParitySettings(NamedTuple):
    """
    Settings of parity checks.

    The source of each entry names its line of the ini file.

    Attributes:
        classes: The classes, each with its version of a CRD.
        allowed: The allowed divergences.
    """

    classes: SettingEntry
    allowed: SettingEntry


def read(config: pytest.Config) -> ParitySettings | None:
    """
    Return the settings of parity checks; None if neither a setting nor the hook names a class.

    Raises:
        UsageError: A setting has no effect.
    """
    settings = ParitySettings(_find_entry(config, PARITY), _find_entry(config, ALLOWED))
    has_classes = settings.classes.is_set or hookspecs.class_implementations(config.pluginmanager)
    if settings.allowed.is_set and not has_classes:
        raise settings.allowed.error(
            f"does nothing without classes: name them in {PARITY.ini}, or in the hook {hookspecs.CLASS_HOOK}"
        )
    return settings if has_classes else None


def _find_entry(config: pytest.Config, of_setting: Setting[tuple[str, ...]]) -> SettingEntry:
    """Return the entry of a setting; its source names the line of the ini file."""
    entry = of_setting.find_entry(config)
    line = inilines.line_of(config, of_setting) if entry.is_set else 0
    is_in_file = line and config.inipath is not None
    source = f"{config.inipath.name}:{line}: {of_setting.ini}" if is_in_file and config.inipath else entry.source
    return entry._replace(value=entry.value or [], source=source)

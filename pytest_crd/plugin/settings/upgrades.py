"""Settings of upgrades: the baselines, and the allowed effects."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_crd import lazyre
from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import Setting, SettingEntry, define
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.upgrades.allowances import Allowance
    from pytest_crd.upgrades.migrations import Migration


# A quoted word, or one without quotes; blanks inside braces belong to the word, as in git's `@{2 days ago}`.
_WORD: Final = lazyre.compile(r"""\"([^"]*)\"|'([^']*)'|((?:\{[^{}]*\}|\S)+)""")


_OF_GIT: Final = "git:"
# The last release; no error in a project without releases.
AUTO: Final = "auto"


def _baselines(entry: SettingEntry) -> tuple[str, ...]:
    if isinstance(entry.value, list):  # one baseline for each option
        baselines = [baseline.strip() for baseline in entry.value]
    else:
        lines = filter(None, map(str.strip, entry.value.splitlines()))
        baselines = [word for line in lines for word in _words(line, entry.base)]
    if entry.is_set and not (baselines and all(baselines)):
        raise entry.error("name a folder, a file or git:REF")
    for name in baselines:
        if not name.startswith(_OF_GIT):
            entry.require_inside(name)
    slashed = (name if name.startswith(_OF_GIT) else setting.slashed(name, entry.base) for name in baselines)
    return tuple(dict.fromkeys(slashed))


def _words(line: str, base: Path) -> Sequence[str]:
    """Return the baselines in a line of the ini file; an existing path is one baseline, even with blanks."""
    if os.path.exists(base / line):  # noqa: PTH110 - pathlib raises if the line is too long for a file name
        return [line]
    return ["".join(groups) for groups in _WORD.findall(line)]


def _allowed(entry: SettingEntry) -> tuple[Allowance, ...]:
    return setting.parse_lines(entry, _parsers().allowance) if entry.is_set else ()


def _migrated(entry: SettingEntry) -> tuple[Migration, ...]:
    return setting.parse_lines(entry, _parsers().migration) if entry.is_set else ()


class _Parsers(NamedTuple):
    allowance: Callable[[str], Allowance]
    migration: Callable[[str], Migration]


def _parsers() -> _Parsers:
    from pytest_crd.upgrades import allowances, migrations  # noqa: PLC0415 - a session that sets nothing loads nothing

    return _Parsers(allowances.parse, migrations.parse)


BASELINE: Final = define("--crd-baseline", _baselines, default="")
ALLOWED: Final = define("--crd-baseline-allow", _allowed)
ROLLBACK: Final = define("--crd-baseline-rollback", setting.switch)
MIGRATED: Final = define("--crd-baseline-migrated", _migrated)
SETTINGS: Final = (BASELINE, ROLLBACK, ALLOWED, MIGRATED)
# The settings that have no effect without a baseline.
_DEPENDENT: Final[tuple[Setting[Any], ...]] = (ROLLBACK, ALLOWED, MIGRATED)


class UpgradeSettings(NamedTuple):
    """
    Values of the settings of upgrades.

    Attributes:
        baselines: The CRDs that users have: folders, files, `git:REF` and `auto`, without duplicates.
        base: The folder of relative paths among them.
        allowed: The effects that upgrades and rollbacks may have.
        rollback: Whether rollbacks are judged, too.
        migrated: The declared migrations of stored objects.
    """

    baselines: tuple[str, ...]
    base: Path
    allowed: tuple[Allowance, ...]
    rollback: bool
    migrated: tuple[Migration, ...]


def read(config: pytest.Config) -> UpgradeSettings | None:
    """
    Return the settings of upgrades; None if no upgrade is judged.

    Raises:
        UsageError: A setting has a wrong value, or an option has no effect.
    """
    entry = BASELINE.find_entry(config)
    settings = UpgradeSettings(
        BASELINE.read(entry),
        entry.base,
        ALLOWED.read_value(config),
        ROLLBACK.read_value(config),
        MIGRATED.read_value(config),
    )
    if settings.baselines:
        return settings
    if unused := [item.option for item in _DEPENDENT if config.getoption(item.dest) is not None]:
        raise pytest.UsageError(f"{_do_nothing(unused)} without {BASELINE.option}")
    return None


def describe_unused(config: pytest.Config) -> str:
    """Return a line about keys of the ini file that have no effect without a baseline; empty if there are none."""
    unused = [item.ini for item in _DEPENDENT if item.read_value(config)]
    return "" if BASELINE.find_entry(config).is_set or not unused else f"{_do_nothing(unused)} without {BASELINE.ini}"


def _do_nothing(names: Sequence[str]) -> str:
    return f"{' and '.join(names)} {'do' if len(names) > 1 else 'does'} nothing"

"""What is set about upgrades: what users have, and what may become of it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import Given, Setting, SettingKind

if TYPE_CHECKING:
    from pytest_crd.upgrades.allowances import Allowance


# What is in quotes, and what is not: git's `@{2 days ago}` has no end at a blank.
_WORD: Final = re.compile(r"""\"([^"]*)\"|'([^']*)'|((?:\{[^}]*\}|\S)+)""")


# The last release, where there is one.
AUTO: Final = "auto"


def _baselines(given: Given) -> tuple[str, ...]:
    if isinstance(given.value, list):  # of options, of which each names one
        found = [one.strip() for one in given.value]
    else:
        lines = filter(None, map(str.strip, given.value.splitlines()))
        found = [word for line in lines for word in _words(line, given.base)]
    if given.is_set and not (found and all(found)):
        raise given.wrong("name a folder, a file or git:REF")
    named = (one if one.startswith("git:") else setting.slashed(one, given.base) for one in found)
    return tuple(dict.fromkeys(named))


def _words(line: str, base: Path) -> Sequence[str]:
    """Return the baselines that a line of the ini file names: a path is one, though it has blanks."""
    if os.path.exists(base / line):  # noqa: PTH110 - of pathlib, a line that is too long for a name is an error
        return [line]
    return ["".join(groups) for groups in _WORD.findall(line)]


def _allowed(given: Given) -> tuple[Allowance, ...]:
    if not given.is_set:
        return ()
    from pytest_crd.upgrades import allowances  # noqa: PLC0415 - a session that sets nothing loads nothing

    found: list[Allowance] = []
    mistakes: list[str] = []
    for line in given.value:
        try:
            found.append(allowances.parse(line))
        except ValueError as error:
            mistakes.append(str(error))
    if mistakes:
        several = f"{len(mistakes)} of its lines are no entries:"
        raise given.wrong("\n  ".join(mistakes if len(mistakes) == 1 else (several, *mistakes)))
    return tuple(found)


BASELINE: Final = Setting(
    SettingKind.TEXT,
    "The CustomResourceDefinitions that users have, folders, files or `git:REF` (`git:latest-tag` is the last release, `auto` the"
    " same, but no error where there is none): what an upgrade to those of today does to objects is a test for each.",
    _baselines,
    ini="crd_baseline",
    option="--crd-baseline",
    default="",
    replaces="crd_baseline",
)
ALLOWED: Final = Setting(
    SettingKind.LINES,
    "What upgrades may do, one a line: `NAME PATH KIND`, behind `rollback` for a rollback, as a failure states it, or with"
    " `*` for any of them and `PATH.**` for all below.",
    _allowed,
    ini="crd_baseline_allow",
    option="--crd-baseline-allow",
    replaces="crd_baseline_allow",
    placeholder="ENTRY",
)
ROLLBACK: Final = Setting(
    SettingKind.SWITCH,
    "Also test what would become of objects of today if the CustomResourceDefinitions of `crd_baseline` came back.",
    setting.switch,
    ini="crd_baseline_rollback",
    option="--crd-baseline-rollback",
)
SETTINGS: Final = (BASELINE, ROLLBACK, ALLOWED)


class UpgradeSettings(NamedTuple):
    """
    What is set about upgrades.

    Attributes:
        baselines: The CRDs that users have: folders, files, `git:REF` and `auto`, each once.
        base: What a path there is relative to.
        allowed: What upgrades and rollbacks may do.
        rollback: Whether rollbacks are judged, too.
    """

    baselines: tuple[str, ...]
    base: Path
    allowed: tuple[Allowance, ...]
    rollback: bool


def read(config: pytest.Config) -> UpgradeSettings | None:
    """
    Return what is set; None where no upgrade is judged.

    Raises:
        UsageError: Something that cannot be, or an option that has no effect.
    """
    given = BASELINE.given(config)
    settings = UpgradeSettings(BASELINE.read(given), given.base, ALLOWED.of(config), ROLLBACK.of(config))
    if not settings.baselines and config.getoption(ROLLBACK.dest):
        raise pytest.UsageError(f"{ROLLBACK.option} does nothing without {BASELINE.option}")
    return settings if settings.baselines else None

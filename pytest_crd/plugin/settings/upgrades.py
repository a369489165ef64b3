"""What is set about upgrades: what users have, and what may become of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import Given, Setting, SettingKind, Times

if TYPE_CHECKING:
    from pytest_crd.upgrades.allowances import Allowance


def _baseline(given: Given) -> str:
    text = str(given.value).strip()
    if given.is_set and not text:
        raise given.wrong("name a folder, a file or git:REF")
    return text if text.startswith("git:") else setting.slashed(text, given.base)


def _allowed(given: Given) -> tuple[Allowance, ...]:
    if not given.is_set:
        return ()
    from pytest_crd.upgrades import allowances  # noqa: PLC0415 - a session that sets nothing loads nothing

    try:
        return tuple(map(allowances.read, given.value))
    except ValueError as error:
        raise given.wrong(str(error)) from None


BASELINE: Final = Setting(
    SettingKind.TEXT,
    "The CustomResourceDefinitions that users have, a folder, a file or `git:REF` (`git:latest-tag` is the last release): what"
    " an upgrade to those of today does to objects is a test for each.",
    _baseline,
    ini="crd_baseline",
    option="--crd-baseline",
    default="",
    replaces="crd_baseline",
    times=Times.LAST,
)
ALLOWED: Final = Setting(
    SettingKind.LINES,
    "What upgrades may do, one a line: `NAME PATH KIND`, as a failure states it.",
    _allowed,
    ini="crd_baseline_allow",
)
SETTINGS: Final = (BASELINE, ALLOWED)


class UpgradeSettings(NamedTuple):
    """
    What is set about upgrades.

    Attributes:
        baseline: The CRDs that users have: a folder, a file or `git:REF`.
        base: What a path there is relative to.
        allowed: What upgrades may do.
    """

    baseline: str
    base: Path
    allowed: tuple[Allowance, ...]


def read(config: pytest.Config) -> UpgradeSettings | None:
    """
    Return what is set; None where no upgrade is judged.

    Raises:
        UsageError: Something that cannot be.
    """
    given = BASELINE.given(config)
    settings = UpgradeSettings(BASELINE.read(given), given.base, ALLOWED.of(config))
    return settings if settings.baseline else None

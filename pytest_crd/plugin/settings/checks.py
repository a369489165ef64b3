"""Settings of checks: whether they run, and how strict they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd import lazyimport
from pytest_crd.plugin.settings import project, setting
from pytest_crd.plugin.settings.setting import SettingEntry, define
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.checks.allowedchecks import AllowedCheck
    from pytest_crd.plugin.settings import upgrades
else:
    upgrades = lazyimport.module("pytest_crd.plugin.settings.upgrades")


def _warnings_fail(entry: SettingEntry) -> bool:
    if entry.value not in ("show", "error"):
        raise entry.error(f"{entry.value!r}: write show or error")
    return bool(entry.value == "error")


def _lints(entry: SettingEntry) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(setting.words(entry)))
    if names:
        all_lints = _load().lints
        for name in names:
            if name not in all_lints:
                raise entry.error(f"there is no {name!r}; there are {', '.join(all_lints)}")
    return names


def _allowed(entry: SettingEntry) -> tuple[AllowedCheck, ...]:
    return setting.parse_lines(entry, _load().parse) if entry.is_set else ()


class _Loaded(NamedTuple):
    lints: Collection[str]
    parse: Callable[[str], AllowedCheck]


def _load() -> _Loaded:
    from pytest_crd.checks import allowedchecks, lints  # noqa: PLC0415 - a session that sets nothing loads nothing

    return _Loaded(lints.LINTS, allowedchecks.parse)


def _rule_budget(entry: SettingEntry) -> float:
    if not entry.is_set:
        return 1
    number = re.fullmatch(r"(\d+(?:\.\d+)?)%", entry.value)
    if number is None or not 0 < float(number[1]) <= 100:
        raise entry.error(f"{entry.value!r}: write a part of the server's budget, such as 50%")
    return float(number[1]) / 100


CHECKS: Final = define("--crd-checks", setting.switch)
WARNINGS: Final = define("--crd-warnings", _warnings_fail, default="show")
LINTS: Final = define("--crd-lint", _lints)
RULE_BUDGET: Final = define("--crd-rule-budget", _rule_budget, default="100%")
ALLOWED: Final = define("--crd-checks-allow", _allowed)
SETTINGS: Final = (CHECKS, WARNINGS, LINTS, RULE_BUDGET, ALLOWED)


class CheckSettings(NamedTuple):
    """
    Values of the settings of checks.

    Attributes:
        warnings_fail: Whether a check fails if the server warns.
        lints: Names of lints.
        rule_budget: The part of the server's cost budget that CEL rules may use, from 0 to 1.
        allowed: The checks whose findings are allowed.
    """

    warnings_fail: bool
    lints: tuple[str, ...]
    rule_budget: float
    allowed: tuple[AllowedCheck, ...]


def read(config: pytest.Config) -> CheckSettings | None:
    """
    Return the settings of checks; None if checks are off.

    Raises:
        UsageError: A setting has a wrong value, or needs checks while `crd_checks` is unset.
    """
    entry = CHECKS.find_entry(config)
    if not entry.is_set:
        for name in _without_effect(config):
            raise pytest.UsageError(
                f"{name} does nothing without checks: set crd_checks = true, or crd_checks = false to leave it to --crd-checks"
            )
    settings = CheckSettings(
        WARNINGS.read_value(config),
        LINTS.read_value(config),
        RULE_BUDGET.read_value(config),
        ALLOWED.read_value(config),
    )
    return settings if CHECKS.read(entry) else None


def _without_effect(config: pytest.Config) -> list[str]:
    """Return the names of settings that are set and have no effect without checks; upgrades read samples, too."""
    samples = project.SAMPLES.find_entry(config)
    is_idle = samples.is_set and not upgrades.BASELINE.find_entry(config).is_set
    entries = [setting.find_entry(config) for setting in (WARNINGS, LINTS, RULE_BUDGET, ALLOWED)]
    return [*([samples.source] if is_idle else []), *(entry.source for entry in entries if entry.is_set)]

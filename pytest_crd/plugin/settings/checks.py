"""What is set about checks: whether there are any, and how strict they are."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import pytest

from pytest_crd.plugin.settings import project, setting, upgrades
from pytest_crd.plugin.settings.setting import Given, Setting, SettingKind, Times


def _warnings_fail(given: Given) -> bool:
    if given.value not in ("show", "error"):
        raise given.wrong(f"{given.value!r}: write show or error")
    return bool(given.value == "error")


def _lints(given: Given) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(setting.words(given)))
    if names:
        from pytest_crd.checks.lints import LINTS  # noqa: PLC0415 - a session that sets nothing loads nothing

        for name in names:
            if name not in LINTS:
                raise given.wrong(f"there is no {name!r}; there are {', '.join(LINTS)}")
    return names


def _rule_budget(given: Given) -> float:
    number = re.fullmatch(r"(\d+(?:\.\d+)?)%", given.value)
    if number is None or not 0 < float(number[1]) <= 100:
        raise given.wrong(f"{given.value!r}: write a part of the server's budget, such as 50%")
    return float(number[1]) / 100


CHECKS: Final = Setting(
    SettingKind.SWITCH,
    "Check every CRD and every sample, without a case: each check is a test.",
    setting.switch,
    ini="crd_checks",
    option="--crd-checks",
)
WARNINGS: Final = Setting(
    SettingKind.TEXT,
    "What the server's warnings do in checks: `show` (if unset) or `error`.",
    _warnings_fail,
    ini="crd_warnings",
    option="--crd-warnings",
    default="show",
    replaces="crd_warnings",
    times=Times.LAST,
)
LINTS: Final = Setting(
    SettingKind.WORDS,
    "Mistakes that a server takes and that checks look for: their names, of which none is set by default.",
    _lints,
    ini="crd_lints",
    option="--crd-lint",
    replaces="crd_lints",
    placeholder="NAME",
)
RULE_BUDGET: Final = Setting(
    SettingKind.TEXT,
    "Which part of the server's budget CEL rules may take in checks: `50%`; unset: all of it.",
    _rule_budget,
    ini="crd_rule_budget",
    option="--crd-rule-budget",
    default="100%",
    replaces="crd_rule_budget",
    times=Times.LAST,
)
SETTINGS: Final = (CHECKS, WARNINGS, LINTS, RULE_BUDGET)


class CheckSettings(NamedTuple):
    """
    What is set about checks.

    Attributes:
        warnings_fail: Whether a check fails of which the server warns.
        lints: Names of lints.
        rule_budget: Which part of the server's budget rules may take.
    """

    warnings_fail: bool
    lints: tuple[str, ...]
    rule_budget: float


def read(config: pytest.Config) -> CheckSettings | None:
    """
    Return what is set; None where nothing is checked.

    Raises:
        UsageError: Something that cannot be, or a setting that only checks look at, where nobody says whether there are any.
    """
    given = CHECKS.given(config)
    if not given.is_set:
        for name in _without_effect(config):
            raise pytest.UsageError(
                f"{name} does nothing without checks: set crd_checks = true, or crd_checks = false to leave it to --crd-checks"
            )
    settings = CheckSettings(WARNINGS.of(config), LINTS.of(config), RULE_BUDGET.of(config))
    return settings if CHECKS.read(given) else None


def _without_effect(config: pytest.Config) -> list[str]:
    """Return the names of what is set, and does nothing without checks; of samples, upgrades have some use, too."""
    of_checks = (WARNINGS, LINTS, RULE_BUDGET)
    samples = () if upgrades.BASELINE.given(config).is_set else (project.SAMPLES,)
    given = [one.given(config) for one in (*samples, *of_checks)]
    return [one.said_by for one in given if one.is_set]

"""A setting is declared, and read, as it is stated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd.plugin.settings import SETTINGS
from pytest_crd.plugin.settings.setting import Setting, SettingKind, Times

if TYPE_CHECKING:
    from support.sessions import Project


def _name(setting: Setting[Any]) -> str:
    return setting.ini or setting.option


@pytest.mark.parametrize("setting", SETTINGS, ids=_name)
def test_it_has_the_name_of_the_plugin_and_says_what_its_option_replaces(setting: Setting[Any]) -> None:
    assert setting.ini.startswith("crd_") or not setting.ini
    assert setting.option.startswith("--crd-") or not setting.option
    # What is switched on in one place cannot be switched off in the other.
    has_both = bool(setting.ini and setting.option) and setting.kind is not SettingKind.SWITCH
    assert (setting.ini in setting.replaces and bool(setting.replaces)) is has_both


def test_no_two_have_one_name() -> None:
    names = [name for setting in SETTINGS for name in (setting.ini, setting.option) if name]

    assert len(names) == len({*names})


def test_help_says_of_options_how_often_they_are_given_and_what_they_replace(empty: Project) -> None:
    result = empty.run("--help")

    words = " ".join(str(result.stdout).split())
    for setting in SETTINGS:
        assert setting.help in words
        if setting.option and setting.kind is not SettingKind.SWITCH:
            several = " May be given several times." if setting.times is Times.SEVERAL else ""
            replaces = f" Replaces {setting.replaces}." if setting.replaces else ""
            assert f"{setting.help}{several}{replaces}" in words


@pytest.mark.parametrize("line", ["", "crd_stored =", "crd_kubernetes_version =", "crd_samples ="])
def test_a_line_without_a_value_is_as_none(gardener: Project, line: str) -> None:
    gardener.ini(line)

    gardener.run().assert_outcomes(passed=3)


def test_an_empty_report_is_none(gardener: Project) -> None:
    gardener.ini("crd_cov = true", "crd_cov_report =")

    result = gardener.run()

    result.assert_outcomes(passed=3)
    result.stdout.no_fnmatch_line("*gardens.yaml*%*")

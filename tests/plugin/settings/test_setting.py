"""Declaration and parsing of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from support.sessions import Folder

from pytest_crd.plugin import options
from pytest_crd.plugin.settings import checks, coverage, project
from pytest_crd.plugin.settings.allsettings import SETTINGS
from pytest_crd.plugin.settings.setting import Setting

if TYPE_CHECKING:
    from support.sessions import Project


def _name(setting: Setting[Any]) -> str:
    return setting.ini or setting.option


@pytest.mark.parametrize("setting", SETTINGS, ids=_name)
def test_a_setting_has_the_plugins_prefix_and_names_the_keys_that_its_option_replaces(setting: Setting[Any]) -> None:
    assert setting.ini.startswith("crd_") or not setting.ini
    assert setting.option.startswith("--crd-")
    # A switch that is on in the ini file cannot be turned off by its option.
    has_both = bool(setting.ini) and setting.kind != options.SWITCH
    assert (setting.ini in setting.replaces and bool(setting.replaces)) is has_both


# Settings without a key in the ini file, each with the reason.
ON_THE_COMMAND_LINE: Final = {
    "--crd-fill": "writes files",
    "--crd-update": "writes files",
    "--crd-update-verdicts": "writes files",
    "--crd-generate": "writes files",
    "--crd-generate-path": "writes files",
    "--crd-generate-all": "writes files",
    "--crd-cov-append": "is about earlier runs",
    "--crd-live": "connects",
    "--crd-live-context": "connects",
    "--crd-live-installed": "connects",
    "--crd-sarif": "writes files",
    "--crd-json": "writes files",
    "--crd-python": "counts where there is no file",
}


def test_every_setting_has_a_key_and_an_option_with_listed_exceptions() -> None:
    assert {setting.option for setting in SETTINGS if not setting.ini} == ON_THE_COMMAND_LINE.keys()


def test_settings_have_different_names() -> None:
    names = [name for setting in SETTINGS for name in (setting.ini, setting.option) if name]

    assert len(names) == len({*names})


def test_help_states_how_often_an_option_can_be_given_and_what_it_replaces(empty: Project) -> None:
    result = empty.run("--help")

    # Before pytest 8.1, lines of help are broken behind hyphens.
    words = " ".join(str(result.stdout).split()).replace("- ", "-")
    for setting in SETTINGS:
        assert setting.help.replace("- ", "-") in words
        if setting.kind != options.SWITCH:
            several = " May be given several times." if setting.times == "several" else ""
            replaces = f" Replaces {setting.replaces}." if setting.replaces else ""
            assert f"{setting.help}{several}{replaces}".replace("- ", "-") in words


def test_a_key_without_a_value_counts_as_unset_but_switches_reports_off(empty: Project) -> None:
    empty.ini("crd_stored =", "crd_kubernetes_version =", "crd_samples =", "crd_cov = true", "crd_cov_report =")
    config = empty.parse()

    settings, of_coverage = project.read(config), coverage.read(config)

    assert (settings.stored, settings.kubernetes_versions, settings.samples) == (frozenset(), (), ())
    assert of_coverage is not None
    assert of_coverage.reports == ()
    assert checks.read(config) is None  # samples do nothing without checks


def test_an_option_has_the_effect_of_its_key(empty: Project) -> None:
    excluded = ("--crd-cov", "--crd-cov-exclude", "gardens.stories.example.com spec")
    config = empty.parse("--crd-case-file", "none*.yaml", "--crd-stored", "gardens.stories.example.com", *excluded)

    settings, of_coverage = project.read(config), coverage.read(config)

    assert settings.case_files == ("none*.yaml",)
    assert settings.stored == {"gardens.stories.example.com"}
    assert of_coverage is not None
    assert [exclusion.path for exclusion in of_coverage.exclusions] == ["spec"]


def test_a_sample_is_named_from_where_pytest_is_called(empty: Project) -> None:
    empty.ini("crd_samples = config")
    empty.write("deploy/mine/left.yaml", "")
    arguments = ("--rootdir", "..", "-c", "../pytest.ini", "..")
    below = Folder(empty.path / "deploy")

    named = below.parse(*arguments, "--crd-sample", "mine", "--crd-sample", "!mine/left.yaml")

    assert project.read(named).samples == ("deploy/mine", "!deploy/mine/left.yaml")
    assert project.read(below.parse(*arguments, "--crd-sample", "auto")).samples == ("auto",)


def test_a_command_is_run_beside_paths(empty: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    empty.ini("crd_commands = nothing-of-that-name")
    empty.write("gardens.yaml", "")
    config = empty.parse("--crd-path", "gardens.yaml", "--crd-command", "cat gardens.yaml")

    settings = project.read(config)

    assert (settings.crd_paths, settings.crd_commands) == (("gardens.yaml",), ("cat gardens.yaml",))
    monkeypatch.setattr(config.option, project.COMMANDS.dest, ["'"])
    with pytest.raises(pytest.UsageError, match=r"^--crd-command: "):
        project.read(config)

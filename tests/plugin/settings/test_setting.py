"""Declaration and parsing of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_crd.plugin import options
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


def test_a_key_without_a_value_counts_as_unset_but_switches_reports_off(gardener: Project) -> None:
    gardener.ini("crd_stored =", "crd_kubernetes_version =", "crd_samples =", "crd_cov = true", "crd_cov_report =")

    result = gardener.run()

    result.assert_outcomes(passed=3)
    result.stdout.no_fnmatch_line("*gardens.yaml*%*")


@pytest.mark.parametrize(
    ("arguments", "outcomes"),
    [
        (
            [
                *("--crd-case-file", "test_*.yaml", "--crd-stored", "gardens.stories.example.com"),
                *("--crd-cov", "--crd-cov-exclude", "gardens.stories.example.com spec"),
            ],
            {"passed": 3},
        ),
        (["--crd-case-file", "none*.yaml"], {}),
    ],
)
def test_an_option_has_the_effect_of_its_key(gardener: Project, arguments: list[str], outcomes: dict[str, int]) -> None:
    gardener.run(*arguments).assert_outcomes(**outcomes)


def test_an_option_that_needs_another_names_it(gardener: Project) -> None:
    for option, words in (
        (["--crd-warnings", "error"], "--crd-warnings does nothing without checks: *"),
        (["--crd-cov-exclude", "a b"], "--crd-cov-exclude does nothing without --crd-cov"),
    ):
        result = gardener.run(*option)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*{words}"])


def test_a_sample_is_named_from_where_pytest_is_called(gardener: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: eden}\nspec: {soil: clay}\n"
    for name in ("eden", "left"):
        gardener.write(f"deploy/mine/{name}.yaml", sample.replace("eden", name))
    gardener.ini("crd_samples = config")
    monkeypatch.chdir(gardener.path / "deploy")
    arguments = ("--crd-checks", "--rootdir", "..", "-c", "../pytest.ini", "..", "-v")

    result = gardener.run(*arguments, "--crd-sample", "mine", "--crd-sample", "!mine/left.yaml")

    result.stdout.fnmatch_lines(["*samples[[]Garden/eden[]] PASSED*"])
    result.stdout.no_fnmatch_line("*samples[[]Garden/left*")
    gardener.run(*arguments, "--crd-sample", "auto").stdout.fnmatch_lines(["*samples[[]Garden/left[]] PASSED*"])


def test_a_command_is_run_beside_paths(gardener: Project) -> None:
    gardener.ini("crd_commands = nothing-of-that-name")

    named = gardener.run("--crd-path", "config/crd/bases", "--crd-command", "cat config/crd/bases/gardens.yaml")
    wrong = gardener.run("--crd-command", "'")

    named.assert_outcomes(passed=3)
    wrong.stderr.fnmatch_lines(["*--crd-command: *"])

"""Reports that settings or the environment switch on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from support.sessions import Folder

from pytest_crd.plugin.settings import outputs
from pytest_crd.plugin.settings.outputs import ANNOTATIONS, JSON, SARIF, CodeHost
from pytest_crd.plugin.settings.setting import Setting


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("GITHUB_ACTIONS", "GITLAB_CI", "PYTEST_CURRENT_TEST"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("name", "value", "host"),
    [
        ("GITHUB_ACTIONS", "true", CodeHost.GITHUB),
        ("GITLAB_CI", "true", CodeHost.GITLAB),
        ("GITHUB_ACTIONS", "false", None),
        ("CI", "true", None),
    ],
)
def test_the_environment_selects_the_code_host(
    unset_config: pytest.Config, outside: pytest.MonkeyPatch, name: str, value: str, host: CodeHost | None
) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # pytest has set it again after the fixtures
    outside.setenv(name, value)

    settings = outputs.read(unset_config)

    assert (None if settings is None else settings.host) is host


def test_a_run_started_by_a_test_has_no_code_host(unset_config: pytest.Config, outside: pytest.MonkeyPatch) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # pytest has set it again after the fixtures
    outside.setenv("GITHUB_ACTIONS", "true")
    outside.setenv("PYTEST_CURRENT_TEST", "test_it.py::test_it (call)")

    assert outputs.read(unset_config) is None
    outside.setattr(unset_config.option, ANNOTATIONS.dest, "github")
    settings = outputs.read(unset_config)
    assert settings is not None
    assert settings.host is CodeHost.GITHUB


def test_never_switches_annotations_off_in_any_environment(
    outside: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # pytest has set it again after the fixtures
    outside.setenv("GITHUB_ACTIONS", "true")
    folder = Folder(tmp_path_factory.mktemp("never"))
    folder.ini("crd_annotations = never")

    assert outputs.read(folder.parse()) is None


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({ANNOTATIONS: "foo"}, "--crd-annotations: 'foo': write auto, github, gitlab or never"),
        ({JSON: ""}, "--crd-json: '' is no name of a file"),
        ({SARIF: "."}, "--crd-sarif: '.' is no name of a file"),
        ({SARIF: "a", JSON: "a"}, "--crd-sarif and --crd-json name the same file"),
    ],
)
def test_a_wrong_value_is_a_usage_error(
    unset_config: pytest.Config, values: Mapping[Setting[Any], str], words: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for setting, value in values.items():
            patch.setattr(unset_config.option, setting.dest, value)
        with pytest.raises(pytest.UsageError) as error:
            outputs.read(unset_config)

    assert str(error.value) == words

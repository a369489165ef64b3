"""Reports that settings or the environment switch on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_crd.plugin.settings import outputs
from pytest_crd.plugin.settings.outputs import CodeHost

if TYPE_CHECKING:
    from support.sessions import Project


def _read(pytester: pytest.Pytester, *arguments: str) -> outputs.OutputSettings | None:
    return outputs.read(pytester.parseconfig("-p", "pytest_crd.plugin", *arguments))


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
    pytester: pytest.Pytester, outside: pytest.MonkeyPatch, name: str, value: str, host: CodeHost | None
) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # pytest has set it again after the fixtures
    outside.setenv(name, value)

    settings = _read(pytester)

    assert (None if settings is None else settings.host) is host


def test_a_run_started_by_a_test_has_no_code_host(pytester: pytest.Pytester, outside: pytest.MonkeyPatch) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # pytest has set it again after the fixtures
    outside.setenv("GITHUB_ACTIONS", "true")
    outside.setenv("PYTEST_CURRENT_TEST", "test_it.py::test_it (call)")

    assert _read(pytester) is None
    settings = _read(pytester, "--crd-annotations", "github")
    assert settings is not None
    assert settings.host is CodeHost.GITHUB


def test_never_switches_annotations_off_in_any_environment(
    pytester: pytest.Pytester, outside: pytest.MonkeyPatch
) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # pytest has set it again after the fixtures
    outside.setenv("GITHUB_ACTIONS", "true")
    pytester.makeini("[pytest]\ncrd_annotations = never\n")

    assert _read(pytester) is None


def test_nothing_is_registered_without_a_report(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure("-p", "pytest_crd.plugin")

    assert not config.pluginmanager.has_plugin("crd-outputs")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--crd-annotations", "foo"), "--crd-annotations: 'foo': write auto, github, gitlab or never"),
        (("--crd-json", ""), "--crd-json: '' is no name of a file"),
        (("--crd-sarif", "."), "--crd-sarif: '.' is no name of a file"),
        (("--crd-sarif", "a", "--crd-json", "a"), "--crd-sarif and --crd-json name the same file"),
    ],
)
def test_a_wrong_value_is_a_usage_error(project: Project, arguments: tuple[str, ...], words: str) -> None:
    result = project.run(*arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {words}"])

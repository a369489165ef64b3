"""Which reports are asked for, by settings and by the environment."""

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
def test_the_environment_says_whose_pages_there_are(
    pytester: pytest.Pytester, outside: pytest.MonkeyPatch, name: str, value: str, host: CodeHost | None
) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # which is there again since the fixtures were made
    outside.setenv(name, value)

    settings = _read(pytester)

    assert (None if settings is None else settings.host) is host


def test_a_run_that_a_test_starts_is_none_of_the_code_hosts(
    pytester: pytest.Pytester, outside: pytest.MonkeyPatch
) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # which is there again since the fixtures were made
    outside.setenv("GITHUB_ACTIONS", "true")
    outside.setenv("PYTEST_CURRENT_TEST", "test_it.py::test_it (call)")

    assert _read(pytester) is None
    settings = _read(pytester, "--crd-annotations", "github")
    assert settings is not None
    assert settings.host is CodeHost.GITHUB


def test_never_is_never(pytester: pytest.Pytester, outside: pytest.MonkeyPatch) -> None:
    outside.delenv("PYTEST_CURRENT_TEST")  # which is there again since the fixtures were made
    outside.setenv("GITHUB_ACTIONS", "true")
    pytester.makeini("[pytest]\ncrd_annotations = never\n")

    assert _read(pytester) is None


def test_nothing_is_registered_where_nothing_is_asked_for(pytester: pytest.Pytester) -> None:
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
def test_what_cannot_be_is_wrong_use(project: Project, arguments: tuple[str, ...], words: str) -> None:
    result = project.run(*arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {words}"])

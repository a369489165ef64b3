"""The Kubernetes version: of the session, of a case file, and the ones that nobody recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugin.conftest import Project

VERSION = "def test_version(crd):\n    assert crd.kubernetes_version == '{version}'\n"


def test_the_newest_is_the_default(project: Project) -> None:
    project.write("test_version.py", VERSION.format(version="1.37"))

    project.run().assert_outcomes(passed=1)


def test_the_command_line_replaces_the_ini_file(project: Project) -> None:
    project.ini("crd_kubernetes_version = 1.36")
    project.write("test_version.py", VERSION.format(version="1.35"))

    project.run("--crd-kubernetes-version=1.35").assert_outcomes(passed=1)


def test_the_ini_file_sets_it(project: Project) -> None:
    project.ini("crd_kubernetes_version = 1.36")
    project.write("test_version.py", VERSION.format(version="1.36"))

    project.run().assert_outcomes(passed=1)


def test_an_unknown_version_is_a_usage_error_that_lists_the_known_ones(project: Project) -> None:
    result = project.run("--crd-kubernetes-version", "1.99")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: crd_kubernetes_version: unknown Kubernetes version '1.99'; known versions: *1.37*"]
    )


def test_an_unquoted_version_in_toml_is_an_error_that_says_so(project: Project) -> None:
    project.write("pyproject.toml", "[tool.pytest.ini_options]\ncrd_kubernetes_version = 1.30\n")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*quote it*"])


@pytest.mark.skipif(
    int(pytest.__version__.partition(".")[0]) < 9, reason="[tool.pytest] is known to pytest 9 and later"
)
def test_an_unquoted_version_in_native_toml_is_an_error_that_says_so(project: Project) -> None:
    project.write("pyproject.toml", "[tool.pytest]\ncrd_kubernetes_version = 1.30\n")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *'crd_kubernetes_version' expects a string, got float: 1.3"])


def test_a_case_file_says_its_own(gardener: Project) -> None:
    gardener.cases(
        "crd: gardens.stories.example.com\n"
        'kubernetesVersion: "1.36"\n'
        "pruning:\n- name: fails\n  input: {spec: {size: 1}}\n  expected: {spec: {size: 2}}\n"
    )

    result = gardener.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["gardens.stories.example.com v1 (config/crd/bases/gardens.yaml:1), Kubernetes 1.36"])


@pytest.mark.parametrize(
    ("version", "words"),
    [
        pytest.param('"1.99"', "unknown Kubernetes version '1.99'*known versions: *", id="a version that is unknown"),
        pytest.param("1.30", "quote", id="a version without quotes"),
    ],
)
def test_a_case_file_with_a_wrong_version_is_a_collection_error(gardener: Project, version: str, words: str) -> None:
    gardener.cases(
        f"crd: gardens.stories.example.com\nkubernetesVersion: {version}\n"
        "pruning:\n- name: fails\n  input: {spec: {}}\n  expected: {spec: {}}\n"
    )

    result = gardener.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"test_garden.crd.yaml:2: *{words}*"])

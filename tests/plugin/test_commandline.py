"""Paths on the command line restrict checks; scripts that look like tests are not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_crd.plugin import commandline

if TYPE_CHECKING:
    from support.sessions import Project

# Kubernetes and many of its projects have such a script: it is no test, and importing it ends the process.
SCRIPT = "import argparse\n\nargs = argparse.ArgumentParser().parse_args(['--verbose'])\n"
LINE = "crd: the Python test file hack/boilerplate_test.py is not collected, as the project has no pytest settings; --crd-python collects them"


@pytest.fixture
def scripted(project: Project) -> Project:
    """A project with a CRD and a script."""
    project.write("hack/boilerplate_test.py", SCRIPT)
    return project


def test_checks_do_not_run_a_script_and_the_header_says_so(scripted: Project) -> None:
    scripted.write("hack/other.py", SCRIPT)

    result = scripted.run("--crd-checks")

    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["crd: 5 checks in 1 file", LINE])
    scripted.run("--crd-checks", "-q").stdout.fnmatch_lines([LINE])  # else a run that skips its tests would be green


def test_several_scripts_are_counted(scripted: Project) -> None:
    scripted.write("hack/more_test.py", SCRIPT)

    scripted.run("--crd-checks").stdout.fnmatch_lines(
        ["crd: 2 Python test files (hack/boilerplate_test.py …) are not collected, *"]
    )


def test_upgrades_do_not_run_scripts_either(scripted: Project) -> None:
    scripted.crd("old/gardens.yaml")

    result = scripted.run("--crd-baseline", "old")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([LINE])


@pytest.mark.parametrize(
    "arguments", [["--crd-checks", "--crd-python"], ["--crd-checks", "hack"], ["--crd-checks", "."], []]
)
def test_python_files_are_collected_with_the_option(project: Project, arguments: list[str]) -> None:
    project.write("hack/boilerplate_test.py", "def test_it(): pass\n")

    result = project.run("-k", "test_it", *arguments)

    result.assert_outcomes(passed=1, deselected=5 if arguments else 0)
    result.stdout.no_fnmatch_line("*not collected*")


@pytest.mark.parametrize(
    ("name", "text", "is_collected"),
    [
        pytest.param("pytest.ini", "[pytest]\n", True, id="an ini file"),
        pytest.param("conftest.py", "", True, id="a conftest.py"),
        pytest.param("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ''\n", True, id="settings in TOML"),
        pytest.param("pyproject.toml", "[tool.ruff]\n", False, id="TOML without settings"),
        pytest.param("setup.cfg", "[metadata]\n", False, id="another file without settings"),
    ],
)
def test_python_tests_are_collected_in_a_project_with_pytest_settings(
    project: Project, name: str, text: str, *, is_collected: bool
) -> None:
    project.write("test_it.py", "def test_it(): pass\n")
    project.write(name, text)

    project.run("--crd-checks").assert_outcomes(passed=6 if is_collected else 5)
    project.run("--crd-checks", "-o", "crd_lints=ssatags").assert_outcomes(passed=7 if is_collected else 6)


@pytest.mark.slow
def test_workers_do_not_run_scripts(scripted: Project) -> None:
    scripted.cases()

    result = scripted.start("-p", "xdist", "-n", "2", "--crd-checks")

    result.assert_outcomes(passed=8)
    result.stdout.fnmatch_lines([LINE])


@pytest.fixture
def two(project: Project) -> Project:
    """A project with checks in two folders."""
    project.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond")
    ponds = project.read("config/crd/bases/ponds.yaml").replace("singular: garden", "singular: pond")
    project.write("config/crd/bases/ponds.yaml", ponds)
    project.write(
        "config/samples/garden.yaml", "{apiVersion: stories.example.com/v1, kind: Garden, metadata: {name: eden}}\n"
    )
    return project


@pytest.mark.parametrize(
    ("paths", "count"),
    [
        ([], 12),
        (["."], 12),
        (["config"], 12),
        (["config/samples"], 2),
        (["config/crd", "tests"], 10),
        (["config/crd", "config/crd/bases/ponds.yaml"], 10),
        (["config/crd/bases/ponds.yaml", "config/samples"], 7),
        (["config/crd/bases/ponds.yaml", "tests/test_it.py"], 5),
        (["tests/test_it.py::test_it"], 0),
        (["tests"], 0),
        (["tests/test_it.py"], 0),
        (["tests/test_a.crd.yaml"], 0),
    ],
)
def test_paths_choose_checks_and_the_option_adds_all_if_they_choose_none(
    two: Project, paths: list[str], count: int
) -> None:
    two.write("tests/test_it.py", "def test_it(): pass\n")
    two.cases(name="tests/test_a.crd.yaml")
    two.ini("crd_checks = true")
    selection = ["--deselect", "tests", *paths]

    assert two.run(*selection).parseoutcomes().get("passed", 0) == count
    is_node_id = any("::" in path for path in paths)
    assert two.run("--crd-checks", *selection).parseoutcomes().get("passed", 0) == (count or (0 if is_node_id else 12))


def test_folders_with_all_of_testpaths_are_the_whole_project(two: Project) -> None:
    two.write("tests/unit/test_it.py", "def test_it(): pass\n")
    two.write("more/test_more.py", "def test_more(): pass\n")
    two.ini("crd_checks = true", "testpaths = tests m*e")

    two.run("tests", "more").assert_outcomes(passed=14)
    two.run("tests").assert_outcomes(passed=1)
    two.run("tests/unit", "more").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("config/samples", "; the command line chooses 1 of 3 files"),
        ("tests", "; the command line chooses none of 3 files, --crd-checks adds all"),
        (".", ""),
    ],
)
def test_the_header_says_that_paths_leave_out_checks(two: Project, path: str, words: str) -> None:
    two.write("tests/test_it.py", "def test_it(): pass\n")
    two.ini("crd_checks = true")

    two.run(path).stdout.fnmatch_lines([f"crd: 12 checks in 3 files; 1 sample{words}"])


def test_the_option_in_the_ini_file_has_the_effect_of_the_setting(two: Project) -> None:
    two.write("tests/test_it.py", "def test_it(): pass\n")
    two.ini("addopts = --crd-checks")

    two.run("tests/test_it.py").assert_outcomes(passed=1)
    two.run().assert_outcomes(passed=13)
    two.run("--crd-checks", "tests/test_it.py").assert_outcomes(passed=13)


def test_a_chosen_python_file_loads_no_crds(two: Project) -> None:
    two.write("tests/test_it.py", "def test_it(): pass\n")
    two.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\n  broken: [")
    two.ini("crd_checks = true")

    two.run("tests/test_it.py").assert_outcomes(passed=1)


def test_a_linked_folder_restricts_checks(two: Project) -> None:
    (two.path / "link").symlink_to("config/samples")

    two.run("--crd-checks", "link").assert_outcomes(passed=2)


@pytest.mark.slow
def test_workers_are_restricted_to_the_folder(two: Project) -> None:
    two.start("-p", "xdist", "-n", "2", "--crd-checks", "config/samples").assert_outcomes(passed=2)


def test_a_worker_keeps_the_findings_of_its_controller(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytestconfig.option, "crd_named_paths", ["/here"], raising=False)

    commandline.read(pytestconfig)

    assert [path.as_posix() for path in commandline.paths(pytestconfig)] == ["/here"]


def test_a_broken_crd_is_reported_for_any_folder(two: Project) -> None:
    two.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\n  broken: [")

    two.run("--crd-checks", "config/samples").assert_outcomes(errors=1)

"""Paths on the command line restrict checks; scripts that look like tests are not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.sessions import Folder

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


def test_upgrades_and_checks_do_not_run_scripts_and_a_line_says_so(scripted: Project) -> None:
    """Files without settings for pytest, and settings on the command line, are not settings of the project."""
    scripted.crd("old/gardens.yaml")
    scripted.write("hack/more_test.py", SCRIPT)

    upgrades = scripted.run("--crd-baseline", "old")

    upgrades.assert_outcomes(passed=1)
    upgrades.stdout.fnmatch_lines(["crd: 2 Python test files (hack/boilerplate_test.py …) are not collected, *"])

    (scripted.path / "hack/more_test.py").unlink()
    scripted.write("hack/other.py", SCRIPT)
    scripted.write("pyproject.toml", "[tool.ruff]\n")
    scripted.write("setup.cfg", "[metadata]\n")

    checks = scripted.run(
        "--crd-checks", "-q", "-o", "crd_lints=ssatags"
    )  # else a run that skips its tests would be green

    checks.assert_outcomes(passed=6)
    checks.stdout.fnmatch_lines([LINE])


# A file of the project, arguments of a session with checks, and whether it collects Python files.
PYTHON = {
    "no settings": ("setup.cfg", "[metadata]\n", (), False),
    "TOML without settings": ("pyproject.toml", "[tool.ruff]\n", ("-o", "crd_lints=ssatags"), False),
    "the option": ("setup.cfg", "[metadata]\n", ("--crd-python",), True),
    "a path": ("hack/boilerplate_test.py", "def test_it(): pass\n", ("hack",), True),
    "an ini file": ("pytest.ini", "[pytest]\n", (), True),
    "a conftest.py": ("conftest.py", "", (), True),
    "settings in TOML": ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ''\n", (), True),
}


@pytest.mark.parametrize(("name", "text", "arguments", "is_collected"), PYTHON.values(), ids=PYTHON)
def test_python_files_are_collected_in_a_project_with_pytest_settings_or_if_the_command_line_says_so(
    empty: Project, name: str, text: str, arguments: tuple[str, ...], *, is_collected: bool
) -> None:
    """Settings on the command line are not settings of the project."""
    empty.write(name, text)
    config = empty.parse("--crd-checks", *arguments)

    commandline.read(config)

    assert commandline.is_without_python(config) is not is_collected


@pytest.mark.slow
def test_workers_do_not_run_scripts(scripted: Project) -> None:
    scripted.cases()

    result = scripted.start("-p", "xdist", "-n", "2", "--crd-checks")

    result.assert_outcomes(passed=8)
    result.stdout.fnmatch_lines([LINE])


@pytest.fixture
def two(project: Project) -> Project:
    """A project with checks in two folders."""
    _add_files(project)
    return project


def _add_files(folder: Folder) -> None:
    """Write a second CRD, and a sample."""
    folder.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond")
    ponds = folder.read("config/crd/bases/ponds.yaml").replace("singular: garden", "singular: pond")
    folder.write("config/crd/bases/ponds.yaml", ponds)
    folder.write(
        "config/samples/garden.yaml", "{apiVersion: stories.example.com/v1, kind: Garden, metadata: {name: eden}}\n"
    )


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A project with checks in three files, tests, and a folder that is a link."""
    folder = Folder(tmp_path_factory.mktemp("chosen"))
    folder.crd()
    _add_files(folder)
    folder.write("tests/test_it.py", "def test_it(): pass\n")
    folder.cases(name="tests/test_a.crd.yaml")
    folder.write("more/test_more.py", "def test_more(): pass\n")
    (folder.path / "link").symlink_to("config/samples")
    folder.ini("crd_checks = true")
    return folder


@pytest.mark.session
@pytest.mark.parametrize(
    ("arguments", "count", "words"),
    [
        (["."], 12, "; 1 sample"),
        (
            ["link", "config/crd/bases/ponds.yaml", "tests/test_it.py"],
            7,
            "; 1 sample; the command line chooses 2 of 3 files",
        ),
        (["config/crd", "config/crd/bases/ponds.yaml", "tests/test_a.crd.yaml"], 10, "; *chooses 2 of 3 files"),
        (["tests"], 0, "; 1 sample; the command line chooses none of 3 files, --crd-checks adds all"),
        (["--crd-checks", "config/samples"], 2, "; *chooses 1 of 3 files"),
        (["--crd-checks", "tests/test_it.py::test_it"], 0, None),
    ],
)
def test_paths_choose_checks(chosen: Folder, arguments: list[str], count: int, words: str | None) -> None:
    """A node id chooses none, even with the option."""
    result = chosen.run("--collect-only", *arguments)

    if words is not None:
        result.stdout.fnmatch_lines([f"crd: 12 checks in 3 files{words}"])
    assert sum(line.strip().startswith("<CheckItem ") for line in result.outlines) == count


@pytest.mark.session
@pytest.mark.parametrize(("paths", "is_whole"), [(("tests", "more"), True), (("tests/test_it.py", "more"), False)])
def test_folders_with_all_of_testpaths_are_the_whole_project(
    chosen: Folder, paths: tuple[str, ...], *, is_whole: bool
) -> None:
    config = chosen.parse("-o", "testpaths=tests m*e", *paths)

    commandline.read(config)

    assert commandline.is_whole(config) is is_whole


@pytest.mark.session
def test_the_option_adds_all_checks_to_a_python_file_and_in_the_ini_file_it_is_the_setting(chosen: Folder) -> None:
    def count(*arguments: str) -> int:
        result = chosen.run("--collect-only", "-q", "-o", "crd_checks=false", *arguments)
        return sum("::" in line for line in result.outlines)

    ini = chosen.read("pytest.ini")
    chosen.ini("addopts = --crd-checks")
    counts = [count("tests/test_it.py"), count(), count("--crd-checks", "tests/test_it.py")]
    chosen.write("pytest.ini", ini)

    assert counts == [1, 12 + 5, 12 + 1]


def test_a_broken_crd_is_reported_for_any_folder_but_a_chosen_python_file_loads_no_crds(two: Project) -> None:
    two.write("tests/test_it.py", "def test_it(): pass\n")
    two.write("config/crd/bases/broken.yaml", "kind: CustomResourceDefinition\n  broken: [")
    two.ini("crd_checks = true")

    two.run("tests/test_it.py").assert_outcomes(passed=1)
    two.run("--crd-checks", "config/samples").assert_outcomes(errors=1)


@pytest.mark.slow
def test_workers_are_restricted_to_the_folder(two: Project) -> None:
    two.start("-p", "xdist", "-n", "2", "--crd-checks", "config/samples").assert_outcomes(passed=2)


def test_a_worker_keeps_the_findings_of_its_controller(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytestconfig.option, "crd_named_paths", ["/here"], raising=False)

    commandline.read(pytestconfig)

    assert [path.as_posix() for path in commandline.paths(pytestconfig)] == ["/here"]

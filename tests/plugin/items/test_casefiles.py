"""Case files of a session, and the header line about unreached case files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_crd.plugin import commandline, session
from pytest_crd.plugin.items import casefiles
from pytest_crd.plugin.settings import project as settings

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = pytest.mark.session


def test_case_files_that_a_whole_run_does_not_reach_are_named_once(project: Project) -> None:
    project.ini("testpaths = tests", "crd_paths = crds")
    project.crd("crds/gardens.yaml")
    for name in ("tests/test_a.crd.yaml", "tests/build/test_b.crd.yaml", "other/test_c.crd.yaml"):
        project.cases(name=name)
    (project.path / "tests/test_d.crd.yaml").symlink_to("nowhere")

    lines = [line for line in project.run().outlines if "not collected" in line]

    (line,) = lines
    assert line.removeprefix("crd: case files that are not collected: ").split("), ") == [
        "other/test_c.crd.yaml (outside of testpaths",
        "tests/build/test_b.crd.yaml (ignored by pytest, as by norecursedirs",
        "tests/test_d.crd.yaml (a broken link)",
    ]


def _unvisited(project: Project, *arguments: str) -> list[str]:
    """Return the line of a session that is not started."""
    config = project.parse(*arguments)
    settings.read(config)
    commandline.read(config)
    assert session.catalogs(config)[0].crds  # a session without CRDs names no files
    return casefiles.unvisited(config)


@pytest.mark.parametrize("arguments", [("tests/test_a.crd.yaml",), ("-k", "a"), ("-m", "not b")])
def test_a_run_of_a_part_names_no_case_files(project: Project, arguments: tuple[str, ...]) -> None:
    project.cases(name="tests/test_a.crd.yaml")

    assert _unvisited(project, *arguments) == []


def test_many_case_files_that_are_not_reached_are_counted(project: Project) -> None:
    project.ini("testpaths = tests")
    (project.path / "tests").mkdir()
    for number in range(7):
        project.cases(name=f"other/test_{number}.crd.yaml")

    [line] = _unvisited(project)

    assert line.endswith("other/test_4.crd.yaml (outside of testpaths), 2 more")

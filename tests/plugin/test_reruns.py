"""Consecutive sessions of a project: each reads all files again, and keeps nothing for the next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

CACHED: Final = ("-p", "cacheprovider", "-W", "ignore")
CRD: Final = "config/crd/bases/gardens.yaml"
SAMPLE: Final = "config/samples/a.yaml"


def _files(project: Project) -> set[str]:
    """Return the files of a project that are not pytest's."""
    paths = (path.relative_to(project.path).as_posix() for path in project.path.rglob("*") if path.is_file())
    pytests = (".pytest_cache/README.md", ".pytest_cache/.gitignore", ".pytest_cache/CACHEDIR.TAG", ".pytest_cache/v/")
    return {path for path in paths if not path.startswith(pytests)}


@pytest.fixture
def checked(gardener: Project) -> Project:
    """A project with a CRD, cases and a sample, all checked."""
    gardener.ini("crd_checks = on")
    gardener.write(SAMPLE, "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {size: 1}\n")
    return gardener


def test_a_session_stores_nothing_in_the_project_for_the_next(checked: Project) -> None:
    before = _files(checked)

    checked.run(*CACHED)

    assert (checked.path / ".pytest_cache/v/cache/nodeids").exists()
    assert _files(checked) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        pytest.param(CRD, "default: 3", "default: 4", id="a CRD"),
        pytest.param("test_garden.crd.yaml", "size: 3", "size: 4", id="a case file"),
        pytest.param(SAMPLE, "size: 1", "size: x", id="a sample"),
    ],
)
def test_a_session_notices_an_edit_that_keeps_size_and_time_of_a_file(
    checked: Project, name: str, old: str, new: str
) -> None:
    assert checked.run(*CACHED).ret == pytest.ExitCode.OK
    path = checked.path / name
    stat, text = path.stat(), checked.read(name)
    assert old in text

    path.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    assert checked.run(*CACHED).ret == pytest.ExitCode.TESTS_FAILED

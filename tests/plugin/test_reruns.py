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


# Edits that keep the size of a file, and the failures that follow.
EDITS: Final = {
    CRD: ("size: {type: integer, default: 3}", "size: {type: integer, default: 4}"),
    "test_garden.crd.yaml": ("stay\n  input: {spec: {size: 1}}", "stay\n  input: {spec: {size: 2}}"),
    SAMPLE: ("size: 1", "size: x"),
}
FAILURES: Final = ("the size is filled in", "known fields stay", "samples[Garden/a]")


def test_a_session_stores_nothing_for_the_next_and_notices_edits_that_keep_size_and_time_of_files(
    checked: Project,
) -> None:
    before = _files(checked)

    assert checked.run(*CACHED).ret == pytest.ExitCode.OK

    assert (checked.path / ".pytest_cache/v/cache/nodeids").exists()
    assert _files(checked) == before

    for name, (old, new) in EDITS.items():
        path = checked.path / name
        stat, text = path.stat(), checked.read(name)
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    result = checked.run(*CACHED)

    result.assert_outcomes(failed=3, passed=6, skipped=1)
    for name in FAILURES:
        assert any(line.startswith("FAILED ") and f"::{name}" in line for line in result.outlines), name

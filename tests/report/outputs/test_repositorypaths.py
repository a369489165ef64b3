"""The names of files as readers of a repository have them."""

from __future__ import annotations

from pathlib import Path

from support import sessionfacts

from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import FilePlace


def test_files_are_named_by_the_root_of_the_repository(tmp_path: Path) -> None:
    roots = Roots((tmp_path, tmp_path / "crds"), sessionfacts.roots(tmp_path).bases)

    assert roots.find_in_repository(FilePlace("crds/a.yaml", 3, 4)) == FilePlace("crds/a.yaml", 3, 4)
    assert roots.find_in_repository(FilePlace(str(tmp_path / "crds" / "a.yaml"), 3)) == FilePlace("crds/a.yaml", 3)


def test_names_count_where_they_were_written(tmp_path: Path) -> None:
    sessionfacts.roots(tmp_path)
    roots = Roots((tmp_path,), (tmp_path / "other", tmp_path / "crds"))

    assert roots.find_in_repository(FilePlace("a.yaml")) == FilePlace("crds/a.yaml")
    assert roots.find_in_repository(FilePlace("../test_a.crd.yaml")) == FilePlace("test_a.crd.yaml")


def test_a_file_behind_a_link_is_named_by_the_link_or_its_target(tmp_path: Path) -> None:
    sessionfacts.roots(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "crds")
    (tmp_path.parent / f"{tmp_path.name}-link").symlink_to(tmp_path)
    roots = Roots((tmp_path,), (tmp_path,))

    assert roots.find_in_repository(FilePlace("link/a.yaml")) == FilePlace("link/a.yaml")
    outside = tmp_path.parent / f"{tmp_path.name}-link" / "crds" / "a.yaml"
    assert roots.find_in_repository(FilePlace(str(outside))) == FilePlace("crds/a.yaml")


def test_a_file_outside_the_repository_keeps_its_name(tmp_path: Path) -> None:
    roots = sessionfacts.roots(tmp_path)
    outside = tmp_path.parent / f"{tmp_path.name}.yaml"
    outside.touch()

    for name in ("v1:crds/a.yaml", str(outside)):
        assert roots.find_in_repository(FilePlace(name, 3)) is None
        assert roots.name_place(FilePlace(name, 3)) == FilePlace(Path(name).as_posix(), 3)


def test_a_cause_without_a_file_stands_at_its_test(tmp_path: Path) -> None:
    roots, verdict = sessionfacts.roots(tmp_path), sessionfacts.verdict()

    assert roots.place_of(sessionfacts.cause(place=None), verdict) == FilePlace("test_a.crd.yaml", 4)
    assert roots.place_of(sessionfacts.cause(place=FilePlace("`helm template`", 3)), verdict) == FilePlace(
        "test_a.crd.yaml", 4
    )
    assert roots.place_of(sessionfacts.cause(), verdict) == FilePlace("crds/a.yaml", 3)

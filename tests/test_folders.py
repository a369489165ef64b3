"""Globs, names of manifest files, and links to a folder above them."""

from __future__ import annotations

import fnmatch
import glob
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_crd import folders
from pytest_crd.discovery import filetrees
from pytest_crd.discovery.filetrees import FolderTree
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.yaml import manifest

if TYPE_CHECKING:
    from support.sessions import Project

FILES = ("a.yaml", "b/c.yaml", "b/d/e.yml", "b/d/UP.YAML", ".hidden/f.yaml", "b/.g.yaml", "h/b/d/i.yaml")
PATTERNS = (
    "**",
    "**/",
    "b/**",
    "*/**",
    "**/*.y*ml",
    "**/d",
    "**/d/*.yaml",
    "**/b/**/*.yaml",
    "**/**/e.yml",
    "b/*",
    "a.yaml",
    "[ab]*",
    "a.y?ml",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def _without_capitals(names: set[str]) -> set[str]:
    """Return names without the ones that only a case-insensitive glob has."""
    return {name for name in names if not name.endswith("UP.YAML")}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("is_absolute", [False, True])
def test_a_glob_matches_the_files_of_pythons_glob(root: Path, pattern: str, *, is_absolute: bool) -> None:
    wanted = f"{root}/{pattern}" if is_absolute else pattern

    actual = folders.glob_paths(wanted, root)

    assert actual == sorted(set(actual))
    pythons = glob.glob(wanted, root_dir=root, recursive=True)  # noqa: PTH207
    assert _without_capitals({*actual}) == _without_capitals({*pythons})


def test_a_glob_ignores_the_case_of_endings(root: Path) -> None:
    assert folders.glob_paths("**/d/*.yaml", root) == ["b/d/UP.YAML", "h/b/d/i.yaml"]
    assert folders.glob_paths("nothing/**", root) == []
    assert folders.glob_paths("b/d/UP.yaml", root) == []  # a file name, not a glob
    assert folders.ignore_ending_case("a.*") == "a.*"
    assert [name for name in FILES if folders.is_manifest(name)] == [*FILES]
    assert not folders.is_manifest("a.txt")


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [
        ("test_*.yaml", True),
        ("a/*.yaml", True),
        ("/x/*/test_?.yaml", True),
        ("/a/test_b.yaml", False),
        ("/x/y/a/test_b.yaml", False),
        ("x/y/a/test_b.yaml", False),
        ("*.yml", False),
        (".", False),
    ],
)
def test_the_end_of_a_path_matches_a_glob(pattern: str, *, matching: bool) -> None:
    assert folders.matches(Path("/x/a/test_b.yaml"), pattern) is matching


@pytest.mark.parametrize("pattern", ["*a" * 16 + "*b", "*[ab]" * 16 + "c", "*?" * 16 + "b", "*a*" * 16 + "b"])
def test_globs_with_many_stars_end(pattern: str) -> None:
    """A backtracking search would take years."""
    name = "a" * 16_384

    assert not folders.matches(Path(name), pattern)
    assert not fnmatch.fnmatchcase(name, pattern)
    assert folders.matches(Path(name), f"{pattern[:-1]}*")


def test_globs_with_many_any_folders_end(tmp_path: Path) -> None:
    deepest = tmp_path.joinpath(*["a"] * 25)
    deepest.mkdir(parents=True)
    (deepest / "b.yaml").touch()
    steps = ["a"] * 100
    path = "/".join([*["a"] * 25, "b.yaml"])

    assert folders.glob_paths("**/a/" * 12 + "*.yml", tmp_path) == []
    assert folders.glob_paths("**/a/" * 12 + "*.yaml", tmp_path) == [path]
    assert not filetrees._matches(["**", "a"] * 20 + ["b"], steps, is_file=True)
    assert filetrees._matches(["**", "a"] * 20, steps, is_file=True)


def _linked(root: Path, **links: str) -> None:
    for name, target in links.items():
        (root / name.replace("_", "/")).symlink_to(target, target_is_directory=True)


@pytest.mark.parametrize(
    ("links", "found"),
    [
        ({"loop": "."}, []),
        ({"b_loop": ".."}, []),
        ({"b_d_loop": "../../.."}, []),
        ({"one": "two", "two": "one"}, []),
        ({"b_x": "../h", "h_y": "../b"}, ["b/x/b/d/i.yaml", "h/y/c.yaml", "h/y/d/UP.YAML"]),
        ({"x": "b/d"}, ["x/UP.YAML"]),
        ({"one": ".", "two": ".", "three": ".", "b_four": ".."}, []),
    ],
    ids=["itself", "parent", "above all", "each other", "two ways round", "elsewhere", "many"],
)
def test_links_are_followed_unless_they_form_a_cycle(root: Path, links: dict[str, str], found: list[str]) -> None:
    plain = {*folders.glob_paths("**/*.yaml", root)}

    _linked(root, **links)

    assert {*folders.glob_paths("**/*.yaml", root)} == plain | {*found}


def test_a_glob_ends_despite_cyclic_links(tmp_path: Path) -> None:
    for seed in range(6):
        drawn = random.Random(seed)  # noqa: S311
        top = tmp_path / str(seed)
        places = [top, *(top / name for name in ("a", "b", "a/c", "a/c/d", "b/e"))]
        for place in places:
            place.mkdir(exist_ok=True)
            (place / "x.yaml").touch()
        for number in range(3):
            link, target = drawn.choice(places) / f"l{number}", drawn.choice(places)
            link.symlink_to(os.path.relpath(target, link.parent))

        actual = folders.glob_paths("**/*.yaml", top)

        assert {(top / name).resolve() for name in actual} == {place / "x.yaml" for place in places}
        shutil.rmtree(top)


def test_a_folder_that_may_not_be_listed_is_empty(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = os.listdir

    def refusing(path: str) -> list[str]:
        if path.endswith("b/d/"):
            raise PermissionError
        return listed(path)

    monkeypatch.setattr(os, "listdir", refusing)

    assert folders.glob_paths("b/**", root) == ["b/", "b/c.yaml", "b/d"]


@pytest.mark.parametrize("link", ["loop", "config/loop", "tests/one"])
def test_a_cyclic_link_adds_nothing_to_a_session(project: Project, link: str) -> None:
    project.cases(name="tests/test_garden.crd.yaml")
    project.write("tests/test_it.py", "def test_it(): pass\n")
    place = project.path / link
    place.symlink_to(os.path.relpath(project.path, place.parent), target_is_directory=True)
    project.ini("crd_paths = **/*.yaml !**/*.crd.yaml")

    project.run().assert_outcomes(passed=4)


def test_a_session_collects_targets_of_links_outside_of_the_project(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "test_it.py").write_text("def test_it(): pass\n", encoding="utf-8")
    (elsewhere / "back").symlink_to(project.path, target_is_directory=True)
    (project.path / "more").symlink_to(elsewhere, target_is_directory=True)
    project.cases()

    project.run().assert_outcomes(passed=4)


def test_files_with_a_capital_ending_are_read(project: Project) -> None:
    (project.path / "config/crd/bases/gardens.yaml").rename(project.path / "config/crd/bases/GARDENS.YAML")
    project.cases(name="test_garden.crd.YAML")
    sample = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {rows: 99}\n"
    project.write("config/samples/A.YML", sample)
    project.ini("crd_checks = true")
    project.write("BED.CRD.YAML", "crd: gardens.stories.example.com\n")

    result = project.run()

    result.assert_outcomes(passed=8, skipped=1, failed=1)
    result.stdout.fnmatch_lines(["crd: not collected, as no pattern of crd_case_files (*) matches: BED.CRD.YAML"])
    result.stdout.fnmatch_lines(["*config/samples/A.YML*"])


def test_a_file_with_a_capital_ending_is_a_manifest(root: Path) -> None:
    assert [file.name for file in manifest.files(["b"], base=root)] == [
        "b/.g.yaml",
        "b/c.yaml",
        "b/d/UP.YAML",
        "b/d/e.yml",
    ]


def test_real_paths_have_no_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.yaml").touch()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/b.yaml").symlink_to("a.yaml")
    real, file = folders.RealPaths(), str((tmp_path / "real/a.yaml").resolve())
    assert real.resolve(tmp_path / "real/a.yaml") == file
    assert real.resolve(tmp_path / "link/a.yaml") == file
    assert real.resolve(tmp_path / "link/b.yaml") == file
    assert real.resolve(tmp_path / "real/../link/a.yaml") == file
    assert real.resolve(tmp_path / "link/..") == str(tmp_path.resolve())
    assert real.resolve(tmp_path / "link/no.yaml") == str((tmp_path / "real/no.yaml").resolve())


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\nb")
    (tmp_path / "b").symlink_to("a")

    assert [folders.read_file(tmp_path / name) for name in "ab"] == [b"a\nb", b"a\nb"]


def test_a_pipe_and_a_device_are_refused_and_do_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")

    for name in ("pipe", "zero"):
        with pytest.raises(OSError, match="no regular file"):
            folders.read_file(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        folders.read_file(tmp_path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MOST_BYTES", 3)
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "b").write_bytes(b"abcd")

    assert folders.read_file(tmp_path / "a") == b"abc"
    with pytest.raises(OSError, match="larger than"):
        folders.read_file(tmp_path / "b")


@pytest.mark.parametrize(
    "read",
    [
        lambda folder: manifest.files(["p.yaml"], base=folder)[0].read(),
        lambda folder: FolderTree(folder).read(["p.yaml"]),
    ],
)
def test_a_pipe_among_manifests_is_an_error_that_names_it(tmp_path: Path, read: Callable[[Path], object]) -> None:
    os.mkfifo(tmp_path / "p.yaml")

    with pytest.raises(ManifestError, match=r"p\.yaml: cannot be read: it is no regular file"):
        read(tmp_path)


def test_a_tree_reads_no_link_out_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").touch()
    (tmp_path / "project").mkdir()
    (tmp_path / "project/link.yaml").symlink_to("../outside.yaml")

    with pytest.raises(ManifestError, match="it leads out of the project"):
        FolderTree(tmp_path / "project").read(["link.yaml"])

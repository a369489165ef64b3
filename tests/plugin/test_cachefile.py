"""What sessions keep in pytest's cache: it saves reading, and is never in the way."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import pytest

from pytest_crd.plugin import cachefile

if TYPE_CHECKING:
    from support.sessions import Project

FILE: Final = ".pytest_cache/d/crd/contents.json"
WHOLE: Final = "whole"
CACHED: Final = ("-p", "cacheprovider", "-W", "ignore")
SAMPLE: Final = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {size: 1}\n"


def _shown(result: pytest.RunResult) -> list[str]:
    """Return what a session has printed, but for how long it took."""
    return [line.partition(" in ")[0] for line in result.outlines]


def _refuse(*_: object, **__: object) -> NoReturn:
    raise PermissionError


@pytest.fixture
def checked(gardener: Project) -> Project:
    """A project with a CRD, cases and a sample, all checked."""
    gardener.ini("crd_checks = on")
    gardener.write("config/samples/a.yaml", SAMPLE)
    return gardener


def test_a_second_session_says_the_same_and_sees_what_has_changed(checked: Project) -> None:
    first = _shown(checked.run(*CACHED))
    kept = checked.read(FILE)

    assert _shown(checked.run(*CACHED)) == first
    assert checked.read(FILE) == kept
    assert {path.name for path in (checked.path / FILE).parent.iterdir()} == {Path(FILE).name, WHOLE}
    checked.write("config/crd/bases/gardens.yaml", "kind: CustomResourceDefinition\nspec: [\n")
    broken = checked.run(*CACHED)
    assert broken.ret == pytest.ExitCode.INTERRUPTED
    assert _shown(broken) == _shown(checked.run(*CACHED)) == _shown(checked.run())


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x y\n{}", b"{"])
def test_a_cache_that_is_not_whole_is_ignored(checked: Project, content: bytes) -> None:
    first = _shown(checked.run(*CACHED))
    kept = checked.read(FILE)
    (checked.path / FILE).write_bytes(content)

    assert _shown(checked.run(*CACHED)) == first
    assert checked.read(FILE) == kept


def test_a_folder_that_cannot_be_written_to_is_no_obstacle(checked: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _shown(checked.run())

    with monkeypatch.context() as patch:
        patch.setattr(pytest.Cache, "mkdir", _refuse)
        assert _shown(checked.run(*CACHED)) == first
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "mkstemp", _refuse)
        assert _shown(checked.run(*CACHED)) == first
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", _refuse)
        assert _shown(checked.run(*CACHED)) == first
    assert list((checked.path / FILE).parent.iterdir()) == []


def test_a_session_that_asks_for_no_crd_keeps_nothing(empty: Project) -> None:
    empty.write("test_other.py", "def test_other():\n    pass\n")

    empty.run(*CACHED).assert_outcomes(passed=1)

    assert not (empty.path / FILE).exists()


def _whole(project: Project) -> dict[str, str]:
    """Return the texts of what is as large as a file, by their names."""
    folder = (project.path / FILE).with_name(WHOLE)
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def test_what_was_read_whole_is_read_once_and_again_where_its_text_changes(checked: Project) -> None:
    first = _shown(checked.run(*CACHED))
    checked.run(*CACHED)
    kept = _whole(checked)

    assert _shown(checked.run(*CACHED)) == first
    assert _whole(checked) == kept
    checked.write("config/crd/bases/gardens.yaml", checked.read("config/crd/bases/gardens.yaml") + "# more\n")
    checked.run(*CACHED)
    checked.run(*CACHED)
    assert len(_whole(checked)) == len(kept) + 1


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x y\n[]"])
def test_a_text_that_is_not_whole_is_read_anew(checked: Project, content: bytes) -> None:
    checked.run(*CACHED)
    first = _shown(checked.run(*CACHED))
    kept = _whole(checked)
    for name in kept:
        (checked.path / FILE).with_name(WHOLE).joinpath(name).write_bytes(content)

    assert _shown(checked.run(*CACHED)) == first
    assert _whole(checked) == kept


def test_of_more_texts_than_there_is_room_for_the_oldest_goes(tmp_path: Path) -> None:
    for number in range(cachefile.MOST + 2):
        shelf = cachefile.FileShelf(tmp_path / "shelf")
        shelf.write(f"{number:04}", "text")
        shelf.save()
        os.utime(tmp_path / f"shelf/{number:04}", ns=(number, number))

    left = sorted(path.name for path in (tmp_path / "shelf").iterdir())
    assert (left[0], len(left)) == ("0002", cachefile.MOST)
    assert cachefile.FileShelf(tmp_path / "shelf").read("0000") is None
    assert cachefile.FileShelf(tmp_path / "shelf").read("0002") == "text"

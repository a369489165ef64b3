"""Files with secrets: created where there is no file, and removed by their creator alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_crd.cli import ownfiles


def test_the_file_is_readable_by_its_owner_alone_and_removed_at_the_end(tmp_path: Path) -> None:
    path, mask = tmp_path / "secret", os.umask(0)
    try:
        with ownfiles.temporary(path, "a token"):
            assert path.read_text(encoding="utf-8") == "a token"
            assert path.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(mask)
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_removed_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), ownfiles.temporary(tmp_path / "secret", "a token"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_removed_meanwhile_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    with ownfiles.temporary(path, "a token"):
        path.unlink()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_takes_its_place_stays(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    with ownfiles.temporary(path, "a token"):
        path.unlink()
        path.write_text("of another process", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "of another process"


def test_a_link_that_takes_its_place_stays_with_its_target(tmp_path: Path) -> None:
    path, target = tmp_path / "secret", tmp_path / "target"
    with ownfiles.temporary(path, "a token"):
        path.rename(target)
        path.symlink_to(target)
    assert path.is_symlink()
    assert target.exists()


def test_a_folder_that_takes_the_place_of_its_folder_stays_whole(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with ownfiles.temporary(folder / "secret", "a token"):
        folder.rename(tmp_path / "moved")
        folder.mkdir()
        (folder / "secret").write_text("of another process", encoding="utf-8")
    assert (folder / "secret").read_text(encoding="utf-8") == "of another process"
    assert list((tmp_path / "moved").iterdir()) == []


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_is_not_followed(tmp_path: Path, *, is_there: bool) -> None:
    path, target = tmp_path / "secret", tmp_path / "target"
    if is_there:
        target.touch()
    path.symlink_to(target)
    with pytest.raises(FileExistsError), ownfiles.temporary(path, "a token"):
        pytest.fail("the link was followed")
    assert target.exists() == is_there
    assert not is_there or target.read_bytes() == b""

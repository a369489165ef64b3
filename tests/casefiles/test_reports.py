"""Files that reports are written into."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pytest_crd.casefiles import filereplacement, reports


def test_a_file_is_made_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "report.json"

    reports.write(path, '"é\ud800"')

    assert path.read_bytes() == '"é'.encode() + b'\\ud800"'
    assert [item.name for item in path.parent.iterdir()] == ["report.json"]


def test_a_file_is_replaced_and_a_link_stays_one(tmp_path: Path) -> None:
    path, link = tmp_path / "report.json", tmp_path / "link.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    link.symlink_to(path)

    reports.write(link, "new")

    assert link.is_symlink()
    assert path.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_an_irregular_file_is_written_directly(tmp_path: Path) -> None:
    reports.write(Path(os.devnull), "x")
    reports.remove(Path(os.devnull))

    assert not Path(os.devnull).is_file()


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(os, "fsync", refuse)

    with pytest.raises(OSError, match="No space"):
        reports.write(path, "new")

    assert [item.name for item in tmp_path.iterdir()] == ["report.json"]
    assert path.read_text(encoding="utf-8") == "old"


def test_a_file_is_added_to_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"

    reports.append(path, "a\n")
    reports.append(path, "b\n")

    assert path.read_text(encoding="utf-8") == "a\nb\n"
    reports.remove(path)
    reports.remove(path)
    assert not path.exists()


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_out_of_its_folder_is_refused(tmp_path: Path, *, is_there: bool) -> None:
    folder, target = tmp_path / "repository", tmp_path / "target"
    folder.mkdir()
    if is_there:
        target.write_text("mine", encoding="utf-8")
    link = folder / "report.json"
    link.symlink_to("../target")

    for write in (reports.write, reports.append):
        with pytest.raises(OSError, match=f"it is a link to {target}, out of its folder; name that path instead"):
            write(link, "new")
    if is_there:
        with pytest.raises(OSError, match="it is a link to"):
            reports.remove(link)

    assert target.exists() == is_there
    assert not is_there or target.read_text(encoding="utf-8") == "mine"
    assert link.is_symlink()


def test_links_of_the_system_are_followed() -> None:
    assert filereplacement.resolve(Path("/dev/stdout")) == Path("/dev/stdout").resolve()

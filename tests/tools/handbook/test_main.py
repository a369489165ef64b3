"""`python -m handbook` writes outdated files."""

from __future__ import annotations

from pathlib import Path

from handbook import __main__ as program


def test_only_outdated_files_are_written_and_named(tmp_path: Path) -> None:
    same, other, new = tmp_path / "same", tmp_path / "other", tmp_path / "folder" / "new"
    same.write_text("a", encoding="utf-8")
    other.write_text("a", encoding="utf-8")
    files = [(same, "a"), (other, "b"), (new, "c")]

    assert [*program.write(files)] == [other, new]
    assert [path.read_text(encoding="utf-8") for path, _ in files] == ["a", "b", "c"]
    assert not [*program.write(files)]

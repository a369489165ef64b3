"""`python -m handbook` writes outdated files."""

from __future__ import annotations

from pathlib import Path

from handbook import __main__ as program


def test_only_outdated_files_are_written_and_named(tmp_path: Path) -> None:
    current, outdated, new = tmp_path / "current", tmp_path / "outdated", tmp_path / "folder" / "new"
    current.write_text("a", encoding="utf-8")
    outdated.write_text("a", encoding="utf-8")
    files = [(current, "a"), (outdated, "b"), (new, "c")]

    assert [*program.write(files)] == [outdated, new]
    assert [path.read_text(encoding="utf-8") for path, _ in files] == ["a", "b", "c"]
    assert not [*program.write(files)]

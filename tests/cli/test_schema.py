"""`pytest-crd schema`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_crd import __main__ as program
from pytest_crd.cases import caseformat as case_format


def test_the_schema_of_case_files_is_where_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["schema"]) == 0

    path = Path(capsys.readouterr().out.rstrip("\n"))
    assert json.loads(path.read_text(encoding="utf-8")) == case_format.schema()


def test_it_is_written_to_be_committed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "schemas" / "cases.json"

    assert program.main(["schema", "--out", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert json.loads(path.read_text(encoding="utf-8")) == case_format.schema()


def test_an_unwritable_report_file_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    assert program.main(["schema", "--out", str(tmp_path / "file" / "a.json")]) == 2
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'file' / 'a.json'}: cannot be written: ")


def test_a_link_out_of_its_folder_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "repository").mkdir()
    link = tmp_path / "repository" / "cases.json"
    link.symlink_to(tmp_path / "target")

    assert program.main(["schema", "--out", str(link)]) == 2
    assert capsys.readouterr().err.startswith(f"{link}: cannot be written: it is a link to {tmp_path / 'target'}, ")
    assert not (tmp_path / "target").exists()

"""`python -m handbook` writes outdated files."""

from __future__ import annotations

from pathlib import Path

import pytest
from handbook import __main__ as program
from handbook import parts

from pytest_crd.cases import caseformat


def test_the_schema_of_case_files_is_written_if_it_is_outdated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = tmp_path / program._SCHEMA.relative_to(parts.ROOT)
    monkeypatch.setattr(parts, "ROOT", tmp_path)
    monkeypatch.setattr(program, "_SCHEMA", schema)
    for generated in ("_pages", "_pictures"):
        monkeypatch.setattr(program, generated, list)
    schema.parent.mkdir(parents=True)

    assert program.main() == 0
    assert capsys.readouterr().out == "pytest_crd/cases/case-file.schema.json\n"
    assert schema.read_text(encoding="utf-8") == caseformat.schema_text()
    assert program.main() == 0
    assert not capsys.readouterr().out

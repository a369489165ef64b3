"""`python -m pytest_crd schema`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_crd import __main__ as program
from pytest_crd.cases import format as case_format


def test_the_schema_of_case_files_is_where_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["schema"]) == 0

    path = Path(capsys.readouterr().out.rstrip("\n"))
    assert json.loads(path.read_text(encoding="utf-8")) == case_format.schema()

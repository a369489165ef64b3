"""Checks in the files that pytest shows, with names that it can show."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.checks import checkplan
from pytest_crd.checks.verdict import Check, CheckVerdict

HOME = Path("/project/pytest.ini")


@pytest.mark.parametrize(
    ("path", "expected", "line"),
    [
        (Path("/project/crds/a.yaml"), Path("/project/crds/a.yaml"), 3),
        (Path("/project/tests/../crds/a.yaml"), Path("/project/crds/a.yaml"), 3),
        (Path("crds/a.yaml"), Path.cwd() / "crds/a.yaml", 3),
        (None, HOME, 0),
    ],
)
def test_a_check_stands_in_the_file_that_it_is_about(path: Path | None, expected: Path, line: int) -> None:
    check = Check("samples", "Backup/a\tb\u200b", "a.yaml:3", path, 3, "1.37", lambda: CheckVerdict("", ()))
    placed = checkplan._placed(check, HOME)

    assert (placed.path, placed.line) == (expected, line)
    assert placed.name == r"samples[Backup/a\tb\u200b]"

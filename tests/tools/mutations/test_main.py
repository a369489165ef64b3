"""The measurement of mutations of the package that tests notice."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutations import __main__, edits
from support import git

MODULE = '''"""Docstring."""
from __future__ import annotations

def grow(size: "int", names: list[str] | None = None) -> "int":
    """Docstring."""
    if not names and size > 3:
        names.append("a")
        raise ValueError(f"large: {size + 1}")
    size += 2
    return size
'''
PATH = Path("pytest_crd/room/growth.py")


def test_mutations_change_the_meaning_of_each_kind_of_node() -> None:
    source = MODULE.encode()

    mutations = [*edits.find(PATH, source)]

    assert [edit.describe(source).partition(": ")[2] for edit in mutations] == [
        "and, or: not names and size > 3 -> (not names or size > 3)",
        "negation: not names -> (names)",
        "comparison: size > 3 -> (size <= 3)",
        "constant: 3 -> 4",
        'statement: names.append("a") -> pass',
        "constant: \"a\" -> 'aa'",
        'statement: raise ValueError(f"large: {size + 1}") -> pass',
        "statement: size += 2 -> pass",
        "constant: 2 -> 3",
        "result: return size -> return None",
    ]
    assert mutations[0].line == 6
    assert b"if (not names or size > 3):" in mutations[0].apply(source)


@pytest.mark.parametrize(
    ("old", "new"), [("True", "False"), ("''", "'x'"), ("b''", "b'x'"), ("'ab'", "'aba'"), ("1.5", "2.5")]
)
def test_constants_keep_their_type(old: str, new: str) -> None:
    (edit,) = edits.find(PATH, f"x = {old}".encode())

    assert edit.text == new


def test_mutations_are_drawn_from_all_kinds_and_are_the_same_for_a_seed(tmp_path: Path) -> None:
    (tmp_path / "growth.py").write_text(MODULE, encoding="utf-8")

    drawn = edits.draw(tmp_path, [Path("growth.py")], 6, 1)

    assert len({edit.kind for edit in drawn}) == 6
    assert drawn == edits.draw(tmp_path, [Path("growth.py")], 6, 1)
    assert drawn != edits.draw(tmp_path, [Path("growth.py")], 6, 2)
    assert len(edits.draw(tmp_path, [Path("growth.py")], 99, 1)) == 10


SMALL_MODULE = """
def grow(size):
    if size > 3:
        raise ValueError
    return size + 2
"""
NEAR_TESTS = """
from pytest_crd.room import growth

def test_failure_without_a_mutation():
    assert growth.grow(1) == 4

def test_growth():
    assert growth.grow(1) == 3
"""
FAR_TESTS = """
import pytest
from pytest_crd.room import growth

def test_a_limit():
    with pytest.raises(ValueError):
        growth.grow(9)
"""


@pytest.mark.session
@pytest.mark.long
def test_the_tests_of_the_folder_come_first_and_a_test_that_fails_anyway_notices_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "pytest.ini": "[pytest]\naddopts = -p no:crd -p no:xdist -p no:hypothesispytest",
        "pytest_crd/__init__.py": "",
        str(PATH): SMALL_MODULE,
        "tests/room/test_growth.py": NEAR_TESTS,
        "tests/test_limits.py": FAR_TESTS,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    git.commit(tmp_path)

    __main__.main(["--repository", str(tmp_path), "--number", "9"])

    *lines, last = capsys.readouterr().out.splitlines()
    assert sorted(lines) == [
        "UNNOTICED: pytest_crd/room/growth.py:3: constant: 3 -> 4",
        "tests/room: pytest_crd/room/growth.py:3: comparison: size > 3 -> (size <= 3)",
        "tests/room: pytest_crd/room/growth.py:5: constant: 2 -> 3",
        "tests/room: pytest_crd/room/growth.py:5: result: return size + 2 -> return None",
        "tests: pytest_crd/room/growth.py:4: statement: raise ValueError -> pass",
    ]
    assert last == "4 of 5 mutations noticed"
    assert "size > 3" in (tmp_path / PATH).read_text(encoding="utf-8")

"""A run with a count of branches fails if a branch is untested."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COUNTS = ROOT / "tools" / "branchcounts"
# A small package with the name of this one.
MODULE = """\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import json


def sign(number: int) -> int:
    if number < 0:
        return -1
    for _ in range(number):
        number = 1
    return number
"""
TESTS = """\
import os, subprocess, sys
import pytest
from pytest_crd import sign

@pytest.mark.parametrize("number", [int(word) for word in os.environ["NUMBERS"].split()])
def test_signs(number):
    assert sign(number) == (number > 0) - (number < 0)

def test_a_process():
    environment = {**os.environ, "BRANCH_COUNTS_OF": os.environ["COUNTED"]}
    subprocess.run([sys.executable, "-c", os.environ["PROCESS"]], env=environment, check=True)
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A project with its own small package `pytest_crd`, and the programs that count its branches."""
    for folder in ("pytest_crd", "tools/branchcounts", "counts"):
        (tmp_path / folder).mkdir(parents=True)
    for file in COUNTS.glob("*.py"):
        (tmp_path / "tools/branchcounts" / file.name).write_bytes(file.read_bytes())
    (tmp_path / "untested.py").write_bytes((ROOT / "tests/untested.py").read_bytes())
    (tmp_path / "pytest_crd/__init__.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "test_signs.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


def _run(
    copy: Path,
    *arguments: str,
    numbers: str,
    process: str = "",
    counted: str = "",
    path: str = "tools/branchcounts",
) -> str:
    environment = {**os.environ, "BRANCH_COUNTS": str(copy / "counts"), "NUMBERS": numbers}
    environment |= {"PROCESS": process, "COUNTED": counted}
    environment |= {"PYTHONPATH": os.pathsep.join(filter(None, [path and str(copy / path), str(copy)]))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:crd", "-p", "untested", *arguments],
        cwd=copy,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return f"{done.stdout}{done.stderr}\nexit code {done.returncode}"


@pytest.mark.session
def test_missing_branches_are_listed_and_fail_a_run(copy: Path) -> None:
    (copy / "pytest_crd/other.py").write_text("A = 1\n", encoding="utf-8")

    output = _run(copy, numbers="5")

    assert "2 files have untested lines or branches" in output
    assert "pytest_crd/__init__.py: 9" in output
    assert "pytest_crd/other.py: 1" in output
    assert output.endswith("exit code 1")


@pytest.mark.session
@pytest.mark.long
def test_a_run_passes_if_workers_and_processes_take_all_branches(copy: Path) -> None:
    output = _run(copy, "-n", "2", numbers="5 0", process="import pytest_crd; pytest_crd.sign(-3)")

    assert "0 files have untested lines or branches" in output
    assert output.endswith("exit code 0")


@pytest.mark.session
@pytest.mark.long
def test_a_process_counts_only_the_modules_that_are_named(copy: Path) -> None:
    (copy / "pytest_crd/other.py").write_text("A = 1\n", encoding="utf-8")

    output = _run(
        copy,
        numbers="5 0",
        process="import pytest_crd.other; pytest_crd.sign(-3)",
        counted="pytest_crd.sub pytest_crd.other",
    )

    assert "1 files have untested lines or branches" in output
    assert "pytest_crd/__init__.py: 9" in output


@pytest.mark.session
@pytest.mark.long
def test_counts_of_an_earlier_run_fail_a_run_before_its_tests(copy: Path) -> None:
    (copy / "counts/1.json").write_text("{}", encoding="utf-8")

    output = _run(copy, numbers="5 -3 0")

    assert "which is not an empty folder" in output
    assert "passed" not in output
    assert not output.endswith("exit code 0")


@pytest.mark.session
@pytest.mark.long
def test_a_run_without_the_start_of_the_count_fails(copy: Path) -> None:
    output = _run(copy, numbers="5 -3 0", path="")

    assert "nothing is counted" in output
    assert not output.endswith("exit code 0")

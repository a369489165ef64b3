"""Tests that start a process are marked, and every marker is explained."""

from __future__ import annotations

import functools
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiers
from hypothesis import settings

TESTING = (Path(__file__).parents[1] / "docs/developing/testing.md").read_text(encoding="utf-8")
STARTING = """\
import subprocess
import sys
import pytest

def test_it_starts_one():
    subprocess.run([sys.executable, "-c", ""], check=True)

@pytest.mark.session
def test_it_says_so():
    subprocess.run([sys.executable, "-c", ""], check=True)

def test_pytest(pytester):
    pass

def test_nothing():
    pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with several tests; the first starts a process."""
    pytester.makeini("[pytest]\naddopts = -p tiers -p pytester --strict-markers\n")
    pytester.makepyfile(test_starting=STARTING)
    return pytester


def test_an_unmarked_test_that_starts_a_process_fails(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("-p", "no:cacheprovider")

    result.assert_outcomes(failed=1, passed=3)
    result.stdout.fnmatch_lines(["mark it with `session`: it starts a process, [[]'*python*', '-c', ''*"])
    result.stdout.fnmatch_lines(["FAILED test_starting.py::test_it_starts_one*"])


def test_a_test_that_starts_pytest_is_marked_by_its_fixture(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("-p", "no:cacheprovider", "-m", "session", "-v")

    result.assert_outcomes(passed=2, deselected=2)
    result.stdout.fnmatch_lines(["*::test_it_says_so PASSED*", "*::test_pytest PASSED*"])


COUNTING = """\
import os, pytest

@pytest.fixture
def folder():
    return os.environ.get("BRANCH_COUNTS"), os.environ.get("BRANCH_COUNTS_OF")

def test_it(folder):
    assert folder == (None, None)

@pytest.mark.counted("a", "b.c")
def test_processes(folder):
    assert folder == ("counts", "a b.c")
"""


def test_processes_of_a_test_are_counted_only_if_it_says_so(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRANCH_COUNTS", "counts")
    project.path.joinpath("test_starting.py").write_text(COUNTING, encoding="utf-8")

    project.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=2)


def test_garbage_is_collected_after_collection_and_after_each_module(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    for step in ("disable", "enable", "collect", "freeze"):
        monkeypatch.setattr(gc, step, functools.partial(steps.append, step))
    tests = "def test_a(): pass\ndef test_b(): pass\n"
    pytester.makepyfile(test_first=tests, test_second=tests)

    pytester.runpytest_inprocess("-p", "tiers", "-p", "no:unraisableexception").assert_outcomes(passed=4)

    assert steps == ["disable", "enable", *["collect", "freeze"] * 3]


@pytest.mark.parametrize(("marker", "meaning"), tiers.MARKERS.items())
def test_every_marker_is_listed(marker: str, meaning: str) -> None:
    assert f"| `{marker}` | {meaning} |" in TESTING


@pytest.fixture
def profile() -> Iterator[None]:
    """Restore the settings of hypothesis for other tests."""
    before = settings()
    yield
    settings.register_profile("before", before)
    settings.load_profile("before")


@pytest.mark.parametrize(("markers", "count"), [("not slow", 30), ("not slow and not session", 30), ("", 150)])
def test_fewer_examples_are_drawn_without_slow_tests(
    pytester: pytest.Pytester, profile: None, markers: str, count: int
) -> None:
    settings.load_profile("patient")
    pytester.makepyfile(f"import tiers\ndef test_it(): assert tiers.examples(150).max_examples == {count}\n")

    pytester.runpytest_inprocess("-p", "tiers", "-m", markers).assert_outcomes(passed=1)

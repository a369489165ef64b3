"""Tests that start a process are marked, and every marker is explained."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

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
import json, os, pytest

def note(name):
    with open("notes.txt", "a") as file:
        file.write(json.dumps([name, os.environ.get("COVERAGE_PROCESS_START"), os.environ.get("COVERAGE_PROCESS_CONFIG")]) + "\\n")

@pytest.fixture
def made():
    note("made")

def test_it(made):
    note("it")

@pytest.mark.counted
def test_processes(made):
    note("processes")

@pytest.mark.uncounted
def test_nothing(made):
    note("nothing")
"""


def test_branches_are_counted_according_to_markers(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    def note(what: str) -> None:
        with (project.path / "notes.txt").open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(what)}\n")

    counting = SimpleNamespace(start=lambda: note("start"), stop=lambda: note("stop"))
    monkeypatch.setitem(sys.modules, "coverage", SimpleNamespace(Coverage=SimpleNamespace(current=lambda: counting)))
    monkeypatch.setenv("COVERAGE_PROCESS_START", "a.toml")
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
    project.path.joinpath("test_starting.py").write_text(COUNTING, encoding="utf-8")

    project.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)

    of_it = [["made", None, None], ["it", None, None]]
    of_processes = [["made", "a.toml", None], ["processes", "a.toml", None]]
    of_nothing = ["stop", ["made", None, None], ["nothing", None, None], "start"]
    noted = (project.path / "notes.txt").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in noted] == [*of_it, *of_processes, *of_nothing]


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

"""Comparisons are counted, and a run of all tests with too few comparisons fails."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import compared
import pytest
from conformance import test_conformance

from pytest_crd.engine import profile

PAGE = (Path(__file__).parents[1] / "docs/explanation/how-answers-are-known.md").read_text(encoding="utf-8")

COUNTING = """\
from hypothesis import given, settings, strategies

def test_answers(compared):
    compared("answers", 3)

def test_more_answers(compared):
    compared("answers", 4)

@settings(max_examples=5, database=None, derandomize=True)
@given(strategies.integers())
def test_numbers(number):
    assert number == number
"""


@pytest.mark.parametrize(
    ("counts", "problems"),
    [
        ({"answers": 100, "rows": 10}, []),
        ({"answers": 1000, "rows": 11}, []),
        ({"answers": 99, "rows": 10}, ["99 answers were compared, and 100 should be"]),
        ({"answers": 100}, ["0 rows were compared, and 10 should be"]),
        ({"answers": 100, "rows": 10, "words": 1}, ["words are compared, and nothing is written down"]),
    ],
)
def test_a_count_below_its_figure_is_a_problem(counts: Mapping[str, int], problems: list[str]) -> None:
    assert list(compared.shortfalls(counts, {"answers": 100, "rows": 10})) == problems


def test_nothing_falls_short_without_written_figures() -> None:
    assert list(compared.shortfalls({"answers": 1}, {})) == []


def test_a_later_section_overrides_an_earlier_one() -> None:
    quick, all_versions = compared.floors(("quick",)), compared.floors(("quick", "all-versions"))

    assert quick.keys() == all_versions.keys()
    assert 0.95 * len(test_conformance.PATHS) <= quick["recorded files"] <= len(test_conformance.PATHS)
    assert all_versions["comparisons of recorded answers"] > 2 * quick["comparisons of recorded answers"]


@pytest.mark.parametrize("version", profile.KNOWN)
def test_a_page_says_how_many_answers_are_reproduced(version: str) -> None:
    least = compared.floors(("quick", "all-versions"))
    counted = [least[f"answers of Kubernetes {version}{part}"] for part in ("", ", reproduced")]
    row = re.search(rf"^\| {re.escape(version)} \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)

    assert row, f"no row | {version} | {counted[0]} | {counted[1]} | in how-answers-are-known.md"
    for reported, actual in zip(map(int, row.groups()), counted, strict=True):
        assert reported <= actual, f"it is | {version} | {counted[0]} | {counted[1]} |"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with a run of seven comparisons and five examples."""
    pytester.makeini("[pytest]\ntestpaths = .\naddopts = -p compared -m 'not slow'\nmarkers =\n  slow\n  uncounted\n")
    pytester.makepyfile(test_counting=COUNTING)
    monkeypatch.setattr(compared, "FILE", pytester.path / "compared.toml")
    monkeypatch.delenv("CRD_CORPUS", raising=False)
    return pytester


@pytest.mark.parametrize(
    ("arguments", "answers", "code"),
    [
        ((), 7, 0),
        ((), 8, 1),
        (("-k", "test_answers"), 8, 0),
        (("-m", "not slow and not uncounted"), 8, 0),
        (("test_counting.py",), 8, 0),
        (("--all-versions",), 7, 1),  # there should be 20
        (("-m", ""), 7, 1),  # again
    ],
)
def test_a_run_of_everything_fails_where_it_compares_too_little(
    project: pytest.Pytester, arguments: tuple[str, ...], answers: int, code: int
) -> None:
    more = '[all-versions]\nanswers = 20\n[slow]\n"random examples" = 50\n'
    (project.path / "compared.toml").write_text(f'[quick]\nanswers = {answers}\n"random examples" = 5\n{more}')

    result = project.runpytest_inprocess(*arguments, "-p", "no:cacheprovider")

    assert result.ret == code
    result.stdout.fnmatch_lines(["*compared with servers*", "       * answers"])
    if code:
        result.stdout.fnmatch_lines(["compared.toml: * were compared, and * should be"])
    else:
        result.stdout.no_fnmatch_line("compared.toml*")


def test_examples_are_counted(project: pytest.Pytester) -> None:
    (project.path / "compared.toml").write_text('[quick]\nanswers = 7\n"random examples" = 5\n')

    result = project.runpytest_inprocess("-p", "no:cacheprovider")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["       7 answers", "       5 random examples"])

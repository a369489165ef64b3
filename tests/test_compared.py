"""Comparisons are counted, and a run of all tests fails if a count is not its written figure."""

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
        ({"answers": 100, "random examples": 10}, []),
        ({"answers": 100, "random examples": 11}, []),
        (
            {"answers": 100, "random examples": 9},
            ['[slow] has 10 random examples; if the change is right, write "random examples" = 9'],
        ),
        (
            {"answers": 99, "random examples": 10},
            ['[quick] has 100 answers; if the change is right, write "answers" = 99'],
        ),
        (
            {"answers": 101, "random examples": 10},
            ['[quick] has 100 answers; if the change is right, write "answers" = 101'],
        ),
        ({"random examples": 10}, ['[quick] has 100 answers; if the change is right, write "answers" = 0']),
        (
            {"answers": 100, "random examples": 10, "words": 1},
            ['[quick] has 0 words; if the change is right, write "words" = 1'],
        ),
        (
            {"answers": 100, "random examples": 10, "executions of suites": 1},
            ['[quick] has 0 executions of suites; if the change is right, write "executions of suites" = 1'],
        ),
    ],
)
def test_a_count_other_than_its_figure_is_a_line_to_write(counts: Mapping[str, int], problems: list[str]) -> None:
    written = {"answers": (100, "quick"), "random examples": (10, "slow")}

    assert list(compared.wrong_figures(counts, written)) == problems


def test_nothing_is_wrong_without_written_figures() -> None:
    assert list(compared.wrong_figures({"answers": 1}, {})) == []


def test_a_later_section_overrides_an_earlier_one() -> None:
    quick, all_versions = compared.figures(("quick",)), compared.figures(("quick", "all-versions"))

    assert quick.keys() == all_versions.keys()
    assert quick["recorded files"][0] <= len(test_conformance.PATHS)  # slow files are left out
    answers = "comparisons of recorded answers"
    assert all_versions[answers][0] > 2 * quick[answers][0]
    assert (quick[answers][1], all_versions[answers][1]) == ("quick", "all-versions")
    assert all_versions["published documents"][1] == "quick"


@pytest.mark.parametrize("version", sorted(profile.KNOWN.keys() - profile.PREVIEWS))
def test_a_page_says_how_many_answers_are_reproduced(version: str) -> None:
    written = compared.figures(("quick", "all-versions"))
    counted = [written[f"answers of Kubernetes {version}{part}"][0] for part in ("", ", reproduced")]
    row = re.search(rf"^\| {re.escape(version)} \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)

    assert row, f"no row | {version} | {counted[0]} | {counted[1]} | in how-answers-are-known.md"
    for reported, actual in zip(map(int, row.groups()), counted, strict=True):
        assert reported <= actual, f"it is | {version} | {counted[0]} | {counted[1]} |"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with a run of seven comparisons and five examples."""
    pytester.makeini("[pytest]\ntestpaths = .\naddopts = -p compared -m 'not slow'\nmarkers =\n  slow\n")
    pytester.makepyfile(test_counting=COUNTING)
    monkeypatch.setattr(compared, "FILE", pytester.path / "compared.toml")
    monkeypatch.delenv("CRD_CORPUS", raising=False)
    return pytester


@pytest.mark.parametrize(
    ("arguments", "answers", "code"),
    [
        ((), 7, 0),
        ((), 8, 1),
        ((), 6, 1),
        (("-k", "test_answers"), 8, 0),
        (("test_counting.py",), 8, 0),
        (("--all-versions",), 7, 1),  # there should be 20
        (("-m", ""), 7, 1),  # again
    ],
)
def test_a_run_of_all_tests_fails_if_a_figure_is_wrong(
    project: pytest.Pytester, arguments: tuple[str, ...], answers: int, code: int
) -> None:
    more = '[all-versions]\nanswers = 20\n[slow]\n"random examples" = 50\n'
    (project.path / "compared.toml").write_text(f'[quick]\nanswers = {answers}\n"random examples" = 5\n{more}')

    result = project.runpytest_inprocess(*arguments, "-p", "no:cacheprovider")

    assert result.ret == code
    result.stdout.fnmatch_lines(["*compared with servers*", "       * answers"])
    if code:
        result.stdout.fnmatch_lines(["compared.toml: [[]*] has * *; if the change is right, write *"])
    else:
        result.stdout.no_fnmatch_line("compared.toml*")


def test_examples_are_counted(project: pytest.Pytester) -> None:
    (project.path / "compared.toml").write_text('[quick]\nanswers = 7\n"random examples" = 5\n')

    result = project.runpytest_inprocess("-p", "no:cacheprovider")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["       7 answers", "       5 random examples"])

"""Annotations of GitHub Actions."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import sessionfacts

from pytest_crd.report.outputs import workflowcommands
from pytest_crd.report.testfacts import FilePlace


def _lines(tmp_path: Path, *verdicts: object, has_summary: bool = True, problem: str = "") -> list[str]:
    facts = sessionfacts.session(*verdicts, problem=problem, exit_code=2 if problem else 1)  # type: ignore[arg-type]
    return [*workflowcommands.lines(facts, sessionfacts.roots(tmp_path), has_summary=has_summary)]


def test_a_failure_stands_at_the_line_that_it_speaks_of(tmp_path: Path) -> None:
    cause = sessionfacts.cause(place=FilePlace("crds/a.yaml", 3, 7), details=("rule: self.a > 1",))

    assert _lines(tmp_path, sessionfacts.verdict(cause)) == [
        "::error file=crds/a.yaml,line=3,col=7,title=a case::it is wrong%0Arule: self.a > 1%0Atest: test_a.crd.yaml::a case"
    ]


def test_characters_that_end_a_command_are_escaped(tmp_path: Path) -> None:
    verdict = sessionfacts.verdict(sessionfacts.cause("100%: a,\r\nb"), name="50%: x, y\n::error::z")

    (line,) = _lines(tmp_path, verdict)

    assert line.startswith(
        "::error file=crds/a.yaml,line=3,title=50%25%3A x%2C y%0A%3A%3Aerror%3A%3Az::100%25: a,\\r%0Ab%0A"
    )


def test_one_annotation_stands_for_all_tests_with_the_cause(tmp_path: Path) -> None:
    (line,) = _lines(tmp_path, *(sessionfacts.verdict(sessionfacts.cause(), name=name) for name in "abcd"))

    assert "title=a and 3 more::" in line
    assert "%0A4 tests: test_a.crd.yaml::a, test_a.crd.yaml::b, test_a.crd.yaml::c and 1 more" in line


@pytest.mark.parametrize(
    ("count", "has_summary", "last"),
    [
        (11, True, "crd: 2 more annotations would be too many; they stand in the job summary"),
        (10, False, "crd: 1 more annotation would be too many; it stands in the report above"),
    ],
)
def test_there_are_ten_at_the_most_and_warnings_come_last(
    tmp_path: Path, count: int, last: str, *, has_summary: bool
) -> None:
    failing = [sessionfacts.verdict(sessionfacts.cause(f"{number}")) for number in range(count)]

    lines = _lines(
        tmp_path,
        sessionfacts.verdict(sessionfacts.cause("x"), warnings=(sessionfacts.cause("w"),)),
        *failing[1:],
        has_summary=has_summary,
    )

    assert [line.partition(" ")[0] for line in lines] == ["::error"] * 10 + ["crd:"]
    assert lines[-1] == last


def test_warnings_count_within_the_ten(tmp_path: Path) -> None:
    lines = _lines(tmp_path, sessionfacts.verdict(sessionfacts.cause("x"), warnings=(sessionfacts.cause("w"),)))

    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning"]


def test_an_unfinished_run_is_reported_first(tmp_path: Path) -> None:
    first, *_ = _lines(tmp_path, sessionfacts.verdict(sessionfacts.cause()), problem="the run was interrupted")

    assert first == "::error title=pytest-crd::the run was interrupted"

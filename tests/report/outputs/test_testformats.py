"""TAP and JUnit XML."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from support import sessionfacts

from pytest_crd.report.outputs import testformats
from pytest_crd.report.outputs.testformats import ReportedTest
from pytest_crd.report.testfacts import FilePlace, VerdictOutcome

PLACE = FilePlace("a.yaml", 3)
RESULTS = [
    ReportedTest("holds", PLACE, VerdictOutcome.PASSED, seconds=0.25),
    ReportedTest("is # wrong", PLACE, VerdictOutcome.FAILED, "too small", "title\n  too small\x1b", 0.5),
    ReportedTest("breaks", FilePlace("b.yaml"), VerdictOutcome.ERROR, "no CRD", "no CRD"),
    ReportedTest("later", PLACE, VerdictOutcome.SKIPPED, "not\nyet"),
    ReportedTest("known", PLACE, VerdictOutcome.XFAILED, "a bug \\ there"),
    ReportedTest("mended", PLACE, VerdictOutcome.XPASSED, "a bug"),
]


def test_tap_has_a_line_for_each_test_and_data_for_each_failure() -> None:
    lines = testformats.render_tap(RESULTS).splitlines()

    assert [line for line in lines if not line.startswith(" ")] == [
        "TAP version 14",
        "1..6",
        "ok 1 - a.yaml: holds",
        "not ok 2 - a.yaml: is \\# wrong",
        "not ok 3 - b.yaml: breaks",
        "ok 4 - a.yaml: later # SKIP not yet",
        "not ok 5 - a.yaml: known # TODO a bug \\\\ there",
        "ok 6 - a.yaml: mended",
    ]
    start, end = lines.index("  ---"), lines.index("  ...")
    assert yaml.safe_load("\n".join(lines[start + 1 : end])) == {
        "file": "a.yaml",
        "line": 3,
        "message": "title\n  too small\x1b",
    }
    assert "  line: null" in lines


def test_junit_has_a_test_case_for_each_test() -> None:
    (suite,) = ET.fromstring(testformats.render_junit(RESULTS))  # noqa: S314 - our own text

    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "6",
        "failures": "1",
        "errors": "1",
        "skipped": "2",
        "time": "0.750",
    }
    assert [(case.get("name"), case.get("line"), [child.tag for child in case]) for case in suite] == [
        ("holds", "3", []),
        ("is # wrong", "3", ["failure"]),
        ("breaks", None, ["error"]),
        ("later", "3", ["skipped"]),
        ("known", "3", ["skipped"]),
        ("mended", "3", []),
    ]
    (failure,) = suite[1]
    assert (failure.get("message"), failure.text) == ("too small", "title\n  too small#x1B")


@pytest.mark.parametrize("problem", ["", "a file could not be collected"])
def test_a_session_that_is_incomplete_has_an_error(problem: str, tmp_path: Path) -> None:
    facts = sessionfacts.session(sessionfacts.verdict(sessionfacts.cause(), summary="wrong"), problem=problem)

    results = testformats.of_session(facts, sessionfacts.roots(tmp_path))

    assert results[0] == ReportedTest(
        "a case", FilePlace(sessionfacts.CASES, 4), VerdictOutcome.FAILED, "wrong", "", 0.5
    )
    assert [result.summary for result in results[1:]] == ([problem] if problem else [])

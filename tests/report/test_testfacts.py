"""Facts that travel between processes: places, causes, subjects of tests."""

from __future__ import annotations

import json

import pytest

from pytest_crd.report import testfacts
from pytest_crd.report.testfacts import About, Cause, FilePlace, SessionFacts, VerdictKind, VerdictOutcome


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("crds/a.yaml", FilePlace("crds/a.yaml")),
        ("crds/a.yaml:3", FilePlace("crds/a.yaml", 3)),
        ("crds/a.yaml:3:14", FilePlace("crds/a.yaml", 3, 14)),
        ("v1.2:crds/a.yaml:3", FilePlace("v1.2:crds/a.yaml", 3)),
        (r"C:\crds\a.yaml:3", FilePlace(r"C:\crds\a.yaml", 3)),
        ("", None),
    ],
)
def test_a_place_is_taken_apart(text: str, place: FilePlace | None) -> None:
    assert testfacts.parse_place(text) == place


def test_subjects_of_tests_travel_completely() -> None:
    warning = Cause("check/accepted", "w", "spec.a", FilePlace("a", 1, 2), (FilePlace("b", 3),), ("x",), {"note": ""})
    about = About(VerdictKind.CHECK, "check/accepted", "a.b", "v1", "1.37", (warning, Cause("r", "w")))

    assert About.from_json(json.loads(json.dumps(about.to_json()))) == about


@pytest.mark.parametrize(
    ("exit_code", "problem", "failed", "remark"),
    [
        (0, "", 0, ""),
        (1, "", 1, ""),
        (2, "stopped", 0, "stopped"),
        (1, "", 0, "the run ends with exit code 1, though no test fails: its log says why"),
    ],
)
def test_a_session_that_is_not_green_says_why(exit_code: int, problem: str, failed: int, remark: str) -> None:
    others = {VerdictOutcome.FAILED: failed}
    session = SessionFacts((), exit_code, not problem, problem, ("1.37",), others, "1")

    assert session.remark == remark
    assert session.is_green is (exit_code == 0)

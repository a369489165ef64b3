"""Words about unexpected verdicts."""

from __future__ import annotations

import pytest

from pytest_crd.cases.deviations import Accepted
from pytest_crd.cases.parts import ExpectedError
from pytest_crd.report import verdictwords


@pytest.mark.parametrize(
    ("verdict", "brief"),
    [
        (Accepted(201, (), None), "accepted, expected any error"),
        (Accepted(201, (), "too many"), 'accepted, expected "too many"'),
        (Accepted(201, (ExpectedError(field="spec.rows"),), None), "accepted, expected {field: spec.rows}"),
        (Accepted(201, (), None, denials=("by: a",)), "accepted, expected the denial by: a"),
    ],
)
def test_an_accepted_object_has_a_line_for_the_expected_errors_or_for_any(verdict: Accepted, brief: str) -> None:
    (line,) = verdictwords.lines(verdict)

    assert line.label == "missing"
    assert line.brief == brief

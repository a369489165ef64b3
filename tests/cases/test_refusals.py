"""Comparison of a refusal with the errors that a case expects."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.cases import refusals
from pytest_crd.cases.deviations import Accepted, ErrorsMismatch, MessageMismatch, Rejected
from pytest_crd.cases.model import CreateCase
from pytest_crd.cases.parts import ExpectedError
from pytest_crd.cases.sections import CaseLines
from pytest_crd.engine import Response
from pytest_crd.engine.errors import fielderror, refusal
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.registry import response
from pytest_crd.engine.registry.response import Stored
from pytest_crd.engine.yaml import yamlreader

LINES = CaseLines(yamlreader.read_one("a: 1"))
LONG = fielderror.too_long(FieldPath(("spec", "a")), 3)
OTHER = fielderror.invalid(FieldPath(("spec", "a")), 5, "is odd")
NEEDED = fielderror.required(FieldPath(("spec", "b")), "")


def _refused(*errors: FieldError) -> Response:
    return response.invalid("example.com", "Garden", "it", list(errors))


def _mismatches(answer: Response, **stated: Any) -> list[Any]:
    return list(refusals.compare_response(CreateCase(name="a", input={}, lines=LINES, **stated), answer))


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param(ExpectedError(field="spec.a", type=ErrorType.TOO_LONG), id="by field and type"),
        pytest.param(ExpectedError(message=LONG.message), id="by the whole message"),
        pytest.param(ExpectedError(detail=LONG.detail), id="by the detail"),
        pytest.param(ExpectedError(matches="more than [0-9]"), id="by a pattern"),
    ],
)
def test_an_error_is_met(expected: ExpectedError) -> None:
    assert _mismatches(_refused(LONG), errors=(expected,)) == []
    assert _mismatches(_refused(LONG, NEEDED), contains_errors=(expected,)) == []


@pytest.mark.parametrize(
    ("expected", "wrong"),
    [
        pytest.param(ExpectedError(field="spec.a", type=ErrorType.INVALID), ("type",), id="another type"),
        pytest.param(ExpectedError(field="spec.a", detail="x"), ("detail",), id="another detail"),
        pytest.param(ExpectedError(field="spec.a", message="Too long"), ("message",), id="a part of the message"),
        pytest.param(ExpectedError(field="spec.a", matches="^more"), ("matches",), id="another pattern"),
        pytest.param(ExpectedError(field="spec.a", rule="x"), ("rule",), id="no rule"),
    ],
)
def test_an_error_is_missing_though_one_is_near(expected: ExpectedError, wrong: tuple[str, ...]) -> None:
    (mismatch,) = _mismatches(_refused(LONG), errors=(expected,))

    assert isinstance(mismatch, ErrorsMismatch)
    ((missing, near),) = mismatch.missing
    assert (missing, mismatch.unasked, mismatch.met) == (expected, (LONG,), ())
    assert near is not None
    assert (near.error, near.wrong) == (LONG, wrong)


def test_a_field_that_begins_with_the_expected_one_is_another() -> None:
    below = fielderror.required(FieldPath(("spec", "ab")), "")
    (mismatch,) = _mismatches(_refused(below), errors=(ExpectedError(field="spec.a"),))

    assert mismatch.missing == ((ExpectedError(field="spec.a"), None),)


def test_errors_lists_all_and_contains_errors_some() -> None:
    expected = (ExpectedError(field="spec.b"),)

    assert _mismatches(_refused(LONG, NEEDED), errors=expected) == [ErrorsMismatch("errors", (), (LONG,), (NEEDED,))]
    assert _mismatches(_refused(LONG, NEEDED), contains_errors=expected) == []


def test_one_error_meets_one_expectation() -> None:
    twice = (ExpectedError(field="spec.a"), ExpectedError(field="spec.a"))

    assert _mismatches(_refused(LONG, OTHER), errors=twice) == []
    (mismatch,) = _mismatches(_refused(LONG), errors=twice)
    assert [expected for expected, _ in mismatch.missing] == [twice[1]]


def test_a_vague_expectation_gives_way_to_a_specific_one() -> None:
    expected = (ExpectedError(field="spec.a"), ExpectedError(type=ErrorType.TOO_LONG))

    assert _mismatches(_refused(LONG, OTHER), errors=expected) == []


def test_a_refusal_without_fields_is_not_expected_by_an_error_of_a_field() -> None:
    answer = response.refused(refusal.bad_request("no"), subject={})
    (mismatch,) = _mismatches(answer, errors=(ExpectedError(field="spec.a"),))

    assert (mismatch.refusal, mismatch.unasked) == ("400: no", ())
    assert _mismatches(answer, errors=(ExpectedError(type=ErrorType.REQUEST),)) == []


def test_a_part_of_the_message_is_looked_for_in_all_of_it() -> None:
    answer = _refused(LONG)

    assert _mismatches(answer, error='"it" is invalid: spec.a: Too long') == []
    assert _mismatches(answer, error="too long") == [MessageMismatch("too long", answer.message)]


def test_a_verdict_is_compared_with_the_expected_one() -> None:
    accepted = Response(201, Stored.from_value({}))

    assert _mismatches(accepted) == []
    assert _mismatches(_refused(LONG), accepted=True) == [Rejected(422, (LONG,))]
    assert _mismatches(accepted, errors=(ExpectedError(field="a"),)) == [
        Accepted(201, (ExpectedError(field="a"),), None)
    ]
    assert _mismatches(accepted, error="no") == [Accepted(201, (), "no")]


@pytest.mark.parametrize(
    ("part", "is_in"),
    [("self.a", True), ("self.a > 1 && self.b", True), ("self.a >1", False), ("self.b > 1", False)],
)
def test_how_a_rule_is_broken_into_lines_does_not_count(part: str, *, is_in: bool) -> None:
    assert refusals.is_in_rule(part, "self.a > 1\n  && self.b") is is_in

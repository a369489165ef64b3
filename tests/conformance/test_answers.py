"""Shortening recorded answers: omitted facts are restored, and facts that cannot be restored stay."""

from __future__ import annotations

from typing import Any

import pytest

from conformance import answers

NAME = 'Case.example.com "case"'
SENT = {"spec": {"a": 1}}
LONG = {"reason": "FieldValueTooLong", "field": "spec.a", "message": "Too long: may not be more than 1 byte"}
WRONG_TYPE = {
    "reason": "FieldValueTypeInvalid",
    "field": "a",
    "message": 'Invalid value: "string": a in body must be of type integer: "string"',
}
REQUIRED = {"reason": "FieldValueRequired", "field": "b", "message": "Required value"}
LISTED = "spec.a: Too long: may not be more than 1 byte"


def _refusal(message: str, *causes: Any, **others: Any) -> dict[str, Any]:
    return {"code": 422, "reason": "Invalid", "message": f"{NAME} is invalid: {message}", "causes": [*causes], **others}


PAIRS = [
    pytest.param(_refusal(LISTED, LONG), {"code": 422, "causes": [LISTED]}, id="one cause"),
    pytest.param(
        _refusal(f"[{LISTED}, b: Required value]", LONG, REQUIRED, LONG),
        {"code": 422, "causes": [LISTED, "b: Required value", LISTED]},
        id="several causes, without duplicates in the message",
    ),
    pytest.param(
        _refusal(f"a: {WRONG_TYPE['message']}", WRONG_TYPE),
        {"code": 422, "causes": [f"a: {WRONG_TYPE['message']}"]},
        id="a wrong type",
    ),
    pytest.param(
        _refusal("other words", LONG),
        {"code": 422, "message": f"{NAME} is invalid: other words", "causes": [LISTED]},
        id="a different message",
    ),
    pytest.param(
        {**_refusal(LISTED, LONG), "reason": "Odd"}, {"code": 422, "reason": "Odd", "causes": [LISTED]}, id="a reason"
    ),
    pytest.param(
        {"code": 422, "causes": [LONG]},
        {"code": 422, "reason": None, "message": None, "causes": [LISTED]},
        id="neither message nor reason",
    ),
    pytest.param(
        _refusal(
            "spec[a: b]: Forbidden", {"reason": "FieldValueForbidden", "field": "spec[a: b]", "message": "Forbidden"}
        ),
        {"code": 422, "causes": [{"reason": "FieldValueForbidden", "field": "spec[a: b]", "message": "Forbidden"}]},
        id="a field with a colon",
    ),
    pytest.param(
        _refusal("a: Forbidden: no", {"reason": "FieldValueInvalid", "field": "a", "message": "Forbidden: no"}),
        {"code": 422, "causes": [{"reason": "FieldValueInvalid", "field": "a", "message": "Forbidden: no"}]},
        id="a cause whose reason does not follow from its message",
    ),
    pytest.param({"code": 404, "message": "gone"}, {"code": 404, "reason": None, "message": "gone"}, id="no reason"),
    pytest.param({"code": 201, "stored": SENT}, {"code": 201, "stored": "as sent"}, id="an object as it was sent"),
    pytest.param(
        {"code": 201, "stored": {"spec": {"a": 1.0}}}, {"code": 201, "stored": {"spec": {"a": 1.0}}}, id="1.0"
    ),
    pytest.param(
        {"code": 200, "alternatives": [_refusal(LISTED, LONG), {"code": 200, "stored": SENT}]},
        {"code": 200, "alternatives": [{"code": 422, "causes": [LISTED]}, {"code": 200, "stored": "as sent"}]},
        id="alternatives",
    ),
]


@pytest.mark.parametrize(("whole", "short"), PAIRS)
def test_implied_facts_are_omitted_and_restored(whole: Any, short: Any) -> None:
    assert answers.shorten(whole, name=NAME, sent=SENT) == short
    assert answers.restore(short, name=NAME, sent=SENT) == whole


@pytest.mark.parametrize(
    ("whole", "short"),
    [
        pytest.param({"code": 201, "spec": "as sent", "conditions": answers.CONDITIONS}, {"code": 201}, id="accepted"),
        pytest.param(
            {"code": 201, "spec": {}, "conditions": [], "warnings": ["w"]},
            {"code": 201, "spec": {}, "conditions": [], "warnings": ["w"]},
            id="accepted with changes",
        ),
        pytest.param(
            {"code": 201}, {"code": 201, "spec": None, "conditions": None}, id="accepted without implied facts"
        ),
        pytest.param(_refusal(LISTED, LONG), {"code": 422, "causes": [LISTED]}, id="refused"),
    ],
)
def test_implied_facts_of_a_crd_are_omitted_and_restored(whole: Any, short: Any) -> None:
    assert answers.shorten(whole, name=NAME, is_of_crd=True) == short
    assert answers.restore(short, name=NAME, is_of_crd=True) == whole


def test_the_stored_object_of_a_text_is_written_in_full() -> None:
    assert answers.shorten({"code": 201, "stored": SENT}, name=NAME) == {"code": 201, "stored": SENT}

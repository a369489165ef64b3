"""Field errors in the server's words."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError, Omitted
from pytest_crd.engine.fieldpath import FieldPath

PATH = FieldPath(("spec", "a"))


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param(fielderror.required(PATH, ""), "spec.a: Required value", id="required without a detail"),
        pytest.param(fielderror.required(PATH, "must be set"), "spec.a: Required value: must be set", id="required"),
        pytest.param(fielderror.forbidden(PATH, "not here"), "spec.a: Forbidden: not here", id="forbidden"),
        pytest.param(
            fielderror.invalid(PATH, 'a"b', "bad"), 'spec.a: Invalid value: "a\\"b": bad', id="a text is quoted"
        ),
        pytest.param(fielderror.invalid(PATH, 1, "bad"), "spec.a: Invalid value: 1: bad", id="an integer"),
        pytest.param(fielderror.invalid(PATH, 1.5, "bad"), "spec.a: Invalid value: 1.5: bad", id="a float"),
        pytest.param(
            fielderror.invalid(PATH, bad_value=True, detail="bad"), "spec.a: Invalid value: true: bad", id="a boolean"
        ),
        pytest.param(fielderror.invalid(PATH, None, "bad"), "spec.a: Invalid value: null: bad", id="null"),
        pytest.param(
            fielderror.invalid(PATH, {"b": [1]}, "bad"), 'spec.a: Invalid value: {"b":[1]}: bad', id="an object as JSON"
        ),
        pytest.param(
            fielderror.invalid(PATH, Omitted.VALUE, "bad"), "spec.a: Invalid value: bad", id="an omitted value"
        ),
        pytest.param(
            fielderror.not_supported(PATH, "c", ["b", "a"]),
            'spec.a: Unsupported value: "c": supported values: "b", "a"',
            id="what is supported is listed in order",
        ),
        pytest.param(
            fielderror.not_supported(PATH, "c", []), 'spec.a: Unsupported value: "c"', id="nothing is supported"
        ),
        pytest.param(
            fielderror.type_invalid(PATH, "integer", "must be a string"),
            'spec.a: Invalid value: "integer": must be a string',
            id="a wrong type",
        ),
        pytest.param(FieldError(ErrorType.NOT_FOUND, str(PATH), "b", ""), 'spec.a: Not found: "b"', id="not found"),
        pytest.param(fielderror.duplicate(PATH, "b"), 'spec.a: Duplicate value: "b"', id="a duplicate"),
        pytest.param(fielderror.too_long(PATH, 5), "spec.a: Too long: may not be more than 5 bytes", id="too long"),
        pytest.param(
            fielderror.too_long(PATH, 1, unit="character"),
            "spec.a: Too long: may not be more than 1 character",
            id="longer than one character",
        ),
        pytest.param(
            FieldError(ErrorType.TOO_SHORT, str(PATH), "", "must be at least 2 characters"),
            "spec.a: Too short: must be at least 2 characters",
            id="too short",
        ),
        pytest.param(fielderror.too_many(PATH, 2, 1), "spec.a: Too many: 2: must have at most 1 item", id="too many"),
        pytest.param(
            fielderror.too_many(PATH, None, 3), "spec.a: Too many: must have at most 3 items", id="too many to count"
        ),
        pytest.param(fielderror.internal(PATH, "why"), "spec.a: Internal error: why", id="an internal error"),
        pytest.param(
            fielderror.invalid(FieldPath(), 1, "bad"), "<nil>: Invalid value: 1: bad", id="an error without a path"
        ),
    ],
)
def test_errors_are_worded_as_the_server_words_them(error: FieldError, text: str) -> None:
    assert str(error) == text


@pytest.mark.parametrize(
    ("kind", "words", "reason"),
    [
        (ErrorType.NOT_FOUND, "Not found: 5: why", "FieldValueNotFound"),
        (ErrorType.DUPLICATE, "Duplicate value: 5: why", "FieldValueDuplicate"),
        (ErrorType.TOO_LONG, "Too long: why", "FieldValueTooLong"),
        (ErrorType.TOO_SHORT, "Too short: why", "FieldValueTooShort"),
        (ErrorType.TOO_MANY, "Too many: 5: why", "FieldValueTooMany"),
        (ErrorType.TOO_FEW, "Too few: 5: why", "FieldValueTooFew"),
        (ErrorType.INTERNAL, "Internal error: why", "InternalError"),
        (ErrorType.TYPE_INVALID, "Invalid value: 5: why", "FieldValueTypeInvalid"),
    ],
)
def test_each_type_has_its_words_and_its_reason(kind: ErrorType, words: str, reason: str) -> None:
    assert FieldError(kind, "a", 5, "why").message == words
    assert kind.reason == reason


def test_a_type_compares_as_its_name() -> None:
    kind: Any = fielderror.invalid(PATH, 1, "").type
    assert kind == "Invalid"


def test_several_errors_are_aggregated_in_brackets_without_repetitions() -> None:
    first, second = fielderror.required(PATH, ""), fielderror.forbidden(PATH, "no")
    assert fielderror.aggregate([first]) == "spec.a: Required value"
    assert fielderror.aggregate([first, first]) == "spec.a: Required value"
    assert fielderror.aggregate([second, first, second]) == "[spec.a: Forbidden: no, spec.a: Required value]"


def test_errors_with_different_printed_addresses_are_not_repetitions() -> None:
    first, same, third = (
        badvalues.invalid_as(PATH, value, "(*string)(0xc000000000)", "no") for value in ({"a": 1}, {"a": 1}, {"a": 1})
    )
    assert fielderror.aggregate([first, first]) == str(first)
    assert fielderror.aggregate([same, third]) == f"[{same}, {third}]"

"""Keywords of CEL rules, without compiling the expressions."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds.validation.schemas import rulekeywords
from pytest_crd.engine.fieldpath import FieldPath

AT = "s.x-kubernetes-validations[0]"
REASONS = 'supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"'


def find_errors(rule: Any, *, version: str = "1.37", **schema: Any) -> list[str]:
    schema = {"properties": {"a": {"type": "string"}}, "x-kubernetes-validations": [rule]} | schema
    return [str(error) for error in rulekeywords.validate(schema, FieldPath(("s",)), profile=profile.named(version))]


@pytest.mark.parametrize(
    ("rule", "errors"),
    [
        pytest.param({"rule": "true", "message": "m", "reason": "FieldValueInvalid", "fieldPath": ".a"}, [], id="fine"),
        pytest.param({}, [f"{AT}.rule: Required value: rule is not specified"], id="no rule"),
        pytest.param(
            {"rule": " \n\u2003", "message": " "},
            [f"{AT}.rule: Required value: rule is not specified"],
            id="a blank rule, before anything about the message",
        ),
        pytest.param({"rule": "\x1c"}, [], id="a separator that Go does not take for white space"),
        pytest.param(
            {"rule": "true", "message": " "},
            [f'{AT}.message: Invalid value: " ": must be non-empty if specified'],
            id="a blank message",
        ),
        pytest.param({"rule": "true", "message": ""}, [], id="an empty message counts as none"),
        pytest.param(
            {"rule": "true", "message": "a\nb"},
            [f'{AT}.message: Invalid value: "a\\nb": must not contain line breaks'],
            id="a message of two lines",
        ),
        pytest.param({"rule": "true", "message": "a\n"}, [], id="a line break at the end"),
        pytest.param(
            {"rule": "true\r&& true"},
            [f"{AT}.message: Required value: message must be specified if rule contains line breaks"],
            id="a rule of two lines without a message",
        ),
        pytest.param({"rule": "true\n&& true", "message": "m"}, [], id="a rule of two lines with one"),
        pytest.param(
            {"rule": "true", "messageExpression": " "},
            [f"{AT}.messageExpression: Required value: messageExpression must be non-empty if specified"],
            id="a blank message expression",
        ),
        pytest.param(
            {"rule": "true", "reason": "x"},
            [f'{AT}.reason: Unsupported value: "x": {REASONS}'],
            id="a reason that is none",
        ),
        pytest.param(
            {"rule": "true", "reason": "<"},
            [f'{AT}.reason: Unsupported value: "\\u003c": {REASONS}'],
            id="a reason is printed as JSON",
        ),
        pytest.param(
            {"rule": "true", "fieldPath": " "},
            [
                f'{AT}.fieldPath: Invalid value: " ": must be non-empty if specified',
                f'{AT}.fieldPath: Invalid value: " ": must be a valid path',
            ],
            id="a blank path",
        ),
        pytest.param(
            {"rule": "true", "fieldPath": ".a\n"},
            [
                f'{AT}.fieldPath: Invalid value: ".a\\n": must not contain line breaks',
                f'{AT}.fieldPath: Invalid value: ".a\\n": must be a valid path',
            ],
            id="a path of two lines",
        ),
        pytest.param({"rule": "true", "fieldPath": ""}, [], id="an empty path counts as none"),
    ],
)
def test_rules_are_validated_before_they_are_compiled(rule: Any, errors: list[str]) -> None:
    assert find_errors(rule) == errors


def test_field_paths_are_not_followed_in_a_schema_with_unsupported_constructs() -> None:
    assert find_errors({"rule": "true", "fieldPath": "nowhere"}, id="x") == []


def test_a_path_on_which_the_server_breaks_off_is_an_internal_error() -> None:
    """No real server answers such a request at all."""
    rule = {"rule": "true", "fieldPath": ".x.y"}
    [error] = find_errors(rule, properties={}, additionalProperties=True)
    assert error == f"{AT}.fieldPath: Internal error: the server breaks off on a path below a map of any values"


def test_older_servers_repeat_the_name_of_the_field() -> None:
    assert find_errors({"rule": "true", "message": " ", "fieldPath": "x"}, version="1.32") == [
        f'{AT}.message: Invalid value: " ": message must be non-empty if specified',
        f'{AT}.fieldPath: Invalid value: "x": fieldPath must be a valid path',
    ]
    assert find_errors({"rule": "true", "reason": "<"}, version="1.32") == [
        f'{AT}.reason: Unsupported value: "<": {REASONS}'
    ]

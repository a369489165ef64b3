"""Responses: refusals in the server's words, and warnings as they arrive."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine.errors import fielderror, response
from pytest_crd.engine.errors.refusal import Refusal, bad_request
from pytest_crd.engine.errors.response import Changes, Response
from pytest_crd.engine.fieldpath import FieldPath

ERROR = fielderror.required(FieldPath(("spec", "a")), "")
CAUSE = {"reason": "FieldValueRequired", "message": "Required value", "field": "spec.a"}


def test_an_accepted_request_has_no_status_and_no_message() -> None:
    answer = Response(201, stored={"a": 1}, changes=Changes(("spec.p",), ("spec.d",), ("spec.n",)))
    assert answer.accepted
    assert (answer.message, answer.status) == ("", None)
    assert (answer.pruned, answer.defaulted, answer.nulls) == (("spec.p",), ("spec.d",), ("spec.n",))


def test_an_invalid_object_is_a_422_with_causes() -> None:
    changes = Changes(pruned=("spec.b",))
    answer = response.invalid("g.example.com", "Foo", "a", [ERROR, ERROR], warnings=["w", "w"], changes=changes)
    assert not answer.accepted
    assert (answer.code, answer.stored, answer.errors, answer.warnings) == (422, None, (ERROR, ERROR), ("w",))
    assert answer.pruned == ("spec.b",)
    assert answer.status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'Foo.g.example.com "a" is invalid: spec.a: Required value',
        "reason": "Invalid",
        "details": {"name": "a", "group": "g.example.com", "kind": "Foo", "causes": [CAUSE, CAUSE]},
        "code": 422,
    }


def test_what_an_object_does_not_state_is_left_out_of_the_details() -> None:
    answer = response.invalid("", "Foo", "", [ERROR])
    assert answer.message == 'Foo "" is invalid: spec.a: Required value'
    assert answer.status["details"] == {"kind": "Foo", "causes": [CAUSE]}


SUBJECT = {"name": "a", "group": "g.example.com", "kind": "foos"}


def test_a_bad_request_is_a_400_without_details() -> None:
    answer = response.refused(bad_request("no"), subject=SUBJECT, warnings=["w"])
    assert (answer.code, answer.message, answer.warnings) == (400, "no", ("w",))
    assert answer.status["reason"] == "BadRequest"
    assert "details" not in answer.status


def test_a_refusal_of_another_reason_says_what_it_is_about() -> None:
    answer = response.refused(Refusal(422, "Invalid", "no", (ERROR,)), subject=SUBJECT | {"name": ""})
    assert answer.status["details"] == {"group": "g.example.com", "kind": "foos", "causes": [CAUSE]}
    assert answer.errors == (ERROR,)


def test_a_refusal_without_a_reason_states_none() -> None:
    assert response.refused(Refusal(500, "", "no"), subject={}).status.keys() & {"reason", "details"} == set()


@pytest.mark.parametrize(
    ("given", "arriving"),
    [
        pytest.param(["a", "b", "a", ""], ("a", "b"), id="each once, none empty"),
        pytest.param(["a\nb", "a\x7f", "a\x85", "é"], ("é",), id="none with a control character"),
        pytest.param(["x" * 4000, "y" * 96], ("x" * 4000, "y" * 96), id="whole up to 4096 characters"),
        pytest.param(["x" * 4000, "y" * 97], ("x" * 256, "y" * 97), id="cut beyond"),
        pytest.param([f"{n:03}" + "x" * 300 for n in range(20)], None, id="no more after 4096 cut characters"),
    ],
)
def test_warnings_arrive_as_headers_can_hold_them(given: list[str], arriving: Any) -> None:
    assert response.sent(given) == (arriving or tuple(text[:256] for text in given[:16]))

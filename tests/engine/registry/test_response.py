"""Responses: refusals in the server's words, and warnings as they arrive."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from support.spelling import spelled

from pytest_crd import engine
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.refusal import Refusal, bad_request, internal_error
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.registry import response
from pytest_crd.engine.registry.response import Changes, Response, Stored

ERROR = fielderror.required(FieldPath(("spec", "a")), "")
CAUSE = {"reason": "FieldValueRequired", "message": "Required value", "field": "spec.a"}


def test_an_accepted_request_has_no_status_and_no_message() -> None:
    answer = Response(
        201, Stored.from_value({"a": 1}), changes=Changes(spelled("spec.p"), spelled("spec.d"), spelled("spec.n"))
    )
    assert answer.accepted
    assert (answer.message, answer.status) == ("", None)
    assert (answer.pruned, answer.defaulted, answer.nulls) == (("spec.p",), ("spec.d",), ("spec.n",))


def test_an_invalid_object_is_a_422_with_causes() -> None:
    changes = Changes(pruned=spelled("spec.b"))
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


def test_an_internal_error_has_one_cause_that_is_about_no_field() -> None:
    answer = response.refused(internal_error("no"), subject=SUBJECT)
    assert (answer.code, [str(error) for error in answer.errors]) == (500, ["Internal error occurred: no"])
    assert answer.status["details"] == {"causes": [{"message": "no"}]}


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


def test_a_refusal_that_names_no_field_has_one_error_of_its_own_type() -> None:
    answer = response.refused(bad_request("no good"), subject={})

    (error,) = answer.errors
    assert (error.type, error.field, error.message, str(error)) == ("Request", "", "no good", "no good")


@pytest.mark.parametrize("strict", [False, True])
def test_an_accepted_request_passes(*, strict: bool) -> None:
    Response(201, Stored.from_value({"a": 1})).assert_accepted(strict=strict)


def test_a_refused_request_fails_with_every_error() -> None:
    with pytest.raises(engine.NotAcceptedError) as caught:
        response.invalid("g.example.com", "Foo", "a", [ERROR, ERROR]).assert_accepted()
    assert str(caught.value) == ("the request is not accepted: 422\n  spec.a: Required value\n  spec.a: Required value")


def test_a_missing_resource_is_not_accepted_either() -> None:
    with pytest.raises(engine.NotAcceptedError, match=r"^the request is not accepted: 404\n  no such thing$"):
        response.refused(Refusal(404, "NotFound", "no such thing"), subject={}).assert_accepted()


def test_strictly_a_request_that_loses_fields_fails() -> None:
    answer = Response(201, Stored.from_value({}), changes=Changes(spelled("spec.b", "spec.c")))
    answer.assert_accepted()

    with pytest.raises(engine.NotAcceptedError) as caught:
        answer.assert_accepted(strict=True)
    assert str(caught.value) == (
        'the request is accepted, but loses fields:\n  unknown field "spec.b"\n  unknown field "spec.c"'
    )


def test_a_response_shows_itself_on_one_line() -> None:
    assert repr(Response(201, Stored.from_value({"a": 1}))) == "<Response 201>"
    assert repr(response.invalid("g", "Foo", "a", [ERROR, ERROR])) == (
        "<Response 422: spec.a: Required value; spec.a: Required value>"
    )
    assert repr(response.refused(bad_request("two\n  lines"), subject={})) == "<Response 400: two lines>"


def test_the_stored_object_is_made_once_and_only_for_who_asks() -> None:
    made: list[dict[str, int]] = []

    def make() -> dict[str, int]:
        made.append({"a": 1})
        return made[-1]

    answer = Response(201, Stored(make))
    assert answer.accepted
    assert made == []
    assert answer.stored is answer.stored is made[0]
    assert len(made) == 1


def test_a_copy_shares_nothing_with_the_answer_that_it_is_of() -> None:
    answer = Response(201, Stored.from_value({"a": [1]}))
    copied = answer.copied()
    copied.stored["a"].append(2)
    assert (answer.stored, copied.stored) == ({"a": [1]}, {"a": [1, 2]})


def test_answers_are_equal_when_their_stored_objects_are() -> None:
    one, same, other = (Response(201, Stored.from_value({"a": number})) for number in (1, 1, 2))
    assert one == same
    assert one != other
    assert Stored.from_value(1) != 1
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own

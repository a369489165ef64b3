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
    assert (answer.code, answer.stored_if_accepted, answer.errors, answer.warnings) == (
        422,
        None,
        (ERROR, ERROR),
        ("w",),
    )
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


def test_empty_fields_are_omitted_from_the_details() -> None:
    answer = response.invalid("", "Foo", "", [ERROR])
    assert answer.message == 'Foo "" is invalid: spec.a: Required value'
    assert (answer.status or {})["details"] == {"kind": "Foo", "causes": [CAUSE]}


SUBJECT = {"name": "a", "group": "g.example.com", "kind": "foos"}


def test_a_bad_request_is_a_400_without_details() -> None:
    answer = response.refused(bad_request("no"), subject=SUBJECT, warnings=["w"])
    assert (answer.code, answer.message, answer.warnings) == (400, "no", ("w",))
    assert (answer.status or {})["reason"] == "BadRequest"
    assert "details" not in (answer.status or {"details": ""})


def test_a_refusal_with_another_reason_has_details() -> None:
    answer = response.refused(Refusal(422, "Invalid", "no", (ERROR,)), subject=SUBJECT | {"name": ""})
    assert (answer.status or {})["details"] == {"group": "g.example.com", "kind": "foos", "causes": [CAUSE]}
    assert answer.errors == (ERROR,)


def test_an_internal_error_has_a_cause_without_a_field() -> None:
    answer = response.refused(internal_error("no"), subject=SUBJECT)
    assert (answer.code, [str(error) for error in answer.errors]) == (500, ["Internal error occurred: no"])
    assert (answer.status or {})["details"] == {"causes": [{"message": "no"}]}


def test_a_refusal_without_a_reason_has_no_reason_and_details() -> None:
    assert (response.refused(Refusal(500, "", "no"), subject={}).status or {"reason": ""}).keys() & {
        "reason",
        "details",
    } == set()


@pytest.mark.parametrize(
    ("value", "arriving"),
    [
        pytest.param(["a", "b", "a", ""], ("a", "b"), id="each once, none empty"),
        pytest.param(["a\nb", "a\x7f", "a\x85", "é"], ("é",), id="none with a control character"),
        pytest.param(["x" * 4000, "y" * 96], ("x" * 4000, "y" * 96), id="whole up to 4096 characters"),
        pytest.param(["x" * 4000, "y" * 97], ("x" * 256, "y" * 97), id="cut beyond"),
        pytest.param([f"{n:03}" + "x" * 300 for n in range(20)], None, id="no more after 4096 cut characters"),
    ],
)
def test_warnings_are_limited_to_valid_headers(value: list[str], arriving: Any) -> None:
    assert response.limit_warnings(value) == (arriving or tuple(text[:256] for text in value[:16]))


def test_a_refusal_without_a_field_has_an_error_of_type_request() -> None:
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


def test_a_strict_assertion_fails_for_lost_fields() -> None:
    answer = Response(201, Stored.from_value({}), changes=Changes(spelled("spec.b", "spec.c")))
    answer.assert_accepted()

    with pytest.raises(engine.NotAcceptedError) as caught:
        answer.assert_accepted(strict=True)
    assert str(caught.value) == (
        'the request is accepted, but loses fields:\n  unknown field "spec.b"\n  unknown field "spec.c"'
    )


def test_the_stored_object_of_a_refused_request_is_an_error_with_the_refusal() -> None:
    answer = response.invalid("g", "Foo", "a", [ERROR, ERROR])
    with pytest.raises(engine.NotAcceptedError) as caught:
        answer.stored  # noqa: B018 - it raises
    assert str(caught.value) == (
        "nothing is stored, the request is refused: 422\n  spec.a: Required value\n  spec.a: Required value"
    )
    assert caught.value.errors == (ERROR, ERROR)
    assert answer.stored_if_accepted is None
    assert Response(201, Stored.from_value({"a": 1})).stored_if_accepted == {"a": 1}


def test_the_repr_of_a_response_has_one_line() -> None:
    assert repr(Response(201, Stored.from_value({"a": 1}))) == "<Response 201>"
    changes = Changes(pruned=spelled("a"), lost=spelled("b"))
    assert repr(Response(201, changes=changes)) == '<Response 201: unknown field "a"; unknown field "b">'
    assert repr(response.invalid("g", "Foo", "a", [ERROR, ERROR])) == (
        "<Response 422: spec.a: Required value; spec.a: Required value>"
    )
    assert repr(response.refused(bad_request("two\n  lines"), subject={})) == "<Response 400: two lines>"


def test_the_stored_object_is_computed_once_on_demand() -> None:
    created: list[dict[str, int]] = []

    def make() -> dict[str, int]:
        created.append({"a": 1})
        return created[-1]

    answer = Response(201, Stored(make))
    assert answer.accepted
    assert created == []
    assert answer.stored is answer.stored is created[0]
    assert len(created) == 1


def test_a_copy_shares_nothing_with_its_original() -> None:
    answer = Response(201, Stored.from_value({"a": [1]}))
    copied = answer.copied()
    copied.stored["a"].append(2)
    assert (answer.stored, copied.stored) == ({"a": [1]}, {"a": [1, 2]})


def test_answers_are_equal_when_their_stored_objects_are() -> None:
    item, same, second = (Response(201, Stored.from_value({"a": number})) for number in (1, 1, 2))
    assert item == same
    assert item != second
    assert Stored.from_value(1) != 1
    assert pickle.loads(pickle.dumps(item)) == item  # noqa: S301 - our own

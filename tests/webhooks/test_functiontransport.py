"""Webhooks that are functions of the project."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from pytest_crd.webhooks.functiontransport import FunctionTransport
from pytest_crd.webhooks.transport import WebhookError

REVIEW: Final = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u-1"}}


def _post(function: Any) -> Any:
    transport = FunctionTransport(function, source="conftest.py[admission]")
    try:
        reply = transport.post("https://a.b.svc:443/x", json.dumps(REVIEW).encode(), 1)
    finally:
        transport.close()
    assert (reply.status, reply.content_type) == (200, "application/json")
    return json.loads(reply.body)


def _error(function: Any) -> str:
    with pytest.raises(WebhookError) as raised:
        _post(function)
    return str(raised.value)


def test_a_response_alone_gets_the_uid_of_the_request() -> None:
    def allow(review: dict[str, Any]) -> dict[str, Any]:
        review.clear()
        return {"allowed": True}

    assert _post(allow) == {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": {"uid": "u-1", "allowed": True},
    }


@pytest.mark.parametrize("whole", [{"response": {"uid": "other"}}, {"kind": "AdmissionReview"}, {"apiVersion": "v1"}])
def test_a_whole_review_is_unchanged(whole: dict[str, Any]) -> None:
    assert _post(lambda _: whole) == whole


def test_a_function_may_return_the_review_that_it_gets() -> None:
    assert _post(lambda review: {**review, "response": {}}) == {**REVIEW, "response": {}}


def test_an_error_of_the_function_has_its_traceback() -> None:
    def fail(_: object) -> dict[str, Any]:
        raise LookupError("no size")

    text = _error(fail)

    assert text.startswith("conftest.py[admission]: the function fails:\nTraceback")
    assert text.endswith("LookupError: no size")
    assert "in fail" in text
    assert text.count('File "') == 1


def test_a_skip_in_the_function_does_not_go_unnoticed() -> None:
    assert "Skipped: not today" in _error(lambda _: pytest.skip("not today"))


def test_an_interrupt_stays_an_interrupt() -> None:
    def interrupt(_: object) -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _post(interrupt)


@pytest.mark.parametrize(
    ("returned", "words"),
    [(None, "returns None; return a review, or"), (True, "returns an object of the type bool; return a review, or")],
)
def test_another_value_is_no_review(returned: object, words: str) -> None:
    assert words in _error(lambda _: returned)


def test_a_coroutine_needs_a_plain_function() -> None:
    class Awaitable:
        def __await__(self) -> None:
            """Never called."""

    assert "returns a coroutine, which nothing runs: return asyncio.run(…) of it" in _error(lambda _: Awaitable())


@pytest.mark.parametrize("value", [b"patch", float("nan"), {1, 2}])
def test_a_review_must_be_json(value: object) -> None:
    assert "returns a review that is no JSON: " in _error(lambda _: {"patch": value})

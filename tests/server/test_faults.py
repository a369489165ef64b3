"""Faults of a server: selected requests, refusals in a server's words, random faults, faults without a request."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server import faulteffects
from pytest_crd.server.faulteffects import NO_EFFECT
from pytest_crd.server.faults import Faults
from pytest_crd.server.http.httpmessages import HTTPRequest

JOBS = "/apis/fuzz.example.com/v1/namespaces/default/jobs"
MODIFIED = (
    'Operation cannot be fulfilled on jobs.fuzz.example.com "a": the object has been modified; '
    "please apply your changes to the latest version and try again"
)
AGENT = {"user-agent": "operator/1.0"}


def _request(method: str = "PUT", path: str = f"{JOBS}/a") -> HTTPRequest:
    return HTTPRequest(method, path, AGENT)


def test_requests_without_a_fault_have_no_effect() -> None:
    faults = Faults()
    assert faults.take(_request()) is NO_EFFECT
    faults.delay(1)
    assert faults.take(HTTPRequest("GET", "/version")) is NO_EFFECT
    assert faults.take(_request()).delay == 1


@pytest.mark.parametrize(
    ("selection", "is_met"),
    [
        ({}, True),
        ({"verb": "update"}, True),
        ({"verb": ("create", "update")}, True),
        ({"verb": "patch"}, False),
        ({"resource": "jobs"}, True),
        ({"resource": "jobs.fuzz.example.com"}, True),
        ({"resource": "jobs/status"}, False),
        ({"resource": "boards"}, False),
        ({"name": "a", "namespace": "default"}, True),
        ({"name": "b"}, False),
        ({"namespace": "other"}, False),
        ({"client": "operator"}, True),
        ({"client": "kubectl"}, False),
        ({"user": "kubernetes-admin"}, True),
        ({"user": "ann"}, False),
        ({"nth": 2}, False),
    ],
)
def test_a_selection_limits_a_fault(selection: Any, is_met: bool) -> None:  # noqa: FBT001 - a row of the table
    assert (Faults().delay(1, **selection).meet(_request(), _request().info) is not NO_EFFECT) is is_met  # type: ignore[arg-type] # it names a resource


def test_a_subresource_is_a_resource_of_its_own() -> None:
    faults = Faults()
    faults.delay(1, resource="jobs", times=None)
    faults.delay(2, resource="jobs.fuzz.example.com/status")
    assert faults.take(_request("PUT", f"{JOBS}/a/status")).delay == 2


def test_a_fault_affects_some_requests_and_counts_them() -> None:
    faults = Faults()
    third = faults.status(503, nth=3, times=2, verb="get")
    codes = [faults.take(_request("GET")).code for _ in range(6)]
    assert codes == [0, 0, 503, 503, 0, 0]
    assert third.hits == 2
    assert repr(third) == "<Fault status 503 (nth=3, times=2, verb='get'), 2 requests>"


def test_several_faults_affect_the_same_request() -> None:
    faults = Faults()
    faults.delay(0.5)
    faults.cut()
    effect = faults.take(_request())
    assert (effect.delay, effect.is_cut, effect.text) == (0.5, True, "delay of 0.5 s, cut connection")


def test_a_fault_ends_with_its_block() -> None:
    faults = Faults()
    with faults.status(500, times=None) as fault:
        assert faults.take(_request()).code == 500
    assert faults.take(_request()) is NO_EFFECT
    assert faults.lines() == ["fault: status 500 (times=None): 1 request"]
    faults.clear()
    assert (faults.count, faults.lines(), fault.hits) == (0, [], 1)


def test_a_conflict_affects_updates_and_patches_alone() -> None:
    faults = Faults()
    faults.status(409, times=None)
    assert [faults.take(_request(method)).code for method in ("GET", "PUT", "PATCH", "DELETE")] == [0, 409, 409, 0]


def test_faults_of_watches_affect_watches_alone() -> None:
    faults = Faults()
    faults.end_watch(after=2)
    faults.expire_watch()
    faults.lag_watch(3)
    assert faults.take(_request("GET", JOBS)) is NO_EFFECT
    effect = faults.take(_request("GET", f"{JOBS}?watch=1"))
    assert (effect.ends_after, effect.is_expired, effect.lag) == (2, True, 3)


@pytest.mark.parametrize(
    ("code", "reason", "message"),
    [
        (
            409,
            "Conflict",
            MODIFIED,
        ),
        (500, "InternalError", "Internal error occurred: etcdserver: request timed out"),
        (503, "ServiceUnavailable", "the server is currently unable to handle the request"),
        (504, "Timeout", "Timeout: request did not complete within the allotted timeout"),
    ],
)
def test_a_refusal_has_the_words_of_a_server(code: int, reason: str, message: str) -> None:
    faults = Faults()
    faults.status(code)
    answer = faulteffects.refuse(_request(), faults.take(_request()))
    assert (answer.code, answer.value["reason"], answer.value["message"]) == (code, reason, message)
    faults.status(code, message="mine", retry_after=7)
    answer = faulteffects.refuse(_request(), faults.take(_request()))
    assert (answer.value["message"], answer.value["details"]["retryAfterSeconds"]) == ("mine", 7)
    assert ("Retry-After", "7") in answer.headers


def test_a_conflict_of_the_core_group_has_no_group() -> None:
    faults = Faults()
    faults.status(409)
    request = _request("PUT", "/api/v1/namespaces/default/pods/x")
    assert 'on pods "x":' in faulteffects.refuse(request, faults.take(request)).value["message"]


@pytest.mark.parametrize(("options", "delay", "text"), [({}, "1", "Too many requests, please try again later.\n"), ({"retry_after": 3, "message": "m"}, "3", "m\n")])  # fmt: skip
def test_too_many_requests_have_a_text_and_a_delay(options: Any, delay: str, text: str) -> None:
    faults = Faults()
    faults.status(429, **options)
    answer = faulteffects.refuse(_request(), faults.take(_request()))
    assert (answer.code, answer.body.decode()) == (429, text)
    assert ("Retry-After", delay) in answer.headers


def test_another_client_writes_the_object_itself() -> None:
    faults = Faults()
    faults.overtake()
    request = _request("PATCH", f"{JOBS}/a/status?fieldManager=m")
    effect = faults.take(request)
    assert effect.overtaking is not None
    sent = faulteffects.overtaking_request(request, effect.overtaking)
    assert (sent.method, sent.target) == ("PATCH", f"{JOBS}/a")
    assert sent.headers == {"user-agent": "pytest-crd-fault", "content-type": "application/merge-patch+json"}
    plain = faulteffects.overtaking_request(_request(), {"spec": {}})
    assert (plain.target, plain.body) == (f"{JOBS}/a", b'{"spec": {}}')


def test_a_seed_repeats_random_faults_for_each_object() -> None:
    def effects(*, with_others: bool) -> list[str]:
        faults = Faults()
        faults.random(5, rate=0.6)
        texts = []
        for _ in range(40):
            if with_others:
                faults.take(_request("GET", f"{JOBS}/other"))
            texts.append(faults.take(_request()).text)
        return texts

    texts = effects(with_others=False)
    assert texts == effects(with_others=True)
    assert {text.partition(" ")[0] for text in texts} == {"", "status", "delay", "cut"}
    assert all("" in texts[place : place + 3] for place in range(38))


def test_random_faults_disturb_watches() -> None:
    faults = Faults()
    fault = faults.random(1, rate=1)
    path = "/apis/fuzz.example.com/v1/watch/namespaces/default/jobs"
    texts = [faults.take(_request("GET", path)).text.partition(" ")[0] for _ in range(60)]
    assert set(texts) == {"", "status", "end", "expired", "lag"}
    assert fault.hits == 40


def test_faults_without_a_request_are_reported() -> None:
    faults = Faults()
    faults.random(1, rate=1)
    assert faults.unmet() == ["crd_server.faults: no request met random faults of seed 1"]
    faults.take(_request("GET"))
    assert (faults.unmet(), faults.count) == ([], 1)
    faults.status(500, verb="get")
    assert faults.unmet() == ["crd_server.faults: no request met status 500 (verb='get')"]
    assert faults.unmet(2) == []
    faults.end(1)
    assert (faults.unmet(), faults.count) == ([], 1)


def test_random_faults_that_spare_all_requests_are_reported() -> None:
    faults = Faults()
    faults.random(1, rate=1e-9, resource="jobs")
    for _ in range(3):
        faults.take(_request("GET"))
    words = "no request met random faults of seed 1 (resource='jobs'): the rate 1e-09 spared 3 requests"
    assert faults.unmet() == [f"crd_server.faults: {words}, so choose another seed or a higher rate"]


def test_a_fault_of_an_unserved_resource_is_an_error() -> None:
    faults = Faults(servers.api().request_names)
    for resource in ("jobs", "jobs.fuzz.example.com", "jobs/status", "pods", "pods/eviction", "deployments.apps/scale"):
        faults.delay(1, resource=resource)
    with pytest.raises(
        ValueError, match=r"no served kind has the resource 'job'; the nearest are jobs, .*; if a test creates the CRD"
    ):
        faults.delay(1, resource="job")
    with pytest.raises(ValueError, match="no served kind has the resource 'jobs/state'; the nearest are jobs/status, "):
        faults.add({"delay": 1, "resource": "jobs/state"})
    assert faults.count == 6


@pytest.mark.parametrize(
    ("description", "text"),
    [
        ({"status": 503, "verb": "get"}, "status 503 (verb='get')"),
        ({"delay": 1}, "delay of 1 s"),
        ({"cut": True}, "cut connection"),
        ({"overtake": True}, "write of another client"),
        ({"end_watch": True, "after": 1}, "end of a watch after 1 event"),
        ({"random": 3, "rate": 0.1}, "random faults of seed 3"),
    ],
)
def test_a_mark_describes_a_fault(description: Any, text: str) -> None:
    assert str(Faults().add(description)) == text


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({"verb": "get"}, r"\{'verb': 'get'\}: a fault has one of the keys status, delay, cut, "),
        ({"delay": 1, "cut": True}, "a fault has one of the keys"),
        (
            {"status": 500, "verbs": "get"},
            "a fault has no 'verbs': write verb, resource, namespace, name, client, user, nth, times",
        ),
        ({"status": True}, "missing 1 required positional argument"),
        ({"status": 418}, "no fault with the status 418: write 409, 429, 500, 503 or 504"),
        ({"delay": 1, "nth": 0}, "nth=0: a number from 1 on"),
        ({"delay": 1, "verb": ["get", "lst"]}, "no request has the verb 'lst'; the nearest are list, "),
        ({"delay": 1, "verb": "put"}, "no request has the verb 'put'; the nearest are "),
        ({"random": 1, "rate": 0}, "rate=0: a number above 0 and up to 1"),
        ({"random": 1, "rate": 1.1}, "rate=1.1: a number above 0 and up to 1"),
    ],
)
def test_an_impossible_fault_is_an_error(description: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Faults().add(description)

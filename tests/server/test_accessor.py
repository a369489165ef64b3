"""Access to a server from a test: requests by resource name, waiting, and the request log."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Mapping

import pytest
from support import servers

from pytest_crd.server.accessor import CrdServer
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.requestlog import RequestLog
from pytest_crd.server.resourceaccess import RequestFailedError


def _server(**options: str) -> CrdServer:
    return servers.crd_server(servers.api(**options))


def test_objects_are_created_changed_listed_and_deleted() -> None:
    server = _server(token="t")  # noqa: S106
    boards, jobs = server["boards"], server["jobs.fuzz.example.com"]
    created = jobs.create({"metadata": {"name": "a"}, "spec": {"schedule": "daily"}})
    assert (created["metadata"]["namespace"], created["spec"]["replicas"]) == ("default", 1)
    created["spec"]["schedule"] = "hourly"
    assert jobs.update(created)["metadata"]["generation"] == 2
    assert jobs.patch("a", {"spec": {"replicas": 2}})["spec"]["replicas"] == 2
    assert jobs.patch("a", [{"op": "add", "path": "/spec/paused", "value": True}], fieldManager="m")["spec"]["paused"]
    assert jobs.patch("a", {"status": {"phase": "Ready"}}, subresource="status")["status"] == {"phase": "Ready"}
    assert jobs.get("a", subresource="scale")["kind"] == "Scale"
    applied = jobs.apply({"metadata": {"name": "a"}, "spec": {"replicas": 3}}, force=True)
    assert applied["metadata"]["managedFields"][0]["operation"] == "Apply"
    assert jobs.apply({"metadata": {"name": "b"}})["metadata"]["name"] == "b"
    assert [item["metadata"]["name"] for item in jobs.list()] == ["a", "b"]
    assert [item["metadata"]["name"] for item in jobs.list(namespace="", field_selector="spec.schedule=hourly")] == [
        "a"
    ]
    assert jobs.delete("a", propagation_policy="Orphan")["metadata"]["finalizers"] == ["orphan"]
    assert jobs.delete("b")["status"] == "Success"
    assert boards.create({"metadata": {"name": "x"}})["kind"] == "Board"
    assert boards.get("x")["metadata"].get("namespace") is None
    created["spec"].clear()
    assert jobs.get("a")["spec"]


def test_a_refused_request_raises_an_error() -> None:
    jobs = _server()["job.fuzz.example.com"]
    with pytest.raises(RequestFailedError, match='"a" not found') as missing:
        jobs.get("a")
    assert (missing.value.code, missing.value.reason) == (404, "NotFound")
    assert str(missing.value) == 'jobs.fuzz.example.com "a" not found'
    with pytest.raises(RequestFailedError, match="replicas") as invalid:
        jobs.create({"metadata": {"name": "a"}, "spec": {"replicas": -1}})
    assert invalid.value.status["details"]["causes"][0]["field"] == "spec.replicas"
    with pytest.raises(RequestFailedError):
        jobs.create({"metadata": {"name": "a", "namespace": "nowhere"}})


def test_reprs_name_the_server_the_resource_and_the_request() -> None:
    server = _server()
    server["boards"].list()
    assert repr(server) == "<CrdServer https://127.0.0.1:1, 1 request>"
    assert repr(server["boards"]) == "<Resources boards.fuzz.example.com/v1>"
    assert repr(server["jobs.fuzz.example.com"]) == "<Resources jobs.fuzz.example.com/v1 in default>"
    assert repr(server.requests[0]) == "<LoggedRequest pytest-crd: GET /apis/fuzz.example.com/v1/boards 200>"


def test_waiting_ends_when_the_condition_is_fulfilled() -> None:
    jobs = _server()["jobs.fuzz.example.com"]
    events = threading.Event()

    def until(value: Mapping[str, object]) -> bool:
        events.set()
        return "status" in value

    def operate() -> None:
        jobs.create({"metadata": {"name": "other"}})
        jobs.create({"metadata": {"name": "a"}})
        events.wait(5)
        jobs.patch("a", {"status": {"phase": "Ready"}}, subresource="status")

    thread = threading.Thread(target=operate)
    thread.start()
    try:
        assert jobs.wait("a", until, timeout=5)["status"] == {"phase": "Ready"}
    finally:
        thread.join()


def test_a_timeout_shows_the_last_state() -> None:
    jobs = _server()["jobs.fuzz.example.com"]
    with pytest.raises(TimeoutError, match=r"Job a is not there after 0\.01 s"):
        jobs.wait("a", bool, timeout=0.01)
    jobs.create({"metadata": {"name": "a"}, "spec": {"schedule": "daily"}})
    with pytest.raises(
        TimeoutError,
        match=r"Job a is not as it should be after 0\.01 s, but:\nspec: \{schedule: daily, replicas: 1\}\n",
    ):
        jobs.wait("a", lambda _: False, timeout=0.01)
    jobs.delete("a")
    with pytest.raises(TimeoutError, match="is not there"):
        jobs.wait("a", bool, timeout=0.01)


def test_the_message_of_a_timeout_has_ten_lines_and_no_managed_fields() -> None:
    jobs = _server()["jobs.fuzz.example.com"]
    labels = {f"label-{number}": "x" for number in range(30)}
    jobs.create({"metadata": {"name": "a", "labels": labels, "annotations": {"long": "x" * 500}}})

    with pytest.raises(TimeoutError) as raised:
        jobs.wait("a", lambda _: False, timeout=0.01)

    _, *lines = str(raised.value).splitlines()
    assert len(lines) == 10
    assert re.fullmatch(r"… and \d+ more lines", lines[-1])
    assert max(map(len, lines)) <= 122
    assert "managedFields" not in str(raised.value)
    assert [str(entry.path) for entry in raised.traceback if not entry.ishidden(raised)] == [__file__]


def test_waiting_survives_changes_of_the_crd() -> None:
    server = _server()
    jobs, crds = server["jobs.fuzz.example.com"], server["crds"]
    remaining = crds.get("jobs.fuzz.example.com")
    jobs.create({"metadata": {"name": "a"}})
    steps: list[Callable[[], object]] = [
        lambda: crds.patch(remaining["metadata"]["name"], {"spec": {"names": {"shortNames": ["other"]}}}),
        lambda: crds.delete(remaining["metadata"]["name"]),
        lambda: crds.create({"metadata": {"name": remaining["metadata"]["name"]}, "spec": remaining["spec"]}),
        lambda: jobs.create({"metadata": {"name": "a"}, "spec": {"schedule": "again"}}),
    ]

    def until(value: Mapping[str, Mapping[str, object]]) -> bool:
        is_again = value.get("spec", {}).get("schedule") == "again"
        if not is_again and len(steps) == 4:  # the first time that it is seen, all else comes about in between
            for step in steps:
                step()
            steps.clear()
        return is_again

    assert jobs.wait("a", until, timeout=5)["spec"]["schedule"] == "again"


def test_waiting_for_an_object_of_a_deleted_crd_times_out() -> None:
    server = _server()
    jobs = server["jobs.fuzz.example.com"]
    jobs.create({"metadata": {"name": "a"}})

    def until(_: object) -> None:
        server["crds"].delete("jobs.fuzz.example.com")

    with pytest.raises(TimeoutError, match="is not there"):
        jobs.wait("a", until, timeout=0.05)


def test_a_coroutine_can_wait() -> None:
    jobs = _server()["jobs.fuzz.example.com"]

    async def both() -> str:
        waiting = asyncio.create_task(jobs.wait_async("a", bool, timeout=5))
        await asyncio.sleep(0)
        jobs.create({"metadata": {"name": "a"}})
        return str((await waiting)["metadata"]["name"])

    assert asyncio.run(both()) == "a"


def test_requests_are_logged() -> None:
    server = _server()
    server["jobs.fuzz.example.com"].create({"metadata": {"name": "a"}, "spec": {"bogus": 1}})
    server["limits"].create({"metadata": {"name": "c"}})
    with pytest.raises(RequestFailedError):
        server["boards"].get("x")
    created, stored, missing = server.requests

    assert (created.verb, created.resource, created.namespace, created.code) == (
        "create", "jobs.fuzz.example.com", "default", 201
    )  # fmt: skip
    assert (created.user_agent, created.warnings, created.dropped) == (
        "pytest-crd", ('unknown field "spec.bogus"',), ("spec.bogus",)
    )  # fmt: skip
    assert str(stored) == "pytest-crd: POST /api/v1/namespaces/default/limitranges 201"
    assert str(missing).endswith('/boards/x 404 boards.fuzz.example.com "x" not found')
    assert server.unvalidated == {"LimitRange": 1}
    assert server.environ()["KUBECONFIG"] == "/k"


def test_requests_without_a_resource_and_watches_are_logged() -> None:
    log = RequestLog()
    log.note(HTTPRequest("GET", "/version"), servers.ask(servers.api(), "GET", "/version"))
    log.note(HTTPRequest("GET", "/api/v1/pods?watch=1", {"user-agent": "k"}), None)

    first, second = log.exchanges
    assert (first.verb, first.resource, str(first)) == ("", "", "a client: GET /version 200")
    assert (second.verb, second.resource, second.code, second.answer) == ("watch", "pods", 200, None)


def test_a_selection_of_requests_with_an_unknown_name_is_an_error() -> None:
    server = servers.crd_server(servers.api())
    server["boards"].list()
    requests = server.requests
    assert len(requests.find(verb="list", resource="boards").find(resource="boards.fuzz.example.com")) == 1
    assert requests.find(verb="deletecollection", resource="jobs/status") == ()
    with pytest.raises(ValueError, match="no request has the verb 'post'; the nearest are "):
        requests.find(verb="post")
    with pytest.raises(ValueError, match="no served kind has the resource 'bord'; the nearest are boards, "):
        requests.find(by="kopf").find(resource="bord")


def test_requests_for_an_unserved_resource_can_be_selected() -> None:
    api = servers.api()
    log = RequestLog(api.request_names)
    missing = HTTPRequest("GET", "/apis/example.com/v1/gones?watch=1")
    answer = api.answer(missing)
    assert isinstance(answer, HTTPAnswer)
    log.note(missing, answer)
    log.note(HTTPRequest("GET", "/version"), answer)
    assert len(log.exchanges.find(verb="watch", resource="gones.example.com", code=404)) == 1
    with pytest.raises(ValueError, match="no served kind has the resource 'gone'; the nearest are gones, "):
        log.exchanges.find(resource="gone")

"""Objects that only a webhook can convert; the server answers with an error."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers
from support.webhooks import FixedWebhooks, FunctionConverter

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.registry.conversion import ConversionFailedError
from pytest_crd.server import unreadable
from pytest_crd.server.api import Api
from pytest_crd.server.http import statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.reaching import InProcess
from pytest_crd.server.resourceaccess import RequestFailedError
from pytest_crd.server.watching import Watch

STORED = "/apis/example.com/v1/namespaces/default/things"
OTHER = "/apis/example.com/v2/namespaces/default/things"
WORDS = "conversion webhook for example.com/v1, Kind=Thing failed: pytest-crd does not call this webhook, "
WEBHOOK = {
    "strategy": "Webhook",
    "webhook": {"clientConfig": {"url": "https://webhooks.example.com/convert"}, "conversionReviewVersions": ["v1"]},
}


def _crd(conversion: Any = None) -> Any:
    (version,) = servers.crd()["spec"]["versions"]
    versions = [version, {**version, "name": "v2", "storage": False}]
    return servers.crd(versions=versions, conversion=conversion or WEBHOOK)


def _store_in_v2(server: Api) -> None:
    (version,) = servers.crd()["spec"]["versions"]
    body = {"spec": {"versions": [{**version, "storage": False}, {**version, "name": "v2"}]}}
    servers.ask(server, "PATCH", f"{servers.CRDS}/things.example.com", body, mediaType="application/merge-patch+json")


def _thing(version: str = "v1", **metadata: Any) -> Any:
    return {"apiVersion": f"example.com/{version}", "kind": "Thing", "metadata": {"name": "a", **metadata}}


@pytest.fixture
def server() -> Api:
    """A server with a stored object."""
    created = servers.api(_crd())
    servers.ask(created, "POST", STORED, _thing())
    return created


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"{OTHER}/a", None),
        ("GET", OTHER, None),
        ("GET", f"{OTHER}?watch=1", None),
        ("PUT", f"{OTHER}/a", _thing("v2")),
        ("PATCH", f"{OTHER}/a", {"spec": {}}),
        ("DELETE", f"{OTHER}/a", None),
        ("DELETE", OTHER, None),
    ],
)
def test_stored_objects_cannot_be_read_in_another_version(server: Api, method: str, path: str, body: Any) -> None:
    media_type = {"mediaType": "application/merge-patch+json"} if method == "PATCH" else {}
    answer = servers.ask(server, method, path, body, **media_type)

    assert answer.code == 500
    assert WORDS in answer.value["message"]
    assert servers.ask(server, "GET", f"{STORED}/a").code == 200


@pytest.mark.parametrize("name", ["a", "b"])
def test_objects_in_another_version_cannot_be_stored(server: Api, name: str) -> None:
    answer = servers.ask(server, "POST", OTHER, _thing("v2", name=name))

    assert (answer.code, answer.value["message"]) == (
        500,
        WORDS.replace("v1", "v2") + answer.value["message"][len(WORDS) :],
    )
    assert [item["metadata"]["name"] for item in servers.ask(server, "GET", STORED).value["items"]] == ["a"]


def test_malformed_requests_are_refused_before_the_conversion(server: Api) -> None:
    assert servers.ask(server, "PATCH", f"{OTHER}/a", {}, mediaType="text/plain").code == 415
    assert servers.ask(server, "POST", OTHER, {"kind": "Thing"}).code == 400
    assert servers.ask(server, "GET", f"{OTHER}/b").code == 404


def test_an_object_of_a_former_storage_version_cannot_be_deleted(server: Api) -> None:
    blocked = {"metadata": {"finalizers": ["example.com/hold"]}}
    servers.ask(server, "PATCH", f"{STORED}/a", blocked, mediaType="application/merge-patch+json")
    _store_in_v2(server)

    assert servers.ask(server, "GET", f"{STORED}/a").code == 200
    assert servers.ask(server, "DELETE", f"{STORED}/a").code == 500
    assert servers.ask(server, "DELETE", f"{OTHER}/a").code == 500


@pytest.mark.parametrize(("query", "causes"), [("", 101), ("?limit=500", 101), ("?limit=2", 2), ("?limit=1", 1)])
def test_a_list_names_a_hundred_unreadable_objects_of_its_page(server: Api, query: str, causes: int) -> None:
    for number in range(100):
        servers.ask(server, "POST", STORED, _thing(name=f"a{number}"))
    answer = servers.ask(server, "GET", f"{OTHER}{query}").value

    assert (answer["reason"], len(answer["details"]["causes"])) == ("StorageReadError", causes)
    assert answer["message"].endswith(f" (and {min(causes, 100) - 1} more)") is (causes > 1)
    assert ("FieldValueTooMany" in {cause["reason"] for cause in answer["details"]["causes"]}) is (causes == 101)


@pytest.mark.parametrize(
    ("query", "code"),
    [("?limit=1", 500), ("?limit=1&labelSelector=x=y", 500), ("?limit=1&fieldSelector=metadata.name=b", 200)],
)
def test_a_page_fails_if_an_object_on_it_is_unreadable(server: Api, query: str, code: int) -> None:
    _store_in_v2(server)
    for name in "bc":
        assert servers.ask(server, "POST", OTHER, _thing("v2", name=name, labels={"x": "y"})).code == 201

    assert servers.ask(server, "GET", f"{OTHER}{query}").code == code


def test_a_page_before_unreadable_objects_is_answered(server: Api) -> None:
    _store_in_v2(server)
    servers.ask(server, "POST", OTHER, _thing("v2", name="0"))
    page = servers.ask(server, "GET", f"{OTHER}?limit=1").value

    assert [item["metadata"]["name"] for item in page["items"]] == ["0"]
    token = page["metadata"]["continue"]
    assert servers.ask(server, "GET", f"{OTHER}?limit=1&continue={token}").code == 500


def test_a_crd_stays_until_its_unreadable_objects_are_deleted(server: Api) -> None:
    _store_in_v2(server)
    path = f"{servers.CRDS}/things.example.com"
    servers.ask(server, "DELETE", path)
    stored = servers.ask(server, "GET", path).value

    assert stored["status"]["conditions"][-1]["reason"] == "InstanceDeletionFailed"
    servers.ask(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "other"}})
    assert servers.ask(server, "GET", path).value == stored
    body = {"ignoreStoreReadErrorWithClusterBreakingPotential": True}
    assert servers.ask(server, "DELETE", f"{OTHER}/a", body).value["status"] == "Success"
    assert servers.ask(server, "GET", path).code == 404


def test_a_watch_ends_at_an_object_that_needs_a_conversion(server: Api) -> None:
    servers.ask(server, "DELETE", f"{STORED}/a")
    stream = servers.watch(server, f"{OTHER}?watch=1")
    servers.ask(server, "POST", STORED, _thing())
    (event,) = stream.watch.take()

    assert (event.type, event.value["code"]) == ("ERROR", 500)
    assert stream.watch.is_over


def test_waiting_for_an_object_that_needs_a_conversion_fails(server: Api) -> None:
    things = servers.crd_server(server)["things/v2"]
    with pytest.raises(RequestFailedError, match="does not call this webhook"):
        things.wait("a", bool, timeout=1)


def test_waiting_fails_when_an_object_that_needs_a_conversion_appears(
    server: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers.ask(server, "DELETE", f"{STORED}/a")
    watch = InProcess._watch

    def watch_then_create(reached: InProcess, request: HTTPRequest) -> Watch | None:
        begun = watch(reached, request)
        servers.ask(server, "POST", STORED, _thing())
        return begun

    monkeypatch.setattr(InProcess, "_watch", watch_then_create)
    with pytest.raises(RequestFailedError, match="does not call this webhook"):
        servers.crd_server(server)["things/v2"].wait("a", bool, timeout=1)


def test_versions_without_a_webhook_are_converted() -> None:
    server = servers.api(_crd({"strategy": "None"}))
    servers.ask(server, "POST", OTHER, _thing("v2"))

    assert servers.ask(server, "GET", f"{STORED}/a").value["apiVersion"] == "example.com/v1"


def _convert(resource: Any, _: str) -> Any:
    if resource["metadata"].get("labels"):
        raise ConversionFailedError("conversion webhook for example.com/v1, Kind=Thing failed: no labels")
    return {**resource, "metadata": {**resource["metadata"], "annotations": {"converted": "1"}}}


@pytest.fixture
def calling() -> Api:
    """A server with a stored object that calls the webhook."""
    manifest = CustomResourceDefinition.from_manifest(_crd())
    created = Api([manifest], webhooks=FixedWebhooks(FunctionConverter(_convert)))
    servers.ask(created, "POST", STORED, _thing())
    return created


def test_a_deleted_crd_goes_after_the_next_request_once_its_webhook_answers() -> None:
    problems = ["down"]

    def convert(resource: Any, _: str) -> Any:
        if problems:
            raise ConversionFailedError(problems[0])
        return resource

    server = Api([CustomResourceDefinition.from_manifest(_crd())], webhooks=FixedWebhooks(FunctionConverter(convert)))
    servers.ask(server, "POST", STORED, _thing())
    _store_in_v2(server)
    path = f"{servers.CRDS}/things.example.com"
    servers.ask(server, "DELETE", path)
    assert servers.ask(server, "GET", path).value["status"]["conditions"][-1]["reason"] == "InstanceDeletionFailed"

    problems.clear()
    servers.ask(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "other"}})

    assert servers.ask(server, "GET", path).code == 404


@pytest.mark.parametrize("path", [f"{OTHER}/a", OTHER])
def test_a_webhook_converts_objects_that_are_read_in_another_version(calling: Api, path: str) -> None:
    (item,) = (value := servers.ask(calling, "GET", path).value).get("items") or [value]

    assert item["apiVersion"] == "example.com/v2"
    assert item["metadata"]["annotations"] == {"converted": "1"}


def test_a_webhook_converts_objects_that_are_watched(calling: Api) -> None:
    (event,) = servers.watch(calling, f"{OTHER}?watch=1").watch.take()

    assert event.entry is not None
    assert event.entry.value["apiVersion"] == "example.com/v1"


def test_a_webhook_converts_objects_that_are_written_in_another_version(calling: Api) -> None:
    assert servers.ask(calling, "POST", OTHER, _thing("v2", name="b")).code == 201
    assert servers.ask(calling, "GET", f"{STORED}/b").value["metadata"]["annotations"] == {"converted": "1"}
    assert servers.ask(calling, "DELETE", f"{OTHER}/b").code == 200


def test_an_object_that_the_webhook_does_not_convert_is_unreadable(calling: Api) -> None:
    servers.ask(calling, "POST", STORED, _thing(name="b", labels={"a": "b"}))

    answer = servers.ask(calling, "GET", f"{OTHER}/b")

    assert answer.code == 500
    assert "Kind=Thing failed: no labels" in answer.value["message"]
    assert servers.ask(calling, "GET", f"{STORED}/b").code == 200


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize(
    ("query", "start"),
    [
        ("", "object not decodable revision="),
        ("?dryRun=All", "Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/things/"),
    ],
)
def test_a_dry_run_of_an_update_reads_an_unreadable_object(calling: Api, method: str, query: str, start: str) -> None:
    servers.ask(calling, "POST", STORED, _thing(name="b", labels={"a": "b"}))
    media_type = {"mediaType": "application/merge-patch+json"} if method == "PATCH" else {}

    answer = servers.ask(calling, method, f"{OTHER}/b{query}", _thing("v2", name="b"), **media_type)

    assert (answer.code, answer.value["message"][: len(start)]) == (500, start)


def test_a_dry_run_of_a_create_finds_no_unreadable_object(calling: Api) -> None:
    servers.ask(calling, "POST", STORED, _thing(name="b", labels={"a": "b"}))

    codes = [
        servers.ask(calling, "POST", f"{path}?dryRun=All", _thing(version, name="b")).code
        for path, version in ((OTHER, "v2"), (STORED, "v1"))
    ]

    assert codes == [201, 409]
    assert servers.ask(calling, "POST", OTHER, _thing("v2", name="b")).code == 409


def test_an_update_that_ends_an_object_is_answered_without_a_conversion(calling: Api) -> None:
    servers.ask(calling, "POST", STORED, _thing(name="b", finalizers=["example.com/hold"]))
    servers.ask(calling, "DELETE", f"{STORED}/b")
    patch = {"metadata": {"finalizers": None, "labels": {"a": "b"}}}

    answer = servers.ask(calling, "PATCH", f"{OTHER}/b", patch, mediaType="application/merge-patch+json")

    # The webhook would refuse the labels.
    assert (answer.code, answer.value["metadata"]["labels"]) == (200, {"a": "b"})
    assert servers.ask(calling, "GET", f"{STORED}/b").code == 404


def test_a_patched_crd_still_calls_the_webhook(calling: Api) -> None:
    _store_in_v2(calling)

    assert servers.ask(calling, "GET", f"{STORED}/a").code == 200
    assert servers.ask(calling, "GET", f"{OTHER}/a").value["metadata"]["annotations"] == {"converted": "1"}


def test_a_watch_that_ends_for_another_reason_shows_the_status_of_the_error() -> None:
    error = statuses.failure(410, "Expired", "too old")

    assert unreadable.status_of_event(error) == error.status

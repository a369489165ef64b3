"""Watches: events, bookmarks, and a bounded history."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import servers

from pytest_crd.server.watching import Stream

WATCH = f"{servers.JOBS}?watch=1"


def _described_events(stream: Stream) -> list[str]:
    return [
        f"{event.type} {event.entry.key.name if event.entry else event.value['kind']}" for event in stream.watch.take()
    ]


def test_each_change_causes_one_event_in_order() -> None:
    server = servers.api()
    stream = servers.watch(server, WATCH)
    servers.ask(server, "POST", servers.JOBS, servers.job("a"))
    servers.ask(server, "POST", servers.JOBS, servers.job("b"))
    assert _described_events(stream) == ["ADDED a", "ADDED b"]
    servers.ask(server, "DELETE", f"{servers.JOBS}/a")
    servers.ask(server, "POST", "/apis/fuzz.example.com/v1/boards", {**servers.job("x"), "kind": "Board"})
    assert _described_events(stream) == ["DELETED a"]
    assert _described_events(stream) == []
    assert stream.watch.revision == server.store.revision


def test_a_watch_too_far_behind_ends() -> None:
    server = servers.api(history=3)
    stream = servers.watch(server, WATCH)
    for number in range(5):
        servers.ask(server, "POST", servers.JOBS, servers.job(f"a{number}"))
    (event,) = stream.watch.take()

    assert (event.type, event.value["reason"], event.value["code"]) == ("ERROR", "Expired", 410)
    assert stream.watch.is_over
    assert stream.watch.take() == []
    line = json.loads(stream.line(event))
    assert line["object"]["message"].startswith("too old resource version: ")


def test_a_watch_sends_bookmarks_if_accepted() -> None:
    server = servers.api()
    assert servers.watch(server, WATCH).watch.bookmark() == []
    stream = servers.watch(server, f"{WATCH}&allowWatchBookmarks=true")
    (event,) = stream.watch.bookmark()

    version = str(server.store.revision)
    assert event.value == {"apiVersion": "fuzz.example.com/v1", "kind": "Job", "metadata": {"resourceVersion": version}}


def test_watches_share_encoded_objects() -> None:
    server = servers.api()
    first, second = (servers.watch(server, WATCH) for _ in range(2))
    servers.ask(server, "POST", servers.JOBS, servers.job("a"))
    (first_event,), (second_event,) = first.watch.take(), second.watch.take()
    assert first_event.entry is not None
    text = first.line(first_event)
    first_event.entry.forms[first.shared, first.form.media_type] = b"{}"

    assert second.line(second_event) == b'{"type":"ADDED","object":{}}\n'
    assert json.loads(text)["object"]["metadata"]["name"] == "a"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/api/v1/services", {"spec": {}, "status": {"loadBalancer": {}}}),
        ("/apis/fuzz.example.com/v1/jobs", {}),
        (
            servers.CRDS,
            {
                "spec": {"group": "", "names": {"plural": "", "kind": ""}, "scope": "", "versions": None},
                "status": {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": None},
            },
        ),
    ],
)
def test_bookmarks_have_the_fields_of_an_empty_object(path: str, says: Any) -> None:
    (event,) = servers.watch(servers.api(), f"{path}?watch=1&allowWatchBookmarks=1").watch.bookmark()
    assert {key: event.value[key] for key in event.value.keys() - {"kind", "apiVersion", "metadata"}} == says


def test_a_watch_of_crds_as_a_table_sends_bookmarks() -> None:
    accept = "application/json;as=Table;g=meta.k8s.io;v=v1"
    stream = servers.watch(servers.api(), f"{servers.CRDS}?watch=1&allowWatchBookmarks=1", accept=accept)
    (event,) = stream.watch.bookmark()
    (row,) = json.loads(stream.line(event))["object"]["rows"]
    assert row["cells"] == ["", "", "", "0001-01-01T00:00:00Z", "", "", "", False]


@pytest.mark.parametrize(
    ("query", "code"),
    [("resourceVersion=1&resourceVersionMatch=Exact", 410), ("continue={token}", 410), ("resourceVersion=999", 504)],
)
def test_lists_at_unavailable_revisions_fail(query: str, code: int) -> None:
    server = servers.api(history=3)
    for name in ("a", "b"):
        servers.ask(server, "POST", servers.JOBS, servers.job(name))
    token = servers.ask(server, "GET", f"{servers.JOBS}?limit=1").value["metadata"]["continue"]
    for name in ("c", "d", "e", "f"):
        servers.ask(server, "POST", servers.JOBS, servers.job(name))

    answer = servers.ask(server, "GET", f"{servers.JOBS}?{query.replace('{token}', token)}")
    assert answer.code == code
    if continuing := answer.value["metadata"].get("continue"):
        rest = servers.ask(server, "GET", f"{servers.JOBS}?continue={continuing}").value
        assert [item["metadata"]["name"] for item in rest["items"]] == ["b", "c", "d", "e", "f"]
    else:
        assert code != 410 or "too old" in answer.value["message"]


def test_a_read_at_a_future_revision_fails() -> None:
    server = servers.api()
    servers.ask(server, "POST", servers.JOBS, servers.job("a"))
    assert servers.ask(server, "GET", f"{servers.JOBS}/a?resourceVersion=0").code == 200
    late = servers.ask(server, "GET", f"{servers.JOBS}/a?resourceVersion=999")
    assert (late.code, dict(late.headers)["Retry-After"]) == (504, "1")
    assert servers.ask(server, "GET", f"{servers.JOBS}/a?resourceVersion=x").code == 500


def test_objects_enter_and_leave_a_selection() -> None:
    server = servers.api()
    stream = servers.watch(server, f"{WATCH}&labelSelector=tier")
    merge = {"mediaType": "application/merge-patch+json"}
    servers.ask(server, "POST", servers.JOBS, servers.job("a"))
    servers.ask(server, "PATCH", f"{servers.JOBS}/a", {"metadata": {"labels": {"tier": "1"}}}, **merge)
    servers.ask(server, "PATCH", f"{servers.JOBS}/a", {"metadata": {"labels": {"tier": "2"}}}, **merge)
    servers.ask(server, "PATCH", f"{servers.JOBS}/a", {"metadata": {"labels": None}}, **merge)
    events = stream.watch.take()

    assert [event.type for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    last = json.loads(stream.line(events[-1]))["object"]["metadata"]
    assert (last["labels"], last["resourceVersion"]) == ({"tier": "2"}, str(server.store.revision))


def test_a_watch_from_a_future_revision_waits_for_it() -> None:
    server = servers.api()
    stream = servers.watch(server, f"{WATCH}&resourceVersion={server.store.revision + 1}")
    for name in ("a", "b"):
        servers.ask(server, "POST", servers.JOBS, servers.job(name))
    assert _described_events(stream) == ["ADDED b"]


def test_a_continue_token_excludes_a_resource_version() -> None:
    server = servers.api()
    for name in ("a", "b"):
        servers.ask(server, "POST", servers.JOBS, servers.job(name))
    token = servers.ask(server, "GET", f"{servers.JOBS}?limit=1").value["metadata"]["continue"]
    refused = servers.ask(server, "GET", f"{servers.JOBS}?limit=1&continue={token}&resourceVersion=5")
    assert refused.value["message"] == "specifying resource version is not allowed when using continue"


def test_a_list_of_one_name_has_a_single_page() -> None:
    server = servers.api()
    for name in ("a", "b"):
        servers.ask(server, "POST", servers.JOBS, servers.job(name))
    single = servers.ask(server, "GET", f"{servers.JOBS}?limit=1&fieldSelector=metadata.name%3Da").value
    assert ([item["metadata"]["name"] for item in single["items"]], single["metadata"]["continue"]) == (["a"], "")
    everywhere = servers.JOBS.replace("/namespaces/default", "")
    all_ = servers.ask(server, "GET", f"{everywhere}?limit=1&fieldSelector=metadata.name%3Da").value
    assert all_["metadata"]["continue"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("resourceVersion={rv}&limit=5", ["a"]),
        ("resourceVersion={rv}&resourceVersionMatch=Exact", ["a"]),
        ("resourceVersion={rv}", []),
        ("resourceVersion={rv}&limit=5&resourceVersionMatch=NotOlderThan", []),
        ("resourceVersion=0&limit=5", []),
        ("limit=5", []),
    ],
)
def test_pages_at_a_revision_show_that_revision(query: str, names: list[str]) -> None:
    server = servers.api()
    created = servers.ask(server, "POST", servers.JOBS, servers.job("a")).value
    servers.ask(server, "DELETE", f"{servers.JOBS}/a")
    path = f"{servers.JOBS}?{query.replace('{rv}', created['metadata']['resourceVersion'])}"
    assert [item["metadata"]["name"] for item in servers.ask(server, "GET", path).value["items"]] == names


@pytest.mark.parametrize("query", ["", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"])
def test_a_watch_as_a_list_ends_with_the_first_event_unshown(query: str) -> None:
    server = servers.api()
    accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    stream = servers.watch(server, f"{WATCH}{query}", accept=accept)
    overs = [stream.watch.is_over for _ in range(2) if stream.watch.take() == []]
    servers.ask(server, "POST", servers.JOBS, servers.job("a"))
    overs += [stream.watch.is_over for _ in range(2) if stream.watch.take() == []]
    assert overs == [False, False, True, True]

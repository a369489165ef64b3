"""Objects of runs on a server: leases, removal, and objects that are left alone."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from live.fakeserver import CRDS, NAMESPACES, FakeServer
from live.loopback import Reply, serving

from pytest_crd.live import client, lease, remnants, sandbox
from pytest_crd.live.lease import Remnant
from pytest_crd.live.sandbox import Sandbox
from pytest_crd.live.transport import NoAnswerError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OURS = Remnant("customresourcedefinition", "things.a.pytest-crd.example.com", "r1", "2026-03-01T10:00:00Z", "u1")


def manifest(group: str = "a.pytest-crd.example.com") -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object"}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    fake = FakeServer()
    with serving(fake) as url:
        fake.url = url
        yield fake


@pytest.fixture
def server(fake: FakeServer) -> Iterator[client.Server]:
    with contextlib.closing(client.Server(fake.url)) as server:
        yield server


@pytest.fixture
def box(server: client.Server) -> Iterator[Sandbox]:
    box = Sandbox(server, "r1")
    yield box
    box.end()


def _refusing(method: str, code: int) -> Any:
    return lambda asked, *_: Reply(code, json.dumps({"message": "no"})) if asked == method else None


@pytest.mark.parametrize(
    ("remnant", "is_ours"),
    [
        (OURS, True),
        (OURS._replace(run=""), False),
        (OURS._replace(name="things.example.com"), False),
        (OURS._replace(name="things.pytest-crd.example.com.au"), False),
        (OURS._replace(kind="namespace", name="pytest-crd-1"), True),
        (OURS._replace(kind="namespace", name="my-pytest-crd-1"), False),
    ],
)
def test_only_objects_with_label_and_name_are_ours(remnant: Remnant, *, is_ours: bool) -> None:
    assert remnant.is_ours is is_ours
    assert remnant.is_left(NOW) is is_ours


@pytest.mark.parametrize(
    ("text", "is_left"),
    [("2026-03-01T10:59:59Z", True), ("2026-03-01T11:00:00Z", False), ("", False), ("yesterday", False)],
)
def test_only_objects_without_a_lease_for_an_hour_are_abandoned(text: str, *, is_left: bool) -> None:
    assert OURS._replace(lease=text).is_left(NOW) is is_left


def test_a_lease_lasts_ten_minutes() -> None:
    assert lease.marks("r1", NOW) == {
        "labels": {"pytest-crd.example.com/run": "r1"},
        "annotations": {"pytest-crd.example.com/lease": "2026-03-01T12:10:00Z"},
    }
    assert lease.RENEWED_EVERY < 300


def test_a_remnant_has_kubectls_name() -> None:
    assert str(OURS) == f"{OURS.kind}/{OURS.name} (lease until 2026-03-01T10:00:00Z)"
    assert str(OURS._replace(lease="")) == f"{OURS.kind}/{OURS.name}"


def test_objects_of_a_run_are_found_and_removed(fake: FakeServer, server: client.Server, box: Sandbox) -> None:
    namespace = box.namespace
    assert box.namespace == namespace
    assert box.make_crd(manifest()).code == 201
    path = f"/apis/a.pytest-crd.example.com/v1/namespaces/{namespace}/things"
    for name, finalizers in (("a", ["example.com/f"]), ("b", [])):
        body = {
            "apiVersion": "a.pytest-crd.example.com/v1",
            "kind": "Thing",
            "metadata": {"name": name, "finalizers": finalizers},
        }
        assert server.ask("POST", path, body).code == 201

    actual = remnants.find_remnants(server)

    assert [str(remnant).partition(" ")[0] for remnant in actual] == [f"{remnant}" for remnant in box.names[::-1]]
    assert {remnant.run for remnant in actual} == {"r1"}
    assert box.end() == []
    assert fake.names() == []
    assert box.names == []


def test_objects_that_look_like_a_runs_are_found_and_others_are_not(fake: FakeServer, server: client.Server) -> None:
    for name in ("things.example.com", "things.b.pytest-crd.example.com"):
        fake.objects[f"{CRDS}/{name}"] = {"metadata": {"name": name, "uid": "u"}, "spec": manifest()["spec"]}
    for name in ("default", "pytest-crd-x"):
        fake.objects[f"{NAMESPACES}/{name}"] = {"metadata": {"name": name, "uid": "u"}}

    assert [(remnant.name, remnant.is_ours) for remnant in remnants.find_remnants(server)] == [
        ("things.b.pytest-crd.example.com", False),
        ("pytest-crd-x", False),
    ]


def test_a_server_without_namespaces_needs_none(fake: FakeServer, server: client.Server, box: Sandbox) -> None:
    fake.has_namespaces = False

    assert box.namespace.startswith("pytest-crd-")
    assert box.names == []
    assert remnants.find_remnants(server) == []


def test_a_forbidden_list_is_no_answer(fake: FakeServer, server: client.Server) -> None:
    fake.interfere = _refusing("GET", 403)

    with pytest.raises(NoAnswerError, match=r"GET http://.*/customresourcedefinitions: 403 no$"):
        remnants.find_remnants(server)


def test_a_forbidden_namespace_is_no_answer(fake: FakeServer, box: Sandbox) -> None:
    fake.interfere = _refusing("POST", 403)

    with pytest.raises(NoAnswerError, match=r"^no namespace: 403 no$"):
        _ = box.namespace
    assert box.names == []


def test_a_crd_that_is_refused_is_not_to_be_removed(fake: FakeServer, box: Sandbox) -> None:
    fake.interfere = _refusing("POST", 422)

    assert box.make_crd(manifest()).code == 422
    assert box.names == []


def test_a_foreign_object_of_the_same_name_stays(fake: FakeServer, box: Sandbox) -> None:
    box.make_crd(manifest())
    path = f"{CRDS}/things.a.pytest-crd.example.com"
    fake.objects[path]["metadata"]["labels"][lease.LABEL] = "another"

    assert box.end() == []
    assert fake.names() == [path]


def test_a_new_object_of_the_same_name_stays(fake: FakeServer, server: client.Server) -> None:
    path = f"{CRDS}/{OURS.name}"
    fake.objects[path] = {"metadata": {"name": OURS.name, "uid": "u2"}, "spec": manifest()["spec"]}

    assert remnants.remove(server, [OURS]) == []
    assert fake.names() == [path]


def test_objects_that_do_not_disappear_are_returned(
    fake: FakeServer, server: client.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remnants, "_PATIENCE", 0.2)
    box = Sandbox(server, "r1")
    box.make_crd(manifest())
    fake.objects[f"{CRDS}/things.a.pytest-crd.example.com"]["metadata"]["finalizers"] = ["example.com/f"]

    assert [remnant.name for remnant in box.end()] == ["things.a.pytest-crd.example.com"]
    assert box.names == ["customresourcedefinition/things.a.pytest-crd.example.com"]


def test_a_terminating_namespace_counts_as_removed(fake: FakeServer, box: Sandbox) -> None:
    path = f"{NAMESPACES}/{box.namespace}"
    fake.objects[path]["metadata"]["finalizers"] = ["kubernetes"]

    assert box.end() == []
    assert fake.objects[path]["metadata"]["deletionTimestamp"]


def test_a_crd_without_a_served_version_or_that_cannot_be_listed_is_removed(
    fake: FakeServer, server: client.Server, box: Sandbox
) -> None:
    box.make_crd(manifest())
    fake.objects[f"{CRDS}/things.a.pytest-crd.example.com"]["spec"]["versions"][0]["served"] = False

    assert box.end() == []
    assert remnants.remove(server, [OURS]) == []  # the server does not have it
    assert fake.names() == []


def test_leases_are_renewed_until_the_end(
    fake: FakeServer, server: client.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "RENEWED_EVERY", 0.02)
    monkeypatch.setattr(sandbox, "now", lambda: NOW)
    box = Sandbox(server, "r1")
    box.make_crd(manifest())
    annotations = fake.objects[f"{CRDS}/things.a.pytest-crd.example.com"]["metadata"]["annotations"]
    monkeypatch.setattr(sandbox, "now", lambda: NOW + timedelta(hours=3))

    for _ in range(200):
        if annotations[lease.ANNOTATION] == "2026-03-01T15:10:00Z":
            break
        time.sleep(0.02)

    assert annotations[lease.ANNOTATION] == "2026-03-01T15:10:00Z"
    box.end()
    requests = len(fake.log)
    time.sleep(0.1)
    assert len(fake.log) == requests


def test_a_lease_that_cannot_be_renewed_is_tried_again(fake: FakeServer, box: Sandbox) -> None:
    box.make_crd(manifest())
    fake.interfere = lambda method, *_: Reply(0) if method == "PATCH" else None

    box.renew()

    assert [line for line in fake.log if line.startswith("PATCH")]
    fake.interfere = lambda *_: None


def test_a_crd_is_replaced_despite_conflicting_writes(fake: FakeServer, box: Sandbox) -> None:
    box.make_crd(manifest())
    conflicts = [Reply(409, "{}"), None]
    fake.interfere = lambda method, *_: conflicts.pop(0) if method == "PUT" else None
    second = manifest()
    second["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"] = {"type": "object"}

    assert box.replace_crd(second).code == 200
    stored = fake.objects[f"{CRDS}/things.a.pytest-crd.example.com"]
    assert "status" in stored["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    assert stored["metadata"]["labels"] == {lease.LABEL: "r1"}
    fake.interfere = lambda method, *_: Reply(409, "{}") if method == "PUT" else None
    with pytest.raises(NoAnswerError, match=r"^PUT .*: 409 "):
        box.replace_crd(second)
    fake.interfere = lambda *_: None
    fake.objects.clear()
    with pytest.raises(NoAnswerError, match=r"^GET .*: 404 "):
        box.replace_crd(second)

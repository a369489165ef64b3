"""Garbage collection: background, foreground and orphan deletions, and owners that are missing."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest
from support import servers
from support.webhooks import FixedWebhooks, FunctionAdmission

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.registry.admission import ADMINISTRATOR, AdmissionRequest, Admitted, User
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.accessor import CrdServer
from pytest_crd.server.controllers.garbagecollector import GarbageCollector
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestlog import RequestLog
from pytest_crd.server.resourceaccess import RequestFailedError
from pytest_crd.server.store.store import ObjectKey, Store

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace"}


@pytest.fixture
def server() -> CrdServer:
    return servers.crd_server(servers.api(collects_garbage=True, token="t"))  # noqa: S106 - of a test


def _owner(owner: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    metadata = owner["metadata"]
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata["uid"],
        **more,
    }


def _create(server: CrdServer, name: str, *owners: Mapping[str, Any], kind: str = "configmaps", **metadata: Any) -> Any:
    return server[kind].create({"metadata": {"name": name, "ownerReferences": list(owners), **metadata}})


def _names(server: CrdServer, kind: str = "configmaps") -> list[str]:
    return [item["metadata"]["name"] for item in server[kind].list()]


def test_dependents_are_deleted_after_their_owner_at_all_depths(server: CrdServer) -> None:
    job = _create(server, "owner", kind="jobs.fuzz.example.com")
    first = _create(server, "first", _owner(job))
    _create(server, "second", _owner(first))
    _create(server, "other")
    server["jobs.fuzz.example.com"].delete("owner")
    assert _names(server) == ["other"]


def _own(server: CrdServer, name: str, *owners: Mapping[str, Any]) -> None:
    server["configmaps"].patch(name, {"metadata": {"ownerReferences": list(owners)}})


def test_an_object_that_unblocks_its_owner_is_deleted_after_it(server: CrdServer) -> None:
    b = _create(server, "b")
    d = _create(server, "d", _owner(b, blockOwnerDeletion=True))
    _create(server, "h", _owner(d, blockOwnerDeletion=True), finalizers=["example.com/hold"])
    _own(server, "b", _owner(d, blockOwnerDeletion=True))
    server["configmaps"].delete("b", propagation_policy="Foreground")
    assert _names(server) == ["h"]
    metadata = server["configmaps"].get("h")["metadata"]
    assert (metadata["ownerReferences"], metadata["finalizers"]) == (
        [_owner(d, blockOwnerDeletion=True)],
        ["example.com/hold"],
    )


def test_an_object_that_unblocks_an_owner_with_another_finalizer_stays(server: CrdServer) -> None:
    a = _create(server, "a", finalizers=["example.com/hold"])
    b = _create(server, "b", _owner(a, blockOwnerDeletion=True))
    _create(server, "e", _owner(b))
    _own(server, "a", _owner(b, blockOwnerDeletion=False))
    server["configmaps"].delete("a", propagation_policy="Foreground")
    assert _names(server) == ["a", "b", "e"]
    assert server["configmaps"].get("a")["metadata"]["finalizers"] == ["example.com/hold"]
    assert server["configmaps"].get("b")["metadata"]["ownerReferences"] == [_owner(a, blockOwnerDeletion=False)]


def test_an_object_whose_owners_go_at_the_same_time_reads_them_in_order(server: CrdServer) -> None:
    a = _create(server, "a")
    b = _create(server, "b", _owner(a, blockOwnerDeletion=True))
    c = _create(server, "c", _owner(a), finalizers=["orphan"])
    _create(server, "d", _owner(a), _owner(c, blockOwnerDeletion=True), _owner(b, blockOwnerDeletion=True))
    server["configmaps"].delete("a")
    assert _names(server) == ["d"]
    assert "ownerReferences" not in server["configmaps"].get("d")["metadata"]


def test_the_collector_sends_its_requests_as_its_service_account() -> None:
    reviews: list[AdmissionRequest] = []

    def note(request: AdmissionRequest) -> Admitted:
        reviews.append(request)
        return Admitted(request.object)

    webhooks = FixedWebhooks(plugins=FunctionAdmission(validate=note))
    api = servers.api(collects_garbage=True, token="t", webhooks=webhooks)  # noqa: S106 - of a test
    log = RequestLog(api.request_names)
    api.on_collection = log.note
    server = servers.crd_server(api, log)
    owner = _create(server, "owner", kind="jobs.fuzz.example.com")
    second_owner = _create(server, "other", kind="jobs.fuzz.example.com")
    _create(server, "first", _owner(owner))
    _create(server, "second", _owner(owner), _owner(second_owner))
    before = len(reviews), server.unvalidated
    server["jobs.fuzz.example.com"].delete("owner")

    user = "system:serviceaccount:kube-system:generic-garbage-collector"
    requests = server.requests.find(by=user)
    assert sorted((request.verb, request.name, request.code) for request in requests) == [
        ("delete", "first", 200),
        ("patch", "second", 200),
    ]
    assert requests == server.requests.find(by="kube-controller-manager")
    assert server.unvalidated == before[1]
    reviewed = {(request.operation, request.name): request.user for request in reviews[before[0] :]}
    groups = ("system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated")
    assert reviewed["UPDATE", "second"] == reviewed["DELETE", "first"] == User(user, groups=groups)
    assert reviewed["DELETE", "owner"] == ADMINISTRATOR


def test_a_dependent_that_a_plugin_protects_stays_without_its_owner() -> None:
    def protect(request: AdmissionRequest) -> Admitted:
        if request.operation == "DELETE" and request.name == "first":
            raise RefusedError(Refusal(403, "Forbidden", "protected"))
        return Admitted(request.object)

    webhooks = FixedWebhooks(plugins=FunctionAdmission(validate=protect))
    api = servers.api(collects_garbage=True, token="t", webhooks=webhooks)  # noqa: S106 - of a test
    log = RequestLog(api.request_names)
    api.on_collection = log.note
    server = servers.crd_server(api, log)
    owner = _create(server, "owner", kind="jobs.fuzz.example.com")
    _create(server, "first", _owner(owner))
    _create(server, "second", _owner(owner))
    server["jobs.fuzz.example.com"].delete("owner")

    assert _names(server) == ["first"]
    codes = {request.name: request.code for request in server.requests.find(by="kube-controller-manager")}
    assert codes == {"first": 403, "second": 200}


def test_the_collector_needs_no_role_of_the_project() -> None:
    api = servers.api(collects_garbage=True, token="t")  # noqa: S106 - of a test
    api.catalog.authorizer.has_project_roles = True
    server = servers.crd_server(api)
    owner = _create(server, "owner")
    role = {
        "metadata": {"name": "r", "ownerReferences": [_owner(owner)]},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    }
    server["roles.rbac.authorization.k8s.io"].create(role)
    server["configmaps"].delete("owner", propagation_policy="Orphan")
    assert "ownerReferences" not in server["roles.rbac.authorization.k8s.io"].get("r")["metadata"]


def test_without_a_collector_dependents_stay() -> None:
    server = servers.crd_server(servers.api())
    job = _create(server, "owner", kind="jobs.fuzz.example.com")
    _create(server, "first", _owner(job))
    server["jobs.fuzz.example.com"].delete("owner", propagation_policy="Foreground")
    assert _names(server) == ["first"]
    assert server["jobs.fuzz.example.com"].get("owner")["metadata"]["finalizers"] == ["foregroundDeletion"]


def test_another_owner_keeps_an_object_without_the_reference(server: CrdServer) -> None:
    owners = [_create(server, name, kind="jobs.fuzz.example.com") for name in "ab"]
    _create(server, "shared", *map(_owner, owners))
    server["jobs.fuzz.example.com"].delete("a")
    references = server["configmaps"].get("shared")["metadata"]["ownerReferences"]
    assert references == [_owner(owners[1])]


def test_orphaned_dependents_stay_without_the_reference(server: CrdServer) -> None:
    job = _create(server, "owner", kind="jobs.fuzz.example.com")
    _create(server, "first", _owner(job))
    server["jobs.fuzz.example.com"].delete("owner", propagation_policy="Orphan")
    assert _names(server, "jobs.fuzz.example.com") == []
    assert "ownerReferences" not in server["configmaps"].get("first")["metadata"]


def test_an_owner_in_foreground_deletion_waits_for_blocking_dependents(server: CrdServer) -> None:
    job = _create(server, "owner", kind="jobs.fuzz.example.com")
    _create(server, "blocking", _owner(job, blockOwnerDeletion=True), finalizers=["example.com/x"])
    _create(server, "free", _owner(job))
    server["jobs.fuzz.example.com"].delete("owner", propagation_policy="Foreground")
    assert _names(server) == ["blocking"]
    assert server["jobs.fuzz.example.com"].get("owner")["metadata"]["finalizers"] == ["foregroundDeletion"]
    server["configmaps"].patch("blocking", {"metadata": {"finalizers": None}})
    assert _names(server) == _names(server, "jobs.fuzz.example.com") == []


def test_a_foreground_deletion_goes_on_in_dependents_with_dependents(server: CrdServer) -> None:
    job = _create(server, "owner", kind="jobs.fuzz.example.com")
    middle = _create(server, "middle", _owner(job, blockOwnerDeletion=True))
    _create(server, "last", _owner(middle, blockOwnerDeletion=True), finalizers=["example.com/x"])
    server["jobs.fuzz.example.com"].delete("owner", propagation_policy="Foreground")
    assert server["configmaps"].get("middle")["metadata"]["finalizers"] == ["foregroundDeletion"]
    server["configmaps"].patch("last", {"metadata": {"finalizers": None}})
    assert _names(server) == _names(server, "jobs.fuzz.example.com") == []


def test_a_circle_of_owners_is_deleted(server: CrdServer) -> None:
    first = _create(server, "first")
    second = _create(server, "second", _owner(first, blockOwnerDeletion=True))
    references = [_owner(second, blockOwnerDeletion=True)]
    server["configmaps"].patch("first", {"metadata": {"ownerReferences": references}})
    server["configmaps"].delete("first", propagation_policy="Foreground")
    assert _names(server) == []


@pytest.mark.parametrize(
    ("change", "is_kept"),
    [
        ({}, True),
        ({"uid": "other"}, False),
        ({"name": "other"}, False),
        ({"kind": "Board"}, False),
        ({"kind": "Unknown"}, True),
        ({"apiVersion": "fuzz.example.com/v9"}, True),
    ],
)
def test_an_object_whose_owner_never_existed_is_deleted(server: CrdServer, change: Any, *, is_kept: bool) -> None:
    job = _create(server, "owner", kind="jobs.fuzz.example.com")
    _create(server, "first", {**_owner(job), **change})
    assert bool(_names(server)) is is_kept


def test_a_namespaced_owner_of_a_cluster_scoped_object_is_ignored(server: CrdServer) -> None:
    board = server["boards"].create({"metadata": {"name": "b", "ownerReferences": [_owner(_create(server, "owner"))]}})
    server["configmaps"].delete("owner")
    assert server["boards"].get("b")["metadata"]["uid"] == board["metadata"]["uid"]


def test_an_owner_in_another_namespace_does_not_exist(server: CrdServer) -> None:
    server["namespaces"].create({"metadata": {"name": "team"}})
    owner = server["configmaps"].create({"metadata": {"name": "owner"}}, namespace="team")
    _create(server, "first", _owner(owner))
    assert _names(server) == []


@pytest.mark.parametrize("finalizer", ["orphan", "foregroundDeletion"])
def test_an_early_finalizer_chooses_the_policy(server: CrdServer, finalizer: str) -> None:
    job = _create(server, "owner", kind="jobs.fuzz.example.com")
    first = _create(server, "first", _owner(job), finalizers=[finalizer])
    _create(server, "second", _owner(first, blockOwnerDeletion=True), finalizers=["example.com/x"])
    server["jobs.fuzz.example.com"].delete("owner")
    assert _names(server) == (["second"] if finalizer == "orphan" else ["first", "second"])


def test_a_reset_server_collects_again(server: CrdServer) -> None:
    server.reset()
    job = _create(server, "owner", kind="jobs.fuzz.example.com")
    _create(server, "first", _owner(job))
    server["jobs.fuzz.example.com"].delete("owner")
    assert _names(server) == []


def test_writes_during_a_collection_are_collected_without_waiting() -> None:
    store, catalog = _store_with_garbage("first")
    requests: list[str] = []

    def answer(request: HTTPRequest) -> None:
        thread = threading.Thread(target=collector.run)
        thread.start()
        thread.join()
        if not requests:
            store.put(*_garbage("second"))
        requests.append(request.path.rpartition("/")[2])
        store.delete(_garbage(requests[-1])[0])

    collector = GarbageCollector(store, catalog, answer)
    collector.run()
    assert requests == ["first", "second"]


def test_an_error_ends_a_collection_and_the_next_one_tries_again() -> None:
    store, catalog = _store_with_garbage("first")

    def fail(_request: HTTPRequest) -> None:
        raise RequestFailedError({"message": "m"})

    collector = GarbageCollector(store, catalog, fail)
    for _ in range(2):
        with pytest.raises(RequestFailedError):
            collector.run()
        store.put(*_garbage("second"))


def test_a_refused_deletion_is_tried_again_after_the_next_write_of_any_object() -> None:
    store, catalog = _store_with_garbage("first")
    requests: list[str] = []
    collector = GarbageCollector(store, catalog, lambda request: requests.append(request.method))
    for name in ("a", "b"):
        collector.run()
        collector.run()  # nothing has changed
        key, value = _garbage(name)
        store.put(key, {**value, "metadata": {"name": name, "uid": name}})
    assert requests == ["DELETE", "DELETE"]


def test_a_collector_looks_at_no_object_after_writes_without_owners(monkeypatch: pytest.MonkeyPatch) -> None:
    server = servers.api(collects_garbage=True)
    job = servers.ask(server, "POST", servers.JOBS, servers.job("owner")).value
    owned = servers.job("owned", ownerReferences=[_owner(job)])
    assert servers.ask(server, "POST", servers.JOBS, owned).code == 201
    finds: list[str] = []
    find = Store.find

    def find_and_count(self: Store, resource: str, index: str, value: Any) -> Any:
        finds.extend([resource] if index == "collected" else [])
        return find(self, resource, index, value)

    monkeypatch.setattr(Store, "find", find_and_count)
    assert servers.ask(server, "POST", servers.JOBS, servers.job("other")).code == 201
    assert not finds
    assert servers.ask(server, "DELETE", f"{servers.JOBS}/owner").code == 200
    assert "jobs.fuzz.example.com" in finds
    assert servers.ask(server, "GET", f"{servers.JOBS}/owned").code == 404


def test_a_collector_looks_at_all_objects_if_changes_are_no_longer_stored() -> None:
    server = servers.api(collects_garbage=True, history=1)
    job = servers.ask(server, "POST", servers.JOBS, servers.job("owner")).value
    servers.ask(server, "POST", servers.JOBS, servers.job("owned", ownerReferences=[_owner(job)]))
    server.store.delete(ObjectKey("jobs.fuzz.example.com", "default", "owner"))
    for name in ("a", "b"):
        servers.ask(server, "POST", servers.JOBS, servers.job(name))
    assert servers.ask(server, "GET", f"{servers.JOBS}/owned").code == 404


def _store_with_garbage(name: str) -> tuple[Store, Any]:
    """Return a store with an object without its owner, and the served resources."""
    server = servers.api(collects_garbage=True).fork()  # no collector of its own looks at the object
    server.store.put(*_garbage(name))
    return server.store, server.catalog


def _garbage(name: str) -> Any:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "missing", "uid": "m"}
    return ObjectKey("configmaps", "default", name), {
        "metadata": {"name": name, "uid": name, "ownerReferences": [owner]}
    }

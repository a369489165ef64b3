"""Namespaces: initial ones, and deletion with their objects."""

from __future__ import annotations

from support import servers

from pytest_crd.server.api import Api

TEAM = "/apis/fuzz.example.com/v1/namespaces/team/jobs"


def _server() -> Api:
    server = servers.api()
    server.catalog.namespaces.create("team")
    return server


def test_the_deletion_of_a_namespace_deletes_its_objects() -> None:
    server = _server()
    servers.ask(server, "POST", TEAM, servers.job("a"))
    deleted = servers.ask(server, "DELETE", "/api/v1/namespaces/team")

    assert (deleted.value["kind"], deleted.value["status"]) == ("Namespace", {"phase": "Terminating"})
    assert servers.ask(server, "GET", TEAM).value["items"] == []
    assert servers.ask(server, "GET", "/api/v1/namespaces/team").code == 404


def test_a_terminating_namespace_refuses_new_objects() -> None:
    server = _server()
    servers.ask(server, "POST", TEAM, servers.job("a", finalizers=["example.com/hold"]))
    servers.ask(server, "DELETE", "/api/v1/namespaces/team")
    refused = servers.ask(server, "POST", TEAM, servers.job("b"))

    assert (refused.code, refused.value["details"]["causes"][0]["reason"]) == (403, "NamespaceTerminating")
    free = {"metadata": {"finalizers": None}}
    servers.ask(server, "PATCH", f"{TEAM}/a", free, mediaType="application/merge-patch+json")
    assert servers.ask(server, "GET", "/api/v1/namespaces/team").code == 404


def test_namespaces_of_every_cluster_cannot_be_deleted() -> None:
    server = _server()
    refused = servers.ask(server, "DELETE", "/api/v1/namespaces/default")

    assert (refused.code, refused.value["message"]) == (
        403, 'namespaces "default" is forbidden: this namespace may not be deleted'
    )  # fmt: skip
    names = [item["metadata"]["name"] for item in servers.ask(server, "GET", "/api/v1/namespaces").value["items"]]
    assert names == ["default", "kube-node-lease", "kube-public", "kube-system", "team"]


def test_each_namespace_gets_its_service_account_on_demand() -> None:
    server = Api(has_service_accounts=True)
    servers.ask(server, "POST", "/api/v1/namespaces", {"metadata": {"name": "team"}})
    for namespace in ("default", "team"):
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts"
        assert servers.ask(server, "GET", f"{path}/default").code == 200
        servers.ask(server, "DELETE", f"{path}/default")
        assert servers.ask(server, "GET", f"{path}/default").code == 200
    assert servers.ask(Api(), "GET", "/api/v1/serviceaccounts").value["items"] == []


def _conditions(server: Api) -> dict[str, str]:
    status = servers.ask(server, "GET", "/api/v1/namespaces/team").value["status"]
    return {item["type"]: f"{item['status']} {item['reason']}: {item['message']}" for item in status["conditions"]}


def test_the_conditions_of_a_deleted_namespace_name_its_remaining_objects() -> None:
    server = _server()
    for name, finalizers in (("a", ["a.b/c"]), ("b", ["a.b/c", "a.b/d"])):
        servers.ask(server, "POST", TEAM, servers.job(name, finalizers=finalizers))
    body = {"metadata": {"name": "c", "finalizers": ["a.b/c"]}}
    servers.ask(server, "POST", "/api/v1/namespaces/team/configmaps", body)
    servers.ask(server, "DELETE", "/api/v1/namespaces/team")

    conditions = _conditions(server)
    assert conditions["NamespaceDeletionContentFailure"] == (
        "False ContentDeleted: All content successfully deleted, may be waiting on finalization"
    )
    assert conditions["NamespaceContentRemaining"] == (
        "True SomeResourcesRemain: Some resources are remaining: "
        "configmaps. has 1 resource instances, jobs.fuzz.example.com has 2 resource instances"
    )
    assert conditions["NamespaceFinalizersRemaining"] == (
        "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
        "a.b/c in 3 resource instances, a.b/d in 1 resource instances"
    )


def test_the_pods_of_a_deleted_namespace_go_before_other_objects() -> None:
    server = _server()
    pod = {
        "metadata": {"name": "p", "finalizers": ["a.b/c"]},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    servers.ask(server, "POST", "/api/v1/namespaces/team/pods", pod)
    servers.ask(server, "POST", TEAM, servers.job("a"))
    servers.ask(server, "DELETE", "/api/v1/namespaces/team")

    assert servers.ask(server, "GET", f"{TEAM}/a").code == 200
    assert _conditions(server)["NamespaceContentRemaining"].startswith("False ContentRemoved")
    free = {"metadata": {"finalizers": None}}
    servers.ask(server, "PATCH", "/api/v1/namespaces/team/pods/p", free, mediaType="application/merge-patch+json")
    assert servers.ask(server, "GET", "/api/v1/namespaces/team").code == 404


def test_an_empty_namespace_waits_for_its_other_finalizers() -> None:
    server = _server()
    path = "/api/v1/namespaces/team"
    namespace = servers.ask(server, "GET", path).value
    finalizers = ["kubernetes", "a.b/c"]
    servers.ask(server, "PUT", f"{path}/finalize", {**namespace, "spec": {"finalizers": finalizers}})
    servers.ask(server, "POST", TEAM, servers.job("a"))
    servers.ask(server, "DELETE", path)

    namespace = servers.ask(server, "GET", path).value
    assert namespace["spec"] == {"finalizers": ["a.b/c"]}
    assert servers.ask(server, "GET", f"{TEAM}/a").code == 404
    servers.ask(server, "PUT", f"{path}/finalize", {**namespace, "spec": {}})
    assert servers.ask(server, "GET", path).code == 404


def test_an_empty_namespace_waits_for_the_finalizers_of_its_metadata() -> None:
    server = _server()
    path, media_type = "/api/v1/namespaces/team", "application/merge-patch+json"
    servers.ask(server, "PATCH", path, {"metadata": {"finalizers": ["a.b/c"]}}, mediaType=media_type)
    servers.ask(server, "DELETE", path)

    assert servers.ask(server, "GET", path).value["spec"] == {}
    servers.ask(server, "PATCH", path, {"metadata": {"finalizers": None}}, mediaType=media_type)
    assert servers.ask(server, "GET", path).code == 404

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

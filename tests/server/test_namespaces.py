"""Namespaces: which there are, and what goes with them."""

from __future__ import annotations

from support import servers

from pytest_crd.server.api import Api

TEAM = "/apis/fuzz.example.com/v1/namespaces/team/jobs"


def _server() -> Api:
    server = servers.api()
    server.catalog.namespaces.create("team")
    return server


def test_a_namespace_takes_with_it_what_is_in_it() -> None:
    server = _server()
    servers.ask(server, "POST", TEAM, servers.job("a"))
    deleted = servers.ask(server, "DELETE", "/api/v1/namespaces/team")

    assert (deleted.value["kind"], deleted.value["status"]) == ("Namespace", {"phase": "Terminating"})
    assert servers.ask(server, "GET", TEAM).value["items"] == []
    assert servers.ask(server, "GET", "/api/v1/namespaces/team").code == 404


def test_nothing_is_created_in_a_namespace_that_waits_for_what_is_held() -> None:
    server = _server()
    servers.ask(server, "POST", TEAM, servers.job("a", finalizers=["example.com/hold"]))
    servers.ask(server, "DELETE", "/api/v1/namespaces/team")
    refused = servers.ask(server, "POST", TEAM, servers.job("b"))

    assert (refused.code, refused.value["details"]["causes"][0]["reason"]) == (403, "NamespaceTerminating")
    free = {"metadata": {"finalizers": None}}
    servers.ask(server, "PATCH", f"{TEAM}/a", free, mediaType="application/merge-patch+json")
    assert servers.ask(server, "GET", "/api/v1/namespaces/team").code == 404


def test_namespaces_that_every_cluster_has_stay() -> None:
    server = _server()
    refused = servers.ask(server, "DELETE", "/api/v1/namespaces/default")

    assert (refused.code, refused.value["message"]) == (
        403, 'namespaces "default" is forbidden: this namespace may not be deleted'
    )  # fmt: skip
    names = [one["metadata"]["name"] for one in servers.ask(server, "GET", "/api/v1/namespaces").value["items"]]
    assert names == ["default", "kube-node-lease", "kube-public", "kube-system", "team"]

"""Built-in objects of a new cluster."""

from __future__ import annotations

from support import servers

from pytest_crd.server.api import Api
from pytest_crd.server.builtin import initialobjects

SERVICE = "/api/v1/namespaces/default/services/kubernetes"


def test_a_new_cluster_has_the_service_of_its_server() -> None:
    server = Api(address="127.0.0.1:6443")
    service = servers.ask(server, "GET", SERVICE).value
    assert (service["spec"]["clusterIP"], service["spec"]["type"]) == ("10.0.0.1", "ClusterIP")
    (endpoints,) = servers.ask(server, "GET", "/api/v1/namespaces/default/endpoints").value["items"]
    assert endpoints["subsets"][0]["addresses"] == [{"ip": "127.0.0.1"}]
    for path in ("networking.k8s.io/v1/servicecidrs/kubernetes", "networking.k8s.io/v1/ipaddresses/10.0.0.1"):
        assert servers.ask(server, "GET", f"/apis/{path}").code == 200
    classes = servers.ask(server, "GET", "/apis/scheduling.k8s.io/v1/priorityclasses").value["items"]
    assert [item["value"] for item in classes] == [2_000_000_000, 2_000_001_000]


def test_the_objects_follow_the_address_of_the_server() -> None:
    server = Api()
    before = servers.ask(server, "GET", SERVICE).value
    assert before["spec"]["ports"][0]["targetPort"] == 6443
    server.address = "127.0.0.1:8443"
    after = servers.ask(server, "GET", SERVICE).value
    assert after["spec"]["ports"][0]["targetPort"] == 8443
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    revision = server.store.revision
    initialobjects.store(server.store, server.address)
    assert server.store.revision == revision

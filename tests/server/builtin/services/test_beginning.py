"""Services get their addresses and ports before validation; recordings have the answers to named ones."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.builtin.services import allocating

SERVICES = "/api/v1/namespaces/default/services"
MERGE = {"mediaType": "application/merge-patch+json"}
IN_USE = "provided port is already allocated"


def create(server: Any, name: str, query: str = "", **spec: Any) -> Any:
    """Return the answer to the create of a Service with a port 80."""
    service = {"metadata": {"name": name}, "spec": {"ports": [{"port": 80}], **spec}}
    return servers.ask(server, "POST", f"{SERVICES}{query}", service)


def patch(server: Any, name: str, **spec: Any) -> Any:
    """Return the answer to a change of the spec of a Service."""
    return servers.ask(server, "PATCH", f"{SERVICES}/{name}", {"spec": spec}, **MERGE)


def test_services_have_addresses_of_their_own() -> None:
    server = servers.api()
    services = [
        servers.ask(server, "POST", SERVICES, {"metadata": {"name": f"s{n}"}, "spec": {"ports": [{"port": 80}]}}).value
        for n in range(20)
    ]
    addresses = {item["spec"]["clusterIP"] for item in services}
    assert (len(addresses), "10.0.0.1" in addresses) == (20, False)
    spec = services[0]["spec"]
    assert spec["clusterIPs"] == [spec["clusterIP"]]
    assert (spec["ipFamilies"], spec["ipFamilyPolicy"]) == (["IPv4"], "SingleStack")
    assert services[0]["status"] == {"loadBalancer": {}}
    changed = {"metadata": {"name": "s0"}, "spec": {"ports": [{"port": 81}]}}
    assert servers.ask(server, "PUT", f"{SERVICES}/s0", changed).value["spec"]["clusterIP"] == spec["clusterIP"]


def test_headless_services_have_no_address() -> None:
    server = servers.api()
    spec = {"clusterIP": "None", "ports": [{"port": 80}]}
    open_ = servers.ask(server, "POST", SERVICES, {"metadata": {"name": "a"}, "spec": spec}).value["spec"]
    assert (open_["ipFamilies"], open_["ipFamilyPolicy"]) == (["IPv4", "IPv6"], "RequireDualStack")
    second = {"metadata": {"name": "b"}, "spec": {**spec, "selector": {"a": "b"}}}
    assert servers.ask(server, "POST", SERVICES, second).value["spec"]["ipFamilies"] == ["IPv4"]
    six = {"metadata": {"name": "c"}, "spec": {**spec, "ipFamilies": ["IPv6"]}}
    assert servers.ask(server, "POST", SERVICES, six).value["spec"]["ipFamilies"] == ["IPv6", "IPv4"]


def test_exposed_services_have_ports_of_nodes() -> None:
    server = servers.api()
    spec = {"type": "NodePort", "ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81, "nodePort": 30001}]}
    ports = servers.ask(server, "POST", SERVICES, {"metadata": {"name": "a"}, "spec": spec}).value["spec"]["ports"]
    assert (30000 <= ports[0]["nodePort"] <= 32767, ports[1]["nodePort"]) == (True, 30001)
    again = servers.ask(server, "PUT", f"{SERVICES}/a", {"metadata": {"name": "a"}, "spec": spec}).value["spec"][
        "ports"
    ]
    assert again == ports
    inner = servers.ask(server, "PATCH", f"{SERVICES}/a", {"spec": {"type": "ClusterIP"}}, **MERGE).value["spec"]
    assert not any("nodePort" in port for port in inner["ports"])
    assert "externalTrafficPolicy" not in inner
    outer = servers.ask(server, "PATCH", f"{SERVICES}/a", {"spec": {"type": "ExternalName", "externalName": "a.b"}}, **MERGE).value["spec"]  # fmt: skip
    assert not outer.keys() & {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}
    renamed = servers.ask(server, "PATCH", f"{SERVICES}/a", {"spec": {"externalName": "c.d"}}, **MERGE).value["spec"]
    assert renamed["externalName"] == "c.d"


def test_local_balancers_have_a_health_check() -> None:
    server = servers.api()
    spec = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": [{"port": 80}]}
    created = servers.ask(server, "POST", SERVICES, {"metadata": {"name": "a"}, "spec": spec}).value["spec"]
    assert created["healthCheckNodePort"] >= 30000
    again = servers.ask(server, "PUT", f"{SERVICES}/a", {"metadata": {"name": "a"}, "spec": spec}).value["spec"]
    assert again["healthCheckNodePort"] == created["healthCheckNodePort"]
    second = {
        "metadata": {"name": "b"},
        "spec": {**spec, "allocateLoadBalancerNodePorts": False, "externalTrafficPolicy": "Cluster"},
    }
    without = servers.ask(server, "POST", SERVICES, second).value["spec"]
    assert ("nodePort" in without["ports"][0], "healthCheckNodePort" in without) == (False, False)
    third = {"metadata": {"name": "c"}, "spec": {**spec, "allocateLoadBalancerNodePorts": False}}
    checked = servers.ask(server, "POST", SERVICES, third).value["spec"]
    assert ("nodePort" in checked["ports"][0], checked["healthCheckNodePort"] >= 30000) == (False, True)
    assert checked["healthCheckNodePort"] != created["healthCheckNodePort"]
    open_ = servers.ask(server, "PATCH", f"{SERVICES}/c", {"spec": {"externalTrafficPolicy": "Cluster"}}, **MERGE)
    assert "healthCheckNodePort" not in open_.value["spec"]


def test_a_full_range_refuses_services() -> None:
    server = servers.api()
    service = {"spec": {"ports": [{"port": 80}]}}
    codes = [
        servers.ask(server, "POST", SERVICES, {**service, "metadata": {"name": f"s{number}"}}).code
        for number in range(254)
    ]
    assert (codes[:253], codes[253]) == ([201] * 253, 500)


def test_a_full_range_names_the_service_since_1_36(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocating, "_HOSTS", allocating._HOSTS[:1])
    monkeypatch.setattr(allocating, "_STATIC_ADDRESSES", 0)
    message = "Internal error occurred: failed to allocate a serviceIP{}: range is full"
    assert create(servers.api(), "a").value["message"] == message.format(' for Service "a"')
    assert create(servers.api(kubernetes_version="1.35"), "a").value["message"] == message.format("")


def test_a_full_range_of_ports_refuses_services(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocating, "_NODE_PORTS", range(30000, 30001))
    server = servers.api()
    assert create(server, "a", type="NodePort").value["spec"]["ports"][0]["nodePort"] == 30000
    refused = create(server, "b", type="NodePort")
    assert (refused.code, refused.value["reason"]) == (500, "InternalError")
    assert refused.value["message"] == "Internal error occurred: failed to allocate a nodePort: range is full"
    local: Any = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "allocateLoadBalancerNodePorts": False}
    message = "Internal error occurred: failed to allocate a HealthCheck NodePort 0: range is full"
    assert create(server, "b", **local).value["message"] == message


def test_a_refused_service_takes_no_address() -> None:
    server = servers.api()
    assert create(server, "a", clusterIP="10.0.0.3", sessionAffinity="x").code == 422
    assert create(server, "b", clusterIP="10.0.0.3").code == 201
    refused = create(server, "c", clusterIP="10.0.0.3").value["message"]
    assert refused.endswith("failed to allocate IP 10.0.0.3: provided IP is already allocated")
    servers.ask(server, "DELETE", f"{SERVICES}/b")
    assert create(server, "c", clusterIP="10.0.0.3").code == 201


def test_a_dry_run_gives_numbers_that_no_service_has() -> None:
    server = servers.api()
    ports = [{"name": "a", "port": 80}, {"name": "b", "port": 81, "nodePort": 99999}, {"name": "c", "port": 82}]
    spec = create(server, "a", "?dryRun=All", type="NodePort", ports=ports).value["spec"]
    assert (spec["clusterIP"], [port["nodePort"] for port in spec["ports"]]) == ("10.0.0.0", [32769, 99999, 100000])


def test_a_changed_service_may_take_a_new_port_for_each_protocol() -> None:
    server = servers.api()
    create(server, "a", type="NodePort", ports=[{"name": "a", "port": 80, "nodePort": 30001}])
    names = (("a", "TCP"), ("b", "UDP"))
    changed = [{"name": name, "port": 80, "protocol": protocol, "nodePort": 30002} for name, protocol in names]
    answer = patch(server, "a", ports=changed)
    assert [port["nodePort"] for port in answer.value["spec"]["ports"]] == [30002, 30002]
    assert create(server, "b", type="NodePort", ports=[{"port": 80, "nodePort": 30001}]).code == 201
    refused = patch(server, "a", ports=[{"port": 80, "nodePort": 30001}]).value["details"]["causes"]
    assert [(cause["field"], cause["message"]) for cause in refused] == [
        ("spec.ports[0].nodePort", f"Invalid value: 30001: {IN_USE}")
    ]


def test_ports_of_a_balancer_without_allocation_keep_their_numbers() -> None:
    server = servers.api()
    ports = [{"name": "a", "port": 80, "nodePort": 30001}, {"name": "b", "port": 81}]
    balancer: Any = {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": False, "ports": ports}
    spec = create(server, "a", **balancer).value["spec"]
    assert [port.get("nodePort") for port in spec["ports"]] == [30001, None]
    assert [port.get("nodePort") for port in patch(server, "a", selector={"a": "b"}).value["spec"]["ports"]] == [
        30001,
        None,
    ]


def test_an_external_name_keeps_its_policy_of_internal_traffic_unseen() -> None:
    server = servers.api()
    external: Any = {"type": "ExternalName", "externalName": "a.b", "internalTrafficPolicy": "Local"}
    assert "internalTrafficPolicy" not in create(server, "a", **external).value["spec"]
    assert "internalTrafficPolicy" not in servers.ask(server, "GET", f"{SERVICES}/a").value["spec"]
    listed = servers.ask(server, "GET", SERVICES).value["items"]
    assert not any("internalTrafficPolicy" in item["spec"] for item in listed if item["metadata"]["name"] == "a")
    inner = patch(server, "a", type="ClusterIP").value["spec"]
    assert (inner["internalTrafficPolicy"], inner["clusterIP"][:7]) == ("Local", "10.0.0.")
    assert inner["clusterIPs"] == [inner["clusterIP"]]


def test_changed_fields_stay_for_validation_when_the_type_changes() -> None:
    server = servers.api()
    create(server, "a", clusterIP="10.0.0.3")
    refused = patch(server, "a", type="ExternalName", externalName="a.b", ipFamilyPolicy="PreferDualStack")
    causes = refused.value["details"]["causes"]
    assert [cause["field"] for cause in causes] == ["spec.ipFamilyPolicy"]
    create(server, "b", type="NodePort", ports=[{"port": 80, "nodePort": 30001}])
    refused = patch(server, "b", type="ClusterIP", ports=[{"port": 80, "nodePort": 30002}])
    assert [cause["field"] for cause in refused.value["details"]["causes"]] == ["spec.ports[0].nodePort"]
    refused = patch(server, "a", type="ExternalName", externalName="a.b", clusterIP="10.0.0.4")
    assert [cause["field"] for cause in refused.value["details"]["causes"]] == ["spec.clusterIPs"]


def test_a_service_that_lets_a_server_panic_is_refused() -> None:
    server = servers.api()
    create(server, "a")
    refused = patch(server, "a", clusterIP="None", ipFamilyPolicy="PreferDualStack")
    message = "kube-apiserver panics: a Service with one address family becomes headless with two"
    assert (refused.code, refused.value["message"]) == (500, message)
    refused = patch(server, "a", clusterIP="None", ipFamilyPolicy="PreferDualStack", ipFamilies=["IPv6"])
    assert [cause["field"] for cause in refused.value["details"]["causes"]] == [
        *("spec.clusterIPs[0]", "spec.ipFamilies[0]", "spec.clusterIPs"),
    ]


def test_an_update_adds_ports_and_health_checks() -> None:
    server = servers.api()
    create(server, "a", type="LoadBalancer", ports=[{"port": 80, "nodePort": 30001}])
    assert patch(server, "a", externalTrafficPolicy="Local").value["spec"]["healthCheckNodePort"] >= 30086
    assert (
        patch(server, "a", healthCheckNodePort=30002).value["details"]["causes"][0]["message"]
        == "Forbidden: field is immutable"
    )


def test_an_apply_to_the_status_of_a_missing_service_creates_it_without_an_address() -> None:
    server = servers.api()
    applied = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}}
    path = f"{SERVICES}/a/status?fieldManager=m"
    created = servers.ask(server, "PATCH", path, applied, mediaType="application/apply-patch+yaml")
    assert (created.code, "clusterIP" in created.value["spec"]) == (201, False)


def test_a_service_without_addresses_drops_the_one_that_it_had() -> None:
    server = servers.api()
    create(server, "a")
    external = patch(server, "a", type="ExternalName", externalName="a.b", clusterIPs=None).value["spec"]
    assert not external.keys() & {"clusterIP", "clusterIPs"}
    local = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": [{"port": 80}]}
    refused = servers.ask(server, "PUT", f"{SERVICES}/b/status", {"metadata": {"name": "b"}, "spec": local})
    assert [(cause["field"], cause["message"]) for cause in refused.value["details"]["causes"]] == [
        ("spec.healthCheckNodePort", "Required value")
    ]


def test_a_port_that_takes_the_number_of_another_one_gives_it_a_new_number() -> None:
    server = servers.api()
    create(server, "a", type="NodePort", ports=[{"name": "a", "port": 80, "nodePort": 30001}])
    ports = [{"name": "a", "port": 81}, {"name": "b", "port": 82, "nodePort": 30001}]
    first, second = (port["nodePort"] for port in patch(server, "a", ports=ports).value["spec"]["ports"])
    assert (first >= 30086, second) == (True, 30001)


def test_two_ports_of_a_new_service_share_no_port_of_nodes() -> None:
    ports = [{"name": name, "port": port, "nodePort": 30001} for name, port in (("a", 80), ("b", 81))]
    refused = create(servers.api(), "a", type="NodePort", ports=ports).value["details"]["causes"]
    assert refused[0]["message"] == f"Invalid value: 30001: {IN_USE}"

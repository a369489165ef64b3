"""Prepared requests with named addresses and ports of Services, as a server chooses random numbers otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from oracle.generators import servicepools
from pytest_crd.engine.jsonvalue import JSONValue

_PATH: Final = "/api/v1/namespaces/{ns}/services"
_MERGE: Final = "application/merge-patch+json"
_APPLY: Final = "application/apply-patch+yaml"
_NODE_PORT: Final = 30010
_CHECK_PORT: Final = 30011
_PORT: Final[JSONValue] = {"port": 80, "nodePort": _NODE_PORT}
_NAMED: Final[JSONValue] = {"name": "a", **_PORT}


def conversation() -> Iterator[JSONValue]:
    """Yield creates and updates in which Services get, keep, change, share and lose addresses and ports."""
    yield from _types()
    yield from _collisions()
    yield from _headless()
    yield from _written_by_status()


def _create(name: str, **spec: Any) -> JSONValue:
    return {
        "method": "POST",
        "path": _PATH,
        "body": {"metadata": {"name": name}, "spec": {"ports": [{"port": 80}], **spec}},
    }


def _put(name: str, **spec: Any) -> JSONValue:
    body = {"metadata": {"name": name}, "spec": {"ports": [{"port": 80}], **spec}}
    return {"method": "PUT", "path": f"{_PATH}/{name}", "body": body}


def _patch(name: str, part: str = "", status: Any = None, **spec: Any) -> JSONValue:
    body = {"status": status} if part else {"spec": spec}
    return {"method": "PATCH", "path": f"{_PATH}/{name}{part}", "body": body, "mediaType": _MERGE}


def _types() -> Iterator[JSONValue]:
    """Yield changes of the type of a Service."""
    yield _create("t", clusterIP="10.0.0.7")
    yield _put("t")
    yield _put("t", clusterIP="10.0.0.8")
    yield _put("t", clusterIP="", clusterIPs=["10.0.0.7"])
    yield _patch("t", clusterIP=None)
    yield _patch("t", type="NodePort", ports=[_PORT])
    yield _put("t", type="NodePort")
    yield _put("t", type="NodePort", ports=[{"port": 81}])
    yield _patch("t", ports=[_NAMED, {"name": "b", "port": 81, "nodePort": _NODE_PORT}])
    yield _patch("t", ports=[_NAMED, {"name": "b", "port": 81, "protocol": "UDP", "nodePort": _NODE_PORT}])
    yield _patch(
        "t", ports=[_PORT], type="LoadBalancer", externalTrafficPolicy="Local", healthCheckNodePort=_CHECK_PORT
    )
    yield _patch("t", healthCheckNodePort=30012)
    yield _put("t", type="LoadBalancer", externalTrafficPolicy="Local")
    yield _patch("t", loadBalancerClass="example.com/a")
    for points in servicepools.POOLS["status.loadBalancer.ingress"]:
        yield _patch("t", "/status", {"loadBalancer": {"ingress": points}})
    for name in ("loadBalancerSourceRanges", "externalIPs", "loadBalancerClass", "healthCheckNodePort"):
        for value in servicepools.POOLS[f"spec.{name}"]:
            request = _patch("t", **{name: value})
            yield {**request, "path": f"{request['path']}?dryRun=All"}
    yield _patch("t", externalTrafficPolicy="Cluster")
    yield _patch("t", allocateLoadBalancerNodePorts=False, ports=[{"port": 80}])
    yield _patch("t", type="ClusterIP")
    yield _patch("t", type="ExternalName")
    yield _patch("t", type="ExternalName", externalName="a.b", internalTrafficPolicy="Local")
    yield _patch("t", type="ClusterIP", clusterIP="10.0.0.8")


def _collisions() -> Iterator[JSONValue]:
    """Yield Services with addresses and ports that are in use or out of range."""
    for address in ("10.0.0.8", "10.0.0.0", "10.0.0.255", "1.2.3.4", "fd00::1"):
        yield _create("u", clusterIP=address)
    yield _create(
        "n", type="NodePort", clusterIP="10.0.0.10", ports=[_NAMED, {"name": "b", "port": 80, "protocol": "UDP"}]
    )
    node_port = {"type": "NodePort", "clusterIP": "10.0.0.11"}
    yield _create("u", **node_port, ports=[_PORT])
    yield _create("u", **node_port, ports=[{"port": 80, "nodePort": 5}])
    same = {"name": "b", "port": 80, "protocol": "UDP"}
    yield _create(
        "u", **node_port, ports=[{"name": "a", "port": 80, "nodePort": 30013}, {**same, "nodePort": _NODE_PORT}]
    )
    yield _create("u", **node_port, ports=[{"name": "a", "port": 80, "nodePort": 30013}, {**same, "nodePort": 30014}])
    yield _patch("u", ports=[{"name": "a", "port": 80, "nodePort": _NODE_PORT}])
    local = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "allocateLoadBalancerNodePorts": False}
    for number in (_NODE_PORT, 5):
        yield _create("l", **local, clusterIP="10.0.0.12", healthCheckNodePort=number)
    yield _create("l", **local, clusterIP="10.0.0.12", healthCheckNodePort=_CHECK_PORT)
    yield {"method": "DELETE", "path": f"{_PATH}/n"}
    yield _create("m", type="NodePort", clusterIP="10.0.0.10", ports=[_PORT])


def _headless() -> Iterator[JSONValue]:
    """Yield changes of the families of headless Services."""
    yield _create("h", clusterIP="None")
    yield _patch("h", sessionAffinity="ClientIP", externalIPs=["8.8.8.8"], loadBalancerIP="1.2.3.4")
    yield _patch("h", sessionAffinity=None, externalIPs=None, loadBalancerIP=None)
    yield _put("h", clusterIP="None", ipFamilies=["IPv4"])
    yield _patch("h", ipFamilyPolicy="SingleStack")
    yield _patch("h", selector={"a": "b"}, ipFamilyPolicy="RequireDualStack")
    yield _patch("h", clusterIP="10.0.0.13")
    yield _put("h", clusterIP="10.0.0.13", clusterIPs=["10.0.0.13"])
    yield _create("p", clusterIP="10.0.0.13", ipFamilyPolicy="PreferDualStack")
    yield _put("p", ipFamilyPolicy="PreferDualStack")
    yield _patch("p", ipFamilyPolicy="RequireDualStack")


def _written_by_status() -> Iterator[JSONValue]:
    """Yield updates and applies to the status of missing Services, which create them without addresses."""
    for name, spec in (
        ("s", {}),
        ("x", {"type": "ExternalName", "externalName": "a.b", "internalTrafficPolicy": "Local"}),
        ("o", {"clusterIP": "None"}),
        ("q", {"clusterIP": "10.0.0.14", "clusterIPs": ["10.0.0.14"]}),
        ("r", {"clusterIP": "None", "clusterIPs": ["None"]}),
        ("v", {"clusterIP": "None", "clusterIPs": ["None"], "selector": {"a": "b"}}),
    ):
        put = _put(name, **spec)
        yield {**put, "path": f"{put['path']}/status"}
        yield {"method": "GET", "path": f"{_PATH}/{name}"}
        yield _patch(name, publishNotReadyAddresses=True)
    yield _patch("s", clusterIP="10.0.0.15")
    applied = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "w"}, "spec": {"ports": [{"port": 80}]}}
    for part in ("/status", ""):
        yield {"method": "PATCH", "path": f"{_PATH}/w{part}?fieldManager=m", "body": applied, "mediaType": _APPLY}

"""
Fields of a Service that a server sets: addresses, address families and ports of nodes.

The cluster has one address family, IPv4, and a small range of addresses, as kube-apiserver has without flags.

Reference:
    kubernetes pkg/registry/core/service/storage, alloc.go; strategy.go, patchAllocatedValues and dropTypeDependentFields.
"""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.server.builtin import initialobjects
from pytest_crd.server.http import statuses
from pytest_crd.server.store.store import Store

_Object: TypeAlias = "dict[str, Any]"

_SERVICES: Final = "services"
_HEADLESS: Final = "None"
_EXTERNAL_NAME: Final = "ExternalName"
_SINGLE: Final = "SingleStack"
_ADDRESSES: Final = tuple(str(address) for address in ipaddress.ip_network(initialobjects.SERVICE_RANGE).hosts())
_NODE_PORTS: Final = range(30000, 32768)
_ADDRESS_FIELDS: Final = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
_EXPOSING_FIELDS: Final = (
    "allocateLoadBalancerNodePorts",
    "loadBalancerClass",
    "externalTrafficPolicy",
)
_EXPOSED: Final = ("NodePort", "LoadBalancer")


def finish(service: _Object, old: Mapping[str, Any] | None, store: Store) -> _Object:
    """
    Return a Service with its addresses and ports.

    Args:
        service: The Service.
        old: The stored Service; None on create.
        store: The store, whose Services use addresses and ports.

    Raises:
        ApiError: 500: the range is full.
    """
    spec = dict(service["spec"])
    if old is not None:
        _keep(spec, old["spec"])
    others = [
        entry.value
        for entry in store.entries(_SERVICES)
        if entry.value["metadata"]["uid"] != service["metadata"]["uid"]
    ]
    if spec["type"] != _EXTERNAL_NAME:
        _give_address(spec, others)
    if _needs_node_ports(spec):
        _give_node_ports(spec, others)
    if _needs_health_check_port(spec) and not spec.get("healthCheckNodePort"):
        spec["healthCheckNodePort"] = _choose(_free_ports(spec, others), "healthCheckNodePort")
    if spec["type"] == _EXTERNAL_NAME:
        spec.pop("internalTrafficPolicy", None)
    status = service["status"] if old is not None or "status" not in service else {"loadBalancer": {}}
    return {**service, "spec": spec, "status": status}


def _keep(spec: _Object, old: Mapping[str, Any]) -> None:
    """Keep what the server gave to the stored Service, and drop what its new type does not use."""
    if spec["type"] == _EXTERNAL_NAME:
        _drop_equal(spec, old if old.get("type") != _EXTERNAL_NAME else {}, _ADDRESS_FIELDS)
    else:
        spec |= {name: old[name] for name in _ADDRESS_FIELDS if name in old and not spec.get(name)}
    if _needs_node_ports(spec):
        before = {_port_key(port): port.get("nodePort") for port in old.get("ports") or ()}
        spec["ports"] = [_with_number(port, before.get(_port_key(port))) for port in spec.get("ports") or ()]
    elif _needs_node_ports(old):
        spec["ports"] = [{key: port[key] for key in port if key != "nodePort"} for port in spec.get("ports") or ()]
        _drop_equal(spec, old, _EXPOSING_FIELDS)
    if _needs_health_check_port(spec) and old.get("healthCheckNodePort"):
        spec.setdefault("healthCheckNodePort", old["healthCheckNodePort"])
    elif _needs_health_check_port(old):
        _drop_equal(spec, old, ("healthCheckNodePort",))


def _drop_equal(spec: _Object, old: Mapping[str, Any], names: Iterable[str]) -> None:
    for name in names:
        if name in spec and spec[name] == old.get(name):
            del spec[name]


def _port_key(port: Mapping[str, Any]) -> tuple[Any, Any]:
    return port.get("port"), port.get("protocol")


def _with_number(port: _Object, number: int | None) -> _Object:
    return {**port, "nodePort": number} if number and not port.get("nodePort") else port


def _give_address(spec: _Object, others: Iterable[Mapping[str, Any]]) -> None:
    """
    Add an address of the range, unless the Service has one or is headless.

    Raises:
        ApiError: 500: the range is full.
    """
    is_open = spec.get("clusterIP") == _HEADLESS and not spec.get("selector")
    spec.setdefault("ipFamilyPolicy", "RequireDualStack" if is_open else _SINGLE)
    if not spec.get("ipFamilies"):
        spec["ipFamilies"] = ["IPv4"]
    if is_open and len(spec["ipFamilies"]) == 1 and spec["ipFamilyPolicy"] != _SINGLE:
        spec["ipFamilies"] = [*spec["ipFamilies"], "IPv6" if spec["ipFamilies"] == ["IPv4"] else "IPv4"]
    if not spec.get("clusterIP"):
        used = {address for service in others for address in service["spec"].get("clusterIPs") or ()}
        spec["clusterIP"] = _choose([address for address in _ADDRESSES if address not in used], "clusterIP")
    if not spec.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]


def _needs_node_ports(spec: Mapping[str, Any]) -> bool:
    is_allocated = spec.get("type") != "LoadBalancer" or spec.get("allocateLoadBalancerNodePorts", True)
    return spec.get("type") in _EXPOSED and bool(is_allocated)


def _give_node_ports(spec: _Object, others: Iterable[Mapping[str, Any]]) -> None:
    """
    Add a port of nodes to each port without one.

    Raises:
        ApiError: 500: the range is full.
    """
    free, ports = _free_ports(spec, others), []
    for port in spec.get("ports") or ():
        number = port.get("nodePort") or _choose(free, "nodePort")
        ports.append({**port, "nodePort": number})
        free = [item for item in free if item != number]
    spec["ports"] = ports


def _needs_health_check_port(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _free_ports(spec: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the ports of nodes that neither a Service nor another one uses."""
    used = {number for service in others for number in _node_ports(service["spec"])} | {*_node_ports(spec)}
    return [item for item in _NODE_PORTS if item not in used]


def _node_ports(spec: Mapping[str, Any]) -> Iterator[int]:
    yield from (port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort"))
    if spec.get("healthCheckNodePort"):
        yield spec["healthCheckNodePort"]


def _choose(values: list[Any], name: str) -> Any:
    """
    Return one of the free values.

    Raises:
        ApiError: 500: there is none.
    """
    if not values:
        raise statuses.failure(
            500, "InternalError", f"Internal error occurred: failed to allocate a {name}: range is full"
        )
    return random.choice(values)  # noqa: S311 - an address, no secret

"""
Fields of an updated Service that the server fills in from the stored one, or drops as the new type does not use them.

Reference:
    kubernetes pkg/registry/core/service/storage/storage.go, patchAllocatedValues and normalizeClusterIPs; strategy.go, dropTypeDependentFields.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pytest_crd.server.builtin.validation import servicefields
from pytest_crd.server.builtin.validation.servicefields import Spec

_NodePorts = set[int]


def keep_allocated(spec: dict[str, Any], old: Spec) -> None:
    """Add the addresses and ports that an update does not name."""
    if servicefields.has_addresses(old) and servicefields.has_addresses(spec):
        for name in ("clusterIP", "clusterIPs"):
            if not spec.get(name) and old.get(name):
                spec[name] = old[name]
    if servicefields.allocates_node_ports(old) and servicefields.allocates_node_ports(spec):
        numbers = {port.get("name", ""): port.get("nodePort") for port in old.get("ports") or ()}
        used = {*servicefields.node_ports(old)} & {*servicefields.node_ports(spec)}
        spec["ports"] = [
            _with_number(port, numbers.get(port.get("name", "")), used) for port in spec.get("ports") or ()
        ]
    if servicefields.needs_health_check(old) and servicefields.needs_health_check(spec):
        spec["healthCheckNodePort"] = spec.get("healthCheckNodePort") or old["healthCheckNodePort"]


def _with_number(port: dict[str, Any], number: int | None, used: _NodePorts) -> dict[str, Any]:
    return {**port, "nodePort": number} if number and number not in used and not port.get("nodePort") else port


def align_addresses(spec: dict[str, Any], old: Spec | None) -> None:
    """Make `clusterIPs` follow `clusterIP` if the client changes only `clusterIP`."""
    address, addresses = spec.get("clusterIP"), servicefields.items(spec, "clusterIPs")
    if old is None:
        if address and not addresses:
            spec["clusterIPs"] = [address]
        return
    old_address, old_addresses = old.get("clusterIP"), servicefields.items(old, "clusterIPs")
    if (address or "") == (old_address or ""):
        if old_addresses and not addresses:
            spec["clusterIPs"] = old_addresses
    elif addresses == old_addresses:
        spec["clusterIPs"] = [address] if address else []


def drop_unused(spec: dict[str, Any], old: Spec) -> None:
    """Drop the fields that the old type uses, the new one does not, and the client did not change."""
    if servicefields.has_addresses(old) and not servicefields.has_addresses(spec):
        if _is_same(spec, old, "clusterIP") and _is_same(spec, old, "clusterIPs"):
            spec.pop("clusterIP", None)
            spec.pop("clusterIPs", None)
        _drop_same(spec, old, "ipFamilies")
        _drop_same(spec, old, "ipFamilyPolicy")
    is_hidden = servicefields.is_exposed(old) and not servicefields.is_exposed(spec)
    if is_hidden and {*servicefields.node_ports(spec)} <= {*servicefields.node_ports(old)}:
        ports = spec.get("ports") or ()
        spec["ports"] = [{key: item for key, item in port.items() if key != "nodePort"} for port in ports]
    for name, uses in _USES.items():
        if uses(old) and not uses(spec):
            _drop_same(spec, old, name)


def _is_balanced(spec: Spec) -> bool:
    return spec.get("type") == servicefields.LOAD_BALANCER


_USES: Final[dict[str, Callable[[Spec], bool]]] = {
    "healthCheckNodePort": servicefields.needs_health_check,
    "allocateLoadBalancerNodePorts": _is_balanced,
    "loadBalancerClass": _is_balanced,
    "externalTrafficPolicy": servicefields.is_reachable_from_outside,
}


def _is_same(spec: Spec, old: Spec, name: str) -> bool:
    return (spec.get(name) or None) == (old.get(name) or None)


def _drop_same(spec: dict[str, Any], old: Spec, name: str) -> None:
    if name in spec and spec[name] == old.get(name):
        del spec[name]

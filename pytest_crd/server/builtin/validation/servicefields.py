"""
Questions about the spec of a Service that its allocation, validation and warnings share.

Reference:
    kubernetes pkg/api/service/util.go; pkg/registry/core/service/storage/storage.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

Spec: TypeAlias = Mapping[str, Any]

CLUSTER_IP: Final = "ClusterIP"
NODE_PORT: Final = "NodePort"
LOAD_BALANCER: Final = "LoadBalancer"
EXTERNAL_NAME: Final = "ExternalName"
NO_ADDRESS: Final = "None"
SINGLE_STACK: Final = "SingleStack"
PREFER_DUAL: Final = "PreferDualStack"
REQUIRE_DUAL: Final = "RequireDualStack"
IPV4: Final = "IPv4"
IPV6: Final = "IPv6"


def has_addresses(spec: Spec) -> bool:
    """Return whether the type has cluster IPs; `None` counts as one."""
    return spec.get("type") != EXTERNAL_NAME


def is_headless(spec: Spec) -> bool:
    """Return whether `None` is the only cluster IP."""
    return items(spec, "clusterIPs") == [NO_ADDRESS]


def is_open_headless(spec: Spec) -> bool:
    """Return whether the Service is headless and has no selector, so that it may have any families."""
    return spec.get("clusterIP") == NO_ADDRESS and not spec.get("selector")


def is_exposed(spec: Spec) -> bool:
    """Return whether the type has ports of nodes."""
    return spec.get("type") in (NODE_PORT, LOAD_BALANCER)


def allocates_node_ports(spec: Spec) -> bool:
    """Return whether each port gets a port of nodes."""
    return is_exposed(spec) and bool(spec["type"] == NODE_PORT or spec.get("allocateLoadBalancerNodePorts", True))


def is_reachable_from_outside(spec: Spec) -> bool:
    """Return whether the Service has a policy of external traffic."""
    return is_exposed(spec) or (spec.get("type") == CLUSTER_IP and bool(spec.get("externalIPs")))


def needs_health_check(spec: Spec) -> bool:
    """Return whether the Service has a port of nodes for health checks."""
    return spec.get("type") == LOAD_BALANCER and spec.get("externalTrafficPolicy") == "Local"


def items(spec: Spec, name: str) -> list[Any]:
    """Return a list of the spec; empty if it is absent."""
    return [*(spec.get(name) or ())]


def node_ports(spec: Spec) -> list[int]:
    """Return the ports of nodes of the ports."""
    return [port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")]

"""Values of the fields of Services: each type, and addresses and ports that are free, taken, wrong or in an odd notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONValue

ADDRESS: Final = "10.0.0.9"
"""The address of another Service."""
NODE_PORT: Final = 30009
"""The port of nodes of another Service."""
TAKEN: Final[Mapping[str, JSONValue]] = {"type": "NodePort", "clusterIP": ADDRESS, "ports": [{"port": 80, "nodePort": NODE_PORT}]}  # fmt: skip
"""The spec of that Service."""
_TYPES: Final = ("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")
_MAPPED: Final = "::ffff:1.2.3.4"
_IPS: Final = ("1.2.3.4", "01.2.3.4", _MAPPED, "2001:DB8::1", "2001:db8::1", "x", "", "1.2.3", "fe80::1%eth0")
_SPECIAL: Final = ("0.0.0.0", "::", "127.0.0.1", "::1", "169.254.1.1", "fe80::1", "224.0.0.1", "ff02::1", "8.8.8.8")  # noqa: S104 - refused
_CIDRS: Final = (
    *("10.0.0.0/8", " 10.0.0.0/8 ", "10.0.0.1/8", "010.0.0.0/8", "10.0.0.0/08", "::ffff:1.2.3.0/120", "2001:DB8::/32"),
    *("2001:db8::/32", "10.0.0.0/33", "10.0.0.0", "x/8", "", "::1/64", "10.0.0.0/-1"),
)
_PORT: Final = {"port": 80}
_TARGETS: Final = (0, 1, 65535, 65536, -1, "http", "", "a--b", "-a", "1", "A", "x" * 16, "80")
_NAMES: Final = ("a", "A", "", "a.b", "x" * 64, "a-")
_NUMBERS: Final = (0, 1, 65535, 65536, -1, 443)
_NODE_PORTS: Final = (30001, 30002, NODE_PORT, 0, 5, 99999, -1, 32768)
_PROTOCOLS: Final = ("UDP", "SCTP", "tcp", "", "<b>")
_APPLICATIONS: Final = ("http", "a/b", "", "a b", "x/y/z")
_PORTS: Final[Sequence[Any]] = (
    *([{**_PORT, "name": name}] for name in _NAMES),
    *([{"port": number}] for number in _NUMBERS),
    *([{**_PORT, "targetPort": target}] for target in _TARGETS),
    *([{**_PORT, "nodePort": number}] for number in _NODE_PORTS),
    *([{**_PORT, "protocol": protocol}] for protocol in _PROTOCOLS),
    *([{**_PORT, "appProtocol": application}] for application in _APPLICATIONS),
    *([], None, [_PORT, {"port": 81}], [{**_PORT, "name": "a"}, {"port": 81, "name": "a"}]),
    *([{**_PORT, "name": "a"}, {**_PORT, "name": "b", "protocol": "UDP"}], [{**_PORT, "name": "a"}, {**_PORT, "name": "b"}]),
    *(
        [{**_PORT, "name": "a", "nodePort": first}, {"port": port, "name": "b", "protocol": protocol, "nodePort": second}]
        for first, second in ((30001, 30001), (30001, 30002), (30002, 0), (0, 30001))
        for port in (80, 81)
        for protocol in ("TCP", "UDP")
    ),
)  # fmt: skip
_AFFINITIES: Final[Sequence[Any]] = (
    *({"clientIP": {"timeoutSeconds": seconds}} for seconds in (1, 0, -1, 86400, 86401, None)),
    *({}, None, {"clientIP": {}}),
)
_ANNOTATIONS: Final[Sequence[Any]] = (
    *({"service.beta.kubernetes.io/load-balancer-source-ranges": text} for text in ("10.0.0.0/8, 10.0.0.1/8", " ", "x,", "1.0.0.0/8")),
    *({f"service.kubernetes.io/topology-{name}": "Auto"} for name in ("mode", "aware-hints")),
    {"service.kubernetes.io/topology-mode": "Auto", "service.kubernetes.io/topology-aware-hints": "Disabled"},
)  # fmt: skip
_POINTS: Final[Sequence[Any]] = (
    *([{"ip": address}] for address in _IPS),
    *([{"ip": "1.2.3.4", "ipMode": mode}] for mode in ("VIP", "Proxy", "", "<b>", None)),
    *([{"hostname": host}] for host in ("a.b", "A_b", "1.2.3.4", "", "x" * 254)),
    *([], None, [{}], [{"ipMode": "VIP"}], [{"hostname": "a", "ports": [{"port": 80, "protocol": "TCP"}]}]),
)
_LOCAL: Final[Mapping[str, Any]] = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": [_PORT]}
_HEADLESS: Final[Sequence[Mapping[str, Any]]] = (
    *({}, {"selector": {"a": "b"}}, {"ipFamilyPolicy": "PreferDualStack"}, {"ipFamilies": ["IPv6"]}),
    *({"sessionAffinity": "ClientIP", "externalIPs": ["8.8.8.8"], "loadBalancerIP": "x"}, {"type": "NodePort"}),
    *(
        {"ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv4", "IPv6"]},
        {"selector": {"a": "b"}, "ipFamilies": ["IPv6"]},
    ),
    *({"clusterIPs": ["None", "10.0.0.3"]}, {"ipFamilyPolicy": "SingleStack"}, {"ports": []}),
)
_ADDRESSED: Final[Sequence[Mapping[str, Any]]] = (
    *({"clusterIPs": ["10.0.0.3", "fd00::1"]}, {"clusterIPs": ["10.0.0.3", "10.0.0.4"]}, {"clusterIPs": ["10.0.0.4"]}),
    *({"clusterIPs": ["10.0.0.3", "fd00::1", "10.0.0.5"]}, {"ipFamilies": ["IPv6"]}, {"ipFamilies": ["IPv4"]}),
    *(
        {"clusterIPs": ["10.0.0.3", "fd00::1"], "ipFamilyPolicy": "RequireDualStack", "ipFamilies": ["IPv4", "IPv6"]},
        {},
    ),
)
_SPECS: Final[Sequence[Any]] = (
    *({"type": type_, "externalName": "a.b", "ports": [_PORT]} for type_ in _TYPES),
    {"type": "ExternalName", "externalName": "a.b."},
    {"type": "ExternalName", "externalName": "a.b", "internalTrafficPolicy": "Local"},
    *({**_LOCAL, "healthCheckNodePort": number} for number in (30003, NODE_PORT, 5, -1)),
    *(_LOCAL, {**_LOCAL, "allocateLoadBalancerNodePorts": False}, {**_LOCAL, "loadBalancerClass": "example.com/a"}),
    *({"clusterIP": "None", "ports": [_PORT], **fields} for fields in _HEADLESS),
    *({"clusterIP": "10.0.0.3", "ports": [_PORT], **fields} for fields in _ADDRESSED),
)  # fmt: skip
PATH: Final = "/api/v1/namespaces/{ns}/services"
BASE: Final[Mapping[str, JSONValue]] = {"spec": {"ports": [_PORT]}}
POOLS: Final[Mapping[str, Sequence[Any]]] = {
    "spec": _SPECS,
    "spec.ports": _PORTS,
    "spec.type": (*_TYPES, *_TYPES, "", "<b>", None),
    "spec.selector": ({"a": "b"}, {"a": "b"}, {"-a": "b"}, {"a": "b c"}, {}, None),
    "spec.clusterIP": (
        *("10.0.0.3", "10.0.0.4", ADDRESS, "None", "", "10.0.0.0", "10.0.0.1", "10.0.0.255", "1.2.3.4", "x", "fd00::1"),
        *("010.0.0.3", "None", None),
    ),
    "spec.clusterIPs": (["10.0.0.3"], ["None"], [], None, ["None", "None"], ["10.0.0.3", "fd00::1"], [""], ["x", "None"]),
    "spec.ipFamilies": (["IPv4"], ["IPv6"], ["IPv4", "IPv6"], ["IPv6", "IPv4"], ["IPv4", "IPv4"], ["x", "<b>"], [], None, [""]),
    "spec.ipFamilyPolicy": ("SingleStack", "PreferDualStack", "RequireDualStack", "PreferDualStack", "", "<b>", None),
    "spec.externalIPs": ([], None, *([address] for address in (*_IPS, *_SPECIAL)), ["8.8.8.8", "01.1.1.1", "::2"]),
    "spec.externalName": ("a.b", "a.b.", "A_b", "", ".", "x" * 254),
    "spec.sessionAffinity": ("ClientIP", "None", "", "<b>", "ClientIP"),
    "spec.sessionAffinityConfig": _AFFINITIES,
    "spec.loadBalancerIP": _IPS,
    "spec.loadBalancerSourceRanges": (*([text] for text in _CIDRS), [], ["10.0.0.0/8", "x"]),
    "spec.loadBalancerClass": ("example.com/a", "b", "a b", "", None),
    "spec.allocateLoadBalancerNodePorts": (True, False, None),
    "spec.externalTrafficPolicy": ("Cluster", "Local", "Local", "", "<b>"),
    "spec.internalTrafficPolicy": ("Cluster", "Local", "", "<b>", None),
    "spec.healthCheckNodePort": (30003, NODE_PORT, 0, -1, 65536),
    "spec.trafficDistribution": ("PreferClose", "PreferSameZone", "PreferSameNode", "", "<b>", None),
    "spec.publishNotReadyAddresses": (True, False),
    "metadata.annotations": _ANNOTATIONS,
    "status.loadBalancer.ingress": _POINTS,
    "status.loadBalancer": ({}, None),
    "status.conditions": ([{"type": "A", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2024-01-02T03:04:05Z"}], []),
}  # fmt: skip


def panics(value: Any) -> bool:
    """Return whether an update with a spec lets a server panic: a Service with an address becomes headless with two families."""
    return isinstance(value, dict) and (value.get("clusterIP"), value.get("ipFamilyPolicy")) == (
        "None",
        "PreferDualStack",
    )

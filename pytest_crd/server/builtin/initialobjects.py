"""
Built-in objects of a new cluster, besides its namespaces.

The objects of the server itself: its Service with the addresses behind it, the range of cluster IPs, and the priority classes of the system.

Reference:
    kubernetes pkg/controlplane/controller/kubernetesservice, defaultservicecidr; pkg/registry/scheduling/rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey, Store

# The range of cluster IPs, with its first address.
SERVICE_RANGE: Final = "10.0.0.0/24"
_FIRST_ADDRESS: Final = "10.0.0.1"
_NAMESPACE: Final = "default"
_NAME: Final = "kubernetes"
_MANAGER: Final = "kube-apiserver"
_PORT: Final = 6443
_PORTS: Final = '{"f:ports":{".":{},"k:{\\"port\\":443,\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{},"f:port":{},"f:protocol":{},"f:targetPort":{}}}'
_SERVICE_FIELDS: Final = (
    '{"f:metadata":{"f:labels":{".":{},"f:component":{},"f:provider":{}}},"f:spec":{"f:clusterIP":{},"f:internalTrafficPolicy":{},'
    f'"f:ipFamilyPolicy":{{}},{_PORTS[1:]},"f:sessionAffinity":{{}},"f:type":{{}}}}}}'
)
_ENDPOINTS_FIELDS: Final = (
    '{"f:metadata":{"f:labels":{".":{},"f:endpointslice.kubernetes.io/skip-mirror":{}}},"f:subsets":{}}'
)
_SLICE_FIELDS: Final = '{"f:addressType":{},"f:endpoints":{},"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/service-name":{}}},"f:ports":{}}'
_ADDRESS_FIELDS: Final = (
    '{"f:metadata":{"f:labels":{".":{},"f:ipaddress.kubernetes.io/ip-family":{},"f:ipaddress.kubernetes.io/managed-by":{}}},'
    '"f:spec":{"f:parentRef":{".":{},"f:name":{},"f:namespace":{},"f:resource":{}}}}'
)
_PRIORITIES: Final = (
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
)


def store(store_: Store, address: str) -> None:
    """
    Store the objects, or update those with the address of the server.

    Args:
        store_: The store.
        address: The host, and optionally the port, of the server.
    """
    for key, value in _objects(address):
        old = store_.get(key)
        if old is None:
            store_.put(key, value)
        elif {**value, "metadata": {}} != {**old.value, "metadata": {}}:
            store_.put(key, {**value, "metadata": old.value["metadata"]})


def _objects(address: str) -> Iterator[tuple[ObjectKey, Resource]]:
    host, _, port_text = address.partition(":")
    number = int(port_text or _PORT)
    port: JSONValue = {"name": "https", "protocol": "TCP", "port": number}
    yield _object("services", "v1", "Service", _NAME, _service(number), _SERVICE_FIELDS)
    yield _object("endpoints", "v1", "Endpoints", _NAME, _endpoints(host, port), _ENDPOINTS_FIELDS)
    slices = "endpointslices.discovery.k8s.io"
    yield _object(slices, "discovery.k8s.io/v1", "EndpointSlice", _NAME, _slice(host, port), _SLICE_FIELDS)
    networking = "networking.k8s.io"
    cidr = _object(
        f"servicecidrs.{networking}",
        f"{networking}/v1",
        "ServiceCIDR",
        _NAME,
        _range(),
        '{"f:spec":{"f:cidrs":{}}}',
        "",
    )
    yield cidr
    addresses = f"ipaddresses.{networking}"
    yield _object(addresses, f"{networking}/v1", "IPAddress", _FIRST_ADDRESS, _address(), _ADDRESS_FIELDS, "")
    for name, number, description in _PRIORITIES:
        value = {
            "metadata": {"generation": 1},
            "value": number,
            "description": description,
            "preemptionPolicy": "PreemptLowerPriority",
        }
        fields = '{"f:description":{},"f:preemptionPolicy":{},"f:value":{}}'
        group = "scheduling.k8s.io"
        yield _object(f"priorityclasses.{group}", f"{group}/v1", "PriorityClass", name, value, fields, "")  # fmt: skip


def _object(  # noqa: PLR0913, PLR0917 - the parts of an object
    resource: str,
    api_version: str,
    kind: str,
    name: str,
    value: Resource,
    fields: str,
    namespace: str = _NAMESPACE,
) -> tuple[ObjectKey, Resource]:
    """Return an object that the server itself manages, with its key."""
    now = generatedvalues.now()
    manager = {
        "manager": _MANAGER,
        "operation": "Update",
        "apiVersion": api_version,
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": json.loads(fields),
    }
    metadata = {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        "uid": generatedvalues.uid(),
        **value["metadata"],
        "creationTimestamp": now,
        "managedFields": [manager],
    }
    return ObjectKey(resource, namespace, name), {
        **value,
        "kind": kind,
        "apiVersion": api_version,
        "metadata": metadata,
    }


def _service(port: int) -> Resource:
    ports = [{"name": "https", "protocol": "TCP", "port": 443, "targetPort": port}]
    address = {"clusterIP": _FIRST_ADDRESS, "clusterIPs": [_FIRST_ADDRESS], "type": "ClusterIP"}
    families = {"ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack"}
    spec = {"ports": ports, **address, "sessionAffinity": "None", **families, "internalTrafficPolicy": "Cluster"}
    labels = {"component": "apiserver", "provider": "kubernetes"}
    return {"metadata": {"labels": labels}, "spec": spec, "status": {"loadBalancer": {}}}


def _endpoints(host: str, port: JSONValue) -> Resource:
    labels = {"endpointslice.kubernetes.io/skip-mirror": "true"}
    return {"metadata": {"labels": labels}, "subsets": [{"addresses": [{"ip": host}], "ports": [port]}]}


def _slice(host: str, port: JSONValue) -> Resource:
    endpoints = [{"addresses": [host], "conditions": {"ready": True}}]
    metadata = {"generation": 1, "labels": {"kubernetes.io/service-name": _NAME}}
    return {"metadata": metadata, "addressType": "IPv4", "endpoints": endpoints, "ports": [port]}


def _range() -> Resource:
    ready = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": generatedvalues.now(),
        "reason": "",
        "message": "Kubernetes default Service CIDR is ready",
    }
    return {"metadata": {}, "spec": {"cidrs": [SERVICE_RANGE]}, "status": {"conditions": [ready]}}


def _address() -> Resource:
    labels = {"ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}
    parent = {"resource": "services", "namespace": _NAMESPACE, "name": _NAME}
    return {"metadata": {"labels": labels}, "spec": {"parentRef": parent}}

"""Prepared conversations about the admission plugins of every server: classes of Pods, their Nodes, and subjects of requests."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any, Final

from oracle.generators import certificatepools
from pytest_crd.engine.jsonvalue import JSONValue

_PODS: Final = "/api/v1/namespaces/{ns}/pods"
_NODES: Final = "/api/v1/nodes"
_RUNTIMES: Final = "/apis/node.k8s.io/v1/runtimeclasses"
_REQUESTS: Final = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
_MERGE: Final = "application/merge-patch+json"
_APPLY: Final = "application/apply-patch+yaml"
_OVERHEAD: Final = {"podFixed": {"cpu": "250m", "memory": "120Mi"}}
# The parts of runtime classes, by the ends of their names.
_CLASSES: Final[Mapping[str, Any]] = {
    "plain": {},
    "empty": {"overhead": {}, "scheduling": {}},
    "none": {"overhead": {"podFixed": {}}, "scheduling": {"nodeSelector": {}, "tolerations": []}},
    "heavy": {"overhead": _OVERHEAD},
    "placed": {"scheduling": {"nodeSelector": {"disk": "ssd", "zone": "a"}}},
    "tolerant": {
        "scheduling": {
            "tolerations": [
                {"key": "a", "operator": "Exists"},
                {"key": "b", "operator": "Equal", "value": "c", "effect": "NoSchedule"},
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
            ]
        }
    },
    "other": {"scheduling": {"tolerations": [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 400}]}},
}
_POD_PARTS: Final[tuple[Any, ...]] = (
    {},
    {"overhead": {}},
    {"overhead": {"cpu": "250m", "memory": "120Mi"}},
    {"overhead": {"cpu": "0.25", "memory": "125829120"}},
    {"overhead": {"cpu": "0.25"}},
    {"overhead": {"cpu": "1", "memory": "120Mi"}},
    {"nodeSelector": {}},
    {"nodeSelector": {"disk": "ssd", "own": "x"}},
    {"nodeSelector": {"disk": "hdd"}},
    {"tolerations": [{"key": "a", "operator": "Exists", "effect": "NoSchedule"}, {"key": "b", "value": "c"}]},
    {"tolerations": [{"key": "b", "operator": "Equal", "value": "c"}, {"key": "b", "operator": "Equal", "value": "d"}]},
    {"tolerations": [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 500}]},
    {"tolerations": [{"operator": "Exists"}, {"key": "a", "operator": "Exists"}]},
    {"tolerations": [{"key": "a", "operator": "Exists"}, {"key": "a", "operator": "Exists"}]},
)
_ZONE: Final = "topology.kubernetes.io/zone"
_REGION: Final = "topology.kubernetes.io/region"
_LABELS: Final[Mapping[str, Any]] = {
    "bare": {},
    "zoned": {_ZONE: "z", _REGION: "r", "kubernetes.io/hostname": "h", "topology.kubernetes.io/rack": "k"},
    "regional": {_REGION: "r"},
    "windows": {"kubernetes.io/os": "windows"},
    "linux": {"kubernetes.io/os": "linux"},
}


def conversations() -> Mapping[str, list[JSONValue]]:
    """Return the requests of each conversation, by topic."""
    return {
        "plugins: runtime classes of Pods": [*_runtimes()],
        "plugins: topology labels of Pods": [*_topology()],
        "plugins: resizes on Nodes": [*_resizes()],
        "plugins: subjects of certificates": [*_subjects()],
    }


def _runtimes() -> Iterator[JSONValue]:
    for name, parts in _CLASSES.items():
        body = {"metadata": {"name": f"{{ns}}-{name}"}, "handler": "h", **parts}
        yield {"method": "POST", "path": _RUNTIMES, "body": body}
        for part in _POD_PARTS:
            yield _pod_create("a", {**part, "runtimeClassName": f"{{ns}}-{name}"}, "?dryRun=All")
    for name in ("none", "", "a/b%", "."):
        for part in _POD_PARTS[:3]:
            yield _pod_create("a", {**part, "runtimeClassName": name}, "?dryRun=All")
    yield from (_pod_create("a", part, "?dryRun=All") for part in _POD_PARTS)
    yield _pod_create("a", {"runtimeClassName": "{ns}-tolerant", "tolerations": _POD_PARTS[9]["tolerations"]})
    yield _pod_create("b", {"runtimeClassName": "{ns}-heavy"})
    yield _patch(f"{_PODS}/b", {"metadata": {"labels": {"a": "b"}}})
    yield _patch(f"{_PODS}/b", {"spec": {"overhead": {"cpu": "1"}}})
    yield {
        "method": "PATCH",
        "path": f"{_PODS}/c?fieldManager=m",
        "mediaType": _APPLY,
        "body": {"apiVersion": "v1", "kind": "Pod", **_pod("c", {"runtimeClassName": "{ns}-placed"})},
    }


def _topology() -> Iterator[JSONValue]:
    yield from _nodes()
    for name in (*_LABELS, "missing"):
        yield _pod_create(name, {"nodeName": f"{{ns}}-{name}"})
        yield _pod_create(f"{name}-own", {"nodeName": f"{{ns}}-{name}"}, **{_ZONE: "own", "a": "b"})
        yield _pod_create(f"{name}-bound", {}, **{_ZONE: "own"})
        for kind in ("Node", ""):
            binding = {
                "metadata": {"name": f"{name}-bound", "labels": {"c": "d", _REGION: "own"}, "annotations": {"e": "f"}},
                "target": {"kind": kind, "name": f"{{ns}}-{name}"},
            }
            yield {"method": "POST", "path": f"{_PODS}/{name}-bound/binding", "body": binding}
        yield {"method": "GET", "path": f"{_PODS}/{name}-bound"}
        yield _patch(f"{_PODS}/{name}", {"metadata": {"labels": {_ZONE: None}}})


def _resizes() -> Iterator[JSONValue]:
    yield from _nodes()
    for name in ("bare", "windows", "linux"):
        for status in (
            {},
            {"allocatable": {"cpu": "1", "memory": "1Gi"}},
            {"declaredFeatures": ["InPlacePodLevelResourcesVerticalScaling"]},
            {
                "declaredFeatures": [
                    "InPlacePodLevelResourcesVerticalScaling",
                    "InPlacePodVerticalScalingInitContainers",
                ]
            },
        ):
            yield _patch(f"{_NODES}/{{ns}}-{name}/status", {"status": status})
            yield from _resized(f"{name}{len(status)}{len(str(status))}", f"{{ns}}-{name}")
    yield from _resized("missing", "{ns}-missing")
    yield from _resized("unbound", "")


def _resized(name: str, node: str) -> Iterator[JSONValue]:
    """Yield resizes of a Pod with its own resources and an init container."""
    first = {"requests": {"cpu": "100m", "memory": "1Mi"}}
    spec = {
        "nodeName": node,
        "containers": [{"name": "a", "image": "a", "resources": first}],
        "initContainers": [
            {"name": "b", "image": "b", "resources": first},
            {"name": "c", "image": "c", "resources": first, "restartPolicy": "Always"},
        ],
    }
    yield _pod_create(name, spec)
    yield _pod_create(f"{name}-whole", {**spec, "resources": {"requests": {"cpu": "200m", "memory": "2Mi"}}})
    changes: tuple[tuple[str, Any], ...] = (
        ("containers/0", {"cpu": "100m"}),
        ("containers/0", {"cpu": "900m"}),
        ("containers/0", {"cpu": "900001u"}),
        ("containers/0", {"cpu": "9", "memory": "1Ti"}),
        ("initContainers/0", {"cpu": "5"}),
        ("initContainers/0", {"cpu": "200m"}),
        ("initContainers/1", {"memory": "2Mi"}),
        ("resources", {"cpu": "2"}),
        ("resources", {"cpu": "300m"}),
    )
    for place, amounts in changes:
        for end in ("", "-whole"):
            at = "/spec/resources" if place == "resources" else f"/spec/{place}/resources"
            patch = [{"op": "add", "path": f"{at}/requests/{key}", "value": text} for key, text in amounts.items()]
            yield {
                "method": "PATCH",
                "path": f"{_PODS}/{name}{end}/resize?dryRun=All",
                "body": patch,
                "mediaType": "application/json-patch+json",
            }


def _subjects() -> Iterator[JSONValue]:
    for request in ("EC", "MASTERS", "EC_FORGED"):
        for signer in ("kubernetes.io/kube-apiserver-client", "example.com/a"):
            encoded = base64.b64encode(certificatepools.PEMS[request].encode()).decode()
            spec = {"request": encoded, "signerName": signer, "usages": ["client auth"]}
            name = f"{{ns}}-{request.lower().replace('_', '-')}-{signer.partition('.')[0]}"
            headers = {"impersonate-user": "kubernetes-admin", "impersonate-group": "system:masters"}
            body = {"metadata": {"name": name}, "spec": spec}
            yield {"method": "POST", "path": _REQUESTS, "body": body, "headers": headers}
            yield {**_patch(f"{_REQUESTS}/{name}", {"metadata": {"labels": {"a": "b"}}}), "headers": headers}


def _nodes() -> Iterator[JSONValue]:
    for name, labels in _LABELS.items():
        yield {"method": "POST", "path": _NODES, "body": {"metadata": {"name": f"{{ns}}-{name}", "labels": labels}}}


def _pod(name: str, spec: Mapping[str, Any], **labels: str) -> dict[str, Any]:
    whole = {"containers": [{"name": "a", "image": "a"}], **spec}
    return {"metadata": {"name": name, "labels": labels}, "spec": whole}


def _pod_create(name: str, spec: Mapping[str, Any], end: str = "", **labels: str) -> JSONValue:
    return {"method": "POST", "path": f"{_PODS}{end}", "body": _pod(name, spec, **labels)}


def _patch(path: str, body: JSONValue) -> JSONValue:
    return {"method": "PATCH", "path": path, "body": body, "mediaType": _MERGE}

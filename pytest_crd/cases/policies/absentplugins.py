"""
Fields that admission plugins of a server set before policies, and that the engine leaves absent.

Reference:
    kubernetes plugin/pkg/admission: serviceaccount, limitranger, storage/storageclass/setdefault, network/defaultingressclass, runtimeclass.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.cases.policies.caserequests import CaseRequest
from pytest_crd.cases.policies.policysubjects import PolicySubject
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue

_Completion: TypeAlias = "Callable[[JSONObject], JSONObject]"

_MIRROR: Final = "kubernetes.io/config.mirror"
_CONTAINERS: Final = ("initContainers", "containers")
_TOKEN: Final = "kube-api-access-xxxxx"  # noqa: S105 - the name of a volume; a server ends it with random letters
_TOKEN_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105
_MOUNT: Final = {"name": _TOKEN, "readOnly": True, "mountPath": _TOKEN_PATH}
_SOURCES: Final = (
    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    {
        "downwardAPI": {
            "items": [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]
        }
    },
)
_AMOUNTS: Final = {"cpu": "1", "memory": "1Gi"}


class PluginFields(NamedTuple):
    """
    Fields that a plugin sets in the objects of a resource.

    Attributes:
        plugin: The name of the plugin.
        resource: The resource: `plural` or `plural.group`.
        paths: The fields.
        complete: Returns an object with the fields; the same object if the plugin sets none.
        condition: The objects of a cluster that the plugin needs; empty if it sets the fields on each server.
    """

    plugin: str
    resource: str
    paths: tuple[str, ...]
    complete: _Completion
    condition: str = ""

    @property
    def words(self) -> str:
        """The fields in words."""
        return " and ".join(self.paths)


def find_requests(request: CaseRequest, subject: PolicySubject) -> Iterator[tuple[PluginFields, CaseRequest]]:
    """
    Yield the fields that a policy names and a plugin would set, and the request with them.

    Args:
        request: The request of a case.
        subject: The policy.
    """
    rows = [row for row in _FIELDS if row.resource == request.type_.resource]
    text = json.dumps([item.value for item in subject.manifests]) if rows else ""
    kind = request.type_.names.kind
    for row in rows:
        if any(path.rpartition(".")[2] in text for path in row.paths):
            completed = request._replace(
                sent=_complete(row, request.sent, kind),
                old=_complete(row, request.old, kind),
            )
            if completed != request:
                yield row, completed


def _complete(row: PluginFields, value: JSONObject | None, kind: str) -> JSONObject | None:
    """Return an object with the fields of a plugin, which leaves other kinds and the Pods of a kubelet alone."""
    if value is None or value.get("kind") != kind or _MIRROR in _annotations(value):
        return value
    return row.complete(value)


def _annotations(value: JSONObject) -> Mapping[str, JSONValue]:
    return value["metadata"].get("annotations") or {}


def _spec(value: JSONObject) -> dict[str, Any]:
    return value.get("spec") or {}


def _setting(name: str, field: JSONValue, *, empty: JSONValue = None, annotation: str = "") -> _Completion:
    """
    Return a function that sets a field of the spec.

    Args:
        name: The name of the field.
        field: Its value.
        empty: A value that the plugin replaces.
        annotation: An annotation that stands for the field.
    """

    def complete(value: JSONObject) -> JSONObject:
        spec = _spec(value)
        if spec.get(name) not in (None, empty) or annotation in _annotations(value):
            return value
        return {**value, "spec": {**spec, name: field}}

    return complete


def _change_containers(pod: JSONObject, change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Return the spec of a Pod with changed containers."""
    spec = _spec(pod)
    return {**spec, **{key: [*map(change, spec[key])] for key in _CONTAINERS if spec.get(key)}}


def _mount_token(pod: JSONObject) -> JSONObject:
    """Return a Pod with the volume of a token, unless the Pod forbids the volume or has one."""

    def mount(container: dict[str, Any]) -> dict[str, Any]:
        mounts = container.get("volumeMounts") or []
        is_mounted = any(item.get("mountPath") == _TOKEN_PATH for item in mounts)
        return container if is_mounted else {**container, "volumeMounts": [*mounts, _MOUNT]}

    spec = _change_containers(pod, mount)
    if spec.get("automountServiceAccountToken") is False or spec == _spec(pod):
        return pod
    volume = {"name": _TOKEN, "projected": {"sources": [*_SOURCES], "defaultMode": 420}}
    account = spec.get("serviceAccountName") or "default"  # without an account, no Pod has a token
    named = {"serviceAccountName": account, "serviceAccount": account}
    return {**pod, "spec": {**spec, **named, "volumes": [*(spec.get("volumes") or []), volume]}}


def _limit(pod: JSONObject) -> JSONObject:
    """Return a Pod with requests and limits."""

    def limit(container: dict[str, Any]) -> dict[str, Any]:
        needs = container.get("resources") or {}
        amounts = {key: {**_AMOUNTS, **(needs.get(key) or {})} for key in ("limits", "requests")}
        return {**container, "resources": {**needs, **amounts}}

    return {**pod, "spec": _change_containers(pod, limit)}


def _add_overhead(pod: JSONObject) -> JSONObject:
    """Return a Pod with the overhead of its RuntimeClass, if it names one."""
    is_complete = "overhead" in _spec(pod) or not _spec(pod).get("runtimeClassName")
    return pod if is_complete else {**pod, "spec": {**_spec(pod), "overhead": _AMOUNTS}}


# An entry goes once the server imitates the plugin. Default classes are objects that a case may lack.
_FIELDS: Final = (
    PluginFields(
        "ServiceAccount",
        "pods",
        ("spec.serviceAccountName", "spec.serviceAccount"),
        _setting("serviceAccountName", "default", empty=""),
    ),
    PluginFields("ServiceAccount", "pods", ("spec.volumes", "spec.containers[*].volumeMounts"), _mount_token),
    PluginFields(
        "ServiceAccount",
        "pods",
        ("spec.imagePullSecrets",),
        _setting("imagePullSecrets", [{"name": "registry"}], empty=[]),
        "a ServiceAccount with imagePullSecrets",
    ),
    PluginFields(
        "LimitRanger", "pods", ("spec.containers[*].resources",), _limit, "a LimitRange with defaults in the namespace"
    ),
    PluginFields("RuntimeClass", "pods", ("spec.overhead",), _add_overhead, "a RuntimeClass with overhead"),
    PluginFields(
        "DefaultStorageClass",
        "persistentvolumeclaims",
        ("spec.storageClassName",),
        _setting("storageClassName", "standard", annotation="volume.beta.kubernetes.io/storage-class"),
        "a default StorageClass",
    ),
    PluginFields(
        "DefaultIngressClass",
        "ingresses.networking.k8s.io",
        ("spec.ingressClassName",),
        _setting("ingressClassName", "nginx", annotation="kubernetes.io/ingress.class"),
        "a default IngressClass",
    ),
)

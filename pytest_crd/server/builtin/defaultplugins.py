"""
The admission plugins of every server.

Mutating ones run before policies and webhooks, and again after their changes. Validating ones precede those of policies and webhooks.

Reference:
    kubernetes plugin/pkg/admission: certificates/subjectrestriction, nodetaint, network/defaultingressclass,
    storage/persistentvolume/resize, storage/storageobjectinuseprotection and storage/storageclass/setdefault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import DefaultPlugins
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.strategy import PendingWrite
from pytest_crd.server.builtin import podplugins, resizeplugins
from pytest_crd.server.builtin.validation import signingrequests
from pytest_crd.server.store.store import ObjectKey, Store

_Object: TypeAlias = "dict[str, Any]"
_Stored: TypeAlias = Mapping[str, Any]
_Plugin: TypeAlias = "Callable[[_Object, _Stored | None, Store, Profile], _Object]"
_Validate: TypeAlias = "Callable[[PendingWrite, Store, Profile], None]"

_CLAIMS: Final = "persistentvolumeclaims"
_REQUESTS: Final = "certificatesigningrequests.certificates.k8s.io"
_CLIENTS: Final = "kubernetes.io/kube-apiserver-client"
_MASTERS: Final = "system:masters"


def find(resource: str, store: Store, profile: Profile) -> DefaultPlugins | None:
    """
    Return the mutating plugins for the objects of a resource; None without any.

    Args:
        resource: The resource: `plural` or `plural.group`.
        store: The store of the server.
        profile: The Kubernetes version.
    """
    plugin = _PLUGINS.get(resource)
    return None if plugin is None else lambda new, old: plugin({**new}, old, store, profile)


def validate(resource: str, write: PendingWrite, store: Store, profile: Profile) -> None:
    """
    Run the validating plugins for a valid object.

    Raises:
        RefusedError: 403: one refuses it.
    """
    plugin = _VALIDATING.get((resource, write.subresource, "CREATE" if write.live is None else "UPDATE"))
    if plugin is not None:
        plugin(write, store, profile)


def _refuse_masters(write: PendingWrite, *_: object) -> None:
    """
    Refuse a request for the certificate of a client with all rights.

    Raises:
        RefusedError: 403.
    """
    request: _Stored = write.resource
    spec = request["spec"]
    if spec["signerName"] == _CLIENTS and _MASTERS in signingrequests.find_organizations(spec["request"]):
        problem = f"use of {_CLIENTS} signer with {_MASTERS} group is not allowed"
        raise _refuse(request, problem, _REQUESTS)


def _refuse(value: _Stored, problem: str, resource: str) -> RefusedError:
    name = value["metadata"]["name"]
    plural, _, group = resource.partition(".")
    subject = {"name": name, **({"group": group} if group else {}), "kind": plural}
    return RefusedError(Refusal(403, "Forbidden", f'{resource} "{name}" is forbidden: {problem}', subject=subject))


def _node(node: _Object, old: _Stored | None, *_: object) -> _Object:
    """Add the taint of a new Node."""
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    taints = node["spec"].get("taints") or []
    is_tainted = any((item.get("key"), item.get("effect")) == (*taint.values(),) for item in taints)
    return node if old is not None or is_tainted else {**node, "spec": {**node["spec"], "taints": [*taints, taint]}}


def _protecting(finalizer: str) -> _Plugin:
    """Return the plugin that adds a finalizer to new objects."""

    def protect(value: _Object, old: _Stored | None, *_: object) -> _Object:
        finalizers = value["metadata"].get("finalizers") or []
        if old is not None or finalizer in finalizers:
            return value
        return {**value, "metadata": {**value["metadata"], "finalizers": [*finalizers, finalizer]}}

    return protect


class _DefaultClass(NamedTuple):
    """
    The plugin that gives a new object the default class of the cluster.

    Attributes:
        classes: The resource of classes.
        marks: The annotations of a default class.
        field: The field of the spec with the name of the class.
        annotation: The old annotation with the name, which an object may have instead.
    """

    classes: str
    marks: tuple[str, ...]
    field: str
    annotation: str

    def add(self, value: _Object, old: _Stored | None, store: Store, _profile: Profile) -> _Object:
        """Return an object with the newest default class, unless it names one; of the same age the first by name."""
        has_class = self.field in value["spec"] or self.annotation in (value["metadata"].get("annotations") or {})
        if old is not None or has_class:
            return value
        metadata = [entry.value["metadata"] for entry in store.entries(self.classes) if self._is_default(entry.value)]
        if not metadata:
            return value
        by_name = sorted(metadata, key=lambda item: item["name"])
        newest = max(by_name, key=lambda item: item["creationTimestamp"])
        return {**value, "spec": {**value["spec"], self.field: newest["name"]}}

    def _is_default(self, class_: _Stored) -> bool:
        annotations = class_["metadata"].get("annotations") or {}
        return any(annotations.get(mark) == "true" for mark in self.marks)


_STORAGE_CLASS: Final = _DefaultClass(
    "storageclasses.storage.k8s.io",
    ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"),
    "storageClassName",
    "volume.beta.kubernetes.io/storage-class",
)
_INGRESS_CLASS: Final = _DefaultClass(
    "ingressclasses.networking.k8s.io",
    ("ingressclass.kubernetes.io/is-default-class",),
    "ingressClassName",
    "kubernetes.io/ingress.class",
)
_protect_claim: Final = _protecting("kubernetes.io/pvc-protection")


def _claim(claim: _Object, old: _Stored | None, store: Store, profile: Profile) -> _Object:
    return _STORAGE_CLASS.add(_protect_claim(claim, old, store, profile), old, store, profile)


def _refuse_growth(write: PendingWrite, store: Store, _profile: Profile) -> None:
    """
    Check the size of a bound claim: it grows only if its class allows it. Validation keeps the size of other claims.

    Raises:
        RefusedError: 403: the claim may not grow.
    """
    claim: _Stored = write.resource
    old: _Stored = write.live or {}
    sizes = [((side["spec"].get("resources") or {}).get("requests") or {}).get("storage", "0") for side in (claim, old)]
    if amounts.compare(*map(amounts.parse, sizes)) <= 0:
        return
    class_, old_class = (
        (side["metadata"].get("annotations") or {}).get(_STORAGE_CLASS.annotation)
        or side["spec"].get("storageClassName")
        for side in (claim, old)
    )
    stored = store.get(ObjectKey(_STORAGE_CLASS.classes, "", class_)) if class_ and class_ == old_class else None
    if stored is not None and stored.value.get("allowVolumeExpansion"):
        return
    problem = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
    raise _refuse(claim, problem, _CLAIMS)


_PLUGINS: Final[Mapping[str, _Plugin]] = {
    "ingresses.networking.k8s.io": _INGRESS_CLASS.add,
    "nodes": _node,
    _CLAIMS: _claim,
    "persistentvolumes": _protecting("kubernetes.io/pv-protection"),
    "pods": podplugins.complete,
    "volumeattributesclasses.storage.k8s.io": _protecting("kubernetes.io/vac-protection"),
}
# By resource, subresource and operation.
_VALIDATING: Final[Mapping[tuple[str, str, str], _Validate]] = {
    (_CLAIMS, "", "UPDATE"): _refuse_growth,
    (_REQUESTS, "", "CREATE"): _refuse_masters,
    ("pods", "", "CREATE"): podplugins.validate_overhead,
    ("pods", "resize", "UPDATE"): resizeplugins.validate,
}

"""
The mutating admission plugins of every server: they run before policies and webhooks, and again after their changes.

Reference:
    kubernetes plugin/pkg/admission: priority, defaulttolerationseconds, nodetaint, network/defaultingressclass,
    storage/storageobjectinuseprotection and storage/storageclass/setdefault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.registry.admission import DefaultPlugins
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.store.store import ObjectKey, Store

_Object: TypeAlias = "dict[str, Any]"
_Stored: TypeAlias = Mapping[str, Any]
_Plugin: TypeAlias = "Callable[[_Object, _Stored | None, Store], _Object]"

_CLASSES: Final = "priorityclasses.scheduling.k8s.io"
_LOWER: Final = "PreemptLowerPriority"
_PRIORITY: Final = ("priority", "preemptionPolicy")
_TAINTS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_SECONDS: Final = 300


def find(resource: str, store: Store) -> DefaultPlugins | None:
    """
    Return the plugins for the objects of a resource; None without any.

    Args:
        resource: The resource: `plural` or `plural.group`.
        store: The store of the server.
    """
    plugin = _PLUGINS.get(resource)
    return None if plugin is None else lambda new, old: plugin({**new}, old, store)


def _pod(pod: _Object, old: _Stored | None, store: Store) -> _Object:
    """
    Return a Pod with its priority and tolerations; an update keeps the priority.

    Raises:
        RefusedError: 403: the priority class does not exist, or the Pod has another priority.
    """
    spec = pod["spec"]
    if old is None:
        priority = _priority(pod, store)
    else:
        priority = {key: old["spec"][key] for key in _PRIORITY if key in old["spec"] and key not in spec}
    return {**pod, "spec": {**spec, **priority, "tolerations": _tolerations(spec.get("tolerations") or [])}}


def _priority(pod: _Object, store: Store) -> _Object:
    """
    Return the fields of the priority class.

    Raises:
        RefusedError: 403.
    """
    spec, name = pod["spec"], pod["spec"].get("priorityClassName", "")
    class_ = _find_class(name, store)
    if class_ is None and name:
        raise _refuse(pod, f"no PriorityClass with name {name} was found")
    computed = {"value": 0, **(class_ or {})}
    if spec.get("priority", computed["value"]) != computed["value"]:
        problem = (
            f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; "
            f"priority admission controller computed {computed['value']} from the given PriorityClass name"
        )
        raise _refuse(pod, problem)
    policy = computed.get("preemptionPolicy", _LOWER)
    if spec.get("preemptionPolicy", policy) != policy:
        problem = (
            f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec; "
            f"priority admission controller computed {policy} from the given PriorityClass name"
        )
        raise _refuse(pod, problem)
    named = {"priorityClassName": class_["metadata"]["name"]} if class_ is not None else {}
    return {**named, "priority": computed["value"], "preemptionPolicy": policy}


def _refuse(pod: _Object, problem: str) -> RefusedError:
    metadata = pod["metadata"]
    name = metadata.get("name") or metadata.get("generateName") or "Unknown"  # admission precedes the generated name
    return RefusedError(
        Refusal(403, "Forbidden", f'pods "{name}" is forbidden: {problem}', subject={"name": name, "kind": "pods"})
    )


def _find_class(name: str, store: Store) -> _Stored | None:
    """Return a priority class by its name, or the default one with the lowest value for an empty name; None without one."""
    if name:
        entry = store.get(ObjectKey(_CLASSES, "", name))
        return None if entry is None else entry.value
    defaults = [entry.value for entry in store.entries(_CLASSES) if entry.value.get("globalDefault")]
    return min(defaults, key=lambda class_: class_["value"], default=None)


def _tolerations(tolerations: Sequence[_Object]) -> list[_Object]:
    """Add the tolerations of every Pod."""
    completed = [*tolerations]
    for taint in _TAINTS:
        if not any(
            item.get("key", "") in ("", taint) and item.get("effect", "") in ("", "NoExecute") for item in tolerations
        ):
            new = {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _SECONDS}
            completed.append(new)
    return completed


def _node(node: _Object, old: _Stored | None, _: Store) -> _Object:
    """Add the taint of a new Node."""
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    taints = node["spec"].get("taints") or []
    is_tainted = any((item.get("key"), item.get("effect")) == (*taint.values(),) for item in taints)
    return node if old is not None or is_tainted else {**node, "spec": {**node["spec"], "taints": [*taints, taint]}}


def _protecting(finalizer: str) -> _Plugin:
    """Return the plugin that adds a finalizer to new objects."""

    def protect(value: _Object, old: _Stored | None, _: Store) -> _Object:
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

    def add(self, value: _Object, old: _Stored | None, store: Store) -> _Object:
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


def _claim(claim: _Object, old: _Stored | None, store: Store) -> _Object:
    return _STORAGE_CLASS.add(_protect_claim(claim, old, store), old, store)


def refuse_growth(claim: _Stored, old: _Stored, store: Store) -> None:
    """
    Check the size of a bound claim: it grows only if its class allows it. Validation keeps the size of other claims.

    Raises:
        RefusedError: 403: the claim may not grow.

    Reference:
        kubernetes plugin/pkg/admission/storage/persistentvolume/resize.
    """
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
    name, plural = claim["metadata"]["name"], "persistentvolumeclaims"
    text = f'{plural} "{name}" is forbidden: {problem}'
    raise RefusedError(Refusal(403, "Forbidden", text, subject={"name": name, "kind": plural}))


_PLUGINS: Final[Mapping[str, _Plugin]] = {
    "ingresses.networking.k8s.io": _INGRESS_CLASS.add,
    "nodes": _node,
    "persistentvolumeclaims": _claim,
    "persistentvolumes": _protecting("kubernetes.io/pv-protection"),
    "pods": _pod,
    "volumeattributesclasses.storage.k8s.io": _protecting("kubernetes.io/vac-protection"),
}

"""
Controller of namespaces: it deletes the objects of a deleted namespace, then the namespace.

Reference:
    kubernetes pkg/controller/namespace/deletion/namespaced_resources_deleter.go and status_condition_utils.go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pytest_crd.server import namespaces
from pytest_crd.server.deleting import delete_entry
from pytest_crd.server.simulatedworkloads import SimulatedWorkloads
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import Event, ObjectKey, Store, StoredObject

_Condition: TypeAlias = "Mapping[str, Any]"

_FINALIZER: Final = "kubernetes"
_PODS: Final = "pods"
_CONTENT: Final = "NamespaceContentRemaining"
_FINALIZERS: Final = "NamespaceFinalizersRemaining"
# The reasons and messages of the conditions without a problem.
_SUCCESSES: Final = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": (
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    _CONTENT: ("ContentRemoved", "All content successfully removed"),
    _FINALIZERS: ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}


class NamespaceController:
    """Controller of namespaces. It looks through all resources, as a namespace may have objects of each."""

    resources: frozenset[str] = frozenset()

    def __init__(self, store: Store, workloads: SimulatedWorkloads | None = None) -> None:
        """Create for a store, with the holds of a test; None if it can have none."""
        self._store = store
        self._workloads = workloads

    def find_keys(self, event: Event) -> Iterable[str]:
        """Return the name of a deleted namespace after its change or that of one of its objects."""
        key = event.key
        name = key.name if key.resource == namespaces.RESOURCE else key.namespace
        entry = self._store.get(ObjectKey(namespaces.RESOURCE, "", name)) if name else None
        return () if entry is None or not entry.value["metadata"].get("deletionTimestamp") else (name,)

    def reconcile(self, key: str) -> bool:
        """Delete the objects of a deleted namespace, then the namespace; return True if a test holds it back."""
        entry = self._store.get(ObjectKey(namespaces.RESOURCE, "", key))
        if entry is None:
            return False
        if self._workloads is not None and self._workloads.is_held(entry.key):
            return True
        pods = self._delete_objects([_PODS], key)
        remaining = pods or self._delete_objects(self._store.resources(), key)
        # Remaining Pods are not told, as in a cluster.
        self._finish(entry, {} if pods else _find_problems(remaining), is_empty=not remaining)
        return False

    def _delete_objects(self, resources: Iterable[str], namespace: str) -> list[StoredObject]:
        """Delete the objects of a namespace, and return the objects with finalizers."""
        remaining = []
        for resource in resources:
            for object_ in self._store.entries(resource, namespace):
                delete_entry(self._store, object_)
                if (entry := self._store.get(object_.key)) is not None:
                    remaining.append(entry)
        return remaining

    def _finish(self, entry: StoredObject, problems: Mapping[str, tuple[str, str]], *, is_empty: bool) -> None:
        """Set the conditions of a namespace; an empty one loses the finalizer of the controller, and is deleted if it has no other."""
        spec, status = entry.value.get("spec") or {}, entry.value.get("status") or {}
        finalizers = spec.get("finalizers") or []
        conditions = _set_conditions(status.get("conditions") or (), problems)
        value = {**entry.value, "status": {**status, "conditions": conditions}}
        if is_empty:
            value["spec"] = {**spec, "finalizers": [name for name in finalizers if name != _FINALIZER]}
            if not value["spec"]["finalizers"]:
                del value["spec"]["finalizers"]
        if value != entry.value:
            self._store.put(entry.key, value)
        if is_empty and not (value["spec"].get("finalizers") or value["metadata"].get("finalizers")):
            self._store.delete(entry.key)


def _find_problems(remaining: Sequence[StoredObject]) -> Mapping[str, tuple[str, str]]:
    """Return the reasons and messages of the conditions about remaining objects."""
    if not remaining:
        return {}
    resources = Counter(entry.key.resource for entry in remaining)
    finalizers = Counter(name for entry in remaining for name in entry.value["metadata"]["finalizers"])
    counts = sorted(
        f"{resource if '.' in resource else f'{resource}.'} has {count} resource instances"
        for resource, count in resources.items()
    )
    holders = sorted(f"{name} in {count} resource instances" for name, count in finalizers.items())
    message = f"Some content in the namespace has finalizers remaining: {', '.join(holders)}"
    return {
        _CONTENT: ("SomeResourcesRemain", f"Some resources are remaining: {', '.join(counts)}"),
        _FINALIZERS: ("SomeFinalizersRemain", message),
    }


def _set_conditions(present: Sequence[_Condition], problems: Mapping[str, tuple[str, str]]) -> list[_Condition]:
    """Return the conditions of a deletion; their times change with their status."""
    conditions = {condition["type"]: condition for condition in present}
    for kind, success in _SUCCESSES.items():
        status, (reason, message) = ("True", problems[kind]) if kind in problems else ("False", success)
        before = conditions.get(kind, {})
        time = before["lastTransitionTime"] if before.get("status") == status else generatedvalues.now()
        words = {"status": status, "lastTransitionTime": time, "reason": reason, "message": message}
        conditions[kind] = {"type": kind, **words}
    return [*conditions.values()]

"""
Controller of namespaces: it deletes the objects of a deleted namespace, then the namespace.

Reference:
    kubernetes pkg/controller/namespace/namespace_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_crd.server import namespaces
from pytest_crd.server.deleting import delete_entry
from pytest_crd.server.store.store import Event, ObjectKey, Store


class NamespaceController:
    """Controller of namespaces. It looks through all resources, as a namespace may have objects of each."""

    resources: frozenset[str] = frozenset()

    def __init__(self, store: Store) -> None:
        """Create for a store."""
        self._store = store

    def find_keys(self, event: Event) -> Iterable[str]:
        """Return the name of a deleted namespace after its change or that of one of its objects."""
        key = event.key
        name = key.name if key.resource == namespaces.RESOURCE else key.namespace
        entry = self._store.get(ObjectKey(namespaces.RESOURCE, "", name)) if name else None
        return () if entry is None or not entry.value["metadata"].get("deletionTimestamp") else (name,)

    def reconcile(self, key: str) -> bool:
        """Delete the objects of a deleted namespace, then the namespace."""
        entry = self._store.get(ObjectKey(namespaces.RESOURCE, "", key))
        if entry is None:
            return False
        has_objects = False
        for resource in self._store.resources():
            for object_ in self._store.entries(resource, key):
                delete_entry(self._store, object_)
                has_objects = has_objects or self._store.get(object_.key) is not None
        if not has_objects and not entry.value["metadata"].get("finalizers"):
            self._store.delete(entry.key)
        return False

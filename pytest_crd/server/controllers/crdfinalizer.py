"""
Controller of the finalizer of CRDs: it deletes the objects of a deleted CRD, then the CRD itself.

Reference:
    apiextensions-apiserver controller/finalizer/crd_finalizer.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pytest_crd.server import crdtype, deleting, storeddefinitions, unreadable
from pytest_crd.server.customresources import CustomResourceType
from pytest_crd.server.store.store import Event, Store, StoredObject
from pytest_crd.server.storeddefinitions import StoredDefinitions

_IN_PROGRESS: Final = ("InstanceDeletionInProgress", "CustomResource deletion is in progress")
_COMPLETED: Final = ("InstanceDeletionCompleted", "removed all instances")
_NEVER_ESTABLISHED: Final = ("NeverEstablished", "resource was never established")
_TERMINATING: Final = "Terminating"


class CrdFinalizer:
    """Controller of the finalizer of CRDs."""

    resources: frozenset[str] = frozenset()

    def __init__(self, store: Store, definitions: StoredDefinitions) -> None:
        """Create for the CRDs of a store."""
        self._store = store
        self._definitions = definitions

    def find_keys(self, event: Event) -> Iterable[str]:
        """Return the name of a deleted CRD after its change or that of one of its objects."""
        key = event.key
        name = key.name if key.resource == storeddefinitions.RESOURCE else key.resource
        entry = self._definitions.get(name)
        return () if entry is None or not entry.value["metadata"].get("deletionTimestamp") else (name,)

    def reconcile(self, key: str) -> bool:
        """Delete the objects of a deleted CRD, then the CRD; return True if its objects cannot be listed."""
        while (entry := self._definitions.get(key)) is not None:
            if crdtype.CLEANUP not in (entry.value["metadata"].get("finalizers") or ()):
                return False
            if storeddefinitions.find_condition(entry.value, _TERMINATING).get("reason") == crdtype.PENDING[0]:
                self._definitions.put(entry, crdtype.terminating(entry.value, *_IN_PROGRESS))
                continue
            remaining = self._store.entries(key)
            if problem := self._find_unreadable(entry, remaining):
                self._report(entry, problem)
                return True
            if remaining:
                for custom_resource in remaining:
                    deleting.delete_entry(self._store, custom_resource)
                if self._store.entries(key):
                    return False
            self._finish(entry)
        return False

    def _report(self, entry: StoredObject, problem: str) -> None:
        """Set the condition of a CRD with objects that cannot be listed."""
        if storeddefinitions.find_condition(entry.value, _TERMINATING).get("message") != problem:
            self._definitions.put(entry, crdtype.terminating(entry.value, "InstanceDeletionFailed", problem))

    def _finish(self, entry: StoredObject) -> None:
        """Delete a CRD without objects, or remove the finalizer if it has others."""
        rest = [name for name in entry.value["metadata"]["finalizers"] if name != crdtype.CLEANUP]
        if not rest:
            self._store.delete(entry.key)
            return
        outcome = _COMPLETED if storeddefinitions.is_established(entry.value) else _NEVER_ESTABLISHED
        done = crdtype.terminating(entry.value, *outcome, is_done=True)
        self._definitions.put(entry, {**done, "metadata": {**done["metadata"], "finalizers": rest}})

    def _find_unreadable(self, entry: StoredObject, remaining: Sequence[StoredObject]) -> str:
        """Return why the controller cannot list the *remaining* objects of a CRD; empty if it can."""
        crd = self._definitions.parse(entry)
        storage_version = next(version for version in crd.versions if version.storage)
        type_ = CustomResourceType(crd, storage_version, entry.value["spec"], is_terminating=True)
        return unreadable.find_cleanup_problem(type_, remaining)

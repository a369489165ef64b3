"""Namespaces: they must be there before anything is created in them, and take with them what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.server.deleting import delete_entry
from pytest_crd.server.http import statuses
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey, Store, StoredObject

RESOURCE: Final = "namespaces"
_OF_CLUSTERS: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
# Those that may not be deleted.
_KEPT: Final = frozenset({"default", "kube-public", "kube-system"})
_NAME_LABEL: Final = "kubernetes.io/metadata.name"


class NamespaceController:
    """What a server does about namespaces; it takes the place of the admission plugin and of the controller of a cluster."""

    def __init__(self, store: Store, _types: Sequence[ResourceType]) -> None:
        """Take what is stored."""
        self._store = store

    def start(self) -> None:
        """Store the namespaces that every cluster has."""
        for name in _OF_CLUSTERS:
            self.create(name)

    def create(self, name: str) -> None:
        """Store a namespace, as one that a client has created."""
        metadata = {
            "name": name,
            "uid": generatedvalues.uid(),
            "creationTimestamp": generatedvalues.now(),
            "labels": {_NAME_LABEL: name},
        }
        value = {"kind": "Namespace", "apiVersion": "v1", "metadata": metadata}
        self._store.put(
            ObjectKey(RESOURCE, "", name),
            {**value, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}},
        )

    def demand(self, namespace: str, type_: ResourceType, name: str) -> None:
        """
        Pass when an object may be created in a namespace.

        Raises:
            ApiError: 404: there is no such namespace; 403: it is being deleted.

        Reference:
            apiserver admission/plugin/namespace/lifecycle.
        """
        entry = self._store.get(ObjectKey(RESOURCE, "", namespace))
        if entry is None:
            raise statuses.not_found(RESOURCE, namespace)
        if entry.value["metadata"].get("deletionTimestamp"):
            cause = {
                "reason": "NamespaceTerminating",
                "message": f"namespace {namespace} is being terminated",
                "field": "metadata.namespace",
            }
            problem = f"unable to create new content in namespace {namespace} because it is being terminated"
            raise statuses.forbidden(type_.resource, name, problem, [cause])

    def demand_deletable(self, type_: ResourceType, entry: StoredObject) -> None:
        """
        Pass when an object may be deleted.

        Raises:
            ApiError: 403: it is a namespace that every cluster has.
        """
        if type_.resource == RESOURCE and entry.key.name in _KEPT:
            raise statuses.forbidden(RESOURCE, entry.key.name, "this namespace may not be deleted")

    def settle(self) -> None:
        """Delete what is in namespaces that are being deleted, then these."""
        for entry in self._store.entries(RESOURCE):
            if entry.value["metadata"].get("deletionTimestamp"):
                self._end(entry)

    def _end(self, entry: StoredObject) -> None:
        held = False
        for resource in self._store.resources():
            for one in self._store.entries(resource, entry.key.name):
                delete_entry(self._store, one)
                held = held or self._store.get(one.key) is not None
        if not held and not entry.value["metadata"].get("finalizers"):
            self._store.delete(entry.key)

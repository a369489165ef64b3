"""Namespaces of a new cluster, and their admission: they must exist before their objects."""

from __future__ import annotations

from typing import Final

from pytest_crd.server.http import statuses
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey, Store, StoredObject

RESOURCE: Final = "namespaces"
_INITIAL: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
# The namespaces that cannot be deleted.
_PERMANENT: Final = frozenset({"default", "kube-public", "kube-system"})
_NAME_LABEL: Final = "kubernetes.io/metadata.name"


class Namespaces:
    """The namespaces of a cluster, with their admission plugin."""

    def __init__(self, store: Store) -> None:
        """Create for a store."""
        self._store = store

    def start(self) -> None:
        """Store the namespaces of a new cluster."""
        for name in _INITIAL:
            self.create(name)

    def create(self, name: str) -> None:
        """Store a namespace as if a client had created it."""
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
        Raise ApiError if no object may be created in a namespace.

        Raises:
            ApiError: 404: the namespace does not exist; 403: it is being deleted.

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
            raise statuses.forbidden(type_.requested, name, problem, [cause])

    def demand_deletable(self, type_: ResourceType, entry: StoredObject) -> None:
        """
        Raise ApiError for the deletion of a namespace that every cluster has.

        Raises:
            ApiError: 403.
        """
        if type_.resource == RESOURCE and entry.key.name in _PERMANENT:
            raise statuses.forbidden(RESOURCE, entry.key.name, "this namespace may not be deleted")

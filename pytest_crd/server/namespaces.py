"""Namespaces: they must exist before their objects, and their deletion deletes those."""

from __future__ import annotations

from typing import Final

from pytest_crd.server.deleting import delete_entry
from pytest_crd.server.http import statuses
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey, Store, StoredObject

RESOURCE: Final = "namespaces"
_INITIAL: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
# The namespaces that cannot be deleted.
_PERMANENT: Final = frozenset({"default", "kube-public", "kube-system"})
# The resource and the name of the object that kube-controller-manager creates in each namespace.
_SERVICE_ACCOUNTS, _DEFAULT = "serviceaccounts", "default"
_NAME_LABEL: Final = "kubernetes.io/metadata.name"


class NamespaceController:
    """Namespace controller and admission plugin of a cluster."""

    def __init__(self, store: Store, *, has_service_accounts: bool = False) -> None:
        """
        Create for a store.

        Args:
            store: The store.
            has_service_accounts: Whether each namespace gets its ServiceAccount `default`.
        """
        self._store = store
        self._has_service_accounts = has_service_accounts

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

    def settle(self) -> None:
        """Delete the objects of namespaces that are being deleted, then the namespaces; create missing ServiceAccounts of others."""
        for entry in self._store.entries(RESOURCE):
            if entry.value["metadata"].get("deletionTimestamp"):
                self._end(entry)
            elif self._has_service_accounts:
                self._create_service_account(entry.key.name)

    def _create_service_account(self, namespace: str) -> None:
        """
        Store the ServiceAccount `default` of a namespace that lacks it.

        Reference:
            kubernetes pkg/controller/serviceaccount/serviceaccounts_controller.go.
        """
        key = ObjectKey(_SERVICE_ACCOUNTS, namespace, _DEFAULT)
        if self._store.get(key) is None:
            metadata = {
                "name": _DEFAULT,
                "namespace": namespace,
                "uid": generatedvalues.uid(),
                "creationTimestamp": generatedvalues.now(),
            }
            self._store.put(key, {"kind": "ServiceAccount", "apiVersion": "v1", "metadata": metadata})

    def _end(self, entry: StoredObject) -> None:
        has_objects = False
        for resource in self._store.resources():
            for object_ in self._store.entries(resource, entry.key.name):
                delete_entry(self._store, object_)
                has_objects = has_objects or self._store.get(object_.key) is not None
        if not has_objects and not entry.value["metadata"].get("finalizers"):
            self._store.delete(entry.key)

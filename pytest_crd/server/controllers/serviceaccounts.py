"""
Controller of ServiceAccounts: each namespace has the ServiceAccount `default`.

Reference:
    kubernetes pkg/controller/serviceaccount/serviceaccounts_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pytest_crd.server import namespaces
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import Event, ObjectKey, Store

_RESOURCE: Final = "serviceaccounts"
_DEFAULT: Final = "default"


class ServiceAccountController:
    """Controller of ServiceAccounts."""

    resources = frozenset({namespaces.RESOURCE, _RESOURCE})

    def __init__(self, store: Store) -> None:
        """Create for a store."""
        self._store = store

    def find_keys(self, event: Event) -> Iterable[str]:
        """Return the name of the namespace that changes, or in which a ServiceAccount changes."""
        return (event.key.namespace or event.key.name,)

    def reconcile(self, key: str) -> bool:
        """Create the ServiceAccount of a namespace that lacks it, unless the namespace is being deleted."""
        namespace = self._store.get(ObjectKey(namespaces.RESOURCE, "", key))
        account = ObjectKey(_RESOURCE, key, _DEFAULT)
        is_due = namespace is not None and not namespace.value["metadata"].get("deletionTimestamp")
        if is_due and self._store.get(account) is None:
            now, uid = generatedvalues.now(), generatedvalues.uid()
            metadata = {"name": _DEFAULT, "namespace": key, "uid": uid, "creationTimestamp": now}
            self._store.put(account, {"kind": "ServiceAccount", "apiVersion": "v1", "metadata": metadata})
        return False

"""Stored objects as params of admission policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.policies.definitions import ParamKind
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.store.store import Store


class StoredParams(NamedTuple):
    """
    The objects of a server that may be params.

    Attributes:
        store: The store.
        types: Returns the served resources.
    """

    store: Store
    types: Callable[[], Sequence[ResourceType]]

    def is_namespaced(self, kind: ParamKind) -> bool | None:
        """Return whether objects of a kind have a namespace; None if the kind is not served."""
        type_ = self._find(kind)
        return None if type_ is None else type_.is_namespaced

    def read(self, kind: ParamKind, namespace: str) -> Sequence[Resource]:
        """
        Return the objects of a kind in the order of their names.

        Args:
            kind: The kind.
            namespace: The namespace; empty for objects without one.
        """
        type_ = self._find(kind)
        if type_ is None:
            return ()
        return [type_.read(entry) for entry in self.store.entries(type_.resource) if entry.key.namespace == namespace]

    def find_plural(self, kind: ParamKind) -> str:
        """Return the plural of a kind; empty if the kind is not served."""
        type_ = self._find(kind)
        return "" if type_ is None else type_.names.plural

    def _find(self, kind: ParamKind) -> ResourceType | None:
        group, _, version = kind.api_version.rpartition("/")
        sought = (group, version, kind.kind)
        served = (type_ for type_ in self.types() if type_.is_stored)
        return next((type_ for type_ in served if (type_.group, type_.version, type_.names.kind) == sought), None)

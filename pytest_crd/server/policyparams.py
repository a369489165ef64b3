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
        find_kinds: Returns the resources of a group, a version and a kind.
    """

    store: Store
    find_kinds: Callable[[str, str, str], Sequence[ResourceType]]

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
        entries = self.store.entries(type_.resource, namespace)
        return [type_.read(entry) for entry in entries]

    def find_plural(self, kind: ParamKind) -> str:
        """Return the plural of a kind; empty if the kind is not served."""
        type_ = self._find(kind)
        return "" if type_ is None else type_.names.plural

    def _find(self, kind: ParamKind) -> ResourceType | None:
        group, _, version = kind.api_version.rpartition("/")
        return next((type_ for type_ in self.find_kinds(group, version, kind.kind) if type_.is_stored), None)

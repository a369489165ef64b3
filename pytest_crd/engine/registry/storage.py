"""Storage of custom resources: conversion to the storage version and back, with pruning and defaulting."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.response import Stored
from pytest_crd.engine.registry.served import Served
from pytest_crd.engine.registry.strategy import StoredForms


class Storage:
    """Storage of the custom resources of a CRD, for requests to one of its versions."""

    def __init__(self, crd: CrdSpec, served: Served, versions: Sequence[Served]) -> None:
        self._crd = crd
        self._served = served
        storage = next((version for version in versions if version.spec.storage), served)
        # Webhook conversion is unknown offline; assume the object is unchanged.
        self._storage = served if crd.converts_by_webhook else storage
        self._namespaced = crd.scope == "Namespaced"

    def store(self, resource: Resource, *, defaulted: bool, is_raw: bool = False) -> StoredForms:
        """Return the written form of a resource, and the form read back in the version of the request."""
        passes = self._storage.passes
        is_settled = not is_raw and (not defaulted or passes.settles)
        if self._storage is self._served and is_settled and not self._lacks_status(resource):
            return StoredForms(
                Stored.from_value(resource), Stored.from_value(dict(resource))
            )  # already pruned and defaulted
        written = passes.prune({**resource, "apiVersion": self._version_of(self._storage)})
        read = self._converted(passes.default(written.value).value)
        # An object in the storage version is stored unpruned, and pruned when read.
        stored = resource if is_raw and self._storage is self._served else written.value
        return StoredForms(Stored.from_value(stored), Stored.from_value(read), written.dropped)

    def _lacks_status(self, resource: Resource) -> bool:
        """Return whether reading adds a default status after a create removed the status."""
        declared = self._served.schema.properties.get("status") if self._served.schema else None
        return declared is not None and declared.default is not None and "status" not in resource

    def read(self, old: Resource, namespace: str) -> dict[str, JSONValue]:
        """Return a stored object as an update reads it; its apiVersion is ignored."""
        passes = self._storage.passes
        in_storage = {**old, "apiVersion": self._version_of(self._storage), "kind": self._crd.kind}
        stored = self._converted(passes.default(passes.prune(in_storage, drop_malformed=True).value).value)
        metadata = dict(stored.get("metadata") or {})
        if self._namespaced:
            metadata.setdefault("namespace", namespace)
        stored["metadata"] = metadata
        return stored

    def _version_of(self, served: Served) -> str:
        return declared.api_version(self._crd.group, served.spec.name)

    def _converted(self, in_storage: Resource) -> dict[str, JSONValue]:
        if self._storage is self._served:
            return dict(in_storage)
        passes = self._served.passes
        converted = {**in_storage, "apiVersion": self._version_of(self._served)}
        return passes.drop_nulls(passes.prune(converted).value)

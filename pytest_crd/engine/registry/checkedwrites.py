"""Validated objects on their way to the store, with the metadata that the server sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import systemmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.registry.request import without_version
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.response import Stored
from pytest_crd.engine.registry.strategy import PendingWrite, Strategy, Validated
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.registry import scale
else:
    scale = lazyimport.module("pytest_crd.engine.registry.scale")


class CheckedWrite(NamedTuple):
    """
    An object that was validated.

    Attributes:
        write: The object.
        validated: The errors and warnings.
        system_metadata: The metadata that the server sets.
    """

    write: PendingWrite
    validated: Validated
    system_metadata: Stored

    @property
    def version(self) -> str:
        """The resourceVersion between admission and the store; empty without one."""
        write = self.write
        metadata = (write.read.decoded.resource if write.live is None else write.live).get("metadata") or {}
        version: str = metadata.get("resourceVersion") or ""
        return version

    def metadata(self, strategy: Strategy) -> dict[str, JSONValue]:
        """Return the server's metadata, managed fields included."""
        write = self.write
        entries = write.read.entries()
        metadata: dict[str, JSONValue] = self.system_metadata.value
        if entries:
            metadata = {**metadata, "managedFields": entries}
        if write.live is None or not entries or not strategy.profile.apply.times_follow_writes:
            return metadata
        from pytest_crd.engine.registry.fieldmanager import fieldmanager  # noqa: PLC0415 - needed only for objects with managed fields

        settled = fieldmanager.settled(with_metadata(write.encoded(), metadata), without_version(write.live))
        return {**metadata, "managedFields": settled["metadata"]["managedFields"]}

    def typed_metadata(self, strategy: Strategy) -> dict[str, JSONValue]:
        """Return the server's metadata to store, without the nulls that a mutating plugin leaves in managed fields."""
        metadata = self.metadata(strategy)
        entries = metadata.get("managedFields") or ()
        if not any(None in entry.values() for entry in entries):
            return metadata
        typed = [{key: value for key, value in entry.items() if value is not None} for entry in entries]
        return {**metadata, "managedFields": typed}

    def converted_metadata(self, strategy: Strategy) -> dict[str, JSONValue]:
        """Return the server's metadata as a conversion webhook sees them."""
        return self._with_emptied_list(self.typed_metadata(strategy))

    def reviewed(self, strategy: Strategy) -> tuple[Resource, Resource | None]:
        """Return the object and the stored one as validating plugins see them: for `/scale`, their Scales."""
        write, live = self.write, self.write.live
        metadata = self._with_emptied_list(self.metadata(strategy))
        if self.version:
            metadata = {**metadata, "resourceVersion": self.version}
        new = with_metadata(write.encoded(), metadata)
        if live is None or write.subresource != "scale":
            return new, live
        return scale.of_resource(new, strategy.subresources), scale.of_resource(live, strategy.subresources)

    def _with_emptied_list(self, metadata: dict[str, JSONValue]) -> dict[str, JSONValue]:
        """Return metadata with the empty list or null that a mutating plugin left instead of managed fields."""
        admitted = self.write.read.managed().get("metadata") or {}
        if "managedFields" not in admitted or "managedFields" in metadata:
            return metadata
        return {**metadata, "managedFields": admitted["managedFields"]}


def with_metadata(resource: Resource, system_metadata: Mapping[str, JSONValue]) -> Resource:
    """Return *resource* with the server's metadata, keys sorted."""
    client_metadata = {
        key: value for key, value in resource["metadata"].items() if key not in systemmetadata.SERVER_MADE
    }
    return {**resource, "metadata": dict(sorted({**client_metadata, **system_metadata}.items()))}


def refuse_taken_name(
    checked: CheckedWrite, before: Resource, target: RequestTarget, strategy: Strategy
) -> tuple[RefusedError, RequestTarget]:
    """
    Return the refusal of a create with a taken name, and the object that it names.

    Args:
        checked: The new object.
        before: The stored object.
        target: The object in the URL.
        strategy: The steps of the kind.
    """
    is_ending = bool((before.get("metadata") or {}).get("deletionTimestamp"))
    metadata, decoded = checked.write.resource["metadata"], checked.write.read.decoded
    target = target._replace(name=metadata["name"])
    has_prefix = bool(metadata.get("generateName"))
    if has_prefix:
        target = target._replace(group=strategy.group_of_errors(decoded.resource))
    refused = refusal.already_exists(target.resource, target.name, is_ending=is_ending, has_prefix=has_prefix)
    return RefusedError(refused, decoded), target

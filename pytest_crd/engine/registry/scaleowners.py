"""Managed fields of the replicas of an object, in requests to `/scale`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import scale
from pytest_crd.engine.registry.fieldmanager import crdfieldmanager, fieldmanager, managers, scalefields
from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
from pytest_crd.engine.registry.fieldmanager.managers import BrokenEntriesError
from pytest_crd.engine.registry.fieldmanager.pathelements import Path
from pytest_crd.engine.registry.fieldmanager.writers import Applied, ApplyRefusedError, Writer
from pytest_crd.engine.registry.patching import documents
from pytest_crd.engine.registry.subresources import Subresources


def of_version(api_version: str, by_version: Mapping[str, Subresources], profile: Profile) -> ScaleOwners:
    """Return the field manager of `/scale` for *api_version* of a CRD; *by_version* has the subresources of all versions."""
    return ScaleOwners(crdfieldmanager.of_scale(profile), api_version, by_version[api_version], by_version)


class ScaleOwners:
    """
    Field manager of `/scale` for one version.

    Reference:
        apiextensions-apiserver registry/customresource/etcd.go, scaleUpdatedObjectInfo.UpdatedObject.
    """

    def __init__(
        self,
        manager: FieldManager,
        api_version: str,
        subresources: Subresources,
        others: Mapping[str, Subresources] = MappingProxyType({}),
        *,
        is_built_in: bool = False,
    ) -> None:
        """
        Create for a version.

        Args:
            manager: The field manager of Scales.
            api_version: The apiVersion that requests are sent to.
            subresources: Its subresources.
            others: The subresources of the other API versions of the kind.
            is_built_in: True for a built-in kind: an apply may then change the replicas.
        """
        self._manager = manager
        self._api_version = api_version
        self._subresources = subresources
        self._is_built_in = is_built_in
        self._paths = {name: _path(declared) for name, declared in {**others, api_version: subresources}.items()}

    def of_live(self, live: Resource) -> dict[str, JSONValue]:
        """
        Return the Scale of a stored resource, with its managed fields; unset replicas of a custom resource are a placeholder.

        Raises:
            RefusedError: A value at one of the paths of the scale has the wrong type.
        """
        scale_object = documents.plain(scale.of_resource(live, self._subresources, marks_unset=not self._is_built_in))
        try:
            entries = scalefields.of_scale(_entries(live), self._paths)
        except BrokenEntriesError:
            entries = []
        metadata = {**scale_object["metadata"], **({"managedFields": entries} if entries else {})}
        return {**scale_object, "metadata": metadata}

    def tracked(self, live: Resource, sent: Resource, writer: Writer) -> dict[str, JSONValue]:
        """Return the Scale *sent* in a PUT or PATCH with its managed fields."""
        return fieldmanager.with_entries(sent, self._manager.update(self.of_live(live), sent, writer))

    def apply(self, live: Resource, applied: Resource, writer: Writer) -> Applied:
        """
        Return the Scale of a stored resource after an apply.

        Raises:
            ApplyRefusedError: As for an apply to the resource. For a custom resource also if the apply changes the Scale, or if nobody owns the
                replicas: the server then mistakes the Scale for a custom resource, and fails.
            RefusedError: A value at one of the paths of the scale has the wrong type.
        """
        before = self.of_live(live)
        if self._is_built_in:
            return self._manager.apply(before, applied, writer)
        if not _entries(before) and all(applied.get(key) == value for key, value in scale.TYPE_META.items()):
            words = f"failed to create manager for existing fields: {_unconvertible('live')}"
            raise ApplyRefusedError(Refusal(500, "", words))
        merged = self._manager.apply(before, applied, writer)
        if merged.is_merged:
            name = (applied.get("metadata") or {}).get("name") or ""
            raise ApplyRefusedError(Refusal(500, "", _unconvertible("new", name)))
        return merged

    def owned(self, live: Resource, now: Resource, metadata: Resource) -> dict[str, JSONValue]:
        """Return the *metadata* of the resource with its managedFields updated from the new Scale."""
        entries = self._of_parent(live, now)
        others = {key: value for key, value in metadata.items() if key != "managedFields"}
        return {**others, **({"managedFields": entries} if entries else {})}

    def _of_parent(self, live: Resource, now: Resource) -> list[dict[str, JSONValue]]:
        try:
            return scalefields.of_parent(_entries(live), _entries(now), self._paths, self._api_version)
        except managers.BrokenEntriesError:
            return []


def _unconvertible(role: str, name: str = "") -> str:
    problem = f"failed to convert {role} object (/{name}; {scalefields.API_VERSION}, Kind=Scale) to proper version"
    return f"{problem}: request to convert CR to an invalid group/version: {scalefields.API_VERSION}"


def _path(subresources: Subresources) -> Path | None:
    """Return the path of the replicas, or None without a scale."""
    return None if subresources.scale is None else scalefields.path_of(subresources.scale["specReplicasPath"])


def _entries(resource: Resource) -> list[dict[str, JSONValue]]:
    return (resource.get("metadata") or {}).get("managedFields") or []

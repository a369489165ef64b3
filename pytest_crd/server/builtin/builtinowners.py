"""Field managers of built-in kinds, with merge types from the published OpenAPI of servers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.golang import decoding
from pytest_crd.engine.golang.gotypes import Bytes, Float, GoType, Int, List, Map, Pointer, Raw, Scalar, Struct
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.openapi import commontypes
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.fieldmanager import crdfieldmanager, fieldsets
from pytest_crd.engine.registry.fieldmanager.fieldmanager import FieldManager
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import DEDUCED, ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.openapitypes import OpenAPITypes
from pytest_crd.engine.registry.fieldmanager.pathelements import field
from pytest_crd.engine.registry.patching import strategicmerge
from pytest_crd.engine.registry.patching.strategicmerge import MergedLists
from pytest_crd.engine.registry.scaleowners import ScaleOwners
from pytest_crd.engine.registry.subresources import Subresources
from pytest_crd.server.builtin import builtingotypes, partwrites

# Returns the recorded merge rules of the fields of a Go struct.
Merging: TypeAlias = Callable[[Struct], Mapping[str, Mapping[str, Any]]]

_WHOLE: Final = "."
# The paths that requests ignore, by subresource, of kinds with other ones than most.
_IGNORED: Final[Mapping[str, Mapping[str, list[tuple[str, ...]]]]] = {
    "certificatesigningrequests": {
        "": [("spec",), ("status",)],
        "status": [("spec",), ("status", "conditions")],
        "approval": [("spec",), ("status", "certificate")],
    }
}


class BuiltInOwners:
    """The field managers of a kind: one for objects and their status, one for their scale."""

    def __init__(
        self, make: Callable[[], FieldManager], api_version: str, subresources: Subresources, profile: Profile
    ) -> None:
        """
        Track the owners of objects of a kind.

        Args:
            make: Returns the field manager of objects; called once, on first use.
            api_version: The apiVersion of the kind.
            subresources: Its subresources.
            profile: The Kubernetes version.
        """
        self._make = make
        self._api_version = api_version
        self._subresources = subresources
        self._profile = profile

    @cached_property
    def of_object(self) -> FieldManager:
        """The field manager of objects and their status."""
        return self._make()

    @cached_property
    def of_scale(self) -> ScaleOwners:
        """The field manager of `/scale`."""
        manager = crdfieldmanager.of_scale(self._profile)
        return ScaleOwners(manager, self._api_version, self._subresources, is_built_in=True)


def merge_type(kind: Struct, merging: Merging, profile: Profile) -> MergeType:
    """
    Return the merge type of the objects of a kind.

    Args:
        kind: The Go type.
        merging: The recorded merge rules.
        profile: The Kubernetes version.
    """
    return _Types(merging, profile).merge_type(kind)


def merged_lists(kind: Struct, merging: Merging) -> MergedLists:
    """Return the merge keys of the lists that a strategic merge patch merges, by struct and field."""
    merge_keys: dict[tuple[str, str], str] = dict(strategicmerge.METADATA)
    waiting: list[GoType] = [kind]
    visited: set[GoType] = set()
    while waiting:
        type_ = waiting.pop()
        if isinstance(type_, Struct) and type_ not in visited:
            visited.add(type_)
            nodes = merging(type_)
            merge_keys |= {(type_.go, name): nodes[name]["patchKey"] for name in nodes if "patchKey" in nodes[name]}
            waiting += type_.fields.values()
        elif isinstance(type_, Pointer | List | Map):
            waiting.append(
                type_.to if isinstance(type_, Pointer) else type_.item if isinstance(type_, List) else type_.value
            )
    return merge_keys


class FormConverter(NamedTuple):
    """
    The conversion of objects between the apiVersions of their kind.

    Attributes:
        types: The Go types by apiVersion.
        convert_form: Returns a decoded object in another apiVersion.
    """

    types: Mapping[str, Struct]
    convert_form: Callable[[Resource, str], Resource]

    def convert(self, resource: Resource, api_version: str) -> Resource:
        """Return an object in *api_version*; a part of an object is decoded before."""
        decoded = decoding.decode(resource, self.types[resource["apiVersion"]]).value
        return self.convert_form(decoded, api_version)


def ignored(
    api_versions: Iterable[str], plural: str, kept_by_status: Iterable[str] | None, *, has_status: bool
) -> Mapping[str, Mapping[str, FieldSet]]:
    """
    Return the fields that requests to an object and to its status ignore, by subresource and API version.

    Args:
        api_versions: The apiVersions of the kind.
        plural: Its plural.
        kept_by_status: The metadata fields that requests to the status ignore; None for all.
        has_status: Whether the kind has a status.

    Reference:
        kubernetes pkg/registry, GetResetFields of the strategies.
    """
    if not has_status:
        return {"": {}}
    parts = (subresource for name, subresource in partwrites.SUBRESOURCES if name == plural)
    metadata_paths = [("metadata",)] if kept_by_status is None else [("metadata", name) for name in kept_by_status]
    usual: Mapping[str, list[tuple[str, ...]]] = {
        "": [("status",)],
        "status": [("spec",), *metadata_paths],
        **{subresource: [("status",)] for subresource in parts},
    }
    paths = _IGNORED.get(plural, usual)
    return {
        below: dict.fromkeys(api_versions, fieldsets.from_paths([tuple(map(field, path)) for path in paths[below]]))
        for below in paths
    }


class _Types:
    """Converter of Go types to merge types; converts each struct once."""

    def __init__(self, merging: Merging, profile: Profile) -> None:
        self._merging = merging
        self._profile = profile
        self._merge_types: dict[Struct, MergeType] = {}

    def merge_type(self, kind: GoType, node: Mapping[str, Any] | None = None) -> MergeType:
        """Return the merge type of a Go type; *node* has the recorded rules of the field."""
        node = node or {}
        if isinstance(kind, Pointer):
            return self.merge_type(kind.to, node)
        if isinstance(kind, Struct):
            is_granular = node.get("map") == "granular"
            return self._struct(kind, is_granular=is_granular)
        if isinstance(kind, List):
            return MergeType(list=self._list(kind, node))
        if isinstance(kind, Map):
            return MergeType(map=MapType(values=self.merge_type(kind.value), is_atomic=node.get("map") == "atomic"))
        return self._anything if kind is builtingotypes.INT_OR_STRING else _scalar_type(kind)

    @cached_property
    def _anything(self) -> MergeType:
        """The merge type of int-or-string values, which is published without a type."""
        return OpenAPITypes({}, self._profile.apply).merge_type({})

    def _struct(self, kind: Struct, *, is_granular: bool = False) -> MergeType:
        if kind is metav1types.OBJECT_META:
            return self._object_meta
        if is_granular:
            whole = self._struct(kind).map or MapType()
            return MergeType(map=dataclasses.replace(whole, is_atomic=False))
        if kind not in self._merge_types:
            merge_type = self._merge_types[kind] = MergeType()
            nodes = self._merging(kind)
            fields = {name: self.merge_type(below, nodes.get(name)) for name, below in kind.fields.items()}
            merge_type.map = MapType(fields, is_atomic=nodes.get(_WHOLE, {}).get("map") == "atomic")
        return self._merge_types[kind]

    def _list(self, kind: List, node: Mapping[str, Any]) -> ListType:
        items = self.merge_type(kind.item)
        relation = node.get("list")
        if relation not in ("map", "set"):
            return ListType(items)
        keys = tuple(node["keys"]) if relation == "map" else ()
        if keys and node["defaults"] and items.map is not None:
            items = MergeType(map=dataclasses.replace(items.map, defaults=node["defaults"]))
        return ListType(items, True, keys, not self._profile.apply.keys_may_be_missing)  # noqa: FBT003 - its items have owners

    @cached_property
    def _object_meta(self) -> MergeType:
        document = commontypes.load(self._profile, 3 if self._profile.publishes_v3 else 2, scales=True)._replace(
            openapi=3
        )
        return OpenAPITypes(document.schemas, self._profile.apply).merge_type(document.schemas[commontypes.OBJECT_META])


def _scalar_type(kind: GoType) -> MergeType:
    if isinstance(kind, Scalar):
        return MergeType(scalar="boolean" if kind.empty is False else "string")
    if isinstance(kind, Int | Float):
        return MergeType(scalar="numeric")
    if isinstance(kind, Bytes):
        return MergeType(scalar="string")
    if kind is builtingotypes.RAW_EXTENSION:
        return MergeType(map=MapType(values=DEDUCED, is_atomic=True))
    return DEDUCED if isinstance(kind, Raw) else MergeType(scalar="untyped")

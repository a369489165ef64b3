"""Who owns which fields of objects of built-in kinds: how their types are merged, as servers publish it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, Final, TypeAlias

from pytest_crd.engine.golang.gotypes import Bytes, Float, GoType, Int, List, Map, Pointer, Raw, Scalar, Struct
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
from pytest_crd.server.builtin import builtingotypes

# What is recorded of the fields of a type that are merged in a way of their own, by the type's name without its package.
Merging: TypeAlias = Callable[[str], Mapping[str, Mapping[str, Any]]]

_WHOLE: Final = "."


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
    Return the type by which the objects of a kind are merged.

    Args:
        kind: Their Go type.
        merging: What is recorded of types.
        profile: The Kubernetes version.
    """
    return _Types(merging, profile).of(kind)


def merged_lists(kind: Struct, merging: Merging) -> MergedLists:
    """Return the lists that a strategic merge patch merges, by struct and field, with the key that items are known by."""
    found: dict[tuple[str, str], str] = dict(strategicmerge.METADATA)
    waiting: list[GoType] = [kind]
    seen: set[GoType] = set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, Struct) and one not in seen:
            seen.add(one)
            nodes = merging(_short(one))
            found |= {(one.go, name): nodes[name]["patchKey"] for name in nodes if "patchKey" in nodes[name]}
            waiting += one.fields.values()
        elif isinstance(one, Pointer | List | Map):
            waiting.append(one.to if isinstance(one, Pointer) else one.item if isinstance(one, List) else one.value)
    return found


def ignored(
    api_version: str, kept_by_status: Iterable[str], *, has_status: bool
) -> Mapping[str, Mapping[str, FieldSet]]:
    """
    Return what requests to an object and to its status do not write.

    Args:
        api_version: Of the kind.
        kept_by_status: What of the metadata requests to the status do not write.
        has_status: Whether there is a status.

    Reference:
        kubernetes pkg/registry, GetResetFields of the strategies.
    """
    if not has_status:
        return {"": {}}
    paths: Mapping[str, list[tuple[str, ...]]] = {
        "": [("status",)],
        "status": [("spec",), *(("metadata", name) for name in kept_by_status)],
    }
    return {below: {api_version: fieldsets.of([tuple(map(field, one)) for one in paths[below]])} for below in paths}


class _Types:
    """Makes merge types of Go types, each struct once."""

    def __init__(self, merging: Merging, profile: Profile) -> None:
        self._merging = merging
        self._profile = profile
        self._made: dict[Struct, MergeType] = {}

    def of(self, kind: GoType, node: Mapping[str, Any] | None = None) -> MergeType:
        """Return the type of a Go type; of a field, by what is recorded of it."""
        node = node or {}
        if isinstance(kind, Pointer):
            return self.of(kind.to, node)
        if isinstance(kind, Struct):
            return self._struct(kind)
        if isinstance(kind, List):
            return MergeType(list=self._list(kind, node))
        if isinstance(kind, Map):
            return MergeType(map=MapType(values=self.of(kind.value), is_atomic=node.get("map") == "atomic"))
        return self._anything if kind is builtingotypes.INT_OR_STRING else _of_scalar(kind)

    @cached_property
    def _anything(self) -> MergeType:
        """What is published of numbers or texts: that they are of no type."""
        return OpenAPITypes({}, self._profile.apply).of({})

    def _struct(self, kind: Struct) -> MergeType:
        if kind is metav1types.OBJECT_META:
            return self._object_meta
        if kind not in self._made:
            made = self._made[kind] = MergeType()
            nodes = self._merging(_short(kind))
            fields = {name: self.of(below, nodes.get(name)) for name, below in kind.fields.items()}
            made.map = MapType(fields, is_atomic=nodes.get(_WHOLE, {}).get("map") == "atomic")
        return self._made[kind]

    def _list(self, kind: List, node: Mapping[str, Any]) -> ListType:
        items = self.of(kind.item)
        relation = node.get("list")
        if relation not in ("map", "set"):
            return ListType(items)
        keys = tuple(node["keys"]) if relation == "map" else ()
        if keys and node["defaults"] and items.map is not None:
            items = MergeType(map=dataclasses.replace(items.map, defaults=node["defaults"]))
        return ListType(items, True, keys, not self._profile.apply.keys_may_be_missing)  # noqa: FBT003 - its items have owners

    @cached_property
    def _object_meta(self) -> MergeType:
        known = commontypes.load(self._profile, 3 if self._profile.publishes_v3 else 2, scales=True)._replace(openapi=3)
        return OpenAPITypes(known.schemas, self._profile.apply).of(known.schemas[commontypes.OBJECT_META])


def _of_scalar(kind: GoType) -> MergeType:
    if isinstance(kind, Scalar):
        return MergeType(scalar="boolean" if kind.empty is False else "string")
    if isinstance(kind, Int | Float):
        return MergeType(scalar="numeric")
    if isinstance(kind, Bytes):
        return MergeType(scalar="string")
    return DEDUCED if isinstance(kind, Raw) else MergeType(scalar="untyped")


def _short(kind: Struct) -> str:
    """Return the name of a struct without its package."""
    return kind.go.rpartition(".")[2]

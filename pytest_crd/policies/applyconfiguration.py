"""
Apply configurations, merged into an object by the types of its schema.

Reference:
    apiserver admission/plugin/policy/mutating/patch/smd.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import merging, typedvalues
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
from pytest_crd.engine.registry.fieldmanager.typedvalues import TypedError
from pytest_crd.policies import patchvalues
from pytest_crd.policies.patcherrors import PatchError
from pytest_crd.policies.patchvalues import ConversionError, Given, ObjectStruct


def apply(configuration: ObjectStruct, given: Given, resource: Resource, kind: MergeType | None) -> Resource:
    """
    Return an object with a configuration merged into it.

    Args:
        configuration: The value of the expression.
        given: The lists and maps of the request.
        resource: The object; not modified.
        kind: Its type; None if the server knows none for its apiVersion and kind.

    Raises:
        PatchError: The configuration does not fit the type, or has atomic parts, or the object does not fit it.
    """
    if problems := [*patchvalues.find_misnamed(configuration, configuration.type_name)]:
        raise PatchError("type mismatch: " + "\n".join(problems))
    try:
        converted = patchvalues.object_to_json(configuration, given)
    except ConversionError:
        raise PatchError("invalid return type: *dynamic.ObjectVal") from None
    patch = {**converted, "apiVersion": resource.get("apiVersion"), "kind": resource.get("kind")}
    try:
        return _merge(patch, resource, kind)
    except PatchError as error:
        raise PatchError(f"error applying patch: {error}") from None


def _merge(patch: dict[str, Any], resource: Resource, kind: MergeType | None) -> Resource:
    failed = "failed to convert patch object to typed object"
    if kind is None:
        raise PatchError(f"{failed}: no corresponding type for {spell_kind(resource)}")
    try:
        typedvalues.check(kind, patch, allow_duplicates=False)
    except TypedError as error:
        raise PatchError(f"{failed}: {error}") from None
    if atomics := [*_find_atomics(kind, patch, "")]:
        parts = ", ".join(atomics)
        raise PatchError(f"invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {parts}")
    try:
        typedvalues.check(kind, resource, allow_duplicates=True)
    except TypedError as error:
        raise PatchError(f"failed to convert original object to typed object: {error}") from None
    merged: Resource = merging.merged(kind, resource, patch)
    return merged


def _find_atomics(kind: MergeType, value: JSONValue, path: str) -> Iterator[str]:
    """Yield the paths of atomic parts; the server does not look into fields that its schema does not name."""
    if isinstance(value, dict) and kind.map is not None:
        if kind.map.is_atomic:
            yield path
        for name, item in value.items():
            if name in kind.map.fields:
                yield from _find_atomics(kind.map.fields[name], item, f"{path}.{name}")
    if isinstance(value, list) and kind.list is not None:
        if not kind.list.is_associative:
            yield path
        for index, item in enumerate(value):
            yield from _find_atomics(kind.list.items, item, f"{path}[{index}]")


def spell_kind(resource: Resource) -> str:
    """
    Return the group, version and kind of an object in the server's words.

    Reference:
        apimachinery runtime/schema/group_version.go, GroupVersionKind.String.
    """
    group, _, version = (resource.get("apiVersion") or "").rpartition("/")
    return f"{group}/{version}, Kind={resource.get('kind') or ''}"

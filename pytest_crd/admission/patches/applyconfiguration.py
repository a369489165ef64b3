"""
Apply configurations, merged into an object by the types of its schema.

Reference:
    apiserver admission/plugin/policy/mutating/patch/smd.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from pytest_crd.admission.patches import patchvalues
from pytest_crd.admission.patches.patchvalues import FailedMutationError, NoJsonError, ObjectStruct
from pytest_crd.admission.patches.valueorigins import Origins
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import merging, typedvalues
from pytest_crd.engine.registry.fieldmanager.mergetypes import MergeType
from pytest_crd.engine.registry.fieldmanager.typedvalues import TypedError


def apply(configuration: ObjectStruct, origins: Origins, resource: Resource, kind: MergeType | None) -> Resource:
    """
    Return an object with a configuration merged into it.

    Args:
        configuration: The value of the expression.
        origins: The origins of lists and maps.
        resource: The object; not modified.
        kind: Its type; None if the server knows none for its apiVersion and kind.

    Raises:
        FailedMutationError: The configuration does not fit the type, or has atomic parts, or the object does not fit it.
    """
    with workload.Limited(loops=False):
        converted = _convert(configuration, origins)
    patch = {**converted, "apiVersion": resource.get("apiVersion"), "kind": resource.get("kind")}
    try:
        return _merge(patch, resource, kind, origins)
    except FailedMutationError as error:
        raise FailedMutationError(f"error applying patch: {error}") from None


def _convert(configuration: ObjectStruct, origins: Origins) -> dict[str, Any]:
    if problems := [*patchvalues.find_misnamed(configuration, configuration.type_name, origins)]:
        raise FailedMutationError("type mismatch: " + "\n".join(problems))
    try:
        return patchvalues.object_to_json(configuration, origins)
    except NoJsonError:
        raise FailedMutationError("invalid return type: *dynamic.ObjectVal") from None


def _merge(patch: dict[str, Any], resource: Resource, kind: MergeType | None, origins: Origins) -> Resource:
    failed = "failed to convert patch object to typed object"
    if kind is None:
        raise FailedMutationError(f"{failed}: no corresponding type for {spell_kind(resource)}")
    try:
        typedvalues.check(kind, patch, allow_duplicates=False)
    except TypedError as error:
        raise FailedMutationError(f"{failed}: {error}") from None
    if atomics := [*_find_atomics(kind, patch, "")]:
        parts = ", ".join(atomics)
        raise FailedMutationError(f"invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {parts}")
    try:
        typedvalues.check(kind, resource, allow_duplicates=True)
    except TypedError as error:
        raise FailedMutationError(f"failed to convert original object to typed object: {error}") from None
    merged: Resource = merging.merged(kind, resource, patch)
    empty = {id(item) for item in _find_empty_lists(patch, origins)}
    return _with_nil_lists(empty, merged) if empty else merged


def _find_empty_lists(value: JSONValue, origins: Origins) -> Iterator[list[JSONValue]]:
    """
    Yield the empty lists in a value, except lists of variables.

    The server makes Go slices without an array of them.
    """
    if origins.is_given(value):
        return
    if isinstance(value, list) and not value:
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _find_empty_lists(item, origins)


def _with_nil_lists(empty: AbstractSet[int], value: JSONValue) -> JSONValue:
    """Return a value with NIL_LIST instead of the lists with some ids."""
    if id(value) in empty or value is jsonvalue.NIL_LIST:
        return jsonvalue.NIL_LIST
    if isinstance(value, list):
        return [_with_nil_lists(empty, item) for item in value]
    return {key: _with_nil_lists(empty, item) for key, item in value.items()} if isinstance(value, dict) else value


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

"""
Adaptation of owned fields to schema changes: parts of a value that became atomic are owned as a whole.

In the opposite direction nothing changes: the owner of the whole keeps the whole.
"""

from __future__ import annotations

from pytest_crd.engine.registry.fieldmanager import fieldsets
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.pathelements import FIELD, Path, PathElement


def reconciled(kind: MergeType, owned: FieldSet) -> FieldSet:
    """
    Return a set of fields adapted to the current schema.

    Args:
        kind: The type of the whole object.
        owned: The recorded fields.

    Reference:
        structured-merge-diff typed/reconcile_schema.go.
    """
    atomic = list(_atomic(kind, owned, (), is_whole=False))
    if not atomic:
        return owned
    atomic_fields = fieldsets.from_paths(atomic)
    return owned.without(atomic_fields).union(atomic_fields)


def _atomic(kind: MergeType, owned: FieldSet | None, path: Path, *, is_whole: bool) -> list[Path]:
    """Return the paths of atomic values that are owned in parts; *is_whole* is true for an owned field without owned children."""
    if kind.map is not None:
        return _atomic_of_map(kind.map, owned, path, is_whole=is_whole)
    if kind.scalar is not None or kind.list is None:
        return []
    return _atomic_of_list(kind.list, owned, path, is_whole=is_whole)


def _atomic_of_map(kind: MapType, owned: FieldSet | None, path: Path, *, is_whole: bool) -> list[Path]:
    if kind.is_untyped or owned is None:
        return []
    if not is_whole and kind.is_atomic:
        return [] if owned.is_empty else [path]
    paths: list[Path] = []
    for element in _elements(owned):
        below = kind.field_type(element[1]) if element[0] == FIELD else kind.values
        if below is not None:
            paths += _below(below, owned, path, element)
    return paths


def _atomic_of_list(kind: ListType, owned: FieldSet | None, path: Path, *, is_whole: bool) -> list[Path]:
    if not is_whole and not kind.is_associative:
        return [path]
    if owned is None:
        return []
    return [atomic_path for element in _elements(owned) for atomic_path in _below(kind.items, owned, path, element)]


def _below(kind: MergeType, owned: FieldSet, path: Path, element: PathElement) -> list[Path]:
    inside = owned.children.get(element)
    return _atomic(kind, inside, (*path, element), is_whole=element in owned.members and inside is None)


def _elements(owned: FieldSet) -> list[PathElement]:
    return sorted(owned.members | owned.children.keys())

"""
Owned fields after a change of the schema: what became one value is owned as one.

The other way round nothing is done: who owned a whole goes on owning it.
"""

from __future__ import annotations

from pytest_crd.engine.registry.fieldmanager import fieldsets
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.pathelements import FIELD, Path, PathElement


def reconciled(kind: MergeType, owned: FieldSet) -> FieldSet:
    """
    Return a set of fields as it is under the schema of now.

    Args:
        kind: The type of the whole object.
        owned: The fields, as they were written down.

    Reference:
        structured-merge-diff typed/reconcile_schema.go.
    """
    atomic = list(_atomic(kind, owned, (), is_whole=False))
    if not atomic:
        return owned
    found = fieldsets.of(atomic)
    return owned.without(found).union(found)


def _atomic(kind: MergeType, owned: FieldSet | None, path: Path, *, is_whole: bool) -> list[Path]:
    """Return the paths of what is one value now, and is owned in parts; *is_whole* says that a field is owned itself, and nothing in it."""
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
    found: list[Path] = []
    for element in _elements(owned):
        below = kind.of(element[1]) if element[0] == FIELD else kind.values
        if below is not None:
            found += _below(below, owned, path, element)
    return found


def _atomic_of_list(kind: ListType, owned: FieldSet | None, path: Path, *, is_whole: bool) -> list[Path]:
    if not is_whole and not kind.is_associative:
        return [path]
    if owned is None:
        return []
    return [one for element in _elements(owned) for one in _below(kind.items, owned, path, element)]


def _below(kind: MergeType, owned: FieldSet, path: Path, element: PathElement) -> list[Path]:
    inside = owned.children.get(element)
    return _atomic(kind, inside, (*path, element), is_whole=element in owned.members and inside is None)


def _elements(owned: FieldSet) -> list[PathElement]:
    return sorted(owned.members | owned.children.keys())

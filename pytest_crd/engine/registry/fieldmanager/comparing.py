"""Comparison of two values of a type: added, removed and modified fields."""

from __future__ import annotations

from typing import NamedTuple

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import fieldsets
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.merging import ABSENT
from pytest_crd.engine.registry.fieldmanager.pathelements import FIELD, Path, PathElement
from pytest_crd.engine.registry.fieldmanager.typedvalues import element_of


class Comparison(NamedTuple):
    """
    Difference between two values, as disjoint sets of fields.

    Attributes:
        removed: The removed fields.
        modified: The fields with another value.
        added: The added fields.
    """

    removed: FieldSet
    modified: FieldSet
    added: FieldSet

    def without(self, ignored: FieldSet) -> Comparison:
        """Return the comparison without the fields of a set and their children."""
        return Comparison(self.removed.without(ignored), self.modified.without(ignored), self.added.without(ignored))


def compare(kind: MergeType, before: JSONValue, now: JSONValue) -> Comparison:
    """
    Return the difference between two values.

    Args:
        kind: The type of both.
        before: The old value; items of sets and maps may be duplicate.
        now: The new value; items of sets and maps may be duplicate.

    Reference:
        structured-merge-diff typed/compare.go.
    """
    walk = _Walk()
    walk.compare(kind, (), before, now)
    return Comparison(*map(fieldsets.from_paths, (walk.removed, walk.modified, walk.added)))


def same(left: JSONValue, right: JSONValue) -> bool:
    """
    Return whether two values are equal for ownership: `1` equals `1.0`.

    Reference:
        structured-merge-diff value/value.go, Equals.
    """
    if left is right or jsonvalue.equal(left, right):
        return True
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(item, right[name]) for name, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return _is_number(left) and _is_number(right) and float(left) == float(right)


def _is_number(value: JSONValue) -> bool:
    return type(value) in (int, float)


class _Walk:
    """A walk over two values that collects the paths of differing fields."""

    def __init__(self) -> None:
        self.removed: list[Path] = []
        self.modified: list[Path] = []
        self.added: list[Path] = []

    def compare(self, kind: MergeType, path: Path, before: JSONValue, now: JSONValue) -> None:
        """Compare two values at *path*; one of them may be ABSENT."""
        if before is now:
            return
        if type(before) is type(now):  # the usual case: one alternative, and neither is ABSENT
            self._parts(kind.fitted(now), path, before, now)
            return
        kind_before = kind if before is ABSENT else kind.fitted(before)
        kind_now = kind if now is ABSENT else kind.fitted(now)
        if now is ABSENT:
            is_leaf = self._parts(kind_before, path, before, now)
        else:
            if before is not ABSENT and not kind_before.is_same(kind_now):
                self._parts(kind_before, path, before, now)
            is_leaf = self._parts(kind_now, path, before, now)
        if not is_leaf and before is ABSENT:
            self.added.append(path)
        elif not is_leaf and now is ABSENT:
            self.removed.append(path)

    def _parts(self, kind: MergeType, path: Path, before: JSONValue, now: JSONValue) -> bool:
        """Compare two values by the first alternative of *kind*; return whether they are compared as a whole."""
        if kind.map is not None:
            return self._maps(kind.map, path, before, now)
        if kind.scalar is not None or kind.list is None:
            return self._whole(path, before, now)
        return self._lists(kind.list, path, before, now)

    def _whole(self, path: Path, before: JSONValue, now: JSONValue) -> bool:
        if before is ABSENT:
            self.added.append(path)
        elif now is ABSENT:
            self.removed.append(path)
        elif not same(before, now):
            self.modified.append(path)
        return True

    def _maps(self, kind: MapType, path: Path, before: JSONValue, now: JSONValue) -> bool:
        below_before = before if isinstance(before, dict) else {}
        below_now = now if isinstance(now, dict) else {}
        if kind.is_atomic or not (below_before or below_now):
            return self._whole(path, before, now)
        for name in below_before | below_now:
            old, new = below_before.get(name, ABSENT), below_now.get(name, ABSENT)
            if old is new:
                continue
            field_kind = kind.field_type(name)
            assert field_kind is not None  # noqa: S101 - both have their type
            self.compare(field_kind, (*path, (FIELD, name)), old, new)
        return False

    def _lists(self, kind: ListType, path: Path, before: JSONValue, now: JSONValue) -> bool:
        below_before = before if isinstance(before, list) else []
        below_now = now if isinstance(now, list) else []
        if not kind.is_associative or not (below_before or below_now):
            return self._whole(path, before, now)
        items_before, items_now = _by_element(kind, below_before), _by_element(kind, below_now)
        for element in items_before | items_now:
            self._items(kind.items, (*path, element), items_before.get(element, []), items_now.get(element, []))
        return False

    def _items(self, kind: MergeType, path: Path, before: list[JSONValue], now: list[JSONValue]) -> None:
        """Compare the items with one path element; duplicate items count as a single value with one owner."""
        if len(before) <= 1 and len(now) <= 1:
            self.compare(kind, path, before[0] if before else ABSENT, now[0] if now else ABSENT)
        elif len(before) > 1 and len(now) > 1:
            if not same(before, now):
                self.modified.append(path)
        elif len(before) > 1:
            if now:
                self.compare(kind, path, ABSENT, now[0])
            self.removed.append(path)
        else:
            if before:
                self.compare(kind, path, before[0], ABSENT)
            self.added.append(path)


def _by_element(kind: ListType, items: list[JSONValue]) -> dict[PathElement, list[JSONValue]]:
    items_by_element: dict[PathElement, list[JSONValue]] = {}
    for item in items:
        items_by_element.setdefault(element_of(kind, item), []).append(item)
    return items_by_element

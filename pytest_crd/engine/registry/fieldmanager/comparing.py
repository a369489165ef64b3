"""Comparing two values of a type: which fields are new, which are gone, which have another value."""

from __future__ import annotations

from typing import NamedTuple

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import fieldsets, pathelements
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.mergetypes import ListType, MapType, MergeType
from pytest_crd.engine.registry.fieldmanager.merging import ABSENT
from pytest_crd.engine.registry.fieldmanager.pathelements import Path, PathElement
from pytest_crd.engine.registry.fieldmanager.typedvalues import element_of


class Comparison(NamedTuple):
    """
    How a value differs from the one before; no field is in two of the sets.

    Attributes:
        removed: The fields that it has no more.
        modified: The fields whose value is another one.
        added: The fields that it did not have.
    """

    removed: FieldSet
    modified: FieldSet
    added: FieldSet

    def without(self, ignored: FieldSet) -> Comparison:
        """Return the same comparison without the fields of a set and what is in them."""
        return Comparison(*(fields.without(ignored) for fields in self))


def compare(kind: MergeType, before: JSONValue, now: JSONValue) -> Comparison:
    """
    Return how a value differs from the one before.

    Args:
        kind: The type of both.
        before: A value; items of sets and maps may be there twice.
        now: A value likewise.

    Reference:
        structured-merge-diff typed/compare.go.
    """
    walk = _Walk()
    walk.compare(kind, (), before, now)
    return Comparison(*map(fieldsets.of, (walk.removed, walk.modified, walk.added)))


def same(left: JSONValue, right: JSONValue) -> bool:
    """
    Return whether two values are equal where ownership is decided: `1` and `1.0` are.

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
    """A walk over two values; it remembers the paths of the fields that differ."""

    def __init__(self) -> None:
        self.removed: list[Path] = []
        self.modified: list[Path] = []
        self.added: list[Path] = []

    def compare(self, kind: MergeType, path: Path, before: JSONValue, now: JSONValue) -> None:
        """Compare two values at *path*, of which one may be absent."""
        if before is now:
            return
        of_before = kind if before is ABSENT else kind.fitted(before)
        of_now = kind if now is ABSENT else kind.fitted(now)
        if now is ABSENT:
            is_leaf = self._parts(of_before, path, before, now)
        else:
            if before is not ABSENT and not of_before.is_same(of_now):
                self._parts(of_before, path, before, now)
            is_leaf = self._parts(of_now, path, before, now)
        if not is_leaf and before is ABSENT:
            self.added.append(path)
        elif not is_leaf and now is ABSENT:
            self.removed.append(path)

    def _parts(self, kind: MergeType, path: Path, before: JSONValue, now: JSONValue) -> bool:
        """Compare two values as what the first part of *kind* says; return whether they are compared as a whole."""
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
            of_field = kind.of(name)
            assert of_field is not None  # noqa: S101 - both are of their type
            self.compare(of_field, (*path, pathelements.field(name)), old, new)
        return False

    def _lists(self, kind: ListType, path: Path, before: JSONValue, now: JSONValue) -> bool:
        below_before = before if isinstance(before, list) else []
        below_now = now if isinstance(now, list) else []
        if not kind.is_associative or not (below_before or below_now):
            return self._whole(path, before, now)
        found_before, found_now = _by_element(kind, below_before), _by_element(kind, below_now)
        for element in found_before | found_now:
            self._items(kind.items, (*path, element), found_before.get(element, []), found_now.get(element, []))
        return False

    def _items(self, kind: MergeType, path: Path, before: list[JSONValue], now: list[JSONValue]) -> None:
        """Compare the items that an element chooses; what is there twice is one value, with one owner."""
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
    found: dict[PathElement, list[JSONValue]] = {}
    for item in items:
        found.setdefault(element_of(kind, item), []).append(item)
    return found

"""
Maps with keys of any type.

Reference:
    cel-go common/types/map.go.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from pytest_crd.engine.cel.values import equality
from pytest_crd.engine.cel.values.celvalues import (
    MAX_INT,
    MIN_INT,
    MISSING,
    Duration,
    MapValue,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    find,
)


class KeyedMap(MapValue):
    """
    Map with keys of any type.

    Keys of different types are different, as in Go: `{1: a, 1u: b, 1.0: c}` has three entries. A numeric key without an
    entry is looked up as a number of the other types.

    Reference:
        cel-go common/types/map.go, refValMapAccessor.
    """

    __slots__ = ("entries", "growing")

    def __init__(self) -> None:
        """Create an empty map."""
        self.entries: dict[Any, tuple[Value, Value]] = {}
        # A comprehension is building it; nothing else refers to it yet.
        self.growing = False

    @classmethod
    def grown_from(cls, other: Any) -> KeyedMap:
        """Return a copy of the map *other* that can be extended in place."""
        copy = cls()
        copy.growing = True
        for key in other:
            copy.set(key, find(other, key))
        return copy

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Value]:
        return (key for key, _ in self.entries.values())

    def set(self, key: Value, value: Value) -> None:
        """Set the value of *key*."""
        self.entries[identity(key)] = (key, value)

    def remove(self, key: Value) -> None:
        """Remove the entry of *key*, if there is one."""
        self.entries.pop(identity(key), None)

    def simplified(self) -> Value:
        """Return a dict if all keys are strings, else the map itself."""
        if all(type(key) is str for key in self.entries):
            return dict(self.entries.values())
        return self

    def find(self, key: Value) -> Value:
        """Return the value of *key* or of an equal number, or MISSING."""
        for candidate in _numbers_like(key):
            entry = self.entries.get(identity(candidate))
            if entry is not None:
                return entry[1]
        return MISSING

    def equal(self, other: Value) -> bool:
        """Return whether *other* is a map with equal values for equal keys."""
        return equality.equal_maps(self, other)


def identity(key: Value) -> Any:
    """
    Return a hashable value that identifies *key* among the keys of a map.

    Strings are returned unchanged. Lists, maps and optionals are identified by object identity; NaN never equals a key.
    """
    kind = type(key)
    if kind is str:
        return key
    if key is None or kind in (bool, int, UInt, Duration, TypeValue):
        return kind, key
    if kind is float and not math.isnan(key):
        return kind, key
    if kind is Timestamp:
        return kind, key.instant, key.offset
    return (id, id(key)) if kind is not float else object()


def _numbers_like(key: Value) -> Iterator[Value]:
    """Yield *key* and the equal numbers of the other types, in Go's order of lookup."""
    yield key
    kind = type(key)
    if kind is float and key.is_integer():
        if MIN_INT < key < MAX_INT:
            yield int(key)
        if 0 <= key < 2.0**64:
            yield UInt(int(key))
    elif kind is int and key >= 0:
        yield UInt(key)
    elif kind is UInt and key.value <= MAX_INT:
        yield key.value

"""Tables of values by path, with indexes: lists and forks share a table, and the next write copies it."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar, overload

_Value = TypeVar("_Value")


class PathList(Sequence[_Value]):
    """A lazy, ordered sequence of a part of a table: pages look up few values."""

    __slots__ = ("_paths", "_range", "_values")

    def __init__(self, values: Mapping[str, _Value], paths: Sequence[str], range_: range) -> None:
        """Create from values by path, their paths in order and a range of these; none of them may change afterwards."""
        self._values = values
        self._paths = paths
        self._range = range_

    def __len__(self) -> int:
        return len(self._range)

    @overload
    def __getitem__(self, place: int) -> _Value: ...
    @overload
    def __getitem__(self, place: slice) -> PathList[_Value]: ...
    def __getitem__(self, place: int | slice) -> _Value | PathList[_Value]:
        """Return a value, or a slice of the sequence."""
        if isinstance(place, slice):
            return PathList(self._values, self._paths, self._range[place])
        return self._values[self._paths[self._range[place]]]

    def __iter__(self) -> Iterator[_Value]:
        first, end, step = self._range.start, self._range.stop, self._range.step
        is_all = self._range == range(len(self._paths))
        return map(self._values.__getitem__, self._paths if is_all else self._paths[first:end:step])


class PathTable(Generic[_Value]):
    """
    Values by path, in the order of the paths.

    Attributes:
        owner: The only writer, which may change the table; None if lists or forks share it.
        values: The values by path.
        paths: The paths in order.
        indexes: For each index, the paths by the indexed value.
    """

    __slots__ = ("indexes", "owner", "paths", "values")

    def __init__(self, owner: object, index_names: Sequence[str] = ()) -> None:
        """Create an empty table with some indexes."""
        self.owner: object | None = owner
        self.values: dict[str, _Value] = {}
        self.paths: list[str] = []
        self.indexes: dict[str, dict[Hashable, tuple[str, ...]]] = {name: {} for name in index_names}

    def copy(self, owner: object) -> PathTable[_Value]:
        """Return a copy for a writer."""
        table: PathTable[_Value] = PathTable(owner)
        table.values, table.paths = self.values.copy(), self.paths.copy()
        table.indexes = {name: index.copy() for name, index in self.indexes.items()}
        return table

    def list(self, prefix: str = "") -> PathList[_Value]:
        """Return the values with a prefix of their path, which ends in a slash; from now on they share the table."""
        self.owner = None
        first, end = 0, len(self.paths)
        if prefix:  # `0` sorts after `/`
            first = bisect.bisect_left(self.paths, prefix)
            end = bisect.bisect_left(self.paths, f"{prefix[:-1]}0", lo=first)
        return PathList(self.values, self.paths, range(first, end))

    def put(self, path: str, value: _Value, indexers: Mapping[str, Callable[[_Value], Hashable]]) -> None:
        """Store a value; *indexers* return the indexed values."""
        old = self.values.get(path)
        self.values[path] = value
        if old is None:
            bisect.insort(self.paths, path)
        if indexers:
            self._index(path, old, value, indexers)

    def delete(self, path: str, indexers: Mapping[str, Callable[[_Value], Hashable]]) -> _Value:
        """Remove a value, and return it."""
        old = self.values.pop(path)
        del self.paths[bisect.bisect_left(self.paths, path)]
        if indexers:
            self._index(path, old, None, indexers)
        return old

    def _index(
        self, path: str, old: _Value | None, new: _Value | None, indexers: Mapping[str, Callable[[_Value], Hashable]]
    ) -> None:
        for name, find in indexers.items():
            index = self.indexes[name]
            before, after = None if old is None else find(old), None if new is None else find(new)
            if before == after:
                continue
            if before is not None:
                index[before] = tuple(other for other in index[before] if other != path)
            if after is not None:
                index[after] = tuple(sorted((*index.get(after, ()), path)))

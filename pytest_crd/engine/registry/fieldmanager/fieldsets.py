"""
Sets of fields: who owns what is one.

A set is a tree. It never changes once it is made, so that sets share their parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from pytest_crd.engine.registry.fieldmanager.pathelements import Path, PathElement

_NOTHING: Final[frozenset[PathElement]] = frozenset()
_NO_CHILDREN: Final[Mapping[PathElement, FieldSet]] = {}


@dataclass(frozen=True, slots=True)
class FieldSet:
    """
    A set of fields, by the elements of their paths.

    A field that is a member says nothing of the fields inside it, nor do those of it.

    Attributes:
        members: The elements below the root of this set that are in it themselves.
        children: The sets of what lies deeper; none of them is empty, but where it was written down so.

    Reference:
        structured-merge-diff fieldpath/set.go.
    """

    members: AbstractSet[PathElement] = field(default=_NOTHING)
    children: Mapping[PathElement, FieldSet] = field(default_factory=lambda: _NO_CHILDREN)

    @property
    def is_empty(self) -> bool:
        """Whether no field is in it."""
        return not self.members and all(child.is_empty for child in self.children.values())

    def __contains__(self, path: Path) -> bool:
        """Return whether the field at *path* is in the set; the whole object never is."""
        if not path:
            return False
        below = self
        for element in path[:-1]:
            if element not in below.children:
                return False
            below = below.children[element]
        return path[-1] in below.members

    def __iter__(self) -> Iterator[Path]:
        """Yield the path of each field, sorted; those of an object before those of what is in it."""
        for element in sorted(self.members):
            yield (element,)
        for element in sorted(self.children):
            for path in self.children[element]:
                yield (element, *path)

    def union(self, other: FieldSet) -> FieldSet:
        """Return the set of the fields that are in this one or in *other*."""
        if self is other or not (other.members or other.children):
            return self
        if not (self.members or self.children):
            return other
        children = dict(self.children)
        for element, child in other.children.items():
            mine = children.get(element)
            children[element] = child if mine is None else mine.union(child)
        return FieldSet(self.members | other.members, children)

    def intersection(self, other: FieldSet) -> FieldSet:
        """Return the set of the fields that are in this one and in *other*."""
        children = {}
        for element, child in self.children.items():
            theirs = other.children.get(element)
            if theirs is not None and not (both := child.intersection(theirs)).is_empty:
                children[element] = both
        return FieldSet(self.members & other.members, children)

    def difference(self, other: FieldSet) -> FieldSet:
        """Return the set of the fields that are in this one and not in *other*; what lies inside of a field of *other* stays."""
        children = {}
        for element, child in self.children.items():
            theirs = other.children.get(element)
            rest = child if theirs is None else child.difference(theirs)
            if theirs is None or not rest.is_empty:
                children[element] = rest
        return FieldSet(self.members - other.members, children)

    def without(self, other: FieldSet) -> FieldSet:
        """
        Return the set of the fields that are in this one and neither in *other* nor inside of a field of it.

        Reference:
            structured-merge-diff fieldpath/set.go, RecursiveDifference.
        """
        children = {}
        for element, child in self.children.items():
            if element in other.members:
                continue
            theirs = other.children.get(element)
            rest = child if theirs is None else child.without(theirs)
            if theirs is None or not rest.is_empty:
                children[element] = rest
        return FieldSet(self.members - other.members, children)


EMPTY: Final = FieldSet()


def of(paths: Iterable[Path]) -> FieldSet:
    """Return the set of the fields at *paths*; the path of the whole object names none."""
    members: set[PathElement] = set()
    deeper: dict[PathElement, list[Path]] = {}
    for path in paths:
        if len(path) == 1:
            members.add(path[0])
        elif path:
            deeper.setdefault(path[0], []).append(path[1:])
    return FieldSet(members, {element: of(rest) for element, rest in deeper.items()})

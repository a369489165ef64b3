"""
Sets of fields.

A set is an immutable tree, so that sets can share parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pytest_crd.engine.registry.fieldmanager.pathelements import Path, PathElement


_NOTHING: Final[frozenset[PathElement]] = frozenset()
_NO_CHILDREN: Final[Mapping[PathElement, FieldSet]] = {}


@dataclass(frozen=True, slots=True)
class FieldSet:
    """
    A set of fields, by the elements of their paths.

    Membership of a field is independent of the membership of its children.

    Attributes:
        members: The elements at the root of this set that are members.
        children: The sets below each element; not empty, except if managed fields have an empty one.

    Reference:
        structured-merge-diff fieldpath/set.go.
    """

    members: AbstractSet[PathElement] = field(default=_NOTHING)
    children: Mapping[PathElement, FieldSet] = field(default_factory=lambda: _NO_CHILDREN)

    @property
    def is_empty(self) -> bool:
        """Whether the set has no fields."""
        return not self.members and all(child.is_empty for child in self.children.values())

    def __contains__(self, path: Path) -> bool:
        """Return whether the field at *path* is a member; the whole object never is."""
        if not path:
            return False
        fields = self
        for element in path[:-1]:
            if element not in fields.children:
                return False
            fields = fields.children[element]
        return path[-1] in fields.members

    def __iter__(self) -> Iterator[Path]:
        """Yield the path of each field, sorted, parents first."""
        for element in sorted(self.members):
            yield (element,)
        for element in sorted(self.children):
            for path in self.children[element]:
                yield (element, *path)

    def union(self, other: FieldSet) -> FieldSet:
        """Return the union of two sets."""
        if self is other or not (other.members or other.children):
            return self
        if not (self.members or self.children):
            return other
        children = dict(self.children)
        for element, child in other.children.items():
            own_child = children.get(element)
            children[element] = child if own_child is None else own_child.union(child)
        return FieldSet(self.members | other.members, children)

    def intersection(self, other: FieldSet) -> FieldSet:
        """Return the intersection of two sets."""
        if not (other.members or other.children):
            return EMPTY
        children = {}
        for element, child in self.children.items():
            other_child = other.children.get(element)
            if other_child is not None and not (both := child.intersection(other_child)).is_empty:
                children[element] = both
        return FieldSet(self.members & other.members, children)

    def difference(self, other: FieldSet) -> FieldSet:
        """Return the fields that are not members of *other*; children of its members stay."""
        if not (other.members or other.children):
            return self
        children = {}
        for element, child in self.children.items():
            other_child = other.children.get(element)
            rest = child if other_child is None else child.difference(other_child)
            if other_child is None or not rest.is_empty:
                children[element] = rest
        return FieldSet(self.members - other.members, children)

    def without(self, other: FieldSet) -> FieldSet:
        """
        Return the fields that are neither members of *other* nor inside its members.

        Reference:
            structured-merge-diff fieldpath/set.go, RecursiveDifference.
        """
        children = {}
        for element, child in self.children.items():
            if element in other.members:
                continue
            other_child = other.children.get(element)
            rest = child if other_child is None else child.without(other_child)
            if other_child is None or not rest.is_empty:
                children[element] = rest
        return FieldSet(self.members - other.members, children)


EMPTY: Final = FieldSet()


def from_paths(paths: Iterable[Path]) -> FieldSet:
    """Return the set of the fields at *paths*; the empty path is ignored."""
    members: set[PathElement] = set()
    deeper: dict[PathElement, list[Path]] = {}
    for path in paths:
        if len(path) == 1:
            members.add(path[0])
        elif path:
            deeper.setdefault(path[0], []).append(path[1:])
    if not (members or deeper):
        return EMPTY
    return FieldSet(members, {element: from_paths(rest) for element, rest in deeper.items()})

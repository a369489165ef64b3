"""
Merge types: how values merge, and which of their parts can have owners.

A type may allow a scalar, a list and a map at once; a value then selects the alternative that fits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from pytest_crd.engine.golang.govalues import GoValue
from pytest_crd.engine.jsonvalue import JSONValue

Scalar: TypeAlias = Literal["string", "numeric", "boolean", "untyped"]

# The Python types of each scalar type; empty for types without a scalar.
VALUES_OF: Final[Mapping[Scalar | None, frozenset[type]]] = {
    "string": frozenset({str}),
    "numeric": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "untyped": frozenset({str, int, float, bool}),
    None: frozenset(),
}


@dataclass(slots=True, eq=False)
class MergeType:
    """
    A type; mutable during its creation, as it may contain itself.

    Attributes:
        scalar: The allowed scalar, or None.
        list: The allowed list, or None.
        map: The allowed object, or None.

    Reference:
        structured-merge-diff schema/elements.go, Atom.
    """

    scalar: Scalar | None = None
    list: ListType | None = None
    map: MapType | None = None

    def fitted(self, value: JSONValue) -> MergeType:
        """
        Return the alternative for *value*; the whole type for null and for values that it does not allow.

        Reference:
            structured-merge-diff typed/helpers.go, deduceAtom.
        """
        # Called for each value of an object, so check the other alternatives only if needed.
        if isinstance(value, dict):
            has_others = self.map is not None and (self.scalar is not None or self.list is not None)
            return MergeType(map=self.map) if has_others else self
        if isinstance(value, list):
            has_others = self.list is not None and (self.scalar is not None or self.map is not None)
            return MergeType(list=self.list) if has_others else self
        has_others = self.scalar is not None and (self.list is not None or self.map is not None)
        if not has_others or value is None or isinstance(value, GoValue):
            return self
        return MergeType(scalar=self.scalar)

    def is_scalar(self, value: JSONValue) -> bool:
        """Return whether a value is a scalar that the type allows, with a single owner."""
        return type(value) in VALUES_OF[self.scalar]

    def is_same(self, other: MergeType) -> bool:
        """Return whether two alternatives of one type are the same."""
        return self is other or (
            self.scalar == other.scalar and self.list is other.list and self.map is other.map
        )  # fmt: skip


@dataclass(slots=True, eq=False)
class ListType:
    """
    A list.

    Attributes:
        items: The type of its items.
        is_associative: Whether items have their own owners, as in sets and maps; otherwise the list is atomic.
        keys: The key fields of a map's items; empty for a set.
        needs_all_keys: Whether an item needs all keys or their defaults, not only one.
    """

    items: MergeType
    is_associative: bool = False
    keys: tuple[str, ...] = ()
    needs_all_keys: bool = False


@dataclass(slots=True, eq=False)
class MapType:
    """
    An object.

    Attributes:
        fields: The types of declared fields.
        values: The type of undeclared fields; None if they are not allowed.
        is_atomic: Whether it has a single owner.
        defaults: The defaults of declared fields that have one.
        is_untyped: Whether it declares nothing and allows anything.
    """

    fields: Mapping[str, MergeType] = field(default_factory=dict)
    values: MergeType | None = None
    is_atomic: bool = False
    defaults: Mapping[str, JSONValue] = field(default_factory=dict)
    is_untyped: bool = False

    def field_type(self, name: str) -> MergeType | None:
        """Return the type of the field *name*, or None if the field is not allowed."""
        return self.fields.get(name, self.values)


def _untyped() -> tuple[MergeType, MergeType]:
    atomic, deduced = MergeType(scalar="untyped"), MergeType(scalar="untyped")
    atomic.list = deduced.list = ListType(atomic)
    atomic.map = MapType(values=atomic, is_atomic=True)
    deduced.map = MapType(values=deduced, is_untyped=True)
    return atomic, deduced


# Types without a schema: atomic, or with owners of fields at all depths.
ATOMIC, DEDUCED = _untyped()

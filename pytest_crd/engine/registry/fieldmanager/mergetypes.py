"""
Types of values, as far as they decide how values are merged and which parts of them have owners of their own.

A type may allow a scalar, a list and a map at once; a value then takes the part that fits it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue

Scalar: TypeAlias = Literal["string", "numeric", "boolean", "untyped"]

# The Python types of the values that are of a scalar type; those of no scalar type are none.
_VALUES_OF: Final[Mapping[Scalar | None, frozenset[type]]] = {
    "string": frozenset({str}),
    "numeric": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "untyped": frozenset({str, int, float, bool}),
    None: frozenset(),
}


@dataclass(slots=True, eq=False)
class MergeType:
    """
    A type; it is filled in after it is made, as it may hold itself.

    Attributes:
        scalar: The scalar that it allows; None where it allows none.
        list: The list that it allows.
        map: The object that it allows.

    Reference:
        structured-merge-diff schema/elements.go, Atom.
    """

    scalar: Scalar | None = None
    list: ListType | None = None
    map: MapType | None = None

    def fitted(self, value: JSONValue) -> MergeType:
        """
        Return the part of the type that is for *value*; the whole type for a null, or for what it does not allow.

        Reference:
            structured-merge-diff typed/helpers.go, deduceAtom.
        """
        # Asked of each value of an object: so what else there is, is looked at only where it counts.
        if isinstance(value, dict):
            has_others = self.map is not None and (self.scalar is not None or self.list is not None)
            return MergeType(map=self.map) if has_others else self
        if isinstance(value, list):
            has_others = self.list is not None and (self.scalar is not None or self.map is not None)
            return MergeType(list=self.list) if has_others else self
        has_others = self.scalar is not None and (self.list is not None or self.map is not None)
        return MergeType(scalar=self.scalar) if has_others and value is not None else self

    def is_scalar(self, value: JSONValue) -> bool:
        """Return whether a value is a scalar that the type allows: one value, with one owner, of which nothing else is to be asked."""
        return type(value) in _VALUES_OF[self.scalar]

    def is_same(self, other: MergeType) -> bool:
        """Return whether two parts of one type are the same part."""
        return self is other or (
            self.scalar == other.scalar and self.list is other.list and self.map is other.map
        )  # fmt: skip


@dataclass(slots=True, eq=False)
class ListType:
    """
    A list.

    Attributes:
        items: The type of its items.
        is_associative: Whether items have owners of their own: it is a set or a map, and else one value.
        keys: The fields by which the items of a map are chosen; empty for a set.
        needs_all_keys: Whether an item has all of them, or else their defaults; else it needs one.
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
        fields: The types of the fields that are declared.
        values: The type of all other fields; None where there may be none.
        is_atomic: Whether it is one value, with one owner.
        defaults: The defaults of declared fields; a field with none is absent.
        is_untyped: Whether it declares nothing, and takes anything.
    """

    fields: Mapping[str, MergeType] = field(default_factory=dict)
    values: MergeType | None = None
    is_atomic: bool = False
    defaults: Mapping[str, JSONValue] = field(default_factory=dict)
    is_untyped: bool = False

    def of(self, name: str) -> MergeType | None:
        """Return the type of the field *name*; None where there may be none."""
        return self.fields.get(name, self.values)


def _untyped() -> tuple[MergeType, MergeType]:
    atomic, deduced = MergeType(scalar="untyped"), MergeType(scalar="untyped")
    atomic.list = deduced.list = ListType(atomic)
    atomic.map = MapType(values=atomic, is_atomic=True)
    deduced.map = MapType(values=deduced, is_untyped=True)
    return atomic, deduced


# What is known of nothing: one value, or one whose fields have owners of their own, all the way down.
ATOMIC, DEDUCED = _untyped()

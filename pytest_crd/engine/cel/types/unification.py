"""
Type parameters and what they stand for, and which types may be used for which.

Reference:
    cel-go checker/types.go; checker/mapping.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind

# What type parameters stand for, by their names.
Substitutions: TypeAlias = dict[str, Type]

_NULLABLE: Final = frozenset({TypeKind.OPAQUE, TypeKind.STRUCT, TypeKind.ANY, TypeKind.DURATION, TypeKind.TIMESTAMP})
_DYN: Final = frozenset({TypeKind.DYN, TypeKind.ANY})
_DYN_OR_ERROR: Final = frozenset({TypeKind.DYN, TypeKind.ANY, TypeKind.ERROR})
_COMPOSITE: Final = frozenset({TypeKind.OPAQUE, TypeKind.LIST, TypeKind.MAP})


def is_dyn(type_: Type) -> bool:
    """Return whether nothing is known of *type_*."""
    return type_.kind in _DYN


def is_dyn_or_error(type_: Type) -> bool:
    """Return whether *type_* may be anything, be it after a mistake."""
    return type_.kind in _DYN_OR_ERROR


def unwrap_optional(type_: Type) -> tuple[Type, bool]:
    """Return the type of the values of an optional type, and whether *type_* is one."""
    if type_.kind is TypeKind.OPAQUE and type_.name == celtypes.OPTIONAL_NAME:
        return type_.parameters[0], True
    return type_, False


class Unifier:
    """What is known of the type parameters of one expression."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._known: Substitutions = {}
        self._made = 0

    def new_parameter(self) -> Type:
        """Return a type parameter that stands for nothing yet."""
        self._made += 1
        return celtypes.parameter(f"_var{self._made - 1}")

    def skip_parameters(self, count: int) -> None:
        """Count *count* type parameters that were not needed: messages show their numbers."""
        self._made += count

    def substitute(self, type_: Type, *, to_dyn: bool = False) -> Type:
        """Return *type_* with type parameters replaced by what they stand for; those that stand for nothing *to_dyn*."""
        return substitute(self._known, type_, to_dyn=to_dyn) if type_.generic else type_

    def assignable(self, first: Type, second: Type) -> bool:
        """Return whether *first* is assignable to *second*, and keep what type parameters must stand for then."""
        return self.all_assignable((first,), (second,))

    def all_assignable(self, first: Sequence[Type], second: Sequence[Type]) -> bool:
        """Return whether the types of *first* are assignable to as many of *second*, one by one, and keep what that takes."""
        if any(type_.generic for type_ in first) or any(type_.generic for type_ in second):
            known = dict(self._known)
            if not _all_assignable(known, first, second):
                return False
            self._known = known
            return True
        return _all_assignable(self._known, first, second)


def most_general(first: Type, second: Type) -> Type:
    """Return the one of two assignable types that says less."""
    return first if _is_at_most_as_specific(first, second) else second


def substitute(known: Substitutions, type_: Type, *, to_dyn: bool = False) -> Type:
    """
    Return *type_* with its type parameters replaced.

    Args:
        known: What they stand for.
        type_: The type.
        to_dyn: Whether those that stand for nothing become dyn.
    """
    if not type_.generic:
        return type_
    if type_.kind is TypeKind.TYPE_PARAMETER:
        found = known.get(type_.name)
        if found is not None:
            return substitute(known, found, to_dyn=to_dyn)
        return celtypes.DYN if to_dyn else type_
    parameters = tuple([substitute(known, parameter, to_dyn=to_dyn) for parameter in type_.parameters])
    return Type(type_.kind, type_.name, parameters)


def _assignable(known: Substitutions, first: Type, second: Type) -> bool:  # noqa: PLR0911 - one for each kind of type
    """Return whether *first* is assignable to *second*, adding to *known* what that takes."""
    if first is second and not first.generic:
        return not first.lacking
    if second.kind is TypeKind.TYPE_PARAMETER:
        valid, had_one = _substitutes(known, first, second)
        if valid or had_one:
            return valid
    if first.kind is TypeKind.TYPE_PARAMETER:
        return _substitutes(known, second, first)[0]
    if first.kind in _DYN_OR_ERROR or second.kind in _DYN_OR_ERROR:
        return True
    if first.kind is TypeKind.NULL:
        return _takes_null(second)
    if second.kind is TypeKind.NULL:
        return _takes_null(first)
    if first.kind is TypeKind.TYPE:
        return second.kind is TypeKind.TYPE
    if first.kind in _COMPOSITE:
        return (
            first.kind is second.kind
            and first.name == second.name
            and len(first.parameters) == len(second.parameters)
            and _all_assignable(known, first.parameters, second.parameters)
        )
    return first == second


def _all_assignable(known: Substitutions, first: Sequence[Type], second: Sequence[Type]) -> bool:
    for one, other in zip(first, second, strict=True):  # noqa: SIM110 - all() would take room on the system's stack
        if not _assignable(known, one, other):
            return False
    return True


def _substitutes(known: Substitutions, type_: Type, parameter: Type) -> tuple[bool, bool]:
    """Return whether *parameter* may stand for *type_*, and whether it stands for something already."""
    if type_ == parameter:
        return True, True
    before = known.get(parameter.name)
    if before is None:
        if not _is_free_of(known, parameter, type_):
            return False, False
        known[parameter.name] = type_
        return True, False
    if type_ == before and not type_.lacking:
        return True, True
    if not _assignable(known, type_, before):
        return False, True
    general = most_general(type_, before)
    if _is_free_of(known, parameter, general):
        known[parameter.name] = general
    return True, True


def _is_free_of(known: Substitutions, parameter: Type, type_: Type) -> bool:
    """Return whether *parameter* does not occur in *type_*, nor in what its type parameters stand for."""
    if type_ == parameter:
        return False
    if type_.kind is TypeKind.TYPE_PARAMETER:
        found = known.get(type_.name)
        return found is None or _is_free_of(known, parameter, found)
    for inner in type_.parameters:  # noqa: SIM110 - all() would take room on the system's stack
        if not _is_free_of(known, parameter, inner):
            return False
    return True


def _takes_null(type_: Type) -> bool:
    return type_.kind in _NULLABLE or type_.kind is TypeKind.NULL or type_.nullable


def _is_at_most_as_specific(first: Type, second: Type) -> bool:
    """Return whether *first* says no more than *second*, to which it is assignable."""
    if first.kind in _DYN or first.kind is TypeKind.TYPE_PARAMETER:
        return True
    if second.kind in _DYN or second.kind is TypeKind.TYPE_PARAMETER or first.kind is not second.kind:
        return False
    if first.kind in _COMPOSITE:
        for one, other in zip(first.parameters, second.parameters, strict=True):
            if not _is_at_most_as_specific(one, other):
                return False
        return True
    return first.kind is TypeKind.TYPE or first == second

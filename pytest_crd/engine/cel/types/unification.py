"""
Unification: type parameters with their bindings, and assignability of types.

Reference:
    cel-go checker/types.go; checker/mapping.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind

# Bindings of type parameters by name.
Substitutions: TypeAlias = dict[str, Type]

_NULLABLE: Final = frozenset({TypeKind.OPAQUE, TypeKind.STRUCT, TypeKind.ANY, TypeKind.DURATION, TypeKind.TIMESTAMP})
_DYN: Final = frozenset({TypeKind.DYN, TypeKind.ANY})
_DYN_OR_ERROR: Final = frozenset({TypeKind.DYN, TypeKind.ANY, TypeKind.ERROR})
_COMPOSITE: Final = frozenset({TypeKind.OPAQUE, TypeKind.LIST, TypeKind.MAP})


def is_dyn(type_: Type) -> bool:
    """Return whether *type_* is dynamic."""
    return type_.kind in _DYN


def is_dyn_or_error(type_: Type) -> bool:
    """Return whether *type_* is dynamic or the result of a type error."""
    return type_.kind in _DYN_OR_ERROR


def unwrap_optional(type_: Type) -> tuple[Type, bool]:
    """Return the value type of an optional and True, or *type_* and False."""
    if type_.kind is TypeKind.OPAQUE and type_.name == celtypes.OPTIONAL_NAME:
        return type_.parameters[0], True
    return type_, False


class Unifier:
    """Bindings of the type parameters in one expression."""

    def __init__(self) -> None:
        """Create without bindings."""
        self._bindings: Substitutions = {}
        self._parameter_count = 0

    def new_parameter(self) -> Type:
        """Return a new unbound type parameter."""
        self._parameter_count += 1
        return celtypes.parameter(f"_var{self._parameter_count - 1}")

    def skip_parameters(self, count: int) -> None:
        """Skip *count* parameter numbers, which messages show, as if the parameters had been created."""
        self._parameter_count += count

    def substitute(self, type_: Type, *, to_dyn: bool = False) -> Type:
        """Return *type_* with bound type parameters replaced; *to_dyn* replaces unbound ones by dyn."""
        return substitute(self._bindings, type_, to_dyn=to_dyn) if type_.generic else type_

    def assignable(self, first: Type, second: Type) -> bool:
        """Return whether *first* is assignable to *second*, and keep the required bindings if so."""
        return self.all_assignable((first,), (second,))

    def all_assignable(self, first: Sequence[Type], second: Sequence[Type]) -> bool:
        """Return whether each type in *first* is assignable to its counterpart in *second*; keep the bindings if so."""
        if any(type_.generic for type_ in first) or any(type_.generic for type_ in second):
            bindings = dict(self._bindings)
            if not _all_assignable(bindings, first, second):
                return False
            self._bindings = bindings
            return True
        return _all_assignable(self._bindings, first, second)


def most_general(first: Type, second: Type) -> Type:
    """Return the less specific of two assignable types."""
    return first if _is_at_most_as_specific(first, second) else second


def substitute(bindings: Substitutions, type_: Type, *, to_dyn: bool = False) -> Type:
    """
    Return *type_* with its type parameters replaced.

    Args:
        bindings: Bindings of the type parameters.
        type_: The type.
        to_dyn: Replace unbound type parameters by dyn.
    """
    if not type_.generic:
        return type_
    if type_.kind is TypeKind.TYPE_PARAMETER:
        bound = bindings.get(type_.name)
        if bound is not None:
            return substitute(bindings, bound, to_dyn=to_dyn)
        return celtypes.DYN if to_dyn else type_
    parameters = tuple([substitute(bindings, parameter, to_dyn=to_dyn) for parameter in type_.parameters])
    return Type(type_.kind, type_.name, parameters)


def _assignable(bindings: Substitutions, first: Type, second: Type) -> bool:  # noqa: PLR0911 - one for each kind of type
    """Return whether *first* is assignable to *second*, and add the required *bindings*."""
    if first is second and not first.generic:
        return not first.lacking
    if second.kind is TypeKind.TYPE_PARAMETER:
        valid, had_one = _substitutes(bindings, first, second)
        if valid or had_one:
            return valid
    if first.kind is TypeKind.TYPE_PARAMETER:
        return _substitutes(bindings, second, first)[0]
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
            and _all_assignable(bindings, first.parameters, second.parameters)
        )
    return first == second


def _all_assignable(bindings: Substitutions, first: Sequence[Type], second: Sequence[Type]) -> bool:
    for left, right in zip(first, second, strict=True):  # noqa: SIM110 - all() would use the system's stack
        if not _assignable(bindings, left, right):
            return False
    return True


def _substitutes(bindings: Substitutions, type_: Type, parameter: Type) -> tuple[bool, bool]:
    """Return whether *parameter* can be bound to *type_*, and whether it was bound already."""
    if type_ == parameter:
        return True, True
    before = bindings.get(parameter.name)
    if before is None:
        if not _is_free_of(bindings, parameter, type_):
            return False, False
        bindings[parameter.name] = type_
        return True, False
    if type_ == before and not type_.lacking:
        return True, True
    if not _assignable(bindings, type_, before):
        return False, True
    general = most_general(type_, before)
    if _is_free_of(bindings, parameter, general):
        bindings[parameter.name] = general
    return True, True


def _is_free_of(bindings: Substitutions, parameter: Type, type_: Type) -> bool:
    """Return whether *parameter* does not occur in *type_*, bound parameters included."""
    if type_ == parameter:
        return False
    if type_.kind is TypeKind.TYPE_PARAMETER:
        bound = bindings.get(type_.name)
        return bound is None or _is_free_of(bindings, parameter, bound)
    for inner in type_.parameters:  # noqa: SIM110 - all() would use the system's stack
        if not _is_free_of(bindings, parameter, inner):
            return False
    return True


def _takes_null(type_: Type) -> bool:
    return type_.kind in _NULLABLE or type_.kind is TypeKind.NULL or type_.nullable


def _is_at_most_as_specific(first: Type, second: Type) -> bool:
    """Return whether *first* is not more specific than *second*, to which it is assignable."""
    if first.kind in _DYN or first.kind is TypeKind.TYPE_PARAMETER:
        return True
    if second.kind in _DYN or second.kind is TypeKind.TYPE_PARAMETER or first.kind is not second.kind:
        return False
    if first.kind in _COMPOSITE:
        for first_parameter, second_parameter in zip(first.parameters, second.parameters, strict=True):
            if not _is_at_most_as_specific(first_parameter, second_parameter):
                return False
        return True
    return first.kind is TypeKind.TYPE or first == second

"""
Overload resolution: which signatures of a function fit the arguments of a call.

Reference:
    cel-go checker/checker.go, resolveOverload.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.cel.types import celtypes, unification
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind
from pytest_crd.engine.cel.types.checked import Reference
from pytest_crd.engine.cel.types.declarations import Declarations
from pytest_crd.engine.cel.types.functions import Function, Overload
from pytest_crd.engine.cel.types.unification import Unifier

_MOST_KEPT: Final = 20_000


def resolve(
    unifier: Unifier, declarations: Declarations, function: Function, arguments: Sequence[Type], *, is_member: bool
) -> tuple[Reference, Type] | None:
    """
    Return what a call may mean, and the type of its result: dyn where overloads differ in it.

    Args:
        unifier: What is known of type parameters; gets to know what the overloads ask of them.
        declarations: Where resolutions are kept: calls without type parameters mean the same again, but for wrappers.
        function: The function.
        arguments: Types of the arguments, of which the target of a member call is the first.
        is_member: Whether it is a member call.

    Returns:
        None where no overload fits.
    """
    if any(argument.generic or argument.wraps for argument in arguments):
        return _match(unifier, function, arguments, is_member=is_member)
    kept, key = declarations.resolutions, (function.name, is_member, tuple(arguments))
    if key in kept:
        unifier.skip_parameters(_count_parameters(function, is_member=is_member))
        return kept[key]
    resolution = _match(unifier, function, arguments, is_member=is_member)
    if resolution is not None and not resolution[1].generic:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[key] = resolution
    return resolution


def _match(
    unifier: Unifier, function: Function, arguments: Sequence[Type], *, is_member: bool
) -> tuple[Reference, Type] | None:
    """Try the overloads one by one."""
    matching: list[Overload] = []
    result: Type | None = None
    for overload in function.overloads:
        if overload.is_member is not is_member:
            continue
        fresh = {name: unifier.new_parameter() for name in overload.type_parameters}
        parameters = [unification.substitute(fresh, parameter) for parameter in overload.parameters]
        if len(parameters) != len(arguments) or not unifier.all_assignable(arguments, parameters):
            continue
        matching.append(overload)
        found = unifier.substitute(unification.substitute(fresh, overload.result))
        if result is None:
            result = None if found.kind is TypeKind.UNSPECIFIED else found
        elif not unification.is_dyn(result) and found != result:
            result = celtypes.DYN
    return None if result is None else (Reference(function.name, tuple(matching)), result)


def _count_parameters(function: Function, *, is_member: bool) -> int:
    """Return how many type parameters are made to try all overloads."""
    return sum([len(overload.type_parameters) for overload in function.overloads if overload.is_member is is_member])

"""
Overload resolution at compile time.

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

_CACHE_SIZE: Final = 20_000


def resolve(
    unifier: Unifier, declarations: Declarations, function: Function, arguments: Sequence[Type], *, is_member: bool
) -> tuple[Reference, Type] | None:
    """
    Return the reference and the result type of a call; the type is dyn if the overloads disagree.

    Args:
        unifier: The type parameters of the expression; resolution may bind them.
        declarations: The declarations with the cache, which is used for calls without type parameters and wrappers.
        function: The function.
        arguments: Argument types, beginning with the target of a member call.
        is_member: It is a member call.

    Returns:
        None if no overload fits.
    """
    if any(argument.generic or argument.wraps for argument in arguments):
        return _match(unifier, function, arguments, is_member=is_member)
    cache, key = declarations.resolutions, (function.name, is_member, tuple(arguments))
    if key in cache:
        unifier.skip_parameters(_count_parameters(function, is_member=is_member))
        return cache[key]
    resolution = _match(unifier, function, arguments, is_member=is_member)
    if resolution is not None and not resolution[1].generic:
        if len(cache) >= _CACHE_SIZE:
            cache.clear()
        cache[key] = resolution
    return resolution


def _match(
    unifier: Unifier, function: Function, arguments: Sequence[Type], *, is_member: bool
) -> tuple[Reference, Type] | None:
    """Match all overloads; return reference and result type, or None without a match."""
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
        overload_result = unifier.substitute(unification.substitute(fresh, overload.result))
        if result is None:
            result = None if overload_result.kind is TypeKind.UNSPECIFIED else overload_result
        elif not unification.is_dyn(result) and overload_result != result:
            result = celtypes.DYN
    return None if result is None else (Reference(function.name, tuple(matching)), result)


def _count_parameters(function: Function, *, is_member: bool) -> int:
    """Return the number of type parameters in all overloads of a call style."""
    return sum([len(overload.type_parameters) for overload in function.overloads if overload.is_member is is_member])

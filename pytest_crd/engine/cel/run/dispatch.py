"""
Which overload of a function values are for, where their types are not known before.

Reference:
    cel-go common/decls/decls.go, Bindings, matchesRuntimeSignature; common/types/types.go, IsAssignableRuntimeType.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind
from pytest_crd.engine.cel.types.functions import Function, Implementation, Overload
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.cel.values.celvalues import Value, find, is_list, is_map, type_name

_ANYTHING: Final = frozenset({TypeKind.DYN, TypeKind.ANY, TypeKind.TYPE_PARAMETER})
_SCALARS: Final[Mapping[TypeKind, type]] = {
    TypeKind.STRING: str,
    TypeKind.INT: int,
    TypeKind.BOOL: bool,
    TypeKind.DOUBLE: float,
    TypeKind.BYTES: bytes,
}


def matches(type_: Type, value: Value) -> bool:
    """Return whether *value* may be passed where *type_* is wanted; of a list or a map only the first entry is looked at."""
    if type_.kind in _ANYTHING:
        return True
    if (scalar := _SCALARS.get(type_.kind)) is not None:
        return type(value) is scalar
    if type_.kind is TypeKind.LIST:
        return is_list(value) and (not len(value) or matches(type_.parameters[0], next(iter(value))))
    if type_.kind is TypeKind.MAP:
        return is_map(value) and (not len(value) or _entry_matches(type_, value))
    return type_.name == type_name(value)


def _entry_matches(type_: Type, value: Any) -> bool:
    key = next(iter(value))
    return matches(type_.parameters[0], key) and matches(type_.parameters[1], find(value, key))


def mismatch(function: str, values: Sequence[Value]) -> EvaluationError:
    """Return the error of a function that has no overload for *values*."""
    return EvaluationError(f"no such overload: {function}({', '.join(map(type_name, values))})")


def guarded(function: str, overload: Overload, implementation: Implementation) -> Implementation:
    """Return *implementation* of one overload, behind a check that the values are of its types."""
    parameters = overload.parameters
    if not overload.guarded or all(parameter.kind in _ANYTHING for parameter in parameters):
        return implementation
    if len(parameters) == 1 and (scalar := _SCALARS.get(parameters[0].kind)) is not None:
        return _guarded_scalar(function, scalar, implementation)
    checks: list[Callable[[Value], bool]] = [_check(parameter) for parameter in parameters]

    def call(*values: Value) -> Value:
        for check, value in zip(checks, values, strict=True):
            if not check(value):
                raise mismatch(function, values)
        return implementation(*values)

    return call


def _guarded_scalar(function: str, scalar: type, implementation: Implementation) -> Implementation:
    def call(value: Value) -> Value:
        if type(value) is not scalar:
            raise mismatch(function, (value,))
        return implementation(value)

    return call


def _check(type_: Type) -> Callable[[Value], bool]:
    if (scalar := _SCALARS.get(type_.kind)) is not None:
        return lambda value: type(value) is scalar
    return lambda value: matches(type_, value)


def dispatched(function: Function) -> Implementation:
    """Return what calls the overload of *function* that fits the values: the first one."""
    first = function.overloads[0]
    if (
        first.call is not None
        and not first.guarded
        and all(overload.call is first.call for overload in function.overloads)
    ):
        return first.call  # which finds out itself what to do

    def call(*values: Value) -> Value:
        for overload in function.overloads:
            if overload.call is not None and _fits(overload, values):
                return overload.call(*values)
        raise mismatch(function.name, values)

    return call


def counted(implementation: Implementation) -> Implementation:
    """Return *implementation*, which costs 1 whatever it is given, with the texts counted that it reads and puts together."""

    def call(*values: Value) -> Value:
        length = 0
        for value in values:
            if type(value) is str or type(value) is bytes:
                workload.count_text(value)
                length += len(value)
        workload.check_length(length)
        return implementation(*values)

    return call


def _fits(overload: Overload, values: Sequence[Value]) -> bool:
    if len(overload.parameters) != len(values):
        return False
    return not overload.guarded or all(map(matches, overload.parameters, values))

"""
Selection of overloads at run time, for arguments of unknown type.

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
    """Return whether *value* is assignable to *type_*; only the first entry of a list or map is checked."""
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
    """Return the error of a function without an overload for *values*."""
    return EvaluationError(f"no such overload: {function}({', '.join(map(type_name, values))})")


def guarded(function: str, overload: Overload, implementation: Implementation) -> Implementation:
    """Return *implementation* with a check of the argument types of *overload*."""
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
    """Return a function that calls the first overload that fits the arguments; it raises EvaluationError without one."""
    first = function.overloads[0]
    if (
        first.call is not None
        and not first.guarded
        and all(overload.call is first.call for overload in function.overloads)
    ):
        return first.call  # one implementation for all types

    def call(*values: Value) -> Value:
        for overload in function.overloads:
            if overload.call is not None and _fits(overload, values):
                return overload.call(*values)
        raise mismatch(function.name, values)

    return call


def counted(implementation: Implementation) -> Implementation:
    """Return *implementation* with its work on texts counted, although its cost is 1."""

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

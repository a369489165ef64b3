"""
What the names of an expression may mean: variables, types, constants, functions.

Reference:
    cel-go checker/env.go, Env; common/types/provider.go, Registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type, TypeProvider
from pytest_crd.engine.cel.types.checked import Reference
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values.celvalues import TypeValue

_TYPES: Final = (
    celtypes.BOOL,
    celtypes.BYTES,
    celtypes.DOUBLE,
    celtypes.DURATION,
    celtypes.INT,
    celtypes.list_of(celtypes.DYN),
    celtypes.map_of(celtypes.DYN, celtypes.DYN),
    celtypes.NULL,
    celtypes.STRING,
    celtypes.TIMESTAMP,
    celtypes.TYPE,
    celtypes.UINT,
    celtypes.struct("google.protobuf.Empty"),
)
# Names of protobuf that mean types to the checker, and nothing when the expression is planned.
_MESSAGES: Final[Mapping[str, Type]] = {
    "google.protobuf.Any": celtypes.ANY,
    "google.protobuf.BoolValue": celtypes.wrapper(celtypes.BOOL),
    "google.protobuf.BytesValue": celtypes.wrapper(celtypes.BYTES),
    "google.protobuf.DoubleValue": celtypes.wrapper(celtypes.DOUBLE),
    "google.protobuf.FloatValue": celtypes.wrapper(celtypes.DOUBLE),
    "google.protobuf.Int32Value": celtypes.wrapper(celtypes.INT),
    "google.protobuf.Int64Value": celtypes.wrapper(celtypes.INT),
    "google.protobuf.ListValue": celtypes.list_of(celtypes.DYN),
    "google.protobuf.StringValue": celtypes.wrapper(celtypes.STRING),
    "google.protobuf.Struct": celtypes.map_of(celtypes.STRING, celtypes.DYN),
    "google.protobuf.UInt32Value": celtypes.wrapper(celtypes.UINT),
    "google.protobuf.UInt64Value": celtypes.wrapper(celtypes.UINT),
    "google.protobuf.Value": celtypes.DYN,
}


class _NoStructs:
    """The provider where there are no structs."""

    def find_struct(self, _: str) -> Type | None:
        return None

    def find_field(self, _: str, __: str) -> Type | None:
        return None


class Declarations:
    """
    The names that an environment knows.

    Attributes:
        functions: Its functions, by their names.
        provider: What knows the structs.
        resolutions: Which overloads calls with certain types mean, and of what type the result is: found once for all.
    """

    def __init__(self, libraries: Iterable[Library]) -> None:
        """Declare what *libraries* bring."""
        self.functions = _merge([function for library in libraries for function in library.functions])
        self.provider: TypeProvider = _NoStructs()
        self.resolutions: dict[tuple[str, bool, tuple[Type, ...]], tuple[Reference, Type]] = {}
        self._globals: dict[str, tuple[Type, Reference]] = {}
        for type_ in _TYPES:
            self._globals[type_.name] = celtypes.type_of(type_), Reference(type_.name, value=TypeValue(type_.name))
        for name, type_ in _MESSAGES.items():
            self._globals[name] = celtypes.type_of(type_), Reference(name)
        self._globals["google.protobuf.NullValue.NULL_VALUE"] = celtypes.INT, Reference("", value=0)
        for library in libraries:
            for type_ in library.types:
                self._globals[type_.name] = celtypes.type_of(type_), Reference(type_.name, value=TypeValue(type_.name))
        self._last_names = {name.rpartition(".")[2] for name in self.functions if "." in name}
        self._first_names = {name.partition(".")[0] for name in self._globals if "." in name}

    def extend(self, variables: Mapping[str, Type], provider: TypeProvider | None = None) -> Declarations:
        """Return these declarations with *variables*, and with *provider* in the place of the one before."""
        extended = object.__new__(Declarations)
        extended.__dict__.update(self.__dict__)
        declared = {name: (type_, Reference(name)) for name, type_ in variables.items()}
        extended._globals = {**self._globals, **declared}
        extended.provider = provider or self.provider
        return extended

    def find(self, name: str) -> tuple[Type, Reference] | None:
        """Return the type and the meaning of the global *name*, which may have dots: of a struct's, that of its type."""
        known = self._globals.get(name)
        if known is None and (struct := self.provider.find_struct(name)) is not None:
            return celtypes.type_of(struct), Reference(name)
        return known

    def may_have_dots(self, first_name: str) -> bool:
        """Return whether there are global names that begin with *first_name* and a dot."""
        return first_name in self._first_names

    def may_end(self, last_name: str) -> bool:
        """Return whether there are functions whose names end in a dot and *last_name*."""
        return last_name in self._last_names


def _merge(functions: Iterable[Function]) -> dict[str, Function]:
    """Return *functions* by name; those of one name become one, in which a later overload takes the place of its namesake."""
    merged: dict[str, Function] = {}
    for function in functions:
        before = merged.get(function.name)
        if before is not None:
            overloads: dict[str, Overload] = {overload.id: overload for overload in before.overloads}
            overloads.update({overload.id: overload for overload in function.overloads})
            function = Function(function.name, tuple(overloads.values()), before.cost or function.cost)  # noqa: PLW2901
        merged[function.name] = function
    return merged

"""
Declarations of variables, types, constants and functions.

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
# Protobuf names that are types for the checker and undefined for the planner.
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


# Names that cel-go declares for old expressions; expressions cannot use them, and suggestions name them.
_OLD_FUNCTIONS: Final = ("in", "_in_", "__not_strictly_false__")
_STANDARD_TYPES: Final = frozenset(type_.name for type_ in _TYPES if type_.name != "google.protobuf.Empty")


class _NoStructs:
    """Type provider without structs."""

    def find_struct(self, _: str) -> Type | None:
        return None

    def find_field(self, _: str, __: str) -> Type | None:
        return None


class Declarations:
    """
    Names declared in an environment.

    Attributes:
        functions: Functions by name.
        provider: Source of struct types.
        resolutions: Cache of overload resolutions, by function, call style and argument types.
    """

    def __init__(self, libraries: Iterable[Library]) -> None:
        """Declare the functions, types and constants of *libraries*."""
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
        self._types = self._globals
        self._macros = [macro.name for library in libraries for macro in library.macros]
        self._last_names = _last_names(self.functions.values())
        self._first_names = _first_names(self._globals)

    def extend(self, variables: Mapping[str, Type], provider: TypeProvider | None = None) -> Declarations:
        """Return a copy of these declarations with *variables* added, and with *provider* if there is one."""
        extended = object.__new__(Declarations)
        extended.__dict__.update(self.__dict__)
        declared = {name: (type_, Reference(name)) for name, type_ in variables.items()}
        extended._globals = {**self._globals, **declared}
        extended._first_names = self._first_names | _first_names(variables)
        extended.provider = provider or self.provider
        return extended

    def with_functions(self, library: Library) -> Declarations:
        """Return a copy of these declarations with the functions of *library*."""
        extended = object.__new__(Declarations)
        extended.__dict__.update(self.__dict__)
        extended.functions = _merge((*self.functions.values(), *library.functions))
        extended.resolutions = {}
        extended._last_names = self._last_names | _last_names(library.functions)
        return extended

    def find(self, name: str) -> tuple[Type, Reference] | None:
        """Return type and reference of the global *name*, which may have dots; None if it is undeclared."""
        declaration = self._globals.get(name)
        if declaration is None and (struct := self.provider.find_struct(name)) is not None:
            return celtypes.type_of(struct), Reference(name)
        return declaration

    def list_names(self) -> set[str]:
        """Return the names that messages suggest: functions, macros, standard types and variables."""
        variables = self._globals.keys() - self._types.keys()
        return {*self.functions, *_OLD_FUNCTIONS, *self._macros, *_STANDARD_TYPES, *variables}

    def may_have_dots(self, first_name: str) -> bool:
        """Return whether a global name begins with *first_name* and a dot."""
        return first_name in self._first_names or self.provider.find_struct(first_name) is not None

    def may_end(self, last_name: str) -> bool:
        """Return whether a function name ends in a dot and *last_name*."""
        return last_name in self._last_names


def _first_names(names: Iterable[str]) -> set[str]:
    """Return the first parts of the names with dots."""
    return {name.partition(".")[0] for name in names if "." in name}


def _last_names(functions: Iterable[Function]) -> set[str]:
    """Return the last parts of the names with dots."""
    return {function.name.rpartition(".")[2] for function in functions if "." in function.name}


def _merge(functions: Iterable[Function]) -> dict[str, Function]:
    """Return *functions* by name with their overloads merged; a later overload replaces one with the same id."""
    merged: dict[str, Function] = {}
    for function in functions:
        before = merged.get(function.name)
        if before is not None:
            overloads: dict[str, Overload] = {overload.id: overload for overload in before.overloads}
            overloads.update({overload.id: overload for overload in function.overloads})
            function = Function(function.name, tuple(overloads.values()), before.cost or function.cost)  # noqa: PLW2901
        merged[function.name] = function
    return merged

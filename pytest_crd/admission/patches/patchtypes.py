"""
Types of patches in the expressions of mutations: `Object`, `Object.spec` and so on, and `JSONPatch`.

Reference:
    apiserver cel/mutation: typeresolver.go, jsonpatch.go and dynamic/objects.go; cel/library/jsonpatch.go.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final

from pytest_crd.admission.patches import patchvalues, valueorigins
from pytest_crd.admission.patches.patchvalues import ObjectStruct
from pytest_crd.admission.patches.valueorigins import Origins
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.run.qualifiers import go_type
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import DYN, STRING, Type, TypeProvider
from pytest_crd.engine.cel.types.functions import Function, Implementation, Library, Overload
from pytest_crd.engine.cel.values import equality
from pytest_crd.engine.cel.values.celvalues import MISSING, Optional, StructValue, Value
from pytest_crd.engine.cel.values.display import show
from pytest_crd.engine.golang.govalues import GoValue

OBJECT: Final = celtypes.struct("Object")
"""The type of the expression of an apply configuration."""
JSON_PATCH: Final = celtypes.struct("JSONPatch")
JSON_PATCHES: Final = celtypes.list_of(JSON_PATCH)
"""The type of the expression of a JSON patch."""

# The server declares unknown fields of an operation without a type, so that no value fits.
_UNKNOWN: Final = celtypes.struct("")
_TEXTS: Final = ("op", "path", "from")
_VALUE: Final = "value"
_NATIVE: Final[Mapping[str, str]] = {
    "types.Null": "structpb.NullValue",
    "types.Bool": "bool",
    "types.Int": "int64",
    "types.Uint": "uint64",
    "types.Double": "float64",
    "types.Bytes": "[]uint8",
    "types.Duration": "time.Duration",
    "types.Timestamp": "time.Time",
}


def extend(environment: Environment) -> Environment:
    """Return an environment with the types of patches, with `jsonpatch.escapeKey`, and with sums that note joined lists."""
    provider = _PatchTypes(environment.provider)
    sums = environment.functions["_+_"]
    noting = tuple(dataclasses.replace(overload, call=_noting(overload)) for overload in sums.overloads)
    library = Library(_LIBRARY.name, (*_LIBRARY.functions, Function(sums.name, noting, sums.cost)))
    return environment.with_structs(provider, provider, library)


def _noting(overload: Overload) -> Implementation:
    add = overload.call
    assert add is not None  # noqa: S101 - the interpreter has no sums of its own

    def add_and_note(left: Value, right: Value) -> Value:
        result = add(left, right)
        valueorigins.note_joined(left, right, result)
        return result

    return add_and_note


class _PatchTypes:
    """The types of patches, before other struct types."""

    def __init__(self, others: TypeProvider) -> None:
        self._others = others

    def makes(self, name: str) -> bool:
        """Return whether a struct type belongs to patches."""
        return name in (JSON_PATCH.name, OBJECT.name) or name.startswith(f"{OBJECT.name}.")

    def selects(self, name: str) -> bool:
        """Return whether a struct type is that of an object."""
        return self.makes(name) and name != JSON_PATCH.name

    def make(self, name: str, values: Mapping[str, Value]) -> Value:
        """
        Return a struct.

        Raises:
            EvaluationError: A field does not accept its value.
        """
        return _patch(values) if name == JSON_PATCH.name else ObjectValue(name, values)

    def find_struct(self, name: str) -> Type | None:
        """Return the struct type with a name, or None."""
        return celtypes.struct(name) if self.makes(name) else self._others.find_struct(name)

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        """Return the type of a field, or None; an object has any field."""
        if struct_name == JSON_PATCH.name:
            return DYN if field_name == _VALUE else STRING if field_name in _TEXTS else _UNKNOWN
        return DYN if self.makes(struct_name) else self._others.find_field(struct_name, field_name)


class ObjectValue(ObjectStruct):
    """
    An object of an apply configuration, or a nested object.

    Attributes:
        type_name: Its type, such as `Object.spec`.
        fields: Its fields.
    """

    __slots__ = ()

    def __init__(self, type_name: str, fields: Mapping[str, Value]) -> None:
        """Create with the values of its fields."""
        self.type_name = type_name
        self.fields = fields

    def find(self, name: Value, *, testing: bool) -> Value:  # noqa: ARG002 - the same for a test
        """Return MISSING: an object has fields only where the type checker knows its type."""
        return MISSING

    def find_field(self, name: str, *, testing: bool) -> Value:
        """Return the value of a field, converted to JSON; None for a missing field, or MISSING for a test."""
        if name not in self.fields:
            return MISSING if testing else None
        native = patchvalues.to_json(self.fields[name], Origins())
        if isinstance(native, GoValue):
            raise UnsupportedExpressionError(f"the field {name} of {self.type_name}, a {native.type}, in an expression")
        return native

    def equal(self, other: Value) -> bool:
        """
        Return whether *other* is an object of the same type with the same fields.

        Raises:
            UnsupportedExpressionError: A field is a list or a map, which the server compares by their addresses in memory.
        """
        if not isinstance(other, ObjectValue) or other.type_name != self.type_name:
            return False
        if self.fields.keys() != other.fields.keys():
            return False
        return all(_is_same(value, other.fields[name]) for name, value in self.fields.items())

    def size(self) -> int | None:
        """Return None: it has no size for costs."""
        return None

    def is_zero(self) -> bool:
        """Return whether it has no fields."""
        return not self.fields

    def __str__(self) -> str:
        return self.type_name


class PatchValue(StructValue):
    """
    An operation of a JSON patch.

    Attributes:
        texts: `op`, `path` and `from`; empty ones are unset.
        value: The value; MISSING without one.
    """

    __slots__ = ("texts", "value")

    type_name = JSON_PATCH.name

    def __init__(self, texts: Mapping[str, str], value: Value) -> None:
        """Create an operation."""
        self.texts = texts
        self.value = value

    def find(self, name: Value, *, testing: bool) -> Value:
        """Return the value of a field; unset ones are empty or None, and MISSING for a test."""
        if name == _VALUE:
            return None if self.value is MISSING and not testing else self.value
        if name not in _TEXTS:
            problem = f"unsupported {'field' if testing else 'indexer'}: {show(name)}"
            raise EvaluationError(problem)
        text = self.texts.get(name, "")
        return MISSING if testing and not text else text

    def equal(self, other: Value) -> bool:
        """Return whether *other* is an operation with the same fields."""
        if not isinstance(other, PatchValue) or self.texts != other.texts:
            return False
        if self.value is MISSING or other.value is MISSING:
            return self.value is other.value
        return equality.equal(self.value, other.value)

    def __str__(self) -> str:
        return self.type_name


def _patch(values: Mapping[str, Value]) -> PatchValue:
    texts = {}
    for name, value in values.items():
        if name == _VALUE:
            continue
        text = value.value if isinstance(value, Optional) and value.has_value else value
        if not isinstance(text, str):
            raise EvaluationError(f"unexpected type {_native_type(text)} for JSONPatchType '{name}' field")
        if text:
            texts[name] = text
    return PatchValue(texts, values.get(_VALUE, MISSING))


def _native_type(value: Value) -> str:
    """
    Return the Go type behind a value.

    Raises:
        UnsupportedExpressionError: It is unknown.
    """
    name = _NATIVE.get(go_type(value))
    if name is None:
        raise UnsupportedExpressionError("a list, a map or a value of a library for a text of a JSONPatch")
    return name


def _is_same(left: Value, right: Value) -> bool:
    """Return whether two fields are equal in Go, where their types count."""
    if isinstance(left, ObjectValue):
        return left.equal(right)
    if type(left) is not type(right):
        return False
    if left is not None and not isinstance(left, bool | int | float | str | bytes):
        raise UnsupportedExpressionError("a comparison of objects with lists, maps or values of libraries")
    return bool(left == right)


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


_LIBRARY: Final = Library(
    "kubernetes.jsonpatch",
    (
        Function(
            "jsonpatch.escapeKey",
            (
                Overload(
                    "string_jsonpatch_escapeKey_string",
                    (STRING,),
                    STRING,
                    _escape,
                    cost=costing.traversal(),
                ),
            ),
        ),
    ),
)

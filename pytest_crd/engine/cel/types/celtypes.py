"""
Types of the type checker.

Reference:
    cel-go common/types/types.go, Type; checker/format.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol


class TypeKind(Enum):
    """Kinds of types."""

    __hash__ = object.__hash__  # kinds are hashed often, and Enum's own hash is slow

    ANY = "any"
    BOOL = "bool"
    BYTES = "bytes"
    DOUBLE = "double"
    DURATION = "duration"
    DYN = "dyn"
    ERROR = "error"
    INT = "int"
    LIST = "list"
    MAP = "map"
    NULL = "null"
    OPAQUE = "opaque"
    STRING = "string"
    STRUCT = "struct"
    TIMESTAMP = "timestamp"
    TYPE = "type"
    TYPE_PARAMETER = "type parameter"
    UINT = "uint"
    UNSPECIFIED = "unspecified"


@dataclass(frozen=True, slots=True)
class Type:
    """
    Type of an expression.

    Attributes:
        kind: The kind.
        name: Run-time name (`string(type(x))`), or name of the type parameter.
        parameters: Element type of a list, key and value types of a map, or the type represented by a type value.
        nullable: Null is assignable to it, as to protobuf's wrappers; ignored by equality.
        generic: It contains a type parameter.
        wraps: It is nullable or contains a nullable type.
        lacking: It is or contains UNSPECIFIED, which equals no type, not even itself.
    """

    kind: TypeKind
    name: str
    parameters: tuple[Type, ...] = ()
    nullable: bool = field(default=False, compare=False)
    generic: bool = field(init=False, compare=False, repr=False)
    wraps: bool = field(init=False, compare=False, repr=False)
    lacking: bool = field(init=False, compare=False, repr=False)
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Compute the derived attributes and the hash."""
        generic = self.kind is TypeKind.TYPE_PARAMETER or any(inner.generic for inner in self.parameters)
        object.__setattr__(self, "generic", generic)
        object.__setattr__(self, "wraps", self.nullable or any(inner.wraps for inner in self.parameters))
        lacking = self.kind is TypeKind.UNSPECIFIED or any(inner.lacking for inner in self.parameters)
        object.__setattr__(self, "lacking", lacking)
        object.__setattr__(self, "_hash", hash((self.name, self.parameters)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def declared_name(self) -> str:
        """Name in messages, without parameters."""
        return f"wrapper({self.name})" if self.nullable else self.name

    def __str__(self) -> str:
        """Return the type as the checker's messages print it."""
        if self.kind in _SPELLINGS:
            return _SPELLINGS[self.kind]
        if not self.parameters:
            return self.declared_name
        return f"{self.name}({', '.join(map(str, self.parameters))})"


_SPELLINGS = {
    TypeKind.ANY: "any",
    TypeKind.DURATION: "duration",
    TypeKind.ERROR: "!error!",
    TypeKind.NULL: "null",
    TypeKind.TIMESTAMP: "timestamp",
}

ANY = Type(TypeKind.ANY, "google.protobuf.Any")
BOOL = Type(TypeKind.BOOL, "bool")
BYTES = Type(TypeKind.BYTES, "bytes")
DOUBLE = Type(TypeKind.DOUBLE, "double")
DURATION = Type(TypeKind.DURATION, "google.protobuf.Duration")
DYN = Type(TypeKind.DYN, "dyn")
ERROR = Type(TypeKind.ERROR, "error")
INT = Type(TypeKind.INT, "int")
NULL = Type(TypeKind.NULL, "null_type")
STRING = Type(TypeKind.STRING, "string")
TIMESTAMP = Type(TypeKind.TIMESTAMP, "google.protobuf.Timestamp")
TYPE = Type(TypeKind.TYPE, "type")
UINT = Type(TypeKind.UINT, "uint")
UNSPECIFIED = Type(TypeKind.UNSPECIFIED, "")
"""Type of variables that cel-go 0.22 leaves without a type. It is assignable to no type, not even itself."""

OPTIONAL_NAME = "optional_type"


def list_of(element: Type) -> Type:
    """Return the list type with elements of type *element*."""
    return Type(TypeKind.LIST, "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """Return the map type from *key* to *value*."""
    return Type(TypeKind.MAP, "map", (key, value))


def type_of(type_: Type) -> Type:
    """Return the type of the type value *type_*."""
    return Type(TypeKind.TYPE, "type", (type_,))


def optional_of(value: Type) -> Type:
    """Return the optional type with values of type *value*."""
    return Type(TypeKind.OPAQUE, OPTIONAL_NAME, (value,))


def opaque(name: str, *parameters: Type) -> Type:
    """Return the opaque type *name*: without fields, and null is assignable to it."""
    return Type(TypeKind.OPAQUE, name, parameters)


def struct(name: str) -> Type:
    """Return the struct type *name*; its fields come from a TypeProvider."""
    return Type(TypeKind.STRUCT, name)


def parameter(name: str) -> Type:
    """Return the type parameter *name*."""
    return Type(TypeKind.TYPE_PARAMETER, name)


def wrapper(type_: Type) -> Type:
    """Return the nullable variant of *type_*."""
    return Type(type_.kind, type_.name, type_.parameters, nullable=True)


class TypeProvider(Protocol):
    """Source of struct types."""

    def find_struct(self, name: str) -> Type | None:
        """Return the struct type *name*, or None."""

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        """Return the type of a struct's field, or None if it has no such field."""


class StructMaker(Protocol):
    """Maker of structs in struct literals."""

    def makes(self, name: str) -> bool:
        """Return whether it makes the struct type *name*."""

    def selects(self, name: str) -> bool:
        """Return whether fields of operands with the static struct type *name* are selected by `SelectableStruct.find_field`."""

    def make(self, name: str, values: Mapping[str, Any]) -> Any:
        """
        Return a struct.

        Args:
            name: The name of its type.
            values: The values of its fields.

        Raises:
            EvaluationError: A field does not accept its value.
        """

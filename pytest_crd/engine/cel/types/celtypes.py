"""
Types, as the checker knows them.

Reference:
    cel-go common/types/types.go, Type; checker/format.go.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol


class TypeKind(Enum):
    """What there is to know of a type besides its name."""

    __hash__ = object.__hash__  # types ask often what kind they are of, and Enum's own is slow

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
    A type.

    Attributes:
        kind: Its kind.
        name: Its name at run time, as `string(type(x))` gives it; of a type parameter, that of the parameter.
        parameters: Of a list: that of its elements. Of a map: those of its keys and values. Of a type: the type it is.
        nullable: Whether null may be assigned to it, as to protobuf's wrappers; equality does not ask for it.
        generic: Whether a type parameter occurs in it.
        wraps: Whether it is nullable, or has a part that is.
        lacking: Whether it is UNSPECIFIED, or has a part that is: it equals nothing, not even itself.
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
        """Find out once what occurs in it, and what the hash is."""
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
        """The name that messages give a type without parameters."""
        return f"wrapper({self.name})" if self.nullable else self.name

    def __str__(self) -> str:
        """Return how messages of the checker write the type."""
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
"""No type: what a variable has that cel-go 0.22 gives none. It is assignable to nothing, not even itself."""

OPTIONAL_NAME = "optional_type"


def list_of(element: Type) -> Type:
    """Return the type of lists of *element*."""
    return Type(TypeKind.LIST, "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """Return the type of maps from *key* to *value*."""
    return Type(TypeKind.MAP, "map", (key, value))


def type_of(type_: Type) -> Type:
    """Return the type of *type_* as a value."""
    return Type(TypeKind.TYPE, "type", (type_,))


def optional_of(value: Type) -> Type:
    """Return the type of optional values of type *value*."""
    return Type(TypeKind.OPAQUE, OPTIONAL_NAME, (value,))


def opaque(name: str, *parameters: Type) -> Type:
    """Return the type *name*, which has no fields and null may be assigned to."""
    return Type(TypeKind.OPAQUE, name, parameters)


def struct(name: str) -> Type:
    """Return the type *name*, whose fields a TypeProvider knows, if it has any."""
    return Type(TypeKind.STRUCT, name)


def parameter(name: str) -> Type:
    """Return the type parameter *name*."""
    return Type(TypeKind.TYPE_PARAMETER, name)


def wrapper(type_: Type) -> Type:
    """Return *type_* as one to which null may be assigned."""
    return Type(type_.kind, type_.name, type_.parameters, nullable=True)


class TypeProvider(Protocol):
    """What knows the structs that expressions may speak of."""

    def find_struct(self, name: str) -> Type | None:
        """Return the struct type called *name*, or None."""

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        """Return the type of a struct's field, or None where it has no such field."""

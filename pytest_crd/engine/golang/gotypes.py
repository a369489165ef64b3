"""
The types of Go as data: what a JSON value is decoded into.

A type is compared by identity, so that what is compiled from it can be kept with it.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue


class GoType(abc.ABC):
    """Any of the types below."""

    __slots__ = ()

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """How Go's messages name the type: `v1.ObjectMeta`, `map[string]string`; a pointer goes by what it points to."""

    @property
    def zero(self) -> JSONValue:
        """What is written for a value that was never set, and for a null in a list or map; None for all that can be nil."""
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Named(GoType):
    """
    A type with a name of its own.

    Attributes:
        go: The name, with its package.
    """

    go: str

    @property
    def name(self) -> str:
        """The name of its own."""
        return self.go


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Named):
    """
    A string or a bool, or a type made from it.

    Attributes:
        empty: `""` or False.
    """

    empty: str | bool

    @property
    def zero(self) -> JSONValue:
        """The empty string, or False."""
        return self.empty


@dataclass(frozen=True, slots=True, eq=False)
class Int(Named):
    """An integer; a number with a fraction or beyond the range is refused."""

    lowest: int
    highest: int

    @property
    def zero(self) -> JSONValue:
        """The number 0."""
        return 0


class Float(Named):
    """A float64; integers beyond 2^53 lose digits."""

    __slots__ = ()

    @property
    def zero(self) -> JSONValue:
        """The number 0."""
        return 0


class Bytes(Named):
    """A []byte: base64, or a list of numbers from 0 to 255."""

    __slots__ = ()


class Time(Named):
    """A metav1.Time: RFC 3339, written back in UTC; the zero time is none."""

    __slots__ = ()


class CustomError(ValueError):
    """
    A value that a type refuses which decodes itself.

    Attributes:
        mismatch: The type that it wants, where the message is what it was given; empty where the message says all.
    """

    def __init__(self, message: str, mismatch: str = "") -> None:
        """Take what is wrong."""
        super().__init__(message)
        self.mismatch = mismatch


@dataclass(frozen=True, slots=True, eq=False)
class Custom(Named):
    """
    A type that decodes itself, and writes itself as one value.

    Attributes:
        read: Returns a value that is not null as it is written again; raises CustomError where it is refused.
        empty: What is written of a value that was never set.
    """

    read: Callable[[JSONValue], JSONValue]
    empty: JSONValue

    @property
    def zero(self) -> JSONValue:
        """What is written of a value that was never set."""
        return self.empty


class Raw(Named):
    """Any JSON, kept as it is: apiextensions JSON, metav1.FieldsV1."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Pointer(GoType):
    """A pointer: tells an absent value from a zero one."""

    to: GoType

    @property
    def name(self) -> str:
        """The name of what it points to."""
        return self.to.name


@dataclass(frozen=True, slots=True, eq=False)
class List(GoType):
    """A slice; *go* only where the slice has a name of its own."""

    item: GoType
    go: str = ""

    @property
    def name(self) -> str:
        """Its own name, or that of a slice of its items."""
        return self.go or f"[]{self.item.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Map(GoType):
    """A map with string keys; *go* only where the map has a name of its own."""

    value: GoType
    go: str = ""

    @property
    def name(self) -> str:
        """Its own name, or that of a map from strings to its values."""
        return self.go or f"map[string]{self.value.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Struct(Named):
    """
    A struct.

    Attributes:
        fields: Types by JSON name; names are case-sensitive.
        required: None: fields stay as they were given, also empty ones. Else the struct comes back as it is written:
            empty fields go, unless they are pointers or named here, and those named here are there even if not given.
        inlined: Of fields that stand in embedded structs the names of these, which messages tell.
    """

    fields: Mapping[str, GoType]
    required: frozenset[str] | None = None
    inlined: Mapping[str, str] = field(default_factory=dict)

    @property
    def zero(self) -> JSONValue:
        """The struct with nothing but its required fields."""
        return {field: self.fields[field].zero for field in sorted(self.required or ())}

    def omits_empty(self, field: str) -> bool:
        """
        Return whether an empty value of *field* (`""`, 0, false, no entries, the zero time) is as good as none.

        Args:
            field: JSON name of one of the fields.

        Reference:
            apimachinery runtime/converter.go, structToUnstructured, for omitempty and omitzero. A pointer to the zero
            time is written as null there, and dropped here.
        """
        kind = self.fields[field]
        if isinstance(kind.to if isinstance(kind, Pointer) else kind, Time):
            return True
        return self.required is not None and field not in self.required and not isinstance(kind, Pointer | Struct)


@dataclass(frozen=True, slots=True, eq=False)
class StructReference(GoType):
    """A struct that is looked up when the type around it is compiled, so that a struct can refer to itself."""

    load: Callable[[], Struct]

    @property
    def name(self) -> str:
        """The name of the struct."""
        return self.load().name

    @property
    def zero(self) -> JSONValue:
        """The zero of the struct."""
        return self.load().zero


@dataclass(frozen=True, slots=True, eq=False)
class Union(Named):
    """
    A type that decodes itself, depending on the kind of JSON it finds; unknown fields below it are never reported.

    Attributes:
        object: The type of an object.
        array: The type of an array, or None when an array is like any other value.
        bools: Whether true and false are allowed.
        refusal: The error for any other value; empty where Go takes any other value for *empty*.
        empty: What stands for such a value.
    """

    object: GoType
    array: GoType | None = None
    bools: bool = False
    refusal: str = ""
    empty: JSONValue = None

    @property
    def zero(self) -> JSONValue:
        """What stands for any other value."""
        return self.empty


def string(go: str) -> Scalar:
    """Return the type of the name *go* that is made from string."""
    return Scalar(go, "")


STRING: Final = string("string")
BOOL: Final = Scalar("bool", empty=False)
UINT8: Final = Int("uint8", 0, 255)
INT32: Final = Int("int32", -(2**31), 2**31 - 1)
INT64: Final = Int("int64", jsonvalue.MIN_INT64, jsonvalue.MAX_INT64)
FLOAT64: Final = Float("float64")
BYTES: Final = Bytes("[]uint8")
TIME: Final = Time("v1.Time")

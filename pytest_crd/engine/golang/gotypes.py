"""
Go types as data, the targets of JSON decoding.

Types compare by identity, so that compiled decoders can be cached per type.
"""

from __future__ import annotations

import abc
import operator
from collections.abc import Callable, Mapping
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue


class GoType(abc.ABC):
    """Base class of all Go types."""

    __slots__ = ()

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Name in Go's messages: `v1.ObjectMeta`, `map[string]string`; a pointer has the name of its target."""

    @property
    def zero(self) -> JSONValue:
        """JSON of the zero value, also decoded from null in lists and maps; None for types that can be nil."""
        return None


class Named(GoType):
    """
    Type with its own name.

    Attributes:
        go: The name with its package.
    """

    __slots__ = ("go",)

    def __init__(self, go: str) -> None:
        """Create it from its parts."""
        self.go = go

    @property
    def name(self) -> str:
        """Declared name."""
        return self.go


class Scalar(Named):
    """
    String or bool, or a type derived from it.

    Attributes:
        empty: `""` or False.
    """

    __slots__ = ("empty",)

    def __init__(self, go: str, empty: str | bool) -> None:  # noqa: FBT001 - the zero value
        """Create it from its parts."""
        super().__init__(go)
        self.empty = empty

    @property
    def zero(self) -> JSONValue:
        """Empty string, or False."""
        return self.empty


class Int(Named):
    """Integer type; fractions and numbers beyond its range are refused."""

    __slots__ = ("highest", "lowest")

    def __init__(self, go: str, lowest: int, highest: int) -> None:
        """Create it from its parts."""
        super().__init__(go)
        self.lowest = lowest
        self.highest = highest

    @property
    def zero(self) -> JSONValue:
        """Number 0."""
        return 0


class Float(Named):
    """Type float64; integers beyond 2^53 lose digits."""

    __slots__ = ()

    @property
    def zero(self) -> JSONValue:
        """Number 0."""
        return 0


class Bytes(Named):
    """Type []byte: base64, or a list of numbers from 0 to 255."""

    __slots__ = ()


class Time(Named):
    """Type metav1.Time: RFC 3339, written back in UTC; the zero time is dropped."""

    __slots__ = ()


class CustomError(ValueError):
    """
    Value that a type with its own decoder refuses.

    Attributes:
        mismatch: The expected type if the message is the actual type; empty if the message is complete.
    """

    def __init__(self, message: str, mismatch: str = "") -> None:
        """Create with Go's *message*."""
        super().__init__(message)
        self.mismatch = mismatch


class Custom(Named):
    """
    Type with its own decoder and encoder.

    Attributes:
        read: Decodes a non-null value and returns its encoding; raises CustomError if the type refuses the value.
        empty: Encoding of the zero value.
        equal: Returns whether two encodings are of equal values; by default of the same.
    """

    __slots__ = ("empty", "equal", "read")

    def __init__(
        self,
        go: str,
        read: Callable[[JSONValue], JSONValue],
        empty: JSONValue,
        equal: Callable[[JSONValue, JSONValue], bool] = operator.eq,
    ) -> None:
        """Create it from its parts."""
        super().__init__(go)
        self.read = read
        self.empty = empty
        self.equal = equal

    @property
    def zero(self) -> JSONValue:
        """Encoding of the zero value."""
        return self.empty


class Raw(Named):
    """Type that stores any JSON unchanged: apiextensions JSON, metav1.FieldsV1."""

    __slots__ = ()


class Pointer(GoType):
    """Pointer type; distinguishes an absent value from a zero value."""

    __slots__ = ("to",)

    def __init__(self, to: GoType) -> None:
        """Create it from its parts."""
        self.to = to

    @property
    def name(self) -> str:
        """Name of the target type."""
        return self.to.name


class List(GoType):
    """Slice type; *go* is set only if the slice type has its own name."""

    __slots__ = ("go", "item")

    def __init__(self, item: GoType, go: str = "") -> None:
        """Create it from its parts."""
        self.item = item
        self.go = go

    @property
    def name(self) -> str:
        """Declared name, or `[]` with the name of the item type."""
        return self.go or f"[]{self.item.name}"


class Map(GoType):
    """Map type with string keys; *go* is set only if the map type has its own name."""

    __slots__ = ("go", "value")

    def __init__(self, value: GoType, go: str = "") -> None:
        """Create it from its parts."""
        self.value = value
        self.go = go

    @property
    def name(self) -> str:
        """Declared name, or `map[string]` with the name of the value type."""
        return self.go or f"map[string]{self.value.name}"


class Struct(Named):
    """
    Struct type.

    Attributes:
        fields: Types by JSON name; names are case-sensitive.
        required: None to keep all fields of the input, including empty ones. Otherwise the struct is decoded to the
            form that Go writes: empty fields are dropped unless they are pointers or required, required fields are
            present.
        inlined: Names of embedded structs by the JSON name of their fields; error messages include them.
    """

    __slots__ = ("fields", "inlined", "required")

    def __init__(
        self,
        go: str,
        fields: Mapping[str, GoType],
        required: frozenset[str] | None = None,
        inlined: Mapping[str, str] | None = None,
    ) -> None:
        """Create it from its parts."""
        super().__init__(go)
        self.fields = fields
        self.required = required
        self.inlined: Mapping[str, str] = inlined or {}

    @property
    def zero(self) -> JSONValue:
        """Struct with only its required fields."""
        return {field: self.fields[field].zero for field in sorted(self.required or ())}

    def omits_empty(self, field: str) -> bool:
        """
        Return whether Go omits *field* if it is empty (`""`, 0, false, no entries, the zero time).

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


class StructReference(GoType):
    """Struct type that is loaded when the type around it is compiled, so that structs can be recursive."""

    __slots__ = ("load",)

    def __init__(self, load: Callable[[], Struct]) -> None:
        """Create it from its parts."""
        self.load = load

    @property
    def name(self) -> str:
        """Name of the struct type."""
        return self.load().name

    @property
    def zero(self) -> JSONValue:
        """Zero value of the struct type."""
        return self.load().zero


class Union(Named):
    """
    Type with its own decoder that depends on the JSON type of the value; its unknown fields are never reported.

    Attributes:
        object: The type of an object.
        array: The type of an array; None if arrays are handled like scalars.
        bools: Whether true and false are allowed.
        refusal: The error for any other value; empty if Go decodes other values as *empty*.
        empty: Decoded form of any other value.
    """

    __slots__ = ("array", "bools", "empty", "object", "refusal")

    def __init__(  # noqa: PLR0913 - its attributes
        self,
        go: str,
        object: GoType,  # noqa: A002 - the JSON type
        *,
        array: GoType | None = None,
        bools: bool = False,
        refusal: str = "",
        empty: JSONValue = None,
    ) -> None:
        """Create it from its parts."""
        super().__init__(go)
        self.object = object
        self.array = array
        self.bools = bools
        self.refusal = refusal
        self.empty = empty

    @property
    def zero(self) -> JSONValue:
        """Decoded form of any other value."""
        return self.empty


def string(go: str) -> Scalar:
    """Return the string type with the name *go*."""
    return Scalar(go, "")


STRING: Final = string("string")
BOOL: Final = Scalar("bool", empty=False)
UINT8: Final = Int("uint8", 0, 255)
INT32: Final = Int("int32", -(2**31), 2**31 - 1)
INT64: Final = Int("int64", jsonvalue.MIN_INT64, jsonvalue.MAX_INT64)
FLOAT64: Final = Float("float64")
BYTES: Final = Bytes("[]uint8")
TIME: Final = Time("v1.Time")

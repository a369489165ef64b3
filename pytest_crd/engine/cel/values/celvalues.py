"""
Run-time values.

Null, bool, int (int64), float (double), str, bytes, list (or tuple) and dict with string keys are Python values. This
module has classes for the other types.

Reference:
    cel-go common/types: the ref.Val of each type.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, TypeAlias

from pytest_crd.engine.cel.errors import EvaluationError

# Run-time value of any type; implementations narrow with isinstance.
Value: TypeAlias = Any

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1
MAX_UINT: Final = 2**64 - 1


class _Missing:
    """Marker for a missing map entry, as null is a value."""

    __slots__ = ()


MISSING: Final = _Missing()


class UInt:
    """Value of type uint; not an int, so that `1u` and `1` are different keys of a map."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is UInt and self.value == other.value

    def __hash__(self) -> int:
        return hash((UInt, self.value))

    def __repr__(self) -> str:
        return f"{self.value}u"


class Duration:
    """Duration in nanoseconds (int64)."""

    __slots__ = ("nanoseconds",)

    def __init__(self, nanoseconds: int) -> None:
        self.nanoseconds = nanoseconds

    def __eq__(self, other: object) -> bool:
        return type(other) is Duration and self.nanoseconds == other.nanoseconds

    def __hash__(self) -> int:
        return hash((Duration, self.nanoseconds))

    def __repr__(self) -> str:
        return f"Duration({self.nanoseconds})"


class Timestamp:
    """
    Point in time.

    Attributes:
        seconds: Seconds since 1970 in UTC.
        nanoseconds: Nanoseconds of the second, 0 to 999,999,999.
        offset: Offset of its zone in seconds east of UTC; ignored by equality.
    """

    __slots__ = ("nanoseconds", "offset", "seconds")

    def __init__(self, seconds: int, nanoseconds: int = 0, offset: int = 0) -> None:
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.offset = offset

    @property
    def instant(self) -> tuple[int, int]:
        """Point in time without the zone, for comparison."""
        return self.seconds, self.nanoseconds

    def __eq__(self, other: object) -> bool:
        return type(other) is Timestamp and self.instant == other.instant

    def __hash__(self) -> int:
        return hash((Timestamp, self.instant))

    def __repr__(self) -> str:
        return f"Timestamp({self.seconds}, {self.nanoseconds}, {self.offset})"


class TypeValue:
    """Type as a value; equal if the names are equal."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Create from the run-time name of the type, without parameters."""
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is TypeValue and self.name == other.name

    def __hash__(self) -> int:
        return hash((TypeValue, self.name))

    def __repr__(self) -> str:
        return f"TypeValue({self.name!r})"


class Optional:
    """
    Optional value.

    Attributes:
        value: The value, or MISSING; access raises EvaluationError if the value is an error.
        problem: The error; only set if the value is an error.
    """

    __slots__ = ("problem", "value")

    problem: EvaluationError
    value: Value

    def __init__(self, value: Value = MISSING) -> None:
        """Create with *value*; without it, create `optional.none()`."""
        self.value = value

    @classmethod
    def unreadable(cls, problem: EvaluationError) -> Optional:
        """Return an optional that has a value, but raises *problem* on access."""
        optional = cls.__new__(cls)
        optional.problem = problem
        return optional

    def __getattr__(self, name: str) -> Value:
        """Raise the error of an unreadable value."""
        if name == "value":
            raise self.problem
        raise AttributeError(name)

    @property
    def has_value(self) -> bool:
        """Presence of a value."""
        try:
            return self.value is not MISSING
        except EvaluationError:
            return True

    def __repr__(self) -> str:
        return f"Optional({self.value!r})" if self.has_value else "Optional()"


NONE: Final = Optional()


# Not derived from abc.ABC, which makes isinstance five times slower; mypy checks abstract methods anyway.
class ListValue:
    """
    List with its own comparison or addition, or with errors as elements.

    Attributes:
        go_type: Go type in messages.
    """

    __slots__ = ()

    go_type: ClassVar[str] = "*types.baseList"

    def unwrapped(self) -> Value:
        """Return the list as selections from an optional see it."""
        return self

    @abc.abstractmethod
    def __len__(self) -> int:
        """Return the number of elements."""

    @abc.abstractmethod
    def __getitem__(self, index: int) -> Value:
        """Return the element at *index*, which is in range."""

    def __iter__(self) -> Iterator[Value]:
        """Return an iterator over the elements."""
        return (self[index] for index in range(len(self)))

    @abc.abstractmethod
    def equal(self, other: Value) -> bool:
        """Return whether it equals *other*, a value of any type."""

    @abc.abstractmethod
    def add(self, other: Value) -> Value:
        """Return the concatenation with the list *other*."""

    @abc.abstractmethod
    def contains(self, element: Value) -> bool:
        """Return whether *element* equals an element."""


class MapValue:
    """
    Map with keys of other types than string, or with values that are converted on access.

    Attributes:
        go_type: Go type in messages.
    """

    __slots__ = ()

    go_type: ClassVar[str] = "*types.baseMap"

    def unwrapped(self) -> Value:
        """Return the map as selections from an optional see it."""
        return self

    @abc.abstractmethod
    def __len__(self) -> int:
        """Return the number of entries."""

    @abc.abstractmethod
    def __iter__(self) -> Iterator[Value]:
        """Return an iterator over the keys."""

    @abc.abstractmethod
    def find(self, key: Value) -> Value:
        """
        Return the value of *key*, or MISSING.

        Raises:
            EvaluationError: The map does not support keys of this type.
        """

    @abc.abstractmethod
    def equal(self, other: Value) -> bool:
        """Return whether it equals *other*, a value of any type."""


class Opaque:
    """Value of a library's type, accessible to the functions of the library only."""

    __slots__ = ()

    type_name: ClassVar[str]
    has_text: ClassVar[bool] = False
    """Whether `string(value)` and `%s` accept it."""

    @abc.abstractmethod
    def equal(self, other: Value) -> bool:
        """
        Return whether it equals *other*, a value of any type.

        Raises:
            EvaluationError: The two cannot be compared.
        """

    @abc.abstractmethod
    def __str__(self) -> str:
        """Return the value as messages print it."""

    def __repr__(self) -> str:
        return f"<{self.type_name} {self}>"

    def size(self) -> int | None:
        """Return the size for costs, or None."""
        return None


class StructValue(Opaque):
    """Value of a struct type that the environment declares, with fields."""

    __slots__ = ()

    @abc.abstractmethod
    def find(self, name: Value, *, testing: bool) -> Value:
        """
        Return the value of a field of an operand with the static type dyn, or MISSING.

        Args:
            name: The name of the field.
            testing: Whether the result counts as a test for presence.

        Raises:
            EvaluationError: There is no such field.
        """

    def is_zero(self) -> bool:
        """Return whether it is the zero of its type."""
        return False


class SelectableStruct(StructValue):
    """Struct that has other fields where the type checker knows its type."""

    __slots__ = ()

    @abc.abstractmethod
    def find_field(self, name: str, *, testing: bool) -> Value:
        """Return the value of a field of an operand with a static struct type, or MISSING; raise as `find` does."""


_TYPE_NAMES: Final[Mapping[type, str]] = {
    type(None): "null_type",
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    tuple: "list",
    dict: "map",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    TypeValue: "type",
    Optional: "optional_type",
    EvaluationError: "error",
}


def type_name(value: Value) -> str:
    """Return the name of the type of *value*, without parameters."""
    name = _TYPE_NAMES.get(type(value))
    if name is not None:
        return name
    if isinstance(value, ListValue):
        return "list"
    if isinstance(value, MapValue):
        return "map"
    if isinstance(value, Opaque):
        return value.type_name
    raise TypeError(f"{value!r} is no value of CEL")


def is_list(value: Value) -> bool:
    """Return whether *value* is a list."""
    return isinstance(value, list | tuple | ListValue)


def is_map(value: Value) -> bool:
    """Return whether *value* is a map or an object."""
    return isinstance(value, dict | MapValue)


_SIZED: Final = (str, list, tuple, dict, bytes, ListValue, MapValue)


def size(value: Value) -> int | None:
    """Return the number of characters, bytes, elements or entries; None for other types."""
    if isinstance(value, _SIZED):
        return len(value)
    return value.size() if isinstance(value, Opaque) else None


def find_or_error(value: Value, key: Value) -> Value:
    """Return the value of *key* in the map *value*, MISSING, or the error of reading it."""
    try:
        return find(value, key)
    except EvaluationError as error:
        return error.with_traceback(None)


def find(value: Value, key: Value) -> Value:
    """Return the value of *key* in the map *value*, or MISSING."""
    if isinstance(value, dict):
        return value.get(key, MISSING) if type(key) is str else MISSING
    return value.find(key)

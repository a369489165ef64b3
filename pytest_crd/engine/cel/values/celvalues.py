"""
Values at run time.

Null, bool, int (int64), float (double), str, bytes, list (or tuple) and dict with string keys are Python's; what Python has
no value for, or one that it takes for another's, has a class here.

Reference:
    cel-go common/types: the ref.Val of each type.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, TypeAlias

from pytest_crd.engine.cel.errors import EvaluationError

# Any run-time value; the implementations narrow with isinstance.
Value: TypeAlias = Any

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1
MAX_UINT: Final = 2**64 - 1


class _Missing:
    """What a map finds under a key that it does not have: null is a value."""

    __slots__ = ()


MISSING: Final = _Missing()


class UInt:
    """A uint: no int, so that `1u` and `1` are two keys of a map."""

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
    """A span of time: nanoseconds of int64."""

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
    A point in time.

    Attributes:
        seconds: Since 1970 in UTC.
        nanoseconds: Into the second, 0 to 999,999,999.
        offset: Of the zone it is written in, in seconds east of UTC; two timestamps of one moment are equal all the same.
    """

    __slots__ = ("nanoseconds", "offset", "seconds")

    def __init__(self, seconds: int, nanoseconds: int = 0, offset: int = 0) -> None:
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.offset = offset

    @property
    def instant(self) -> tuple[int, int]:
        """What is compared: the moment, without the zone."""
        return self.seconds, self.nanoseconds

    def __eq__(self, other: object) -> bool:
        return type(other) is Timestamp and self.instant == other.instant

    def __hash__(self) -> int:
        return hash((Timestamp, self.instant))

    def __repr__(self) -> str:
        return f"Timestamp({self.seconds}, {self.nanoseconds}, {self.offset})"


class TypeValue:
    """A type as a value: two are equal if their names are."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Take the name of the type at run time, without parameters."""
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is TypeValue and self.name == other.name

    def __hash__(self) -> int:
        return hash((TypeValue, self.name))

    def __repr__(self) -> str:
        return f"TypeValue({self.name!r})"


class Optional:
    """
    A value, or none.

    Attributes:
        value: The value, or MISSING; raises EvaluationError where it is there but cannot be read.
        problem: Why it cannot be read; only set where it cannot.
    """

    __slots__ = ("problem", "value")

    problem: EvaluationError
    value: Value

    def __init__(self, value: Value = MISSING) -> None:
        """Take the value; without one it is `optional.none()`."""
        self.value = value

    @classmethod
    def unreadable(cls, problem: EvaluationError) -> Optional:
        """Return one with a value, but an error for who asks for it."""
        made = cls.__new__(cls)
        made.problem = problem
        return made

    def __getattr__(self, name: str) -> Value:
        """Raise why the value, which was never set, cannot be read."""
        if name == "value":
            raise self.problem
        raise AttributeError(name)

    @property
    def has_value(self) -> bool:
        """Whether there is a value."""
        try:
            return self.value is not MISSING
        except EvaluationError:
            return True

    def __repr__(self) -> str:
        return f"Optional({self.value!r})" if self.has_value else "Optional()"


NONE: Final = Optional()


# Not of abc.ABC, whose instances take five times as long to tell; mypy holds what is abstract all the same.
class ListValue:
    """
    A list that is no Python list: one that compares or adds its own way, or has errors as elements.

    Attributes:
        go_type: Its type as messages write it.
    """

    __slots__ = ()

    go_type: ClassVar[str] = "*types.baseList"

    def unwrapped(self) -> Value:
        """Return what it is when something is selected from an optional that has it."""
        return self

    @abc.abstractmethod
    def __len__(self) -> int:
        """Return the number of elements."""

    @abc.abstractmethod
    def __getitem__(self, index: int) -> Value:
        """Return the element at *index*, which is in range."""

    def __iter__(self) -> Iterator[Value]:
        """Return the elements in order."""
        return (self[index] for index in range(len(self)))

    @abc.abstractmethod
    def equal(self, other: Value) -> bool:
        """Return whether it equals *other*, which may be of any type."""

    @abc.abstractmethod
    def add(self, other: Value) -> Value:
        """Return the sum of it and the list *other*."""

    @abc.abstractmethod
    def contains(self, element: Value) -> bool:
        """Return whether *element* equals one of its elements."""


class MapValue:
    """
    A map that is no dict with string keys: one with other keys, or whose values are adapted when they are asked for.

    Attributes:
        go_type: Its type as messages write it.
    """

    __slots__ = ()

    go_type: ClassVar[str] = "*types.baseMap"

    def unwrapped(self) -> Value:
        """Return what it is when something is selected from an optional that has it."""
        return self

    @abc.abstractmethod
    def __len__(self) -> int:
        """Return the number of entries."""

    @abc.abstractmethod
    def __iter__(self) -> Iterator[Value]:
        """Return the keys."""

    @abc.abstractmethod
    def find(self, key: Value) -> Value:
        """
        Return the value under *key*, or MISSING.

        Raises:
            EvaluationError: The key is of a type that no key of this map can have, if this map minds.
        """

    @abc.abstractmethod
    def equal(self, other: Value) -> bool:
        """Return whether it equals *other*, which may be of any type."""


class Opaque:
    """A value of a type that a library brings: only the library's functions know what is in it."""

    __slots__ = ()

    type_name: ClassVar[str]
    has_text: ClassVar[bool] = False
    """Whether `string(value)` and `%s` give its text."""

    @abc.abstractmethod
    def equal(self, other: Value) -> bool:
        """
        Return whether it equals *other*, which may be of any type.

        Raises:
            EvaluationError: It cannot be compared with that.
        """

    @abc.abstractmethod
    def __str__(self) -> str:
        """Return how messages write it."""

    def __repr__(self) -> str:
        return f"<{self.type_name} {self}>"

    def size(self) -> int | None:
        """Return what its size is when costs are counted, or None where it has none."""
        return None


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
    """Return whether *value* is a map, or an object."""
    return isinstance(value, dict | MapValue)


_SIZED: Final = (str, list, tuple, dict, bytes, ListValue, MapValue)


def size(value: Value) -> int | None:
    """Return the number of characters, bytes, elements or entries; None for what has no size."""
    if isinstance(value, _SIZED):
        return len(value)
    return value.size() if isinstance(value, Opaque) else None


def find_or_error(value: Value, key: Value) -> Value:
    """Return what the map *value* has under *key*, MISSING, or the error where that cannot be read."""
    try:
        return find(value, key)
    except EvaluationError as error:
        return error.with_traceback(None)


def find(value: Value, key: Value) -> Value:
    """Return what the map *value* has under *key*, or MISSING."""
    if isinstance(value, dict):
        return value.get(key, MISSING) if type(key) is str else MISSING
    return value.find(key)

"""
Qualifiers: a field, a key or an index, and what a value has there.

Reference:
    cel-go interpreter/attributes.go, Qualifier, refQualify; common/types/list.go, IndexOrError.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.run.frames import Evaluate, Frame
from pytest_crd.engine.cel.values.celvalues import (
    MAX_INT,
    MIN_INT,
    MISSING,
    Duration,
    ListValue,
    MapValue,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    find,
    is_list,
    is_map,
    type_name,
)
from pytest_crd.engine.cel.values.display import show


@dataclass(slots=True)
class Qualifier:
    """
    A field, a key or an index.

    Attributes:
        key: The key, if it is a constant.
        compute: What computes the key, if it is none.
        optional: Whether a value that is missing makes an empty optional of the whole, and one that is there a full one.
        test_only: Whether the question is only if there is a value.
    """

    key: Value = None
    compute: Evaluate | None = None
    optional: bool = False
    test_only: bool = False

    def select(self, frame: Frame, value: Value) -> Value:
        """Return what is selected from *value*; for a test, whether it is there."""
        frame.cost += 1
        key = self.key if self.compute is None else checked_key(self.compute(frame))
        if self.test_only:
            return look_up(value, key, testing=True) is not MISSING
        return qualified(value, key)

    def find(self, frame: Frame, value: Value) -> Value:
        """Return what is selected from *value*, or MISSING; a qualifier that finds nothing costs nothing."""
        key = self.key if self.compute is None else checked_key(self.compute(frame))
        found = look_up(value, key, testing=True)
        if found is not MISSING:
            frame.cost += 1
        return found


def qualified(value: Value, key: Value) -> Value:
    """
    Return what *value* has at *key*.

    Raises:
        EvaluationError: It has nothing there.
    """
    found = look_up(value, key, testing=False)
    if found is MISSING:
        problem = "index out of bounds" if is_list(value) else "no such key"
        raise EvaluationError(f"{problem}: {show(key)}")
    return found


def look_up(value: Value, key: Value, *, testing: bool) -> Value:
    """
    Return what *value* has at *key*, or MISSING; of a list also an error that is an element of it.

    Raises:
        EvaluationError: The key cannot be one of this value, or that is such an error. What is no list and no map has no
            keys: a test for one is false.

    Reference:
        cel-go interpreter/attributes.go, refQualify.
    """
    if is_map(value):
        return find(value, key)
    if is_list(value):
        index = index_of(key)
        return value[index] if 0 <= index < len(value) else MISSING
    if isinstance(value, EvaluationError):
        raise value.with_traceback(None)
    if testing:
        return MISSING
    raise EvaluationError(f"no such key: {show(key)}")


def index_of(key: Value) -> int:
    """
    Return the index that *key* says: a whole number of any type.

    Raises:
        EvaluationError: It says none.
    """
    if isinstance(key, int) and not isinstance(key, bool):
        return key
    if isinstance(key, float):
        if key.is_integer() and MIN_INT < key < MAX_INT:
            return int(key)
        raise EvaluationError(f"unsupported index value {show(key)} in list")
    if isinstance(key, UInt):
        if key.value <= MAX_INT:
            return key.value
        raise EvaluationError(f"unsupported index value {show(key)} in list")
    raise EvaluationError(f"unsupported index type '{type_name(key)}' in list")


_GO_TYPES: Final = {
    EvaluationError: "*types.Err",
    type(None): "types.Null",
    bytes: "types.Bytes",
    Duration: "types.Duration",
    Timestamp: "types.Timestamp",
    TypeValue: "*types.Type",
    Optional: "*types.Optional",
    bool: "types.Bool",
    int: "types.Int",
    UInt: "types.Uint",
    float: "types.Double",
    str: "types.String",
}


def go_type(value: Value) -> str:
    """Return the type of *value* as Go's `%T` writes it, where messages of cel-go do."""
    if (name := _GO_TYPES.get(type(value))) is not None:
        return name
    if isinstance(value, ListValue | MapValue):
        return value.go_type
    if is_list(value):
        return ListValue.go_type
    return MapValue.go_type if is_map(value) else f"cel.{type(value).__name__}"


def checked_key(key: Value) -> Value:
    """
    Return *key* if it is of a type that keys and indices may have.

    Raises:
        EvaluationError: It is not.
    """
    if isinstance(key, str | bool | int | float | UInt):
        return key
    raise invalid_key(key)


def invalid_key(key: Value) -> EvaluationError:
    """Return the error of what is no key: also of an item of a list that is an error."""
    return EvaluationError(f"invalid qualifier type: {go_type(key)}")

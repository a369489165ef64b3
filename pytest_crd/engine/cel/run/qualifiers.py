"""
Qualifiers: selection of a field, key or index.

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
    SelectableStruct,
    StructValue,
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
from pytest_crd.engine.golang import printing


@dataclass(slots=True)
class Qualifier:
    """
    Field, key or index.

    Attributes:
        key: The key if it is constant.
        compute: Evaluates the key if it is not constant.
        optional: The result is an optional, empty if the key is missing.
        test_only: Test for presence.
    """

    key: Value = None
    compute: Evaluate | None = None
    optional: bool = False
    test_only: bool = False

    def select(self, frame: Frame, value: Value) -> Value:
        """Return the selected part of *value*, or whether it exists for a test; raise EvaluationError if it is missing."""
        frame.cost += 1
        key = self.key if self.compute is None else checked_key(self.compute(frame))
        if self.test_only:
            return look_up(value, key, testing=True) is not MISSING
        return select(value, key)

    def find(self, frame: Frame, value: Value) -> Value:
        """Return the selected part of *value*, or MISSING, which costs nothing."""
        key = self.key if self.compute is None else checked_key(self.compute(frame))
        result = look_up(value, key, testing=True)
        if result is not MISSING:
            frame.cost += 1
        return result


@dataclass(slots=True)
class FieldQualifier(Qualifier):
    """
    Field of an operand with the static type of a struct.

    Attributes:
        name: The name of the field.

    Reference:
        cel-go interpreter/attributes.go, fieldQualifier.
    """

    name: str = ""

    def select(self, frame: Frame, value: Value) -> Value:
        """Return the field of *value*, or whether it exists for a test; raise EvaluationError if it is missing."""
        frame.cost += 1
        is_struct = isinstance(value, SelectableStruct)
        content = value.find_field(self.name, testing=self.test_only) if is_struct else MISSING
        if self.test_only:
            return content is not MISSING
        if content is MISSING:  # the operand is null
            raise EvaluationError(f"cannot get field {printing.quote(self.name)}")
        return content


def select(value: Value, key: Value) -> Value:
    """
    Return the part of *value* at *key*.

    Raises:
        EvaluationError: The key is missing.
    """
    result = look_up(value, key, testing=False)
    if result is MISSING:
        problem = "index out of bounds" if is_list(value) else "no such key"
        raise EvaluationError(f"{problem}: {show(key)}")
    return result


def look_up(value: Value, key: Value, *, testing: bool) -> Value:
    """
    Return the part of *value* at *key*, or MISSING; an error that is a list item is returned.

    Raises:
        EvaluationError: The key has a type that *value* does not support, or *value* is an error. Other values than
            lists and maps have no keys; with *testing*, the result is MISSING.

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
    if isinstance(value, StructValue):
        return value.find(key, testing=testing)
    if testing:
        return MISSING
    raise EvaluationError(f"no such key: {show(key)}")


def index_of(key: Value) -> int:
    """
    Return *key* as a list index: a whole number of any numeric type.

    Raises:
        EvaluationError: It is not a whole number, or too large.
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
    """Return the Go type of *value* (`%T`), as in messages of cel-go."""
    if (name := _GO_TYPES.get(type(value))) is not None:
        return name
    if isinstance(value, ListValue | MapValue):
        return value.go_type
    if is_list(value):
        return ListValue.go_type
    return MapValue.go_type if is_map(value) else f"cel.{type(value).__name__}"


def checked_key(key: Value) -> Value:
    """
    Return *key* if its type is allowed for keys and indices.

    Raises:
        EvaluationError: It is not allowed.
    """
    if isinstance(key, str | bool | int | float | UInt):
        return key
    raise invalid_key(key)


def invalid_key(key: Value) -> EvaluationError:
    """Return the error of an invalid key, such as a list item that is an error."""
    return EvaluationError(f"invalid qualifier type: {go_type(key)}")

"""
Protobuf messages in struct literals (`google.protobuf.Duration{seconds: 1}`), which are converted to CEL values.

Reference:
    cel-go common/types/provider.go, Registry.NewValue, msgSetField; ConvertToNative of each type in common/types.
"""

from __future__ import annotations

import base64
import ctypes
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind
from pytest_crd.engine.cel.values import conversions
from pytest_crd.engine.cel.values.celvalues import (
    MAX_INT,
    MIN_INT,
    Duration,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    find,
    is_list,
    is_map,
)

_Set: TypeAlias = Mapping[str, Value]
# Takes a value and a field name, and returns the value for the field; raises EvaluationError.
_Convert: TypeAlias = Callable[[Value, str], Any]

_NANOSECONDS: Final = 1_000_000_000
_FIRST_SECOND: Final = -62_135_596_800
_LAST_SECOND: Final = 253_402_300_799
# Largest integer range that doubles represent exactly.
_SAFE: Final = 2**53 - 1


class _Field(NamedTuple):
    type: Type
    convert: _Convert


class Message(NamedTuple):
    """
    Protobuf message.

    Attributes:
        fields: Fields by name.
        make: Builds the CEL value from the fields that are set; None if it is not supported.
    """

    fields: Mapping[str, _Field]
    make: Callable[[_Set], Value] | None = None

    def type_of(self, field: str) -> Type | None:
        """Return the type of a field, or None if there is no such field."""
        return self.fields[field].type if field in self.fields else None


def name_of(type_: Type, name: str) -> str:
    """Return the name of the message with the fields of *type_* named *name*; empty if it is not a message type."""
    if type_.kind is TypeKind.STRUCT or (is_message(type_) and name in MESSAGES):
        return name
    return _NAMES.get(type_.kind, "") if is_message(type_) else ""


def is_message(type_: Type) -> bool:
    """Return whether protobuf has a message for *type_*."""
    return (
        type_.kind in {TypeKind.ANY, TypeKind.DURATION, TypeKind.DYN, TypeKind.NULL, TypeKind.TIMESTAMP}
        or type_.nullable
        or (type_.kind is TypeKind.LIST and type_.parameters[0].kind is TypeKind.DYN)
        or (type_.kind is TypeKind.MAP and type_.parameters == (celtypes.STRING, celtypes.DYN))
    )


_NAMES: Final[Mapping[TypeKind, str]] = {
    TypeKind.DURATION: "google.protobuf.Duration",
    TypeKind.LIST: "google.protobuf.ListValue",
    TypeKind.NULL: "google.protobuf.NullValue",
    TypeKind.TIMESTAMP: "google.protobuf.Timestamp",
}


def make(name: str, values: _Set) -> Value:
    """
    Return the object of the message type *name* with the field *values*.

    Raises:
        EvaluationError: A field does not accept its value, or the type is a schema's, which has no constructor.
        UnsupportedExpressionError: The result is unknown.
    """
    message = MESSAGES.get(name)
    if message is None:
        raise EvaluationError(f"unknown type '{name}'")
    if message.make is None:
        raise UnsupportedExpressionError(f"protobuf messages of type {name}")
    return message.make(
        {field: message.fields[field].convert(value, f"{name}.{field}") for field, value in values.items()}
    )


# Scalars


def _unlike(value: Value, target: str) -> EvaluationError:
    """Return the error of a value that a field of the Go type *target* does not accept."""
    wording = _UNLIKE.get(type(value))
    if wording is None:
        raise UnsupportedExpressionError(f"fields of protobuf messages set to {conversions.to_type(value).name}")
    return EvaluationError(wording.format(target))


_UNLIKE: Final[Mapping[type, str]] = {
    type(None): "type conversion error from 'null_type' to '{}'",
    bool: "type conversion error from bool to '{}'",
    int: "unsupported type conversion from 'int' to {}",
    UInt: "unsupported type conversion from 'uint' to {}",
    float: "type conversion error from Double to '{}'",
    str: "unsupported native conversion from string to '{}'",
    bytes: "type conversion error from Bytes to '{}'",
    Duration: "type conversion error from 'Duration' to '{}'",
    Timestamp: "type conversion error from 'Timestamp' to '{}'",
    TypeValue: "type conversion not supported for 'type'",
}


def _unwrapped(value: Value) -> Value:
    while type(value) is Optional:
        if not value.has_value:
            raise EvaluationError("optional.none() dereference")
        value = value.value
    return value


def _scalar(kind: type, target: str, convert: Callable[[Any], Any] = lambda value: value) -> _Convert:
    """Return a converter for fields of the Go type *target* that accepts values of *kind*."""

    def set_(value: Value, field: str) -> Any:
        try:
            value = _unwrapped(value)
            if type(value) is not kind:
                raise _unlike(value, target)
            return convert(value)
        except EvaluationError as error:
            raise EvaluationError(f"field type conversion error for {field} value type: {error}") from None

    return set_


def _to_int32(value: int) -> int:
    if not -(2**31) <= value < 2**31:
        raise EvaluationError("integer overflow")
    return value


def _to_uint32(value: UInt) -> UInt:
    if value.value >= 2**32:
        raise EvaluationError("unsigned integer overflow")
    return value


def _to_float32(value: float) -> float:
    """Round to 32 bits as the C compiler does; infinite if the number is too large."""
    return ctypes.c_float(value).value


_INT64: Final = _Field(celtypes.INT, _scalar(int, "int64"))
_INT32: Final = _Field(celtypes.INT, _scalar(int, "int32", _to_int32))
_ENUM: Final = _Field(celtypes.INT, _scalar(int, "protoreflect.EnumNumber", _to_int32))
_DOUBLE: Final = _Field(celtypes.DOUBLE, _scalar(float, "float64"))
_BOOL: Final = _Field(celtypes.BOOL, _scalar(bool, "bool"))
_STRING: Final = _Field(celtypes.STRING, _scalar(str, "string"))
_BYTES: Final = _Field(celtypes.BYTES, _scalar(bytes, "[]uint8"))


# Values of JSON


def to_json(value: Value) -> Value:
    """
    Return a scalar converted for a JSON message.

    Raises:
        EvaluationError: It cannot be converted.
    """
    value = _unwrapped(value)
    if value is None or isinstance(value, bool | float | str):
        return value
    if isinstance(value, int | UInt):
        number = value.value if isinstance(value, UInt) else value
        return float(number) if -_SAFE <= number <= _SAFE else str(number)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Duration | Timestamp):
        return conversions.to_string(value)
    raise _unlike(value, "*structpb.Value")


def _list(value: Value, field: str) -> list[Value]:
    if not is_list(value):
        raise _unsupported_field(value, field)
    return [_json_part(element, field) for element in value]


def _map(value: Value, field: str) -> dict[str, Value]:
    if not is_map(value):
        raise _unsupported_field(value, field)
    return {_key(key, field): _json_part(find(value, key), field) for key in value}


_key: Final = _STRING.convert


def to_key(key: Value) -> str:
    """
    Return the key of a map converted for a JSON message.

    Raises:
        EvaluationError: It is no text.
    """
    if not isinstance(key, str):
        raise _unlike(key, "string")
    return key


def _json_part(value: Value, field: str) -> Value:
    try:
        return to_json(value)
    except EvaluationError as error:
        raise EvaluationError(f"field type conversion error for {field} value type: {error}") from None


def _unsupported_field(value: Value, field: str) -> EvaluationError:
    if not isinstance(value, str | int | float | bytes | UInt | None):
        type_ = conversions.to_type(value).name
        raise UnsupportedExpressionError(f"fields of protobuf messages set to {type_}")
    return EvaluationError(f"unsupported field type for {field}: {conversions.to_type(value).name}")


def _never(target: str) -> _Convert:
    """Return a converter that refuses all scalars; lists and maps are unsupported, because the server's answer varies."""

    def set_(value: Value, field: str) -> Any:
        try:
            raise _unlike(_unwrapped(value), target)
        except EvaluationError as error:
            raise EvaluationError(f"field type conversion error for {field} value type: {error}") from None

    return set_


# The messages


def _wrapper(field: _Field, zero: Value) -> Message:
    return Message({"value": field}, lambda values: values.get("value", zero))


def _duration(values: _Set) -> Duration:
    """Return a duration, saturated at int64 nanoseconds."""
    whole = values.get("seconds", 0) * _NANOSECONDS
    if MIN_INT <= whole <= MAX_INT:
        whole += values.get("nanos", 0)
    return Duration(max(MIN_INT, min(whole, MAX_INT)))


def _timestamp(values: _Set) -> Timestamp:
    carried, nanoseconds = divmod(values.get("nanos", 0), _NANOSECONDS)
    seconds = values.get("seconds", 0) + carried
    if not _FIRST_SECOND <= seconds <= _LAST_SECOND:
        raise UnsupportedExpressionError("protobuf messages for a time before the year 1 or after 9999")
    return Timestamp(seconds, nanoseconds)


def _value(values: _Set) -> Value:
    if len(values) > 1:
        raise UnsupportedExpressionError("a google.protobuf.Value with several values, of which the server takes any")
    return None if "null_value" in values else next(iter(values.values()), None)


_LIST_OF_DYN: Final = celtypes.list_of(celtypes.DYN)
_MAP_TO_DYN: Final = celtypes.map_of(celtypes.STRING, celtypes.DYN)
MESSAGES: Final[Mapping[str, Message]] = {
    "google.protobuf.Any": Message({"type_url": _STRING, "value": _BYTES}),
    "google.protobuf.BoolValue": _wrapper(_BOOL, zero=False),
    "google.protobuf.BytesValue": _wrapper(_BYTES, b""),
    "google.protobuf.DoubleValue": _wrapper(_DOUBLE, 0.0),
    "google.protobuf.Duration": Message({"seconds": _INT64, "nanos": _INT32}, _duration),
    "google.protobuf.Empty": Message({}),
    "google.protobuf.FloatValue": _wrapper(_Field(celtypes.DOUBLE, _scalar(float, "float32", _to_float32)), 0.0),
    "google.protobuf.Int32Value": _wrapper(_INT32, 0),
    "google.protobuf.Int64Value": _wrapper(_INT64, 0),
    "google.protobuf.ListValue": Message(
        {"values": _Field(_LIST_OF_DYN, _list)}, lambda values: values.get("values", [])
    ),
    "google.protobuf.StringValue": _wrapper(_STRING, ""),
    "google.protobuf.Struct": Message({"fields": _Field(_MAP_TO_DYN, _map)}, lambda values: values.get("fields", {})),
    "google.protobuf.Timestamp": Message({"seconds": _INT64, "nanos": _INT32}, _timestamp),
    "google.protobuf.UInt32Value": _wrapper(_Field(celtypes.UINT, _scalar(UInt, "uint32", _to_uint32)), UInt(0)),
    "google.protobuf.UInt64Value": _wrapper(_Field(celtypes.UINT, _scalar(UInt, "uint64")), UInt(0)),
    "google.protobuf.Value": Message(
        {
            "null_value": _ENUM,
            "number_value": _DOUBLE,
            "string_value": _STRING,
            "bool_value": _BOOL,
            "struct_value": _Field(_MAP_TO_DYN, _never("*structpb.Struct")),
            "list_value": _Field(_LIST_OF_DYN, _never("*structpb.ListValue")),
        },
        _value,
    ),
}
"""Messages declared in every environment, by name."""

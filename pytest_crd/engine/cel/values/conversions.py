"""
Type conversions: the functions named after types.

Reference:
    cel-go common/types: ConvertToType of each type.
"""

from __future__ import annotations

import math
from typing import Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values import durations, numbers, timestamps
from pytest_crd.engine.cel.values.celvalues import (
    MAX_INT,
    MAX_UINT,
    Duration,
    Opaque,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    type_name,
)
from pytest_crd.engine.golang import printing

_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})


def to_bool(value: Value) -> bool:
    """
    Convert a bool, or a string like `true`, to bool.

    Raises:
        EvaluationError: It cannot be converted. This applies to all functions here.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in _TRUE | _FALSE:
        return value in _TRUE
    raise _error(value, "bool")


def to_bytes(value: Value) -> bytes:
    """Convert bytes, or a string as UTF-8, to bytes."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return value
    raise _error(value, "bytes")


def to_double(value: Value) -> float:
    """Convert a number or a numeric string to double."""
    if isinstance(value, UInt):
        return float(value.value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and (number := numbers.parse_double(value)) is not None:
        return number
    raise _error(value, "double")


def to_duration(value: Value) -> Duration:
    """Convert a duration or a duration string to duration."""
    if isinstance(value, Duration):
        return value
    if isinstance(value, str) and (duration := durations.parse(value)) is not None:
        return duration
    raise _error(value, "google.protobuf.Duration")


def to_int(value: Value) -> int:
    """Convert a number, a numeric string, a duration (nanoseconds) or a timestamp (seconds since 1970) to int."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float):
        # The lowest int64 is refused, too: a double cannot distinguish it from lower numbers.
        if not math.isfinite(value) or not -(2.0**63) < value < 2.0**63:
            raise EvaluationError("integer overflow")
        return int(value)
    if isinstance(value, UInt):
        if value.value > MAX_INT:
            raise EvaluationError("integer overflow")
        return value.value
    if isinstance(value, Duration):
        return value.nanoseconds
    if isinstance(value, Timestamp):
        return value.seconds
    if isinstance(value, str) and (number := numbers.parse_int(value)) is not None:
        return number
    raise _error(value, "int")


def to_string(value: Value) -> str:
    """Convert a value to string."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return printing.number(value)
    return _other_to_string(value)


def _other_to_string(value: Value) -> str:
    if isinstance(value, UInt):
        return str(value.value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise EvaluationError("invalid UTF-8 in bytes, cannot convert to string") from None
    if isinstance(value, Duration):
        return durations.seconds_text(value)
    if isinstance(value, Timestamp):
        return timestamps.text(value)
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, Opaque) and value.has_text:
        return str(value)
    raise _error(value, "string")


def to_timestamp(value: Value) -> Timestamp:
    """Convert a timestamp, an RFC 3339 string, or seconds since 1970 to timestamp."""
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return timestamps.checked(value)
    if isinstance(value, str) and (timestamp := timestamps.parse(value)) is not None:
        return timestamp
    raise _error(value, "google.protobuf.Timestamp")


def to_uint(value: Value) -> UInt:
    """Convert a number or a numeric string to uint."""
    if isinstance(value, UInt):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise EvaluationError("unsigned integer overflow")
        return UInt(value)
    if isinstance(value, float):
        if not 0 <= value < MAX_UINT:
            raise EvaluationError("unsigned integer overflow")
        return UInt(int(value))
    if isinstance(value, str) and (number := numbers.parse_uint(value)) is not None:
        return UInt(number)
    raise _error(value, "uint")


def to_type(value: Value) -> TypeValue:
    """Return the type of *value*."""
    return TypeValue(type_name(value))


def _error(value: Value, target: str) -> EvaluationError:
    return EvaluationError(f"type conversion error from '{type_name(value)}' to '{target}'")

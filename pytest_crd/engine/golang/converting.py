"""Conversion of unstructured JSON values to Go types, which patches and applies use instead of decoding JSON text."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import decodeerrors, parsing
from pytest_crd.engine.golang.gotypes import (
    INT64,
    STRING,
    UINT8,
    Bytes,
    Custom,
    CustomError,
    Float,
    GoType,
    Int,
    List,
    Map,
    Pointer,
    Scalar,
    Struct,
    StructReference,
    Time,
)
from pytest_crd.engine.jsonvalue import JSONValue

_KINDS: Final = {
    "string": "string",
    "boolean": "bool",
    "integer": "int64",
    "number": "float64",
    "array": "slice",
    "object": "map",
}


class MistypedError(ValueError):
    """JSON value that does not fit its Go type; the message is the server's."""


def convert(value: JSONValue, kind: GoType) -> JSONValue:
    """
    Return *value* converted to the Go type *kind*; numbers wrap around to the bits of the type, as in Go on amd64.

    Args:
        value: JSON value; not modified. Unknown fields of structs, unions and raw JSON stay unchanged.
        kind: The Go type.

    Raises:
        MistypedError: The value has another type.

    Reference:
        apimachinery runtime/converter.go, fromUnstructured.
    """
    if value is None:
        return None
    if isinstance(kind, Pointer | StructReference):
        return convert(value, kind.to if isinstance(kind, Pointer) else kind.load())
    if isinstance(kind, Struct | Map):
        return _object(value, kind)
    if isinstance(kind, List | Bytes):
        return _slice(value, kind)
    if isinstance(kind, Time | Custom):
        return _custom(value, kind)
    return _scalar(value, kind) if isinstance(kind, Scalar | Int | Float) else value


def _object(value: JSONValue, kind: Struct | Map) -> JSONValue:
    if not isinstance(value, dict):
        raise MistypedError(
            f"cannot restore {'struct from:' if isinstance(kind, Struct) else 'map from'} {_kind(value)}"
        )
    if isinstance(kind, Map):
        return {key: convert(item, kind.value) for key, item in value.items()}
    fields = {name: convert(value[name], field) for name, field in kind.fields.items() if name in value}
    return {**value, **fields}


def _slice(value: JSONValue, kind: List | Bytes) -> JSONValue:
    if isinstance(value, list):
        item_type = kind.item if isinstance(kind, List) else UINT8
        return [convert(item, item_type) for item in value]
    if isinstance(kind, List) or not isinstance(value, str):
        raise MistypedError(f"cannot restore slice from {_kind(value)}")
    try:
        return parsing.base64_text(value)
    except parsing.GoParseError as error:
        raise MistypedError(f"error decoding from json: {error}") from None


def _custom(value: JSONValue, kind: Time | Custom) -> JSONValue:
    """Convert a value with the type's own decoder."""
    try:
        if isinstance(kind, Custom):  # Go's fromUnstructured marshals the value first
            return kind.read(jsonvalue.number(value) if isinstance(value, float) else value)
        return _time(value)
    except CustomError as error:
        saved = decodeerrors.SavedError(None, str(error), error.mismatch)
        raise MistypedError(saved.text()) from None
    except parsing.GoParseError as error:
        raise MistypedError(str(error)) from None


def _time(value: JSONValue) -> JSONValue:
    if not isinstance(value, str):
        raise CustomError(decodeerrors.describe(value), STRING.go)
    return parsing.rfc3339(value)


def _scalar(value: JSONValue, kind: Scalar | Int | Float) -> JSONValue:
    actual = _kind(value)
    if isinstance(kind, Int) and actual in ("int64", "float64"):
        if not float(value).is_integer():
            raise MistypedError(f"cannot convert float64 to {kind.name}")
        is_int64 = INT64.lowest <= value <= INT64.highest
        # amd64 converts a float beyond int64 to the lowest int64.
        whole = int(value) if is_int64 else INT64.lowest
        return (whole - kind.lowest) % (kind.highest - kind.lowest + 1) + kind.lowest
    if isinstance(kind, Scalar):
        expected = "bool" if kind.empty is False else "string"
        if (actual, expected) == ("int64", "string"):
            raise MistypedError(f"cannot convert int64 to {kind.name}")
        if actual != expected:
            raise MistypedError(f"unrecognized type: {expected}")
    elif actual not in ("int64", "float64"):
        raise MistypedError(f"unrecognized type: {kind.name}")
    return value


def _kind(value: JSONValue) -> str:
    return _KINDS[jsonvalue.type_of(value)]

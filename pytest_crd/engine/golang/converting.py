"""JSON values that are put into a Go type without being written as JSON before, as what comes of patches and applies is."""

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
    """A value that is none of a Go type; the message is the server's."""


def converted(value: JSONValue, kind: GoType) -> JSONValue:
    """
    Return a *value* as one that decodes into a Go type: whole numbers are cut off to its bits, as Go does it on amd64.

    Args:
        value: The value; not modified. What structs do not know stays, and so does what unions and raw JSON hold.
        kind: The Go type.

    Raises:
        MistypedError: It is none of that type.

    Reference:
        apimachinery runtime/converter.go, fromUnstructured.
    """
    if value is None:
        return None
    if isinstance(kind, Pointer | StructReference):
        return converted(value, kind.to if isinstance(kind, Pointer) else kind.load())
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
        return {key: converted(item, kind.value) for key, item in value.items()}
    found = {name: converted(value[name], field) for name, field in kind.fields.items() if name in value}
    return {**value, **found}


def _slice(value: JSONValue, kind: List | Bytes) -> JSONValue:
    if isinstance(value, list):
        of_items = kind.item if isinstance(kind, List) else UINT8
        return [converted(item, of_items) for item in value]
    if isinstance(kind, List) or not isinstance(value, str):
        raise MistypedError(f"cannot restore slice from {_kind(value)}")
    try:
        return parsing.base64_text(value)
    except parsing.GoParseError as error:
        raise MistypedError(f"error decoding from json: {error}") from None


def _custom(value: JSONValue, kind: Time | Custom) -> JSONValue:
    """Return what decodes itself."""
    try:
        if isinstance(kind, Custom):  # which reads what Go writes of it
            return kind.read(jsonvalue.number(value) if isinstance(value, float) else value)
        return _time(value)
    except CustomError as error:
        found = decodeerrors.SavedError(None, str(error), error.mismatch)
        raise MistypedError(found.text()) from None
    except parsing.GoParseError as error:
        raise MistypedError(str(error)) from None


def _time(value: JSONValue) -> JSONValue:
    if not isinstance(value, str):
        raise CustomError(decodeerrors.described(value), STRING.go)
    return parsing.rfc3339(value)


def _scalar(value: JSONValue, kind: Scalar | Int | Float) -> JSONValue:
    given = _kind(value)
    if isinstance(kind, Int) and given in ("int64", "float64"):
        if not float(value).is_integer():
            raise MistypedError(f"cannot convert float64 to {kind.name}")
        is_int64 = INT64.lowest <= value <= INT64.highest
        # Where a number has no room in 64 bits, amd64 leaves the first of them.
        whole = int(value) if is_int64 else INT64.lowest
        return (whole - kind.lowest) % (kind.highest - kind.lowest + 1) + kind.lowest
    if isinstance(kind, Scalar):
        wanted = "bool" if kind.empty is False else "string"
        if (given, wanted) == ("int64", "string"):
            raise MistypedError(f"cannot convert int64 to {kind.name}")
        if given != wanted:
            raise MistypedError(f"unrecognized type: {wanted}")
    elif given not in ("int64", "float64"):
        raise MistypedError(f"unrecognized type: {kind.name}")
    return value


def _kind(value: JSONValue) -> str:
    return _KINDS[jsonvalue.type_of(value)]

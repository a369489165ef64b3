"""What is wrong with a JSON value that is put into a Go type without being written as JSON before, as patches and applies of CRDs are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang.types import (
    Bytes,
    Float,
    GoType,
    Int,
    List,
    Map,
    Pointer,
    Scalar,
    Struct,
    StructReference,
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


def problem(value: JSONValue, kind: GoType) -> str:
    """
    Return why a *value* is none of a Go type, empty where it is one; what decodes itself, and times, are not looked into.

    Raises:
        NotImplementedError: A whole number is beyond the range of its type, or written with a fraction: a server converts it.

    Reference:
        apimachinery runtime/converter.go, fromUnstructured.
    """
    return next(_problems(value, kind), "")


def _problems(value: JSONValue, kind: GoType) -> Iterator[str]:
    if value is None:
        return
    if isinstance(kind, Pointer | StructReference):
        yield from _problems(value, kind.to if isinstance(kind, Pointer) else kind.load())
    elif isinstance(kind, Struct | Map):
        yield from _of_object(value, kind)
    elif isinstance(kind, List | Bytes):
        yield from _of_slice(value, kind)
    elif isinstance(kind, Scalar | Int | Float):
        yield from _of_scalar(value, kind)


def _of_object(value: JSONValue, kind: Struct | Map) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"cannot restore {'struct from:' if isinstance(kind, Struct) else 'map from'} {_kind(value)}"
    elif isinstance(kind, Map):
        for item in value.values():
            yield from _problems(item, kind.value)
    else:
        for name, field in kind.fields.items():
            yield from _problems(value.get(name), field)


def _of_slice(value: JSONValue, kind: List | Bytes) -> Iterator[str]:
    if isinstance(kind, List) and isinstance(value, list):
        for item in value:
            yield from _problems(item, kind.item)
    elif isinstance(kind, List) or not isinstance(value, str):
        yield f"cannot restore slice from {_kind(value)}"


def _of_scalar(value: JSONValue, kind: Scalar | Int | Float) -> Iterator[str]:
    given = _kind(value)
    if isinstance(kind, Int) and given in ("int64", "float64"):
        if not float(value).is_integer():
            yield f"cannot convert float64 to {kind.name}"
        elif isinstance(value, float) or not kind.lowest <= value <= kind.highest:
            raise NotImplementedError(f"{value} as an {kind.name} of a CRD, which a server makes another number of")
    elif isinstance(kind, Scalar):
        wanted = "bool" if kind.empty is False else "string"
        if (given, wanted) == ("int64", "string"):
            yield f"cannot convert int64 to {kind.name}"
        elif given != wanted:
            yield f"unrecognized type: {wanted}"
    elif given not in ("int64", "float64"):
        yield f"unrecognized type: {kind.name}"


def _kind(value: JSONValue) -> str:
    return _KINDS[jsonvalue.type_of(value)]

"""Encoding of objects in protobuf, from their JSON form."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlstream
from pytest_crd.server.http.httpmessages import compact
from pytest_crd.server.protobuf import protofields
from pytest_crd.server.protobuf.protofields import VARINT, Field, ProtobufError
from pytest_crd.server.protobuf.protowire import part, varint

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SCHEMA: Final = "apiextensions.v1.JSONSchemaProps"
# The least and greatest value of integer types.
_BOUNDS: Final = {"int": (-(1 << 63), (1 << 63) - 1), "int32": (-(1 << 31), (1 << 31) - 1)}


def write(value: Resource) -> bytes:
    """
    Return an object in its envelope.

    Args:
        value: The object; fields that its type lacks are left out, as a server does not store them.

    Raises:
        ProtobufError: A field has a value of another type, or the kind is unknown.
    """
    api_version, kind = value.get("apiVersion", ""), value["kind"]
    type_ = protofields.type_of(api_version or "v1", kind)
    if not type_:
        raise ProtobufError(f"how {kind} of {api_version} is written in protobuf is not known")
    type_meta = part(1, _text(api_version)) + part(2, _text(kind))
    try:
        raw = _message(value, type_, "")
    except RecursionError:
        raise ProtobufError(yamlstream.TOO_DEEP) from None
    return protofields.PREFIX + part(1, type_meta) + part(2, raw) + part(3, b"") + part(4, b"")


def event(type_: str, encoded: bytes) -> bytes:
    """Return a watch event with its length prefix; *encoded* is the encoded object."""
    message = part(1, _text(type_)) + part(2, part(1, encoded))
    return struct.pack(">I", len(message)) + message


def _message(value: JSONValue, type_: str, path: str) -> bytes:
    if (special := _SPECIAL.get(type_)) is not None:
        return special(value, path)
    if value is not None and not isinstance(value, dict):
        raise _misfit(path, "an object")
    return b"".join(_field(field, value or {}, path) for field in protofields.fields(type_).values())


def _field(field: Field, parent: Mapping[str, JSONValue], path: str) -> bytes:
    """Return an encoded field of an object."""
    value = parent.get(field.name) if field.name else parent
    path = f"{path}.{field.name}" if field.name else path
    if value is None and field.is_nullable:
        return b""
    if field.is_list:
        items = _listed(value, path)
        return b"".join(_numbered(field, field.number, item, f"{path}[{index}]") for index, item in enumerate(items))
    if field.is_map:
        if not isinstance(value, dict):
            raise _misfit(path, "an object")
        entries = (part(1, _text(key)) + _numbered(field, 2, value[key], f"{path}[{key}]") for key in sorted(value))
        return b"".join(part(field.number, entry) for entry in entries)
    return _numbered(field, field.number, value, path)


def _numbered(field: Field, number: int, value: JSONValue, path: str) -> bytes:
    """Return an encoded value of a field, under *number*."""
    if field.type:
        return part(number, _message(value, field.type, path))
    if not field.is_number:
        return part(number, _string(value, path) if field.kind == "string" else _decoded(value, path))
    encoded = _real(value, path) if field.kind == "float64" else varint(_number(field.kind, value, path))
    return varint(number << 3 | field.wire_type) + encoded


def _number(kind: str, value: JSONValue, path: str) -> int:
    if kind == "bool":
        if not isinstance(value, bool | None):
            raise _misfit(path, "true or false")
        return int(bool(value))
    least, most = _BOUNDS[kind]
    if isinstance(value, bool) or not isinstance(value, int | None) or not least <= (value or 0) <= most:
        raise _misfit(path, f"a whole number of {32 if kind == 'int32' else 64} bits")
    return value or 0


def _real(value: JSONValue, path: str) -> bytes:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _misfit(path, "a number")
    return struct.pack("<d", value)


def _string(value: JSONValue, path: str) -> bytes:
    if not isinstance(value, str | None):
        raise _misfit(path, "a text")
    return _text(value or "")


def _decoded(value: JSONValue, path: str) -> bytes:
    try:
        return base64.b64decode(_string(value, path), validate=True)
    except binascii.Error:
        raise _misfit(path, "base64") from None


def _listed(value: JSONValue, path: str) -> list[JSONValue]:
    if not isinstance(value, list):
        raise _misfit(path, "a list")
    return value


def _time(value: JSONValue, path: str) -> bytes:
    return b"" if value is None else _stamp(_moment(value, path)[0], 0)


def _micro_time(value: JSONValue, path: str) -> bytes:
    return b"" if value is None else _stamp(*_moment(value, path))


def _stamp(seconds: int, nanos: int) -> bytes:
    return varint(1 << 3 | VARINT) + varint(seconds) + varint(2 << 3 | VARINT) + varint(nanos)


def _moment(value: JSONValue, path: str) -> tuple[int, int]:
    """Return the seconds and nanoseconds of a time since 1970."""
    try:
        since = datetime.fromisoformat(value) - _EPOCH
    except (ValueError, TypeError):
        raise _misfit(path, "a time") from None
    seconds, rest = divmod(since, timedelta(seconds=1))
    return seconds, rest.microseconds * 1000


def _quantity(value: JSONValue, path: str) -> bytes:
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise _misfit(path, "a quantity")
    try:
        return part(1, _text(protofields.quantity("0" if value is None else str(value))))
    except ProtobufError:
        raise _misfit(path, "a quantity") from None


def _int_or_string(value: JSONValue, path: str) -> bytes:
    is_text = isinstance(value, str)
    number = 0 if is_text else _number("int32", value, path)
    kind = varint(1 << 3 | VARINT) + varint(int(is_text))
    return kind + varint(2 << 3 | VARINT) + varint(number) + part(3, _text(value if is_text else ""))


def _raw(value: JSONValue, _path: str) -> bytes:
    return b"" if value is None else part(1, _text(compact(value)))


def _texts(value: JSONValue, path: str) -> bytes:
    return b"".join(part(1, _string(text, path)) for text in _listed(value, path))


def _any_json(value: JSONValue, _path: str) -> bytes:
    return b"" if value is None else part(1, _text(printing.marshal(value)))


def _or_bool(value: JSONValue, path: str) -> bytes:
    if isinstance(value, bool):
        return varint(1 << 3 | VARINT) + varint(int(value))
    return varint(1 << 3 | VARINT) + varint(1) + part(2, _message(value, _SCHEMA, path))


def _or_array(value: JSONValue, path: str) -> bytes:
    if isinstance(value, list):
        return b"".join(part(2, _message(item, _SCHEMA, f"{path}[{index}]")) for index, item in enumerate(value))
    return part(1, _message(value, _SCHEMA, path))


def _or_strings(value: JSONValue, path: str) -> bytes:
    if value is None:
        return b""
    if isinstance(value, list):
        return b"".join(part(2, _string(item, f"{path}[{index}]")) for index, item in enumerate(value))
    return part(1, _message(value, _SCHEMA, path))


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _misfit(path: str, expected: str) -> ProtobufError:
    return ProtobufError(f"{path.removeprefix('.')} is not {expected}")


_SPECIAL: Final[Mapping[str, Callable[[JSONValue, str], bytes]]] = {
    protofields.TIME: _time,
    protofields.MICRO_TIME: _micro_time,
    protofields.QUANTITY: _quantity,
    protofields.INT_OR_STRING: _int_or_string,
    protofields.FIELDS: _raw,
    protofields.EXTENSION: _raw,
    **dict.fromkeys(protofields.TEXTS, _texts),
    protofields.ANY_JSON: _any_json,
    protofields.OR_BOOL: _or_bool,
    protofields.OR_ARRAY: _or_array,
    protofields.OR_STRINGS: _or_strings,
}

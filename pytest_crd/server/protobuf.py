"""
Protobuf, as Go clients send built-in kinds: read into what the JSON of the same object says.

How each type is written stands in `protofields.json`. Of answers JSON is all there is: these clients take that, too.
"""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue

PREFIX: Final = b"k8s\x00"
_CUT_OFF: Final = "unexpected EOF"
_VARINT, _FIXED64, _BYTES, _GROUP, _END, _FIXED32 = range(6)
# A varint has so many bits, and so many bytes at the most.
_BITS, _LONGEST = 64, 10
_UNPREFIXED: Final = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"


class ProtobufError(ValueError):
    """Something cannot be read; the message is the server's."""


class Field(NamedTuple):
    """
    A field of a message.

    Attributes:
        name: What it is called in JSON; empty where what is in it stands among the fields around it.
        kind: What it holds: `string`, `bytes`, `bool`, `int`, a type that JSON writes in a way of its own, or with a dot before it a message;
            behind `[]` many of it, behind `map ` each under a text.
        is_omitted: Whether JSON leaves it out where it is empty.
        is_pointer: Whether it may be empty and there all the same.
        go: What it is called in Go.
    """

    name: str
    kind: str
    is_omitted: bool
    is_pointer: bool
    go: str


class Envelope(NamedTuple):
    """
    What stands around an object.

    Attributes:
        api_version: Its apiVersion; empty where it states none.
        kind: Its kind; likewise.
        raw: The object.
    """

    api_version: str
    kind: str
    raw: bytes


_Fields: TypeAlias = Mapping[int, Field]
_Wire: TypeAlias = Iterator[tuple[int, int, Any]]


def envelope(body: bytes) -> Envelope:
    """
    Return what stands around an object.

    Raises:
        ProtobufError: It is none.

    Reference:
        apimachinery runtime/serializer/protobuf, Serializer.Decode.
    """
    if not body:
        raise ProtobufError("empty data")
    if not body.startswith(PREFIX):
        raise ProtobufError(_UNPREFIXED)
    if body == PREFIX:
        raise ProtobufError("empty body")
    found: dict[int, bytes] = {number: value for number, _, value in _wire(body[len(PREFIX) :], "Unknown")}
    of_type = {number: value.decode(errors="replace") for number, _, value in _wire(found.get(1, b""), "TypeMeta")}
    return Envelope(of_type.get(1, ""), of_type.get(2, ""), found.get(2, b""))


def knows(api_version: str, kind: str) -> bool:
    """Return whether a kind can be read."""
    return f"{api_version} {kind}" in _table()["kinds"]


def read(raw: bytes, api_version: str, kind: str) -> Resource:
    """
    Return an object as its JSON has it, without apiVersion and kind.

    Args:
        raw: The object.
        api_version: Its apiVersion.
        kind: Its kind, of which `knows` is true.

    Raises:
        ProtobufError: It cannot be read.
    """
    return _message(raw, _table()["kinds"][f"{api_version} {kind}"])


@functools.cache
def _table() -> Any:
    text = resources.files("pytest_crd.server").joinpath("protofields.json").read_text(encoding="utf-8")
    return json.loads(text)


@functools.cache
def _fields(type_: str) -> _Fields:
    rows: Sequence[Sequence[Any]] = _table()["types"][type_]
    return {number: Field(name, kind, "o" in flags, "p" in flags, go) for number, name, kind, flags, go in rows}


def _message(data: bytes, type_: str) -> dict[str, JSONValue]:
    """Return a message as JSON has it."""
    fields = _fields(type_)
    given: dict[int, Any] = {}
    for number, wire_type, value in _wire(data, type_.rpartition(".")[2]):
        if (field := fields.get(number)) is not None:
            _take(given, number, field, wire_type, value)
    found: dict[str, JSONValue] = {}
    for number, field in fields.items():
        value = given[number] if number in given else None if field.is_pointer else _empty(field.kind)
        if not field.name:
            found |= value or {}
        elif not _is_left_out(field, value):
            found[field.name] = value
    return found


def _take(given: dict[int, Any], number: int, field: Field, wire_type: int, value: Any) -> None:
    """Put a value to those of its field."""
    many, each, kind = field.kind.startswith("[]"), field.kind.startswith("map "), field.kind
    kind = kind[2:] if many else kind.removeprefix("map ")
    is_packed = many and kind == "int" and wire_type == _BYTES
    if not is_packed and wire_type != (_VARINT if not each and kind in ("bool", "int") else _BYTES):
        raise ProtobufError(f"proto: wrong wireType = {wire_type} for field {field.go}")
    if is_packed:
        given.setdefault(number, []).extend(_packed(value))
    elif many:
        given.setdefault(number, []).append(_value(kind, value))
    elif each:
        entry: dict[int, Any] = {1: b"", 2: b""}
        entry |= {at: one for at, _, one in _wire(value, "")}
        given.setdefault(number, {})[_text(entry[1])] = _value(kind, entry[2])
    else:
        given[number] = _value(kind, value)


def _value(kind: str, value: Any) -> JSONValue:
    if kind.startswith("."):
        return _message(value, kind[1:])
    return _READERS[kind](value)


def _empty(kind: str) -> JSONValue:
    """Return what stands in a field that was not sent."""
    if kind.startswith("."):
        return _message(b"", kind[1:])
    return {"string": "", "bool": False, "int": 0, "quantity": "0", "intorstring": 0}.get(kind)


def _is_left_out(field: Field, value: JSONValue) -> bool:
    if not field.is_omitted:
        return False
    return value is None or (not field.is_pointer and value in ("", False, 0, [], {}))


def _text(value: bytes) -> str:
    return value.decode(errors="replace")


def _signed(value: int) -> int:
    return value - (1 << _BITS) if value >> (_BITS - 1) else value


def _parts(value: bytes) -> dict[int, Any]:
    return {number: one for number, _, one in _wire(value, "")}


def _time(value: bytes, timespec: str) -> str | None:
    parts = _parts(value)
    if not parts:
        return None
    seconds, nanos = _signed(parts.get(1, 0)), _signed(parts.get(2, 0))
    moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=nanos // 1000)
    return moment.isoformat(timespec=timespec).replace("+00:00", "Z")


def _int_or_string(value: bytes) -> int | str:
    parts = _parts(value)
    return _text(parts.get(3, b"")) if parts.get(1) else _signed(parts.get(2, 0))


def _raw(value: bytes) -> JSONValue:
    return json.loads(_parts(value).get(1, b"null"))


_READERS: Final[Mapping[str, Callable[[Any], JSONValue]]] = {
    "string": _text,
    "bytes": lambda value: base64.b64encode(value).decode(),
    "bool": bool,
    "int": _signed,
    "time": lambda value: _time(value, "seconds"),
    "microtime": lambda value: _time(value, "microseconds"),
    "quantity": lambda value: _text(_parts(value).get(1, b"0")),
    "intorstring": _int_or_string,
    "raw": _raw,
}


def _wire(data: bytes, type_: str) -> _Wire:
    """
    Yield number, wire type and value of each field of a message, as it was sent.

    Raises:
        ProtobufError: It is none; *type_* is what the message calls it.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire_type = (tag >> 3) & 0xFFFFFFFF, tag & 7
        if wire_type == _END:
            raise ProtobufError(f"proto: {type_}: wiretype end group for non-group")
        if not 0 < number < 1 << 31:
            raise ProtobufError(f"proto: {type_}: illegal tag {number} (wire type {tag})")
        value, at = _payload(data, at, wire_type)
        yield number, wire_type, value


def _payload(data: bytes, at: int, wire_type: int) -> tuple[Any, int]:
    """Return what stands at a place, and where it ends."""
    if wire_type == _VARINT:
        return _varint(data, at)
    if wire_type == _BYTES:
        length, at = _varint(data, at)
        if length >> (_BITS - 1):
            raise ProtobufError("proto: negative length found during unmarshaling")
        return _cut(data, at, length)
    if wire_type in (_FIXED32, _FIXED64):
        return _cut(data, at, 4 if wire_type == _FIXED32 else 8)
    if wire_type == _GROUP:
        return None, _end_of_group(data, at)
    raise ProtobufError(f"proto: illegal wireType {wire_type}")


def _cut(data: bytes, at: int, length: int) -> tuple[bytes, int]:
    if at + length > len(data):
        raise ProtobufError(_CUT_OFF)
    return data[at : at + length], at + length


def _end_of_group(data: bytes, at: int) -> int:
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == _END:
            return at
        _, at = _payload(data, at, tag & 7)
    raise ProtobufError(_CUT_OFF)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found = 0
    for place in range(_LONGEST):
        if at + place >= len(data):
            raise ProtobufError(_CUT_OFF)
        byte = data[at + place]
        found |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return found & ((1 << _BITS) - 1), at + place + 1
    raise ProtobufError("proto: integer overflow")


def _packed(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield _signed(value)

"""Decoding of built-in kinds and CRDs from protobuf into their JSON form."""

from __future__ import annotations

import base64
import json
import math
import re
import struct
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import jsonsyntax, printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import jsonreader, yamlstream
from pytest_crd.engine.yaml.yamlstream import UnreadableError
from pytest_crd.server.protobuf import protofields
from pytest_crd.server.protobuf.protofields import Field, ProtobufError, UnstorableError
from pytest_crd.server.protobuf.protowire import WirePart, entries, numbers, parts, signed

_UNPREFIXED: Final = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
# Invalid UTF-8 bytes, as surrogates of Python.
_NO_TEXT: Final = re.compile("[\udc80-\udcff]")
# The calendar repeats every 400 years.
_YEARS: Final = 400
_SECONDS: Final = 146_097 * 86_400
_YEAR_ONE: Final = -62_135_596_800
_SCHEMA: Final = "apiextensions.v1.JSONSchemaProps"
_PATTERN: Final = "pattern"

# A decoded message: values by field number, as in JSON except for bytes and nested messages.
_Message: TypeAlias = "dict[int, Any]"


class Envelope(NamedTuple):
    """
    Envelope of an object.

    Attributes:
        api_version: The apiVersion; empty if absent.
        kind: The kind; empty if absent.
        raw: The encoded object.
    """

    api_version: str
    kind: str
    raw: bytes


def envelope(body: bytes) -> Envelope:
    """
    Return the decoded envelope of a body.

    Raises:
        ProtobufError: The body has no valid envelope.

    Reference:
        apimachinery runtime/serializer/protobuf, Serializer.Decode.
    """
    if not body:
        raise ProtobufError("empty data")
    if not body.startswith(protofields.PREFIX):
        raise ProtobufError(_UNPREFIXED)
    if body == protofields.PREFIX:
        raise ProtobufError("empty body")
    message = _merged({}, body[len(protofields.PREFIX) :], protofields.UNKNOWN)
    type_meta = message.get(1, {})
    return Envelope(type_meta.get(1, ""), type_meta.get(2, ""), message.get(2, b""))


def can_read(api_version: str, kind: str) -> bool:
    """Return whether a kind can be decoded."""
    return bool(protofields.type_of(api_version, kind))


def read(raw: bytes, api_version: str, kind: str) -> Resource:
    """
    Return an object in its JSON form, without apiVersion and kind.

    Args:
        raw: The encoded object.
        api_version: The apiVersion.
        kind: The kind; `can_read` must be true for it.

    Raises:
        UnstorableError: A number has no JSON form.
        ProtobufError: The bytes are malformed.
    """
    type_ = protofields.type_of(api_version, kind)
    try:
        object_: Resource = _to_json(_merged({}, raw, type_), type_)
    except RecursionError:
        raise ProtobufError(yamlstream.TOO_DEEP) from None
    if jsonvalue.is_too_deep(object_):
        raise ProtobufError(yamlstream.TOO_DEEP)
    return object_


def _merged(message: _Message, data: bytes, type_: str) -> _Message:
    """Merge encoded fields into a message and return it; later values of a field extend or replace earlier ones."""
    fields = protofields.fields(type_)

    def check_wire_type(number: int, wire_type: int) -> None:
        if (field := fields.get(number)) is not None and not _accepts_wire_type(field, wire_type):
            raise ProtobufError(f"proto: wrong wireType = {wire_type} for field {field.go}")

    for part in parts(data, protofields.message_name(type_), check_wire_type):
        if (field := fields.get(part.number)) is not None:
            _add_value(message, field, part)
    return message


def _accepts_wire_type(field: Field, wire_type: int) -> bool:
    """Return whether a field may have a wire type; numbers of a list may be packed."""
    return wire_type == field.wire_type or (field.is_list and wire_type == protofields.BYTES)


def _add_value(message: _Message, field: Field, part: WirePart) -> None:
    """Add a decoded value to its field."""
    if field.is_number and part.wire_type == protofields.BYTES:
        values = message.setdefault(field.number, [])
        values.extend(_value(field, number) for number in numbers(part.value))
    elif field.is_list:
        message.setdefault(field.number, []).append(_value(field, part.value))
    elif field.is_map:
        entry = {1: b"", 2: b"", **dict(entries(part))}
        message.setdefault(field.number, {})[_text(entry[1])] = _value(field, entry[2])
    else:
        message[field.number] = _value(field, part.value, message.get(field.number))


def _value(field: Field, value: Any, before: _Message | None = None) -> Any:
    if field.name == _PATTERN and _text(value).encode() != value:
        # Python would accept the pattern; a server refuses it in validation.
        raise ProtobufError("error parsing regexp: invalid UTF-8")
    if not field.type:
        return _READERS[field.kind](value)
    if field.type in (protofields.TIME, protofields.MICRO_TIME):
        return _merged({1: 0}, value, field.type) if value else {}
    message = _merged(before or {}, value, field.type)
    if field.type == protofields.QUANTITY and 1 in message:
        message[1] = protofields.quantity(message[1])
    return message


def _to_json(message: _Message, type_: str) -> Any:
    """Return a message in its JSON form."""
    if (special := _SPECIAL.get(type_)) is not None:
        return special(message)
    object_: dict[str, JSONValue] = {}
    for field in protofields.fields(type_).values():
        value = _field_to_json(message, field)
        if not field.name:
            object_ |= value
        elif not (field.is_omitted and _is_left_out(message, field, value)):
            object_[field.name] = value
    return object_


def _field_to_json(message: _Message, field: Field) -> JSONValue:
    if field.number not in message:
        if field.is_nullable:
            return None
        return _to_json({}, field.type) if field.type else _READERS[field.kind](0 if field.is_number else b"")
    value = message[field.number]
    if not field.type:
        return _IN_JSON[field.kind](value) if field.kind in _IN_JSON else value
    if field.is_list:
        return [_to_json(item, field.type) for item in value]
    if field.is_map:
        return {key: _to_json(item, field.type) for key, item in value.items()}
    return _to_json(value, field.type)


def _is_left_out(message: _Message, field: Field, value: JSONValue) -> bool:
    """Return whether JSON omits a field because it is empty."""
    if field.is_pointer:
        return field.number not in message
    return value is None or value in ("", False, 0, [], {})


def _encoded(value: Any) -> JSONValue:
    """Return bytes, or a map of bytes, as base64."""
    if isinstance(value, dict):
        return {key: _encoded(item) for key, item in value.items()}
    return base64.b64encode(value).decode()


def _finite(value: float) -> float:
    """
    Return a number in its JSON form.

    Raises:
        UnstorableError: The number is infinite or NaN.
    """
    if not math.isfinite(value):
        raise UnstorableError(f"json: unsupported value: {printing.number(value)}")
    is_negative_zero = not value and math.copysign(1, value) < 0
    return value if is_negative_zero else jsonvalue.number(value)


def _text(value: bytes) -> str:
    """Return a decoded text, with invalid UTF-8 bytes replaced as in Go."""
    return _NO_TEXT.sub("\ufffd", value.decode(errors="surrogateescape"))


def _time(message: _Message) -> str | None:
    return _moment(message, "")


def _micro_time(message: _Message) -> str | None:
    nanos = message.get(2, 0)
    micros = abs(nanos) // 1000 * (-1 if nanos < 0 else 1)
    seconds, micros = divmod(message.get(1, 0) * 1_000_000 + micros, 1_000_000)
    return _moment({1: seconds} if message else {}, f".{micros:06}")


def _moment(message: _Message, fraction: str) -> str | None:
    """Return a time in Go's format; None for the zero time."""
    if not message or (message[1] == _YEAR_ONE and not fraction.strip(".0")):
        return None
    cycles, seconds = divmod(message[1], _SECONDS)
    moment = datetime.fromtimestamp(seconds, UTC)
    year = moment.year + cycles * _YEARS
    return f"{'-' * (year < 0)}{abs(year):04}{moment:-%m-%dT%H:%M:%S}{fraction}Z"


def _int_or_string(message: _Message) -> int | str:
    kind = message.get(1, 0)
    if kind not in (0, 1):
        raise ProtobufError("impossible IntOrString.Type")
    value: int | str = message.get(3, "") if kind else message.get(2, 0)
    return value


def _raw(message: _Message) -> JSONValue:
    """Return the fields of a manager; None if they are not JSON, which a server ignores."""
    try:
        return json.loads(message.get(1, b"null"))
    except ValueError:
        return None


def _real(value: bytes) -> float:
    number: float = struct.unpack("<d", value)[0]
    return number


def _any_json(message: _Message) -> JSONValue:
    """
    Return a decoded JSON value; None for an empty one.

    Raises:
        ProtobufError: The bytes are not JSON.
    """
    text = message.get(1, b"").decode(errors="surrogateescape")
    if not text:
        return None
    if problem := jsonsyntax.find_problem(text):
        raise ProtobufError(problem)
    try:
        result = jsonreader.parse(text)
    except UnreadableError as error:
        raise ProtobufError(str(error)) from None
    if result.problem is not None:
        raise ProtobufError(str(result.problem))
    return result.value


def _or_bool(message: _Message) -> JSONValue:
    return _to_json(message[2], _SCHEMA) if 2 in message else message.get(1, False)


def _or_array(message: _Message) -> JSONValue:
    if message.get(2):
        return [_to_json(item, _SCHEMA) for item in message[2]]
    return _to_json(message[1], _SCHEMA) if 1 in message else None


def _or_strings(message: _Message) -> JSONValue:
    return message.get(2) or (_to_json(message[1], _SCHEMA) if 1 in message else None)


_READERS: Final[Mapping[str, Callable[[Any], JSONValue]]] = {
    "string": _text,
    "bytes": bytes,
    "bool": bool,
    "float64": _real,
    "int": signed,
    "int32": lambda value: signed(value, 32),
}
# Scalars with another form in JSON.
_IN_JSON: Final[Mapping[str, Callable[[Any], JSONValue]]] = {"bytes": _encoded, "float64": _finite}
_SPECIAL: Final[Mapping[str, Callable[[_Message], JSONValue]]] = {
    protofields.TIME: _time,
    protofields.MICRO_TIME: _micro_time,
    protofields.QUANTITY: lambda message: message.get(1, "0"),
    protofields.INT_OR_STRING: _int_or_string,
    protofields.FIELDS: _raw,
    protofields.EXTENSION: _raw,
    **dict.fromkeys(protofields.TEXTS, lambda message: message.get(1, [])),
    protofields.ANY_JSON: _any_json,
    protofields.OR_BOOL: _or_bool,
    protofields.OR_ARRAY: _or_array,
    protofields.OR_STRINGS: _or_strings,
}

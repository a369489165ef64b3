"""Protobuf, as Go clients send built-in kinds and CRDs: read into what the JSON of the same object says."""

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
from pytest_crd.engine.yaml import jsonreader, unreadable
from pytest_crd.engine.yaml.unreadable import UnreadableError
from pytest_crd.server.protobuf import protofields
from pytest_crd.server.protobuf.protofields import Field, ProtobufError, UnstorableError
from pytest_crd.server.protobuf.protowire import WirePart, entries, numbers, parts, signed

_UNPREFIXED: Final = "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
# Bytes that are no UTF-8, as Python marks them.
_NO_TEXT: Final = re.compile("[\udc80-\udcff]")
# A calendar repeats itself after 400 years.
_YEARS: Final = 400
_SECONDS: Final = 146_097 * 86_400
_YEAR_ONE: Final = -62_135_596_800
_SCHEMA: Final = "apiextensions.v1.JSONSchemaProps"
_PATTERN: Final = "pattern"

# What was sent of a message: its fields by their numbers, each as JSON has it, but bytes, and messages, which are such themselves.
_Message: TypeAlias = "dict[int, Any]"


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
    if not body.startswith(protofields.PREFIX):
        raise ProtobufError(_UNPREFIXED)
    if body == protofields.PREFIX:
        raise ProtobufError("empty body")
    found = _merged({}, body[len(protofields.PREFIX) :], protofields.UNKNOWN)
    of_type = found.get(1, {})
    return Envelope(of_type.get(1, ""), of_type.get(2, ""), found.get(2, b""))


def knows(api_version: str, kind: str) -> bool:
    """Return whether a kind can be read."""
    return bool(protofields.type_of(api_version, kind))


def read(raw: bytes, api_version: str, kind: str) -> Resource:
    """
    Return an object as its JSON has it, without apiVersion and kind.

    Args:
        raw: The object.
        api_version: Its apiVersion.
        kind: Its kind, of which `knows` is true.

    Raises:
        UnstorableError: It has a number that JSON does not have.
        ProtobufError: It cannot be read.
    """
    type_ = protofields.type_of(api_version, kind)
    try:
        found: Resource = _shown(_merged({}, raw, type_), type_)
    except RecursionError:
        raise ProtobufError(unreadable.TOO_DEEP) from None
    if jsonvalue.is_too_deep(found):
        raise ProtobufError(unreadable.TOO_DEEP)
    return found


def _merged(found: _Message, data: bytes, type_: str) -> _Message:
    """Return a message with what else was sent of it: a message that is sent twice is one of both."""
    fields = protofields.fields(type_)

    def demand(number: int, wire_type: int) -> None:
        if (field := fields.get(number)) is not None and not _is_sent_as(field, wire_type):
            raise ProtobufError(f"proto: wrong wireType = {wire_type} for field {field.go}")

    for part in parts(data, protofields.called(type_), demand):
        if (field := fields.get(part.number)) is not None:
            _take(found, field, part)
    return found


def _is_sent_as(field: Field, wire_type: int) -> bool:
    """Return whether a field may be sent so: numbers of a list may be one after another in one part."""
    return wire_type == field.wire_type or (field.is_list and wire_type == protofields.BYTES)


def _take(found: _Message, field: Field, part: WirePart) -> None:
    """Put a value to those of its field."""
    if field.is_number and part.wire_type == protofields.BYTES:
        many = found.setdefault(field.number, [])
        many.extend(_value(field, number) for number in numbers(part.value))
    elif field.is_list:
        found.setdefault(field.number, []).append(_value(field, part.value))
    elif field.is_map:
        entry = {1: b"", 2: b"", **dict(entries(part))}
        found.setdefault(field.number, {})[_text(entry[1])] = _value(field, entry[2])
    else:
        found[field.number] = _value(field, part.value, found.get(field.number))


def _value(field: Field, value: Any, before: _Message | None = None) -> Any:
    if field.name == _PATTERN and _text(value).encode() != value:
        # Else it would be one; a server says so when it validates.
        raise ProtobufError("error parsing regexp: invalid UTF-8")
    if not field.type:
        return _READERS[field.kind](value)
    if field.type in (protofields.TIME, protofields.MICRO_TIME):
        return _merged({1: 0}, value, field.type) if value else {}
    found = _merged(before or {}, value, field.type)
    if field.type == protofields.QUANTITY and 1 in found:
        found[1] = protofields.quantity(found[1])
    return found


def _shown(message: _Message, type_: str) -> Any:
    """Return a message as JSON has it."""
    if (special := _SPECIAL.get(type_)) is not None:
        return special(message)
    found: dict[str, JSONValue] = {}
    for field in protofields.fields(type_).values():
        value = _shown_field(message, field)
        if not field.name:
            found |= value
        elif not (field.is_omitted and _is_left_out(message, field, value)):
            found[field.name] = value
    return found


def _shown_field(message: _Message, field: Field) -> JSONValue:
    if field.number not in message:
        if field.is_nothing_at_first:
            return None
        return _shown({}, field.type) if field.type else _READERS[field.kind](0 if field.is_number else b"")
    value = message[field.number]
    if not field.type:
        return _IN_JSON[field.kind](value) if field.kind in _IN_JSON else value
    if field.is_list:
        return [_shown(one, field.type) for one in value]
    if field.is_map:
        return {key: _shown(one, field.type) for key, one in value.items()}
    return _shown(value, field.type)


def _is_left_out(message: _Message, field: Field, value: JSONValue) -> bool:
    """Return whether a field is so empty that JSON does not have it."""
    if field.is_pointer:
        return field.number not in message
    return value is None or value in ("", False, 0, [], {})


def _encoded(value: Any) -> JSONValue:
    """Return bytes, or a map of them, as JSON has them."""
    if isinstance(value, dict):
        return {key: _encoded(one) for key, one in value.items()}
    return base64.b64encode(value).decode()


def _finite(value: float) -> float:
    """
    Return a number as JSON has it.

    Raises:
        UnstorableError: It has none.
    """
    if not math.isfinite(value):
        raise UnstorableError(f"json: unsupported value: {printing.number(value)}")
    is_negative_zero = not value and math.copysign(1, value) < 0
    return value if is_negative_zero else jsonvalue.number(value)


def _text(value: bytes) -> str:
    """Return a text as Go shows it: each byte that is no UTF-8 is replaced."""
    return _NO_TEXT.sub("\ufffd", value.decode(errors="surrogateescape"))


def _time(message: _Message) -> str | None:
    return _moment(message, "")


def _micro_time(message: _Message) -> str | None:
    nanos = message.get(2, 0)
    micros = abs(nanos) // 1000 * (-1 if nanos < 0 else 1)
    seconds, micros = divmod(message.get(1, 0) * 1_000_000 + micros, 1_000_000)
    return _moment({1: seconds} if message else {}, f".{micros:06}")


def _moment(message: _Message, fraction: str) -> str | None:
    """Return a time as Go writes it, of whatever year."""
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
    found: int | str = message.get(3, "") if kind else message.get(2, 0)
    return found


def _raw(message: _Message) -> JSONValue:
    """Return the fields of a manager; of what is no JSON a server takes no notice."""
    try:
        return json.loads(message.get(1, b"null"))
    except ValueError:
        return None


def _real(value: bytes) -> float:
    found: float = struct.unpack("<d", value)[0]
    return found


def _any_json(message: _Message) -> JSONValue:
    """
    Return any JSON, as a server decodes it; what is empty is null.

    Raises:
        ProtobufError: It is none.
    """
    text = message.get(1, b"").decode(errors="surrogateescape")
    if not text:
        return None
    if problem := jsonsyntax.find_problem(text):
        raise ProtobufError(problem)
    try:
        found = jsonreader.parse(text)
    except UnreadableError as error:
        raise ProtobufError(str(error)) from None
    if found.problem is not None:
        raise ProtobufError(str(found.problem))
    return found.value


def _or_bool(message: _Message) -> JSONValue:
    return _shown(message[2], _SCHEMA) if 2 in message else message.get(1, False)


def _or_array(message: _Message) -> JSONValue:
    if message.get(2):
        return [_shown(one, _SCHEMA) for one in message[2]]
    return _shown(message[1], _SCHEMA) if 1 in message else None


def _or_strings(message: _Message) -> JSONValue:
    return message.get(2) or (_shown(message[1], _SCHEMA) if 1 in message else None)


_READERS: Final[Mapping[str, Callable[[Any], JSONValue]]] = {
    "string": _text,
    "bytes": bytes,
    "bool": bool,
    "float64": _real,
    "int": signed,
    "int32": lambda value: signed(value, 32),
}
# What is read otherwise than JSON has it.
_IN_JSON: Final[Mapping[str, Callable[[Any], JSONValue]]] = {"bytes": _encoded, "float64": _finite}
_SPECIAL: Final[Mapping[str, Callable[[_Message], JSONValue]]] = {
    protofields.TIME: _time,
    protofields.MICRO_TIME: _micro_time,
    protofields.QUANTITY: lambda message: message.get(1, "0"),
    protofields.INT_OR_STRING: _int_or_string,
    protofields.FIELDS: _raw,
    protofields.VERBS: lambda message: message.get(1, []),
    protofields.ANY_JSON: _any_json,
    protofields.OR_BOOL: _or_bool,
    protofields.OR_ARRAY: _or_array,
    protofields.OR_STRINGS: _or_strings,
}

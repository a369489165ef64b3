"""
Wire format of protobuf: decoding and encoding of the parts of a message.

Errors have the words of Go's generated code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from pytest_crd.server.protobuf.protofields import BYTES, END, FIXED32, FIXED64, GROUP, VARINT, ProtobufError

_CUT_OFF: Final = "unexpected EOF"
_NEGATIVE: Final = "proto: negative length found during unmarshaling"
# The size of a varint in bits, and the most bytes of its encoding.
_BITS, _LONGEST = 64, 10


class WirePart(NamedTuple):
    """
    An encoded field of a message.

    Attributes:
        number: The field number.
        wire_type: The wire type.
        value: A number or bytes; None for a group.
        around: The message with the field.
        end: The end of the field in that message.
    """

    number: int
    wire_type: int
    value: Any
    around: bytes
    end: int


def parts(data: bytes, name: str, demand: Callable[[int, int], None]) -> Iterator[WirePart]:
    """
    Yield the encoded fields of a message.

    Args:
        data: The message.
        name: The type of the message in errors.
        demand: Called with the number and wire type of each field before it is decoded; raises if the message does not allow them.

    Raises:
        ProtobufError: The message is malformed.
    """
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, wire_type = signed(tag >> 3, 32), tag & 7
        if wire_type == END:
            raise ProtobufError(f"proto: {name}: wiretype end group for non-group")
        if number <= 0:
            raise ProtobufError(f"proto: {name}: illegal tag {number} (wire type {tag})")
        demand(number, wire_type)
        value, position = _payload(data, position, wire_type)
        yield WirePart(number, wire_type, value, data, position)


def entries(part: WirePart) -> Iterator[tuple[int, bytes]]:
    """
    Yield key (1) and value (2) of a map entry; Go decodes both as bytes whatever their wire type.

    Raises:
        ProtobufError: The entry is malformed.
    """
    data, end = part.around, part.end
    position = end - len(part.value)
    while position < end:
        tag, position = _varint(data, position)
        number = signed(tag >> 3, 32)
        if number in (1, 2):
            value, position = _payload(data, position, BYTES)
            yield number, value
            continue
        _, position = _payload(data, position, tag & 7)
        if position > end:
            raise ProtobufError(_CUT_OFF)


def numbers(data: bytes) -> Iterator[int]:
    """
    Yield the numbers of a packed list.

    Raises:
        ProtobufError: The list is malformed.
    """
    position = 0
    while position < len(data):
        value, position = _varint(data, position)
        yield value


def part(number: int, content: bytes) -> bytes:
    """Return an encoded field with bytes."""
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def varint(number: int) -> bytes:
    """Return an encoded 64-bit number."""
    number &= (1 << _BITS) - 1
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def signed(value: int, bits: int = _BITS) -> int:
    """Return a number as a signed integer of *bits* bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _payload(data: bytes, position: int, wire_type: int) -> tuple[Any, int]:
    """Return the value at a position, and its end."""
    if wire_type == VARINT:
        return _varint(data, position)
    if wire_type == BYTES:
        length, position = _varint(data, position)
        return _cut(data, position, length)
    if wire_type in (FIXED32, FIXED64):
        return _cut(data, position, 4 if wire_type == FIXED32 else 8)
    if wire_type == GROUP:
        return None, _end_of_group(data, position)
    raise ProtobufError(
        "proto: unexpected end of group" if wire_type == END else f"proto: illegal wireType {wire_type}"
    )


def _cut(data: bytes, position: int, length: int) -> tuple[bytes, int]:
    if (position + length) >> (_BITS - 1):
        raise ProtobufError(_NEGATIVE)
    if position + length > len(data):
        raise ProtobufError(_CUT_OFF)
    return data[position : position + length], position + length


def _end_of_group(data: bytes, position: int) -> int:
    depth = 1
    while position < len(data):
        tag, position = _varint(data, position)
        wire_type = tag & 7
        if wire_type in (GROUP, END):
            depth += 1 if wire_type == GROUP else -1
            if not depth:
                return position
        else:
            _, position = _payload(data, position, wire_type)
    raise ProtobufError(_CUT_OFF)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    number = 0
    for index in range(_LONGEST):
        if position + index >= len(data):
            raise ProtobufError(_CUT_OFF)
        byte = data[position + index]
        number |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return number & ((1 << _BITS) - 1), position + index + 1
    raise ProtobufError("proto: integer overflow")

"""
The wire format of protobuf: the parts of a message, whatever they mean, as they are read and written.

What is none is refused in the words of the code that is generated for Go's types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from pytest_crd.server.protobuf.protofields import BYTES, END, FIXED32, FIXED64, GROUP, VARINT, ProtobufError

_CUT_OFF: Final = "unexpected EOF"
_NEGATIVE: Final = "proto: negative length found during unmarshaling"
# A varint has so many bits, and so many bytes at the most.
_BITS, _LONGEST = 64, 10


class WirePart(NamedTuple):
    """
    A field of a message as it was sent.

    Attributes:
        number: Which field.
        wire_type: How it was sent.
        value: A number, or bytes; None of a group.
        around: The message that it stands in.
        end: Where it ends there.
    """

    number: int
    wire_type: int
    value: Any
    around: bytes
    end: int


def parts(data: bytes, name: str, demand: Callable[[int, int], None]) -> Iterator[WirePart]:
    """
    Yield the parts of a message.

    Args:
        data: The message.
        name: What words about it call its type.
        demand: Called with number and wire type of each part before it is read; fails where the message does not have it so.

    Raises:
        ProtobufError: It is none.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire_type = signed(tag >> 3, 32), tag & 7
        if wire_type == END:
            raise ProtobufError(f"proto: {name}: wiretype end group for non-group")
        if number <= 0:
            raise ProtobufError(f"proto: {name}: illegal tag {number} (wire type {tag})")
        demand(number, wire_type)
        value, at = _payload(data, at, wire_type)
        yield WirePart(number, wire_type, value, data, at)


def entries(part: WirePart) -> Iterator[tuple[int, bytes]]:
    """
    Yield key (1) and value (2) of an entry of a map; whatever they are sent as, Go takes them for bytes.

    Raises:
        ProtobufError: It is none.
    """
    data, end = part.around, part.end
    at = end - len(part.value)
    while at < end:
        tag, at = _varint(data, at)
        number = signed(tag >> 3, 32)
        if number in (1, 2):
            value, at = _payload(data, at, BYTES)
            yield number, value
            continue
        _, at = _payload(data, at, tag & 7)
        if at > end:
            raise ProtobufError(_CUT_OFF)


def numbers(data: bytes) -> Iterator[int]:
    """
    Yield the numbers of a list that is sent in one part.

    Raises:
        ProtobufError: It is none.
    """
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def part(number: int, content: bytes) -> bytes:
    """Return bytes as a field with a number."""
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def varint(number: int) -> bytes:
    """Return a number of 64 bits as it is written."""
    number &= (1 << _BITS) - 1
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def signed(value: int, bits: int = _BITS) -> int:
    """Return a number as one of so many bits, of which the first is its sign."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _payload(data: bytes, at: int, wire_type: int) -> tuple[Any, int]:
    """Return what stands at a place, and where it ends."""
    if wire_type == VARINT:
        return _varint(data, at)
    if wire_type == BYTES:
        length, at = _varint(data, at)
        return _cut(data, at, length)
    if wire_type in (FIXED32, FIXED64):
        return _cut(data, at, 4 if wire_type == FIXED32 else 8)
    if wire_type == GROUP:
        return None, _end_of_group(data, at)
    raise ProtobufError(
        "proto: unexpected end of group" if wire_type == END else f"proto: illegal wireType {wire_type}"
    )


def _cut(data: bytes, at: int, length: int) -> tuple[bytes, int]:
    if (at + length) >> (_BITS - 1):
        raise ProtobufError(_NEGATIVE)
    if at + length > len(data):
        raise ProtobufError(_CUT_OFF)
    return data[at : at + length], at + length


def _end_of_group(data: bytes, at: int) -> int:
    depth = 1
    while at < len(data):
        tag, at = _varint(data, at)
        wire_type = tag & 7
        if wire_type in (GROUP, END):
            depth += 1 if wire_type == GROUP else -1
            if not depth:
                return at
        else:
            _, at = _payload(data, at, wire_type)
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

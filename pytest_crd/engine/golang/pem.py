"""
PEM blocks, as Go reads them.

Reference:
    encoding/pem, Decode.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final, NamedTuple

from pytest_crd import lazyre

_BEGIN: Final = b"-----BEGIN "
_END: Final = b"\n-----END "
_DASHES: Final = b"-----"
_BASE64: Final = lazyre.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


class Block(NamedTuple):
    """
    A block.

    Attributes:
        type: Its type, such as `CERTIFICATE`.
        has_headers: Whether it has headers.
        content: The decoded bytes.
        end: The index behind the line of its end.
    """

    type: bytes
    has_headers: bool
    content: bytes
    end: int


class _Line(NamedTuple):
    """A line without the blanks at its end, and the index of the next one."""

    text: bytes
    next: int


def find_blocks(data: bytes) -> Iterator[Block]:
    """Yield the blocks of *data*; a part that is no block is skipped up to the next line that ends a block."""
    position = 0
    while (end := data.find(_END, position)) >= 0:
        block = _find_block(data, position, end)
        if isinstance(block, Block):
            yield block
            position = block.end
        else:
            position = block


def _find_block(data: bytes, position: int, end: int) -> Block | int:
    """Return the block with the last begin before *end*, the line break before the line of its end; if it is malformed, the index of the next search."""
    following = end + len(_END)
    begin = data.rfind(_BEGIN, position, end)
    if begin < 0 or (begin > position and data[begin - 1 : begin] != b"\n"):
        return following
    opening = _line(data, begin + len(_BEGIN))
    if not opening.text.endswith(_DASHES):
        return following
    start, closing = opening.next, data[following : following + len(opening.text)]
    while start <= end and b":" in (header := _line(data, start)).text:
        start = header.next
    has_headers = start > opening.next
    if start > end and b":" in _line(data, start).text:
        return len(data)  # Go takes the end for a header, and returns
    rest = _line(data, following + len(opening.text))
    if closing != opening.text or rest.text or (has_headers and start > end):
        return following
    encoded = data[start : max(start, end)].translate(None, b" \t\r\n")
    if not _BASE64.fullmatch(encoded):
        return following
    return Block(opening.text.removesuffix(_DASHES), has_headers, base64.b64decode(encoded), rest.next)


def _line(data: bytes, start: int) -> _Line:
    end = data.find(b"\n", start)
    if end < 0:
        return _Line(data[start:].rstrip(b" \t"), len(data))
    return _Line(data[start:end].removesuffix(b"\r").rstrip(b" \t"), end + 1)

"""
Values of literals: numbers, strings and bytes.

Reference:
    cel-go parser/parser.go, VisitInt to VisitBytes; parser/unescape.go.
"""

from __future__ import annotations

import math
import re
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MAX_UINT, MIN_INT, UInt

_LONGEST: Final = 20  # digits of a 64-bit number
_CONTROLS: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPE: Final = lazyre.compile(r"\\(?:[xX](..)|u(.{4})|U(.{8})|([0-3][0-7][0-7])|(.))", re.DOTALL)
_SURROGATES: Final = range(0xD800, 0xE000)
_LAST_CODE_POINT: Final = 0x10FFFF


class LiteralError(Exception):
    """Error of an invalid literal; the only argument is cel-go's message."""


def read_int(text: str) -> int:
    """Return the value of an int literal with optional sign; raise LiteralError if it exceeds int64."""
    value = _read_number(text)
    if value is None or not MIN_INT <= value <= MAX_INT:
        raise LiteralError("invalid int literal")
    return value


def read_uint(text: str) -> UInt:
    """Return the value of a uint literal; raise LiteralError if it exceeds uint64."""
    value = _read_number(text[:-1])
    if value is None or value > MAX_UINT:
        raise LiteralError("invalid uint literal")
    return UInt(value)


def read_double(text: str) -> float:
    """Return the value of a double literal with optional sign; raise LiteralError if it is too large."""
    value = float(text)
    if math.isinf(value):
        raise LiteralError("invalid double literal")
    return value


def read_string(text: str, *, strict_code_points: bool) -> str:
    """
    Return the value of a string literal.

    Args:
        text: The literal with its quotes.
        strict_code_points: Refuse surrogates; otherwise, as up to cel-go 0.22, they become U+FFFD.

    Raises:
        LiteralError: An escape is not a valid code point.
    """
    body, raw = _strip_quotes(text)
    if raw or "\\" not in body:
        return body

    def unescape(match: re.Match[str]) -> str:
        digits = match[1] or match[2] or match[3]
        if digits is None:
            return chr(int(match[4], 8)) if match[4] else _CONTROLS.get(match[5], match[5])
        value = int(digits, 16)
        if value > _LAST_CODE_POINT or (strict_code_points and value in _SURROGATES):
            raise LiteralError("invalid unicode code point" if strict_code_points else "unable to unescape string")
        return "\ufffd" if value in _SURROGATES else chr(value)

    return _ESCAPE.sub(unescape, body)


def read_bytes(text: str) -> bytes:
    """Return the value of a bytes literal; raise LiteralError if an escape is a code point instead of a byte."""
    body, raw = _strip_quotes(text[1:])
    if raw:
        return body.encode()
    parts: list[bytes] = []
    end = 0
    for match in _ESCAPE.finditer(body):
        parts.append(body[end : match.start()].encode())
        end = match.end()
        if match[2] or match[3]:
            raise LiteralError("unable to unescape string")
        if match[5]:
            parts.append(_CONTROLS.get(match[5], match[5]).encode())
        else:
            parts.append(bytes([int(match[1], 16) if match[1] else int(match[4], 8)]))
    parts.append(body[end:].encode())
    return b"".join(parts)


def _read_number(text: str) -> int | None:
    """Return the value of a number literal; None if it has too many digits for 64 bits."""
    sign, digits, base = (-1, text[1:], 10) if text.startswith("-") else (1, text, 10)
    if digits.startswith("0x"):
        digits, base = digits[2:], 16
    digits = digits.lstrip("0")
    return sign * int(digits or "0", base) if len(digits) <= _LONGEST else None


def _strip_quotes(text: str) -> tuple[str, bool]:
    """Return the content between the quotes with normalized line breaks, and whether the literal is raw."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text[0] in "rR"
    if raw:
        text = text[1:]
    width = 3 if len(text) >= 6 and text[:3] in {'"""', "'''"} else 1
    return text[width:-width], raw

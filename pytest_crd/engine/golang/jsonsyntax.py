"""Go's error messages for texts that are not valid JSON."""

from __future__ import annotations

import json
import re
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.golang import printing

# Limit on nested objects and lists.
_MOST_OPEN: Final = 10_000
_BLANK: Final = lazyre.compile(r"[ \t\r\n]*")
_STRING: Final = lazyre.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*')
_ESCAPE: Final = lazyre.compile(r"\\u[0-9a-fA-F]{0,3}|\\")
_END: Final = "unexpected end of JSON input"
_LITERALS: Final = {"t": "true", "f": "false", "n": "null"}
_BEGINNING: Final = "looking for beginning of value"
_MINUS: Final = lazyre.compile("-?")
_POINT: Final = lazyre.compile(r"\.")
_INTEGER: Final = lazyre.compile(r"0|[1-9][0-9]*")
_DIGITS: Final = lazyre.compile(r"[0-9]+")
_EXPONENT: Final = lazyre.compile(r"[eE][+-]?")


class _SyntaxError(Exception):
    """Syntax error with Go's message."""


def find_problem(text: str) -> str:
    """
    Return Go's syntax error for *text*; empty if it is valid JSON.

    Args:
        text: A document. Bytes that are not UTF-8 are lone surrogates (`surrogateescape`).

    Reference:
        encoding/json/scanner.go, checkValid.
    """
    if _is_valid(text):
        return ""
    message = _problem(text)
    # At the end of the text, Go tests whether a blank could follow.
    return _problem(f"{text} ") if message == _END else message


def _is_valid(text: str) -> bool:
    """Return True if *text* is valid JSON for Python's decoder and nested no deeper than Go allows."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return False
    may_be_deep = text.count("[") + text.count("{") > _MOST_OPEN
    return not (may_be_deep and jsonvalue.is_too_deep(value, _MOST_OPEN))


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _problem(text: str) -> str:
    try:
        _Scanner(text).document()
    except _SyntaxError as error:
        return str(error)
    return ""


class _Scanner:
    """Scanner with a text, a position and the open brackets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        # Closing brackets of the open objects and lists.
        self._open: list[str] = []

    def document(self) -> None:
        """Scan the whole text."""
        self._value()
        while self._open:
            self._after_value()
        if self._next():
            self._refuse("after top-level value")

    def _value(self) -> None:
        """Scan a value, or the beginning of an object or list up to its first value."""
        char = self._next()
        while char in ("{", "["):
            if len(self._open) == _MOST_OPEN:
                self._refuse("exceeded max depth")
            self._at += 1
            closing = "}" if char == "{" else "]"
            first = self._next()
            if first == closing:
                self._at += 1
                return
            self._open.append(closing)
            if closing == "}":
                self._key()
            char = self._next()
        if char == '"':
            self._string()
        elif char in _LITERALS:
            self._literal(_LITERALS[char])
        elif char and char in "-0123456789":
            self._number()
        else:
            self._refuse(_BEGINNING)

    def _after_value(self) -> None:
        """Scan the comma or closing bracket after a value of the innermost object or list."""
        char, closing = self._next(), self._open[-1]
        if char == closing:
            self._at += 1
            self._open.pop()
        elif char == ",":
            self._at += 1
            if closing == "}":
                self._next()
                self._key()
            self._value()
        else:
            self._refuse("after object key:value pair" if closing == "}" else "after array element")

    def _key(self) -> None:
        if self._text[self._at : self._at + 1] != '"':
            self._refuse("looking for beginning of object key string")
        self._string()
        if self._next() != ":":
            self._refuse("after object key")
        self._at += 1

    def _string(self) -> None:
        self._match(_STRING)
        if self._text[self._at : self._at + 1] == '"':
            self._at += 1
            return
        escape = self._match(_ESCAPE)
        if not escape:
            self._refuse("in string literal")
        self._refuse("in string escape code" if escape == "\\" else "in \\u hexadecimal character escape")

    def _literal(self, word: str) -> None:
        for expected in word:
            if self._text[self._at : self._at + 1] != expected:
                self._refuse(f"in literal {word} (expecting '{expected}')")
            self._at += 1

    def _number(self) -> None:
        self._match(_MINUS)
        self._demand(_INTEGER, "in numeric literal")
        if self._match(_POINT):
            self._demand(_DIGITS, "after decimal point in numeric literal")
        if self._match(_EXPONENT):
            self._demand(_DIGITS, "in exponent of numeric literal")

    def _demand(self, pattern: re.Pattern[str], where: str) -> None:
        if not self._match(pattern):
            self._refuse(where)

    def _next(self) -> str:
        """Skip blanks and return the next character; empty at the end."""
        self._match(_BLANK)
        return self._text[self._at : self._at + 1]

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        matched = "" if match is None else match[0]
        self._at += len(matched)
        return matched

    def _refuse(self, where: str) -> None:
        if self._at >= len(self._text):
            raise _SyntaxError(_END)
        character = self._text[self._at]
        # Go names the first byte, which need not be valid UTF-8.
        how = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
        byte = chr(character.encode("utf-8", how)[0])
        quoted = {"'": r"'\''", '"': "'\"'"}.get(byte) or f"'{printing.quote(byte)[1:-1]}'"
        raise _SyntaxError(f"invalid character {quoted} {where}")

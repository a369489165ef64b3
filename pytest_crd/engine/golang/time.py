"""
Errors of Go's time parser for a custom layout.

Reference:
    Go time.Parse and ParseError.
"""

from __future__ import annotations

import calendar
from typing import Final

from pytest_crd import lazyre

_FRACTION: Final = lazyre.compile(r"[.,][0-9]+")
# Elements of a layout: name, pattern and range.
_TWO_DIGITS: Final = lazyre.compile(r"[0-9]{2}")
_ONE_OR_TWO_DIGITS: Final = lazyre.compile(r"[0-9]{1,2}")
_ELEMENTS: Final = {
    "2006": ("year", lazyre.compile(r"[0-9]{4}"), range(10000)),
    "01": ("month", _TWO_DIGITS, range(1, 13)),
    "02": ("day", _TWO_DIGITS, range(100)),
    "15": ("hour", _ONE_OR_TWO_DIGITS, range(24)),
    "04": ("minute", _TWO_DIGITS, range(60)),
    "05": ("second", _TWO_DIGITS, range(60)),
}
_PARTS: Final = lazyre.compile("|".join(_ELEMENTS) + r"|[^0-9]+")


def find_problem(text: str, layout: str) -> str:
    """
    Return Go's error for *text* as a time in *layout*; empty if *text* is valid.

    Args:
        text: A date, or a date and a time.
        layout: `2006-01-02`, or `2006-01-02T15:04:05`: seconds may have a fraction.
    """
    rest, numbers = text, {"year": 0, "month": 1, "day": 1}
    for part in _PARTS.findall(layout):
        if part not in _ELEMENTS:
            common = _common(rest, part)
            rest = rest[common:]
            if common < len(part):
                return _cannot_parse(text, layout, rest, part)
            continue
        name, form, valid = _ELEMENTS[part]
        digits = form.match(rest)
        if digits is None:
            return _cannot_parse(text, layout, rest, part)
        rest, numbers[name] = rest[digits.end() :], int(digits[0])
        if numbers[name] not in valid:
            return f"parsing time {_quote(text)}: {name} out of range"
        if name == "second" and (fraction := _FRACTION.match(rest)):
            rest = rest[fraction.end() :]
    if rest:
        return f"parsing time {_quote(text)}: extra text: {_quote(rest)}"
    # Go's year 0 is a leap year, as the year 400 is.
    if not 1 <= numbers["day"] <= calendar.monthrange(numbers["year"] or 400, numbers["month"])[1]:
        return f"parsing time {_quote(text)}: day out of range"
    return ""


def _common(text: str, part: str) -> int:
    """Return the length of the common prefix of *text* and *part*."""
    return next((index for index, char in enumerate(part) if text[index : index + 1] != char), len(part))


def _cannot_parse(text: str, layout: str, rest: str, part: str) -> str:
    where = f"cannot parse {_quote(rest)} as {_quote(part)}"
    return f"parsing time {_quote(text)} as {_quote(layout)}: {where}"


def _quote(text: str) -> str:
    """Return *text* in quotes, with the bytes of non-ASCII and control characters escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if " " <= char <= "\x7f":
        return char
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))

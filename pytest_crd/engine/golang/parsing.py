"""Parsers of RFC 3339 times and base64 with Go's leniency and error messages."""

from __future__ import annotations

import base64
import calendar
import datetime as dt
import re
from typing import Final, NamedTuple, NoReturn

from pytest_crd import lazyre

_LAYOUT: Final = b"2006-01-02T15:04:05Z07:00"
_MICRO_LAYOUT: Final = b"2006-01-02T15:04:05.000000Z07:00"
_FRACTION: Final = lazyre.compile(rb"[.,]([0-9]+)")
_MICROSECONDS: Final = lazyre.compile(rb"[.,]([0-9]{6})")
_TWO_DIGITS: Final = lazyre.compile(rb"[0-9]{2}")
_YEAR_ONE: Final = "0001-01-01T00:00:00Z"
_ALPHABET: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_CANONICAL: Final = lazyre.compile(
    r"(?!0001-01-01)[0-9]{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
)


class GoParseError(ValueError):
    """Text that Go's parser refuses; `str()` is Go's error."""


class _Element(NamedTuple):
    """Element of a time layout: preceding literal, name in the layout, pattern and range."""

    literal: bytes
    name: bytes
    form: re.Pattern[bytes]
    unit: str = ""
    lowest: int = 0
    highest: int = 0


_ELEMENTS: Final = (
    _Element(b"", b"2006", lazyre.compile(rb"[0-9]{4}")),
    _Element(b"-", b"01", _TWO_DIGITS, "month", 1, 12),
    _Element(b"-", b"02", _TWO_DIGITS),
    _Element(b"T", b"15", lazyre.compile(rb"[0-9]{1,2}"), "hour", 0, 23),
    _Element(b":", b"04", _TWO_DIGITS, "minute", 0, 59),
    _Element(b":", b"05", _TWO_DIGITS, "second", 0, 59),
)


def rfc3339(text: str) -> str | None:
    """
    Return the time *text* as `metav1.Time` writes it: in UTC, whole seconds.

    Args:
        text: `2006-01-02T15:04:05Z` with any offset or fraction, and Go's tolerated variants (`T5:04:05,9+24:60`).

    Returns:
        `2006-01-02T15:04:05Z`, or None for Go's zero time, the first second of year 1.

    Raises:
        GoParseError: It is not such a time.

    Reference:
        Go time.Parse with time.RFC3339; apimachinery meta/v1/time.go, Time.UnmarshalJSON and MarshalJSON.
    """
    if _CANONICAL.fullmatch(text):
        return text
    value = text.encode("utf-8", "surrogatepass")
    numbers, rest = _elements(value, _LAYOUT)
    nanoseconds = b""
    if fraction := _FRACTION.match(rest):
        nanoseconds, rest = fraction[1][:9], rest[fraction.end() :]
    written = _moment(value, numbers, rest, _LAYOUT)
    if written == _YEAR_ONE and not nanoseconds.strip(b"0"):
        return None
    return text if written == text else written


def rfc3339_micro(text: str) -> str | None:
    """
    Return the time *text* as `metav1.MicroTime` writes it: in UTC, with microseconds.

    Args:
        text: `2006-01-02T15:04:05.000000Z` with six digits of fraction, any offset, and Go's tolerated variants.

    Returns:
        `2006-01-02T15:04:05.000000Z`, or None for Go's zero time.

    Raises:
        GoParseError: It is not such a time.

    Reference:
        Go time.Parse; apimachinery meta/v1/micro_time.go, MicroTime.UnmarshalJSON and MarshalJSON.
    """
    value = text.encode("utf-8", "surrogatepass")
    numbers, rest = _elements(value, _MICRO_LAYOUT)
    fraction = _MICROSECONDS.match(rest)
    if fraction is None:
        _refuse(value, rest, b".000000", _MICRO_LAYOUT)
    written = _moment(value, numbers, rest[fraction.end() :], _MICRO_LAYOUT)
    micros = fraction[1].decode()
    if written == _YEAR_ONE and not micros.strip("0"):
        return None
    return f"{written[:-1]}.{micros}Z"


def _elements(value: bytes, layout: bytes) -> tuple[list[int], bytes]:
    """Return the numbers from year to seconds, and the rest of the text."""
    rest, numbers = value, []
    for element in _ELEMENTS:
        number, rest = _element(element, value, rest, layout)
        numbers.append(number)
    return numbers, rest


def _moment(value: bytes, numbers: list[int], rest: bytes, layout: bytes) -> str:
    """Return the time in UTC and whole seconds; *rest* is the text after the seconds. Raise GoParseError if it is invalid."""
    year, month, day, *clock = numbers
    offset, rest = _zone(value, rest, layout)
    if rest:
        raise GoParseError(f"parsing time {_quote(value)}: extra text: {_quote(rest)}")
    if not 1 <= day <= _days_in(month, year):
        raise GoParseError(f"parsing time {_quote(value)}: day out of range")
    return _in_utc(year, (month, day, clock[0], clock[1], clock[2]), offset)


def _days_in(month: int, year: int) -> int:
    if month == 2:
        return 29 if calendar.isleap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _element(element: _Element, value: bytes, rest: bytes, layout: bytes) -> tuple[int, bytes]:
    if not rest.startswith(element.literal):
        _refuse(value, rest, element.literal, layout)
    rest = rest[len(element.literal) :]
    if (match := element.form.match(rest)) is None:
        _refuse(value, rest, element.name, layout)
    number = int(match[0])
    if element.unit and not element.lowest <= number <= element.highest:
        raise GoParseError(f"parsing time {_quote(value)}: {element.unit} out of range")
    return number, rest[match.end() :]


def _zone(value: bytes, rest: bytes, layout: bytes) -> tuple[dt.timedelta, bytes]:
    """Parse the offset from UTC; return it and the rest. Go allows offsets up to 24:60."""
    if rest.startswith(b"Z"):
        return dt.timedelta(), rest[1:]
    if len(rest) < 6 or rest[3:4] != b":":
        _refuse(value, rest, b"Z07:00", layout)
    hours = int(rest[1:3]) if _TWO_DIGITS.match(rest[1:3]) else None
    minutes = int(rest[4:6]) if hours is not None and _TWO_DIGITS.match(rest[4:6]) else None
    # Go checks the ranges before the syntax, and reports the last number that is out of range.
    for number, highest, unit in ((minutes, 60, "minute"), (hours, 24, "hour")):
        if number is not None and number > highest:
            raise GoParseError(f"parsing time {_quote(value)}: time zone offset {unit} out of range")
    if hours is None or minutes is None or rest[:1] not in (b"+", b"-"):
        _refuse(value, rest, b"Z07:00", layout)
    offset = dt.timedelta(hours=hours, minutes=minutes)
    return (-offset if rest.startswith(b"-") else offset), rest[6:]


def _in_utc(year: int, parts: tuple[int, int, int, int, int], offset: dt.timedelta) -> str:
    # Python knows the years 1 to 9999 only; the calendar repeats every 400 years.
    cycle_year = 2000 + year % 400
    moment = dt.datetime(cycle_year, *parts, tzinfo=dt.UTC) - offset
    year += moment.year - cycle_year
    return f"{'-' if year < 0 else ''}{abs(year):04d}{moment:-%m-%dT%H:%M:%SZ}"


def _refuse(value: bytes, rest: bytes, name: bytes, layout: bytes) -> NoReturn:
    text = f"parsing time {_quote(value)} as {_quote(layout)}: cannot parse {_quote(rest)} as {_quote(name)}"
    raise GoParseError(text)


def _quote(value: bytes) -> str:
    """Quote as Go's package time does, which escapes every non-ASCII byte."""
    parts = (f"\\x{byte:02x}" if byte < 0x20 or byte >= 0x80 else chr(byte) for byte in value)
    return '"' + "".join(f"\\{part}" if part in '"\\' else part for part in parts) + '"'


def base64_text(text: str) -> str:
    r"""
    Return the base64 *text* as Go writes it back: without line breaks, unused bits zero.

    Args:
        text: Standard base64 with padding; `\r` and `\n` may stand anywhere.

    Raises:
        GoParseError: `illegal base64 data at input byte …`, 0-based, in bytes of UTF-8.

    Reference:
        Go encoding/base64, StdEncoding.Decode.
    """
    data = text.encode("utf-8", "surrogatepass")
    symbols: list[tuple[int, int]] = [(index, byte) for index, byte in enumerate(data) if byte not in b"\r\n"]
    for position, (index, byte) in enumerate(symbols):
        if byte in _ALPHABET:
            continue
        if byte != ord("=") or position % 4 < 2:
            _refuse_base64(index)
        _check_padding(data, symbols[position:], position % 4)
        break
    else:
        if unread := len(symbols) % 4:
            _refuse_base64(len(data) - unread)
    written = base64.b64encode(base64.b64decode(bytes(byte for _, byte in symbols))).decode("ascii")
    return text if written == text else written


def _check_padding(data: bytes, symbols: list[tuple[int, int]], digits: int) -> None:
    """Raise GoParseError unless *symbols*, the rest from the first `=`, are the padding of a group of 2 or 3 *digits*."""
    if digits == 2:
        symbols = symbols[1:]
        if not symbols:
            _refuse_base64(len(data))
        if symbols[0][1] != ord("="):
            _refuse_base64(symbols[0][0] - 1)
    if len(symbols) > 1:
        _refuse_base64(symbols[1][0])


def _refuse_base64(index: int) -> NoReturn:
    raise GoParseError(f"illegal base64 data at input byte {index}")

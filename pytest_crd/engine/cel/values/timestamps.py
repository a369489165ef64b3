"""
Timestamps: parsing, formatting, arithmetic and calendar fields in time zones, as in Go.

Reference:
    Go time.Parse, Time.Format, time.LoadLocation; cel-go common/types/timestamp.go, common/stdlib/standard.go.
"""

from __future__ import annotations

import calendar
import datetime as dt
import functools
import zoneinfo
from dataclasses import dataclass
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values import numbers
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MIN_INT, Duration, Timestamp
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.durations import SECOND

LEAST: Final = -62135596800
"""First second of year 1."""
GREATEST: Final = 253402300799
"""Last second of year 9999."""
_DAY: Final = 24 * 60 * 60
_TEXT: Final = lazyre.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:Z|([-+])([0-9]{2}):([0-9]{2}))"
)
# The calendar repeats after 400 years; Python's dates are limited to the years 1 to 9999.
_CYCLE_YEARS: Final = 400
_CYCLE: Final = 146097 * _DAY
_MARGIN: Final = 2 * _DAY


class TimeZoneDataError(Exception):
    """Missing time zone data on this machine."""


def parse(text: str) -> Timestamp | None:
    """
    Return the timestamp *text* in RFC 3339 with Go's leniency; None if it is not a timestamp.

    Raises:
        EvaluationError: It is before year 1 or after year 9999.
    """
    timestamp = parse_any(text)
    return None if timestamp is None else checked(timestamp.seconds, timestamp.nanoseconds, timestamp.offset)


def parse_any(text: str) -> Timestamp | None:
    """
    Return the timestamp *text* like `parse`, but also year 0 and times that an offset moves beyond the limits.

    Reference:
        Go time.Parse with time.RFC3339, which accepts one digit for the hour, a comma before the fraction, and offsets
        up to 24:60.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[group]) for group in range(1, 7))
    if not (1 <= month <= 12 and 1 <= day <= _days_in(year, month) and hour < 24 and minute < 60 and second < 60):
        return None
    offset = 0
    if match[8]:
        hours, minutes = int(match[9]), int(match[10])
        if hours > 24 or minutes > 60:
            return None
        offset = (hours * 60 + minutes) * (-60 if match[8] == "-" else 60)
    seconds = _days(year, month, day) * _DAY + hour * 3600 + minute * 60 + second - offset
    return Timestamp(seconds, int((match[7] or "")[:9].ljust(9, "0")), offset)


def checked(seconds: int, nanoseconds: int = 0, offset: int = 0) -> Timestamp:
    """
    Return the timestamp with these fields.

    Raises:
        EvaluationError: It is before year 1 or after year 9999.
    """
    if not LEAST <= seconds <= GREATEST:
        raise EvaluationError("timestamp overflow")
    return Timestamp(seconds, nanoseconds, offset)


def add(timestamp: Timestamp, nanoseconds: int) -> Timestamp:
    """
    Return *timestamp* moved by *nanoseconds*, in the same zone.

    Raises:
        EvaluationError: The result is outside of the years 1 to 9999.
    """
    carried, rest = divmod(timestamp.nanoseconds + nanoseconds, SECOND)
    return checked(timestamp.seconds + carried, rest, timestamp.offset)


def subtract(left: Timestamp, right: Timestamp) -> Duration:
    """
    Return the duration from *right* to *left*.

    Raises:
        EvaluationError: It exceeds int64 nanoseconds.
    """
    whole = (left.seconds - right.seconds) * SECOND
    nanoseconds = whole + left.nanoseconds - right.nanoseconds
    if not (MIN_INT <= whole <= MAX_INT and MIN_INT <= nanoseconds <= MAX_INT):
        raise EvaluationError("integer overflow")
    return Duration(nanoseconds)


@dataclass(frozen=True, slots=True)
class CalendarFields:
    """Calendar and clock fields in a zone; months and days of the month from 1, days of the week from 0 for Sunday."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    nanosecond: int
    weekday: int
    day_of_year: int


def fields(timestamp: Timestamp, zone: str | None = None) -> CalendarFields:
    """
    Return the calendar fields of *timestamp*.

    Args:
        timestamp: The timestamp.
        zone: `UTC`, a name like `Europe/Berlin`, or an offset like `-08:00`; None for the zone of the timestamp.

    Raises:
        EvaluationError: The zone does not exist.
    """
    offset = timestamp.offset if zone is None else _offset(timestamp, zone)
    days, rest = divmod(timestamp.seconds + offset, _DAY)
    year, month, day = _date(days)
    hour, rest = divmod(rest, 3600)
    minute, second = divmod(rest, 60)
    of_year = days - _days(year, 1, 1)
    return CalendarFields(year, month, day, hour, minute, second, timestamp.nanoseconds, (days + 4) % 7, of_year)


def _offset(timestamp: Timestamp, zone: str) -> int:
    """Return the offset of *zone* from UTC at *timestamp*, in seconds."""
    hours, colon, minutes = zone.partition(":")
    if not colon:
        return _offset_of_name(timestamp.seconds, zone)
    hour, minute = _number(hours), _number(minutes)
    return (hour * 60 - minute if zone[0] == "-" else hour * 60 + minute) * 60


def _number(text: str) -> int:
    """Return a part of an offset as a number; raise EvaluationError with the error of Go's strconv.Atoi."""
    number = numbers.parse_int(text)
    if number is None:
        digits = text[1:] if text[:1] in ("-", "+") else text
        problem = "value out of range" if digits.isascii() and digits.isdigit() else "invalid syntax"
        raise EvaluationError(f"strconv.Atoi: parsing {printing.quote(text)}: {problem}")
    return number


def _offset_of_name(seconds: int, name: str) -> int:
    if name in {"", "UTC"}:
        return 0
    zone = _zone(name)
    # Local times outside of the years 1 to 9999 exceed Python's range; 400 years later or earlier the offset is the same.
    if seconds < LEAST + _MARGIN:
        seconds += _CYCLE
    elif seconds > GREATEST - _MARGIN:
        seconds -= _CYCLE
    moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)
    offset = moment.astimezone(zone).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0


@functools.cache
def _zone(name: str) -> dt.tzinfo:
    if ".." in name.split("/") or name.startswith(("/", "\\")):
        raise EvaluationError("time: invalid location name")
    if name == "Local":
        return dt.UTC  # the server's zone
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        if not zoneinfo.available_timezones():
            text = f"{name!r} cannot be looked up: this machine has no data of time zones; install the package tzdata"
            raise TimeZoneDataError(text) from None
        raise EvaluationError(_why_no_zone(name)) from None


def _why_no_zone(name: str) -> str:
    """Return Go's error for an unknown zone, which depends on the files and folders of the zone database."""
    zones = zoneinfo.available_timezones()
    steps = [step for step in name.split("/") if step not in {"", "."}]
    folder = "".join(f"{step}/" for step in steps)
    if any(zone.startswith(folder) for zone in zones):
        return "is a directory"
    if any("/".join(steps[:count]) in zones for count in range(1, len(steps))):
        return "not a directory"
    return f"unknown time zone {name}"


def text(timestamp: Timestamp) -> str:
    """Return *timestamp* as `string(timestamp)` writes it: RFC 3339 in its zone, without trailing zeros in the fraction."""
    parts = fields(timestamp)
    return f"{_date_text(parts)}T{_clock_text(parts)}{_offset_text(timestamp.offset, ':') if timestamp.offset else 'Z'}"


def show(timestamp: Timestamp) -> str:
    """Return *timestamp* as Go prints it: `2006-01-02 15:04:05 +0000 UTC`."""
    parts = fields(timestamp)
    offset = _offset_text(timestamp.offset, "")
    return f"{_date_text(parts)} {_clock_text(parts)} {offset} {offset if timestamp.offset else 'UTC'}"


def _date_text(parts: CalendarFields) -> str:
    sign = "-" if parts.year < 0 else ""
    return f"{sign}{abs(parts.year):04d}-{parts.month:02d}-{parts.day:02d}"


def _clock_text(parts: CalendarFields) -> str:
    clock = f"{parts.hour:02d}:{parts.minute:02d}:{parts.second:02d}"
    return f"{clock}.{parts.nanosecond:09d}".rstrip("0") if parts.nanosecond else clock


def _offset_text(offset: int, colon: str) -> str:
    hours, minutes = divmod(abs(offset) // 60, 60)
    return f"{'-' if offset < 0 else '+'}{hours:02d}{colon}{minutes:02d}"


def _days_in(year: int, month: int) -> int:
    if month == 2:
        return 29 if calendar.isleap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _days(year: int, month: int, day: int) -> int:
    """Return the number of days from 1970 to a date."""
    cycles, year_of_cycle = divmod(year, _CYCLE_YEARS)
    ordinal = dt.date(2000 + year_of_cycle, month, day).toordinal()
    return ordinal - _EPOCH + (cycles - 5) * 146097


def _date(days: int) -> tuple[int, int, int]:
    """Return the date *days* after 1970-01-01."""
    cycles, rest = divmod(days + _EPOCH - _CYCLE_BEGIN, 146097)
    date = dt.date.fromordinal(_CYCLE_BEGIN + rest)
    return date.year + (cycles * _CYCLE_YEARS), date.month, date.day


_EPOCH: Final = dt.date(1970, 1, 1).toordinal()
_CYCLE_BEGIN: Final = dt.date(2000, 1, 1).toordinal()

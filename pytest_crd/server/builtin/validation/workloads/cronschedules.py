"""
Schedules of CronJobs: five fields, or a descriptor such as `@daily`.

Reference:
    github.com/robfig/cron/v3, ParseStandard.
"""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.golang import durations, printing

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DESCRIPTORS: Final = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY: Final = "@every "
_STARS: Final = ("*", "?")
_AMOUNT: Final = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)([^.0-9]*)")
_UNITS: Final = ("ns", "us", "µs", "μs", "ms", "s", "m", "h")
_MOST_INT: Final = 2**63 - 1


class _Field(NamedTuple):
    """
    A field of a schedule.

    Attributes:
        low: The least number.
        high: The greatest number.
        names: The names of numbers.
    """

    low: int
    high: int
    names: Mapping[str, int] = {}


_FIELDS: Final = (
    _Field(0, 59),
    _Field(0, 23),
    _Field(1, 31),
    _Field(1, 12, {name: number for number, name in enumerate(_MONTHS, 1)}),
    _Field(0, 6, {name: number for number, name in enumerate(_DAYS)}),
)


class _ScheduleError(ValueError):
    """A schedule that cannot be read."""


def is_zone(name: str) -> bool:
    """Return whether a time zone exists."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def find_problem(schedule: str) -> str:
    """Return the problem of a schedule; empty for a valid one."""
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        zone, space, rest = schedule.partition("=")[2].partition(" ")
        if not space:
            return "invalid schedule format: runtime error: slice bounds out of range [:-1]"
        if zone not in ("", "UTC", "Local") and not is_zone(zone):
            return f"provided bad location {zone}: unknown time zone {zone}"
        schedule = rest.strip()
    if schedule.startswith("@"):
        return _find_descriptor_problem(schedule)
    fields = schedule.split()
    if len(fields) != len(_FIELDS):
        return f"expected exactly {len(_FIELDS)} fields, found {len(fields)}: [{' '.join(fields)}]"
    try:
        for text, field in zip(fields, _FIELDS, strict=True):
            for part in filter(None, text.split(",")):
                _check(part, field)
    except _ScheduleError as error:
        return str(error)
    return ""


def _find_descriptor_problem(text: str) -> str:
    if text in _DESCRIPTORS:
        return ""
    if not text.startswith(_EVERY):
        return f"unrecognized descriptor: {text}"
    duration = text.removeprefix(_EVERY)
    if durations.parse(duration) is not None:
        return ""
    return f"failed to parse duration {text}: {_find_duration_problem(duration)}"


def _find_duration_problem(text: str) -> str:
    """
    Return the problem of a duration.

    Reference:
        time, ParseDuration.
    """
    quoted = printing.quote(text)
    rest = text[1:] if text[:1] in ("+", "-") else text
    while match := _AMOUNT.match(rest):
        unit = match[1]
        if not unit:
            return f"time: missing unit in duration {quoted}"
        if unit not in _UNITS:
            return f"time: unknown unit {printing.quote(unit)} in duration {quoted}"
        rest = rest[match.end() :]
    return f"time: invalid duration {quoted}"


def _check(text: str, field: _Field) -> None:
    """
    Check a part of a field.

    Raises:
        _ScheduleError: The part is not valid.
    """
    lead, *steps = text.split("/")
    first, *rest = lead.split("-")
    if first in _STARS:
        low, high = field.low, field.high
    else:
        low = _number(first, field)
        if len(rest) > 1:
            raise _ScheduleError(f"too many hyphens: {text}")
        high = _number(rest[0], field) if rest else low
    if len(steps) > 1:
        raise _ScheduleError(f"too many slashes: {text}")
    step = _int(steps[0]) if steps else 1
    if steps and not rest:
        high = field.high
    if low < field.low:
        raise _ScheduleError(f"beginning of range ({low}) below minimum ({field.low}): {text}")
    if high > field.high:
        raise _ScheduleError(f"end of range ({high}) above maximum ({field.high}): {text}")
    if low > high:
        raise _ScheduleError(f"beginning of range ({low}) beyond end of range ({high}): {text}")
    if step == 0:
        raise _ScheduleError(f"step of range should be a positive number: {text}")


def _number(text: str, field: _Field) -> int:
    named = field.names.get(text.lower())
    return _int(text) if named is None else named


def _int(text: str) -> int:
    """
    Return a number.

    Raises:
        _ScheduleError: The text is no number, or a negative one.
    """
    digits = text[1:] if text[:1] in ("+", "-") else text
    lead = f"failed to parse int from {text}: strconv.Atoi: parsing {printing.quote(text)}"
    if not (digits.isascii() and digits.isdigit()):
        raise _ScheduleError(f"{lead}: invalid syntax")
    number = int(text)
    if abs(number) > _MOST_INT:
        raise _ScheduleError(f"{lead}: value out of range")
    if number < 0:
        raise _ScheduleError(f"negative number ({number}) not allowed: {text}")
    return number

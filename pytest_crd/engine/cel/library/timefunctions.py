"""
Standard functions for the fields of timestamps and durations.

Reference:
    cel-go common/stdlib/standard.go, TimeGetFullYear and the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pytest_crd.engine.cel.types.celtypes import DURATION, INT, STRING, TIMESTAMP
from pytest_crd.engine.cel.types.functions import Function, Overload
from pytest_crd.engine.cel.values import celdurations, timestamps
from pytest_crd.engine.cel.values.celvalues import Duration, Timestamp
from pytest_crd.engine.cel.values.timestamps import CalendarFields


def _getter(
    name: str,
    part: str,
    get: Callable[[CalendarFields], int],
    of_duration: Callable[[Duration], int] | None = None,
    *,
    zone_suffix: str = "with_tz",
) -> Function:
    """Return a function that gets a field of a timestamp, in UTC or a zone, and optionally of a duration."""

    def in_utc(timestamp: Timestamp) -> int:
        return get(timestamps.fields(timestamp, "UTC"))

    def in_zone(timestamp: Timestamp, zone: str) -> int:
        return get(timestamps.fields(timestamp, zone))

    overloads = [
        Overload(f"timestamp_to_{part}", (TIMESTAMP,), INT, in_utc, is_member=True),
        Overload(f"timestamp_to_{part}_{zone_suffix}", (TIMESTAMP, STRING), INT, in_zone, is_member=True),
    ]
    if of_duration is not None:
        overloads.append(Overload(f"duration_to_{part}", (DURATION,), INT, of_duration, is_member=True))
    return Function(name, tuple(overloads))


FUNCTIONS: Final = (
    _getter("getFullYear", "year", lambda fields: fields.year),
    _getter("getMonth", "month", lambda fields: fields.month - 1),
    _getter("getDayOfYear", "day_of_year", lambda fields: fields.day_of_year),
    _getter("getDayOfMonth", "day_of_month", lambda fields: fields.day - 1),
    _getter("getDate", "day_of_month_1_based", lambda fields: fields.day),
    _getter("getDayOfWeek", "day_of_week", lambda fields: fields.weekday),
    _getter("getHours", "hours", lambda fields: fields.hour, celdurations.hours),
    _getter("getMinutes", "minutes", lambda fields: fields.minute, celdurations.minutes),
    _getter("getSeconds", "seconds", lambda fields: fields.second, celdurations.seconds, zone_suffix="tz"),
    _getter("getMilliseconds", "milliseconds", lambda fields: fields.nanosecond // 10**6, celdurations.milliseconds),
)

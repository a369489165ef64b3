"""
Durations: parsing, formatting and arithmetic as in Go.

Reference:
    Go time.ParseDuration, Duration.String; cel-go common/types/duration.go, overflow.go.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values import celnumbers
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MIN_INT, Duration

SECOND: Final = 10**9
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
}
_SMALL_UNITS: Final = (("ns", 1), ("\u00b5s", 10**3), ("ms", 10**6))
_TEXT: Final = re.compile(r"([-+]?)((?:[0-9]*+\.?[0-9]*+[^0-9.]++)++)")
_PART: Final = re.compile(r"([0-9]*)\.?([0-9]*)([^0-9.]+)")
_MOST_DIGITS: Final = 19


def parse(text: str) -> Duration | None:
    """
    Return the duration *text*, such as `1h30m` or `-1.5s`; None if it is invalid or exceeds int64.

    Reference:
        Go time.ParseDuration.
    """
    if text in {"0", "+0", "-0"}:
        return Duration(0)
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    total = 0
    for whole, fraction, unit in _PART.findall(match[2]):
        nanoseconds = _nanoseconds(whole, fraction, unit)
        if nanoseconds is None:
            return None
        total += nanoseconds
        if total > MAX_INT + 1:
            return None
    if match[1] == "-":
        return Duration(-total)
    return Duration(total) if total <= MAX_INT else None


def _nanoseconds(whole: str, fraction: str, unit: str) -> int | None:
    """Return one part of a duration in nanoseconds; None if it is invalid or too large."""
    size = _UNITS.get(unit)
    if size is None or not (whole or fraction):
        return None
    digits = whole.lstrip("0")
    if len(digits) > _MOST_DIGITS or int(digits or 0) * size > MAX_INT + 1:
        return None
    # Go reads the digits of the fraction until they exceed int64, and multiplies in floating point.
    scale = 1.0
    number = 0
    for digit in fraction:
        if number * 10 + int(digit) > MAX_INT:
            break
        number = number * 10 + int(digit)
        scale *= 10
    return int(digits or 0) * size + int(float(number) * (size / scale))


def seconds_text(duration: Duration) -> str:
    """Return *duration* in seconds, as `string(duration)` writes it: `5400s`, `0.001s`."""
    return celnumbers.fixed(_seconds(duration)) + "s"


def _seconds(duration: Duration) -> float:
    whole, rest = (
        celnumbers.divide_whole(duration.nanoseconds, SECOND),
        celnumbers.remainder(duration.nanoseconds, SECOND),
    )
    return float(whole) + float(rest) / 1e9


def show(duration: Duration) -> str:
    """Return *duration* as Go prints it: `1h30m0s`, `1.5s`, `2ms`."""
    nanoseconds = abs(duration.nanoseconds)
    sign = "-" if duration.nanoseconds < 0 else ""
    if nanoseconds < SECOND:
        if nanoseconds == 0:
            return "0s"
        unit, size = next(unit for unit in _SMALL_UNITS if nanoseconds < unit[1] * 1000)
        return f"{sign}{_decimal(nanoseconds, size)}{unit}"
    hours, rest = divmod(nanoseconds, HOUR)
    minutes, rest = divmod(rest, MINUTE)
    before = f"{hours}h{minutes}m" if hours else (f"{minutes}m" if minutes else "")
    return f"{sign}{before}{_decimal(rest, SECOND)}s"


def _decimal(number: int, size: int) -> str:
    """Return *number* divided by *size*, a power of ten, without trailing zeros."""
    whole, rest = divmod(number, size)
    return f"{whole}.{rest:0{len(str(size)) - 1}d}".rstrip("0") if rest else str(whole)


def checked(nanoseconds: int) -> Duration:
    """
    Return the duration of *nanoseconds*.

    Raises:
        EvaluationError: They exceed int64.
    """
    if not MIN_INT <= nanoseconds <= MAX_INT:
        raise EvaluationError("integer overflow")
    return Duration(nanoseconds)


def hours(duration: Duration) -> int:
    """Return the whole hours of *duration*."""
    return celnumbers.divide_whole(duration.nanoseconds, HOUR)


def minutes(duration: Duration) -> int:
    """Return the whole minutes of *duration*."""
    return celnumbers.divide_whole(duration.nanoseconds, MINUTE)


def seconds(duration: Duration) -> int:
    """Return the whole seconds of *duration*."""
    return celnumbers.divide_whole(duration.nanoseconds, SECOND)


def milliseconds(duration: Duration) -> int:
    """Return the whole milliseconds of *duration*."""
    return celnumbers.divide_whole(duration.nanoseconds, 10**6)

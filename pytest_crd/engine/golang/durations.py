"""
Parsing of durations as in Go.

Reference:
    Go time/format.go, ParseDuration.
"""

from __future__ import annotations

from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.jsonvalue import MAX_INT64

SECOND: Final = 10**9
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
}
_TEXT: Final = lazyre.compile(r"([-+]?)((?:[0-9]*+\.?[0-9]*+[^0-9.]++)++)")
_PART: Final = lazyre.compile(r"(?<![0-9.])([0-9]*+)\.?([0-9]*+)([^0-9.]++)")
_MOST_DIGITS: Final = 19


def parse(text: str) -> int | None:
    """Return the duration *text*, such as `1h30m` or `-1.5s`, in nanoseconds; None if it is invalid or exceeds int64."""
    if text in {"0", "+0", "-0"}:
        return 0
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    total = 0
    for whole, fraction, unit in _PART.findall(match[2]):
        nanoseconds = _nanoseconds(whole, fraction, unit)
        if nanoseconds is None:
            return None
        total += nanoseconds
        if total > MAX_INT64 + 1:
            return None
    if match[1] == "-":
        return -total
    return total if total <= MAX_INT64 else None


def _nanoseconds(whole: str, fraction: str, unit: str) -> int | None:
    """Return one part of a duration in nanoseconds; None if it is invalid or too large."""
    size = UNITS.get(unit)
    if size is None or not (whole or fraction):
        return None
    digits = whole.lstrip("0")
    if len(digits) > _MOST_DIGITS or int(digits or 0) * size > MAX_INT64 + 1:
        return None
    # Go reads the digits of the fraction until they exceed int64, and multiplies in floating point.
    scale = 1.0
    number = 0
    for digit in fraction:
        if number * 10 + int(digit) > MAX_INT64:
            break
        number = number * 10 + int(digit)
        scale *= 10
    return int(digits or 0) * size + int(float(number) * (size / scale))

"""Durations and ages in tables."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pytest_crd.engine.golang import parsing
from pytest_crd.server import clock

# The longest duration in Go, in seconds.
_LONGEST: Final = (2**63 - 1) // 10**9
# Texts that Go parses as the zero time.
_UNSET: Final = frozenset({"", "null"})
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def moment(text: str) -> datetime:
    """
    Return a parsed time; a year that Python does not support becomes its first or last supported time.

    Raises:
        ValueError: Not a timestamp, or no UTC offset.
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        if text[:5].isdigit():  # years of five digits, which servers write but Go cannot read
            return _LAST
        in_utc = text if text.startswith("-") else parsing.rfc3339(text) or ""
        return _FIRST if in_utc.startswith(("-", "0000")) else _LAST
    if time.tzinfo is None:
        raise ValueError(text)
    return time


def since(text: str) -> str:
    """Return the age of a time as tables show it; `<invalid>` if *text* is no time, `<unknown>` if it is the zero time."""
    try:
        return "<unknown>" if _is_zero(text) else between(text, clock.now())
    except ValueError:
        return "<invalid>"


def _is_zero(text: str) -> bool:
    """Return True if Go reads a text as its zero time."""
    try:
        return text in _UNSET or datetime.fromisoformat(text) == _FIRST
    except ValueError:
        return False


def between(text: str, end: datetime) -> str:
    """
    Return the text of the duration between two times.

    Args:
        text: The start.
        end: The end.

    Raises:
        ValueError: *text* is not a time.
    """
    seconds = int((end - moment(text)).total_seconds())
    return duration(max(-_LONGEST, min(seconds, _LONGEST)))


def duration(seconds: int) -> str:  # noqa: PLR0911 - one return per range
    """
    Return a duration in words, in two units at most.

    Args:
        seconds: The duration.

    Reference:
        apimachinery util/duration/duration.go, HumanDuration.
    """
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < -1:
        return "<invalid>"
    if seconds < 0:
        return "0s"
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return _units(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _units(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if hours < 192:
        return _units(days, "d", hours % 24, "h")
    if days < 730:
        return f"{days}d"
    years = days // 365
    return _units(years, "y", days % 365, "d") if years < 8 else f"{years}y"


def _units(great: int, great_unit: str, small: int, small_unit: str) -> str:
    return f"{great}{great_unit}{small}{small_unit}" if small else f"{great}{great_unit}"

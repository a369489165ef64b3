"""Lengths of time, and how long ago something was, as tables tell them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pytest_crd.engine.golang import parsing

# Go knows no longer times than so many seconds.
_LONGEST: Final = (2**63 - 1) // 10**9
# Texts that Go reads as the zero time.
_UNSET: Final = frozenset({"", "null"})
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def now() -> datetime:
    """Return the present."""
    return datetime.now(UTC)


def moment(text: str) -> datetime:
    """
    Return a time; of one in a year that Python does not know, the first or the last that it knows.

    Raises:
        ValueError: It is none, or one of nobody knows which zone.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        if text[:5].isdigit():  # as servers write it; as Go does not read it
            return _LAST
        in_utc = text if text.startswith("-") else parsing.rfc3339(text) or ""
        return _FIRST if in_utc.startswith(("-", "0000")) else _LAST
    if found.tzinfo is None:
        raise ValueError(text)
    return found


def since(text: str) -> str:
    """Return the age of a time as tables show it; `<invalid>` if *text* is no time, `<unknown>` if it is the zero time."""
    try:
        return "<unknown>" if _is_zero(text) else between(text, now())
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
    Return how long it is from a time to another, in words.

    Args:
        text: When it begins.
        end: When it ends.

    Raises:
        ValueError: It is no time.
    """
    seconds = int((end - moment(text)).total_seconds())
    return duration(max(-_LONGEST, min(seconds, _LONGEST)))


def duration(seconds: int) -> str:  # noqa: PLR0911 - a line for each length
    """
    Return a length of time as people read it, in two units at most.

    Args:
        seconds: How long it is.

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

"""
Durations: parsing, formatting and arithmetic as in Go.

Reference:
    Go time.ParseDuration, Duration.String; cel-go common/types/duration.go, overflow.go.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values import numbers
from pytest_crd.engine.cel.values.celvalues import MAX_INT, MIN_INT, Duration
from pytest_crd.engine.golang import durations
from pytest_crd.engine.golang.durations import HOUR, MINUTE, SECOND

_SMALL_UNITS: Final = (("ns", 1), ("\u00b5s", 10**3), ("ms", 10**6))


def parse(text: str) -> Duration | None:
    """Return the duration *text*, such as `1h30m` or `-1.5s`; None if it is invalid or exceeds int64."""
    nanoseconds = durations.parse(text)
    return None if nanoseconds is None else Duration(nanoseconds)


def seconds_text(duration: Duration) -> str:
    """Return *duration* in seconds, as `string(duration)` writes it: `5400s`, `0.001s`."""
    return numbers.fixed(_seconds(duration)) + "s"


def _seconds(duration: Duration) -> float:
    whole, rest = (
        numbers.divide_whole(duration.nanoseconds, SECOND),
        numbers.remainder(duration.nanoseconds, SECOND),
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
    return numbers.divide_whole(duration.nanoseconds, HOUR)


def minutes(duration: Duration) -> int:
    """Return the whole minutes of *duration*."""
    return numbers.divide_whole(duration.nanoseconds, MINUTE)


def seconds(duration: Duration) -> int:
    """Return the whole seconds of *duration*."""
    return numbers.divide_whole(duration.nanoseconds, SECOND)


def milliseconds(duration: Duration) -> int:
    """Return the whole milliseconds of *duration*."""
    return numbers.divide_whole(duration.nanoseconds, 10**6)

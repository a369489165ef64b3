"""
Texts of the formats that expressions see as times.

Reference:
    kube-openapi strfmt: ParseDuration, ParseDateTime; encoding/base64.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values import celdurations, timestamps
from pytest_crd.engine.cel.values.celvalues import Duration, Timestamp
from pytest_crd.engine.golang import time

_DATE: Final = "2006-01-02"
_LOCAL_TIME: Final = "2006-01-02T15:04:05"
_INT64: Final = 2**64
_MAX: Final = 2**63 - 1
_SCALA_PART: Final = re.compile(r"(?<![0-9])([0-9]++)[\t\n\f\r ]*+([A-Za-z\u00b5]++)")
# How the units of Scala begin, and their nanoseconds; abbreviations count only whole.
_SCALA_UNITS: Final = (
    (re.compile(r"ns|nano.*", re.IGNORECASE), 1),
    (re.compile(r"us|\u00b5s|micro.*", re.IGNORECASE), 10**3),
    (re.compile(r"ms|milli.*", re.IGNORECASE), 10**6),
    (re.compile(r"s|sec.*", re.IGNORECASE), 10**9),
    (re.compile(r"m|min.*", re.IGNORECASE), 60 * 10**9),
    (re.compile(r"h|hr|hour.*", re.IGNORECASE), 3600 * 10**9),
    (re.compile(r"d|day.*", re.IGNORECASE), 24 * 3600 * 10**9),
    (re.compile(r"w|wk|week.*", re.IGNORECASE), 7 * 24 * 3600 * 10**9),
)
_BASE64: Final = re.compile(r"[A-Za-z0-9_-]")


def duration(text: str) -> Duration:
    """
    Return the duration that *text* says, as Go or as Scala writes it: `1h30m`, `2 weeks`.

    Raises:
        EvaluationError: It says none.
    """
    return celdurations.parse(text) or _scala(text)


def _scala(text: str) -> Duration:
    total, is_one = 0, False
    for digits, unit in _SCALA_PART.findall(text):
        number = int(digits) if len(digits) < 20 else _MAX + 1
        if number > _MAX:
            problem = f'strconv.Atoi: parsing "{digits}": value out of range'
            raise EvaluationError(f"Invalid duration {text}: {problem}")
        for form, nanoseconds in _SCALA_UNITS:
            if form.fullmatch(unit):
                is_one = True
                total += number * nanoseconds
    if not is_one:
        raise EvaluationError(f"Invalid duration {text}: unable to parse {text} as duration")
    # Go's sums wrap around.
    return Duration((total + _MAX + 1) % _INT64 - _MAX - 1)


def date(text: str) -> Timestamp:
    """
    Return midnight in UTC of the day that *text* says: `2020-02-29`.

    Raises:
        EvaluationError: It says none.
    """
    if problem := time.find_problem(text, _DATE):
        raise EvaluationError(f"Invalid date formatted string {text}: {problem}")
    return _utc(f"{text}T00:00:00Z")


def date_time(text: str) -> Timestamp:
    """
    Return the time that *text* says, in UTC where it has no zone; without a text it is 1970.

    Raises:
        EvaluationError: It says none.
    """
    if not text:
        return Timestamp(0)
    found = timestamps.parse_any(text)
    if found is not None:
        return found
    if problem := time.find_problem(text, _LOCAL_TIME):
        raise EvaluationError(f"Invalid date-time formatted string {text}: {problem}")
    return _utc(f"{text}Z")


def _utc(text: str) -> Timestamp:
    found = timestamps.parse_any(text)
    if found is None:
        raise AssertionError(f"{text} is a time, but cannot be read")
    return found


def base64_problem(text: str) -> str:
    """Return what Go says of a *text* that is no base64: where it stops to be one, in bytes."""
    data = text.encode("utf-8", "surrogatepass")
    kept = [(index, chr(byte)) for index, byte in enumerate(data) if byte not in b"\r\n"]
    for position, (index, char) in enumerate(kept):
        if _BASE64.match(char):
            continue
        return f"illegal base64 data at input byte {_padding_problem(kept, position, index, len(data), char)}"
    start = len(kept) - len(kept) % 4
    return f"illegal base64 data at input byte {kept[start][0] if start < len(kept) else len(data)}"


def _padding_problem(kept: list[tuple[int, str]], position: int, index: int, size: int, char: str) -> int:
    """Return where the first *char* that is no digit of base64, at *index*, is wrong, or what follows it."""
    if char != "=" or position % 4 < 2:
        return index
    rest = kept[position + 1 :]
    if position % 4 == 2:
        if not rest:
            return size
        if rest[0][1] != "=":
            return rest[0][0] - 1
        rest = rest[1:]
    return rest[0][0] if rest else size

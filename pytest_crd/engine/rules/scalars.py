"""
CEL values of scalars: numbers of type `number` are doubles, texts of some formats are times and bytes.

Reference:
    apiserver pkg/cel/common/valuesunstructured.go, UnstructuredToVal.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from pytest_crd import lazyre
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values import durations, timestamps
from pytest_crd.engine.cel.values.celvalues import Duration, Timestamp, Value
from pytest_crd.engine.golang import time
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules.natives import go_type

# Converts a JSON value to its CEL value; raises EvaluationError if it does not fit its schema.
View: TypeAlias = Callable[[JSONValue], Value]
_DATE: Final = "2006-01-02"
_LOCAL_TIME: Final = "2006-01-02T15:04:05"
_INT64: Final = 2**64
_MAX: Final = 2**63 - 1
_SCALA_PART: Final = lazyre.compile(r"(?<![0-9])([0-9]++)[\t\n\f\r ]*+([A-Za-z\u00b5]++)")
# The units of Scala and their nanoseconds; long forms match by prefix, abbreviations only in full.
_SCALA_UNITS: Final = (
    (lazyre.compile(r"ns|nano.*", re.IGNORECASE), 1),
    (lazyre.compile(r"us|\u00b5s|micro.*", re.IGNORECASE), 10**3),
    (lazyre.compile(r"ms|milli.*", re.IGNORECASE), 10**6),
    (lazyre.compile(r"s|sec.*", re.IGNORECASE), 10**9),
    (lazyre.compile(r"m|min.*", re.IGNORECASE), 60 * 10**9),
    (lazyre.compile(r"h|hr|hour.*", re.IGNORECASE), 3600 * 10**9),
    (lazyre.compile(r"d|day.*", re.IGNORECASE), 24 * 3600 * 10**9),
    (lazyre.compile(r"w|wk|week.*", re.IGNORECASE), 7 * 24 * 3600 * 10**9),
)
_BASE64: Final = lazyre.compile(r"[A-Za-z0-9_-]")


def duration(text: str) -> Duration:
    """
    Return the duration of *text*, in Go's or Scala's notation: `1h30m`, `2 weeks`.

    Raises:
        EvaluationError: It is not a duration.
    """
    return durations.parse(text) or _scala(text)


def _scala(text: str) -> Duration:
    total, is_duration = 0, False
    for digits, unit in _SCALA_PART.findall(text):
        number = int(digits) if len(digits) < 20 else _MAX + 1
        if number > _MAX:
            problem = f'strconv.Atoi: parsing "{digits}": value out of range'
            raise EvaluationError(f"Invalid duration {text}: {problem}")
        for form, nanoseconds in _SCALA_UNITS:
            if form.fullmatch(unit):
                is_duration = True
                total += number * nanoseconds
    if not is_duration:
        raise EvaluationError(f"Invalid duration {text}: unable to parse {text} as duration")
    # Go's sums wrap around.
    return Duration((total + _MAX + 1) % _INT64 - _MAX - 1)


def date(text: str) -> Timestamp:
    """
    Return midnight in UTC of the day in *text*: `2020-02-29`.

    Raises:
        EvaluationError: It is not a date.
    """
    if problem := time.find_problem(text, _DATE):
        raise EvaluationError(f"Invalid date formatted string {text}: {problem}")
    return _utc(f"{text}T00:00:00Z")


def date_time(text: str) -> Timestamp:
    """
    Return the time in *text*, in UTC if it has no zone; 1970 for an empty text.

    Raises:
        EvaluationError: It is not a time.
    """
    if not text:
        return Timestamp(0)
    timestamp = timestamps.parse_any(text)
    if timestamp is not None:
        return timestamp
    if problem := time.find_problem(text, _LOCAL_TIME):
        raise EvaluationError(f"Invalid date-time formatted string {text}: {problem}")
    return _utc(f"{text}Z")


def _utc(text: str) -> Timestamp:
    timestamp = timestamps.parse_any(text)
    if timestamp is None:
        raise AssertionError(f"{text} is a time, but cannot be read")
    return timestamp


def base64_problem(text: str) -> str:
    """Return Go's error message about a *text* that is not base64, with the byte offset of the error."""
    data = text.encode("utf-8", "surrogatepass")
    chars = [(index, chr(byte)) for index, byte in enumerate(data) if byte not in b"\r\n"]
    for position, (index, char) in enumerate(chars):
        if _BASE64.match(char):
            continue
        return f"illegal base64 data at input byte {_padding_problem(chars, position, index, len(data), char)}"
    start = len(chars) - len(chars) % 4
    return f"illegal base64 data at input byte {chars[start][0] if start < len(chars) else len(data)}"


def _padding_problem(chars: list[tuple[int, str]], position: int, index: int, size: int, char: str) -> int:
    """Return the offset of the error at the first *char* that is not a base64 digit, at *index*, or behind it."""
    if char != "=" or position % 4 < 2:
        return index
    rest = chars[position + 1 :]
    if position % 4 == 2:
        if not rest:
            return size
        if rest[0][1] != "=":
            return rest[0][0] - 1
        rest = rest[1:]
    return rest[0][0] if rest else size


def int_or_string(value: JSONValue) -> Value:
    """Return the CEL value of an int-or-string."""
    if type(value) is str or type(value) is int:
        return value
    raise EvaluationError("invalid data, expected XIntOrString value to be either a string or integer")


def _number(value: JSONValue) -> Value:
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise _unexpected("float", value)


def _integer(value: JSONValue) -> Value:
    if type(value) is int:
        return value
    raise _unexpected("int", value)


def _boolean(value: JSONValue) -> Value:
    if type(value) is bool:
        return value
    raise _unexpected("bool", value)


def _string(value: JSONValue) -> Value:
    if type(value) is str:
        return value
    raise _unexpected("string", value)


def _unexpected(expected: str, value: JSONValue) -> EvaluationError:
    return EvaluationError(f"invalid data, expected {expected}, got {go_type(value)}")


def texts(format_: str) -> View:
    """Return the view of texts with a format."""
    read = _FORMATS.get(format_)
    return _string if read is None else lambda value: read(_string(value))


# The server decodes with the URL alphabet, although the format itself requires the standard one. Go skips line breaks.
_STANDARD: Final = str.maketrans("-_+/", "+/**", "\r\n")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text.translate(_STANDARD), validate=True)
    except ValueError:
        raise EvaluationError(f"Invalid byte formatted string {text}: {base64_problem(text)}") from None


_FORMATS: Final[Mapping[str, Callable[[str], Value]]] = {
    "duration": duration,
    "date": date,
    "date-time": date_time,
    "byte": _bytes,
}
BY_TYPE: Final[Mapping[str, View]] = {"number": _number, "integer": _integer, "boolean": _boolean}
"""Views of scalars other than texts, by the type of their schema."""
UNCHANGED: Final[Mapping[View, frozenset[type]]] = {
    _string: frozenset({str}),
    _integer: frozenset({int}),
    _boolean: frozenset({bool}),
}
"""Python types of the values that a view leaves unchanged."""

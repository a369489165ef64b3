"""
CEL values of scalars: numbers of type `number` are doubles, texts of some formats are times and bytes.

Reference:
    apiserver pkg/cel/common/valuesunstructured.go, UnstructuredToVal.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules import timeformats
from pytest_crd.engine.rules.natives import go_type

# Converts a JSON value to its CEL value; raises EvaluationError if it does not fit its schema.
View: TypeAlias = Callable[[JSONValue], Value]


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
        raise EvaluationError(f"Invalid byte formatted string {text}: {timeformats.base64_problem(text)}") from None


_FORMATS: Final[Mapping[str, Callable[[str], Value]]] = {
    "duration": timeformats.duration,
    "date": timeformats.date,
    "date-time": timeformats.date_time,
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

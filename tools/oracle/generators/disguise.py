"""JSON values in other Python types with the same meaning: enums, subclasses, and other mappings and sequences."""

from __future__ import annotations

import collections
import enum
import types
from collections.abc import Callable
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONValue


class _Float(float):
    """A subclass like numpy.float64."""

    def __repr__(self) -> str:
        return f"_Float({float(self)!r})"


def _text(value: str) -> object:
    return enum.Enum("Text", {"VALUE": value}, type=str).VALUE  # type: ignore[attr-defined] # the one just named


def _whole(value: int) -> object:
    return enum.IntEnum("Whole", {"VALUE": value}).VALUE  # type: ignore[attr-defined] # the one just named


def below(value: JSONValue) -> JSONValue:
    """Return the object *value* with the values of all fields except metadata in other Python types."""
    if not isinstance(value, dict):
        return value
    return {key: item if key == "metadata" else disguise(item) for key, item in value.items()}


def disguise(value: JSONValue) -> JSONValue:
    """Return *value* in other Python types, which depend on lengths, so that a run can be repeated."""
    if isinstance(value, dict):
        items = {key: disguise(item) for key, item in value.items()}
        return (dict, collections.OrderedDict, types.MappingProxyType, collections.UserDict)[len(items) % 4](items)
    if isinstance(value, list):
        return (list, tuple, collections.UserList)[len(value) % 3]([disguise(item) for item in value])
    converter: Callable[[Any], object] | None = _GUISES.get(type(value))
    return converter(value) if converter else value


_GUISES: Final[dict[type, Callable[[Any], object]]] = {str: _text, int: _whole, float: _Float}

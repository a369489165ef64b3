"""JSON values as Python's users write them: enums, subclasses and other mappings and sequences, all of which mean the same."""

from __future__ import annotations

import collections
import enum
import types
from collections.abc import Callable
from typing import Any, Final

JSONValue = Any


class _Float(float):
    """As numpy.float64 is one."""

    def __repr__(self) -> str:
        return f"_Float({float(self)!r})"


def _text(value: str) -> object:
    return enum.Enum("Text", {"VALUE": value}, type=str).VALUE  # type: ignore[attr-defined] # the one just named


def _whole(value: int) -> object:
    return enum.IntEnum("Whole", {"VALUE": value}).VALUE  # type: ignore[attr-defined] # the one just named


def below(value: JSONValue) -> JSONValue:
    """Return the object *value* with what is in it in another guise, but for its metadata, which who compares looks at."""
    if not isinstance(value, dict):
        return value
    return {key: item if key == "metadata" else of(item) for key, item in value.items()}


def of(value: JSONValue) -> JSONValue:
    """Return *value* in another guise; the kind of it depends on its length, so that a run can be repeated."""
    if isinstance(value, dict):
        made = {key: of(item) for key, item in value.items()}
        return (dict, collections.OrderedDict, types.MappingProxyType, collections.UserDict)[len(made) % 4](made)
    if isinstance(value, list):
        return (list, tuple, collections.UserList)[len(value) % 3]([of(item) for item in value])
    disguised: Callable[[Any], object] | None = _GUISES.get(type(value))
    return disguised(value) if disguised else value


_GUISES: Final[dict[type, Callable[[Any], object]]] = {str: _text, int: _whole, float: _Float}

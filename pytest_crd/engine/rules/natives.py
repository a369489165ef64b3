"""
Native Go values of CEL values, where the server unwraps them.

Reference:
    cel-go common/types: Value of each type; Go's comparison of map keys.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError, InternalError
from pytest_crd.engine.cel.values.celvalues import (
    Duration,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    is_list,
    is_map,
)
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue


class JSONView:
    """CEL value that wraps the JSON value `value`."""

    __slots__ = ()

    value: Any


class Foreign:
    """Native Go value that has no JSON form."""

    __slots__ = ("go_type",)

    def __init__(self, go_type: str) -> None:
        """Create with its type as Go prints it."""
        self.go_type = go_type


_NULL: Final = Foreign("structpb.NullValue")
_LIST: Final = Foreign("[]ref.Val")
_MAP: Final = Foreign("map[ref.Val]ref.Val")
_ERROR: Final = Foreign("*errors.errorString")
_FOREIGN: Final = {type(None): _NULL, EvaluationError: _ERROR}

# As Go prints types with %T.
_GO_TYPES: Final[dict[type, str]] = {
    **printing.GO_TYPES,
    bytes: "[]uint8",
    UInt: "uint64",
    Duration: "time.Duration",
    Timestamp: "time.Time",
}
# Go shares the zones of whole hours in this range (in seconds) between times; it creates each other zone anew.
_SHARED_ZONES: Final = range(-12 * 3600, 14 * 3600 + 1, 3600)


def native(value: Value) -> Any:
    """Return the native value of *value*: JSON, or the Go value if it has no JSON form."""
    if isinstance(value, JSONView):
        return value.value
    if isinstance(value, Optional):
        return native(value.value) if value.has_value else None
    if isinstance(value, TypeValue):
        return value.name
    if is_list(value):
        return _LIST
    return _MAP if is_map(value) else _FOREIGN.get(type(value), value)


def go_type(value: JSONValue | Foreign) -> str:
    """Return the Go type of a native value, as Go prints it."""
    return value.go_type if isinstance(value, Foreign) else _GO_TYPES.get(type(value), "<nil>")


def map_key(value: Any) -> Hashable:
    """
    Return a hashable key that equals another one if Go's map keys are equal.

    Raises:
        InternalError: Go cannot hash values of this type.
    """
    kind = type(value)
    if kind in {list, dict, bytes} or value is _LIST or value is _MAP:
        raise InternalError(f"internal error: runtime error: hash of unhashable type {go_type(value)}")
    if value is _ERROR:
        return object()  # each error is a key of its own
    if kind is Timestamp:
        return kind, value.instant, value.offset if value.offset in _SHARED_ZONES else object()
    return kind, value

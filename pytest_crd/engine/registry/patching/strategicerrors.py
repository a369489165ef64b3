"""Refusals of strategic merge patches, in the words of Go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue

BAD_PRIMITIVE_LIST: Final = "invalid patch format of primitive list"
BAD_ORDER: Final = "invalid patch format of setElementOrder list"
BAD_RETAIN_KEYS: Final = "invalid patch format of retainKeys"
LISTS_OF_LISTS: Final = "lists of lists are not supported"
_CODES: Final[Mapping[str, int]] = {
    BAD_PRIMITIVE_LIST: 400,
    BAD_ORDER: 400,
    BAD_RETAIN_KEYS: 400,
    LISTS_OF_LISTS: 422,
}


class StrategicError(ValueError):
    """A patch that cannot be applied, with the server's message."""

    @property
    def refusal(self) -> Refusal:
        """The refusal, with a code that depends on the message."""
        code = _CODES.get(str(self), 500)
        return Refusal(code, {400: "BadRequest", 422: "Invalid"}.get(code, ""), str(self))


def unknown_directive(directive: JSONValue, patch: JSONObject) -> StrategicError:
    """Return the error of a directive that does not exist."""
    text = directive if isinstance(directive, str) else f"%!s({go_type(directive)}={printed(directive)})"
    return StrategicError(f"unknown patch type: {text} in map: {printed(patch)}")


def other_type(expected: str, value: JSONValue) -> StrategicError:
    """Return the error of a value of another Go type."""
    return StrategicError(f"expected a {expected}, but received a {go_type(value)}")


def go_type(value: JSONValue) -> str:
    """Return the Go type of a decoded value."""
    names = {"string": "string", "boolean": "bool", "integer": "int64", "number": "float64", "null": "%!s(<nil>)"}
    return names.get(
        jsonvalue.type_of(value), "[]interface {}" if isinstance(value, list) else "map[string]interface {}"
    )


def printed(value: JSONValue) -> str:
    """Return a value as Go's `%v` prints it."""
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{printed(item)}" for key, item in sorted(value.items())) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(printed, value)) + "]"
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else printing.number(value)

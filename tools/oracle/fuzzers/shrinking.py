"""Shrinking of JSON values while a property holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

# Types of a schema: another word would make it invalid, not smaller.
_WORDS: Final = frozenset({"array", "boolean", "integer", "number", "object", "string"})


def shrink(value: JSONValue, holds: Callable[[JSONValue], bool], *, attempts: int = 4000) -> JSONValue:
    """
    Return a value that single steps do not make smaller while *holds* is true.

    Args:
        value: The start, for which *holds* is true. Not modified.
        holds: The property to keep.
        attempts: The maximum number of calls of *holds*.
    """
    remaining = attempts
    progress = True
    while progress and remaining > 0:
        progress = False
        for smaller in _smaller(value):
            remaining -= 1
            if remaining <= 0:
                break
            if holds(smaller):
                value, progress = smaller, True
                break
    return value


def _smaller(value: JSONValue) -> Iterator[JSONValue]:
    """Yield the values that are one step smaller, the largest steps first."""
    if isinstance(value, dict):
        yield from ({name: item for name, item in value.items() if name != removed} for removed in value)
        for name, item in value.items():
            yield from (value | {name: smaller} for smaller in _smaller(item))
            yield from (value | {name: child} for child in _children(item))
    elif isinstance(value, list):
        yield from (value[:index] + value[index + 1 :] for index in range(len(value)))
        for index, item in enumerate(value):
            yield from ([*value[:index], smaller, *value[index + 1 :]] for smaller in _smaller(item))
    elif isinstance(value, str) and len(value) > 1 and value not in _WORDS:
        yield "x"
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > 1:
        yield 1


def _children(value: JSONValue) -> Iterator[JSONValue]:
    """Yield the parts of a schema or object that may replace it."""
    if isinstance(value, dict):
        yield from (item for item in value.values() if isinstance(item, dict))
        if isinstance(value.get("properties"), dict):
            yield from value["properties"].values()

"""Make a JSON value smaller while something stays true of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

JSONValue = Any

# Types of a schema: another word in their place would only make it odd, not smaller.
_WORDS: Final = frozenset({"array", "boolean", "integer", "number", "object", "string"})


def shrunk(value: JSONValue, holds: Callable[[JSONValue], bool], *, attempts: int = 4000) -> JSONValue:
    """
    Return a value as small as single steps lead to, of which *holds* is still true.

    Args:
        value: Where to begin; *holds* is true of it. Not modified.
        holds: What has to stay true.
        attempts: How often *holds* is asked at the most.
    """
    left = attempts
    progress = True
    while progress and left > 0:
        progress = False
        for smaller in _smaller(value):
            left -= 1
            if left <= 0:
                break
            if holds(smaller):
                value, progress = smaller, True
                break
    return value


def _smaller(value: JSONValue) -> Iterator[JSONValue]:
    """Yield the values that are one step smaller, the biggest steps first."""
    if isinstance(value, dict):
        yield from ({name: item for name, item in value.items() if name != gone} for gone in value)
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
    """Yield what a schema or object may be replaced with: something that it holds."""
    if isinstance(value, dict):
        yield from (item for item in value.values() if isinstance(item, dict))
        if isinstance(value.get("properties"), dict):
            yield from value["properties"].values()

"""
The quick way through a YAML document that has nothing unusual in it, as nearly all have.

It gives up, without a verdict, at an anchor, a tag, a merge key, a key that is set twice or any error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from pytest_crd.engine import jsonvalue, yamlnode, yamlparser, yamlscalar
from pytest_crd.engine.jsonvalue import JSONValue


@dataclass(frozen=True, slots=True)
class Plain:
    """A document: its value, its first line counted from 1, and where in the text it ends."""

    value: JSONValue
    line: int
    end: int


class _UnusualError(Exception):
    """Something that only the complete way through a document understands."""


def load(text: str) -> Plain | None:
    """
    Return the first document of *text*, or None where the complete way has to be taken.

    Args:
        text: YAML, without a byte order mark.
    """
    try:
        next_event = yamlparser.events(text)
        start = next_event()
        if getattr(start, "version", None) is not None or type(start) is yaml.StreamEndEvent:
            return None
        root = next_event()
        value = _value(root, next_event)
        return Plain(value, root.start_mark.line + 1, next_event().end_mark.index)
    except (yaml.YAMLError, yamlscalar.ScalarError, UnicodeEncodeError, _UnusualError):
        return None


def _value(event: Any, next_event: Callable[[], Any]) -> JSONValue:
    kind = type(event)
    if kind is MappingStartEvent and event.anchor is None:
        return _mapping(next_event, 1)
    if kind is SequenceStartEvent and event.anchor is None:
        return _sequence(next_event, 1)
    if kind is ScalarEvent and event.anchor is None and event.tag is None:
        return yamlscalar.value(event.value) if event.implicit[0] else event.value
    raise _UnusualError


def _mapping(next_event: Callable[[], Any], depth: int) -> dict[str, JSONValue]:
    # The loop that reading time is spent in: it asks each event as little as it can.
    if depth > jsonvalue.MAX_DEPTH:
        raise _UnusualError
    hints, resolve, resolve_key = yamlscalar.HINTS, yamlscalar.value, yamlscalar.key
    result: dict[str, JSONValue] = {}
    while True:
        event = next_event()
        kind = type(event)
        if kind is MappingEndEvent:
            return result
        if kind is not ScalarEvent or event.anchor is not None or event.tag is not None:
            raise _UnusualError
        key = event.value
        if event.implicit[0]:
            if key[:1] in hints:
                key = resolve_key(key)
            elif key == yamlnode.MERGE:
                raise _UnusualError
        if key in result:
            raise _UnusualError
        event = next_event()
        kind = type(event)
        if event.anchor is not None:
            raise _UnusualError
        if kind is ScalarEvent:
            if event.tag is not None:
                raise _UnusualError
            text = event.value
            result[key] = resolve(text) if event.implicit[0] and text[:1] in hints else text
        elif kind is MappingStartEvent:
            result[key] = _mapping(next_event, depth + 1)
        else:
            result[key] = _sequence(next_event, depth + 1)


def _sequence(next_event: Callable[[], Any], depth: int) -> list[JSONValue]:
    if depth > jsonvalue.MAX_DEPTH:
        raise _UnusualError
    hints, resolve = yamlscalar.HINTS, yamlscalar.value
    result: list[JSONValue] = []
    while True:
        event = next_event()
        kind = type(event)
        if kind is SequenceEndEvent:
            return result
        if event.anchor is not None:
            raise _UnusualError
        if kind is ScalarEvent:
            if event.tag is not None:
                raise _UnusualError
            text = event.value
            result.append(resolve(text) if event.implicit[0] and text[:1] in hints else text)
        elif kind is MappingStartEvent:
            result.append(_mapping(next_event, depth + 1))
        else:
            result.append(_sequence(next_event, depth + 1))

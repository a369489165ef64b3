"""
Fast path for YAML documents without unusual features, which are nearly all documents.

It gives up without a verdict at an anchor, a tag, a merge key, a duplicate key or an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import yaml
from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, StreamEndEvent

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import yamlnode, yamlparser, yamlscalar


class PlainDocument(NamedTuple):
    """
    A YAML document without unusual features.

    Attributes:
        value: JSON value.
        line: 1-based line of its beginning.
        end: The index of its end in the text.
        item_lines: The 1-based lines of the items of each top-level list, in order.
    """

    value: JSONValue
    line: int
    end: int
    item_lines: list[list[int]]


class _UnusualError(Exception):
    """A feature that the fast path does not support."""


def load(text: str) -> PlainDocument | None:
    """
    Return the first document of *text*; None if it needs the complete decoder.

    Args:
        text: YAML, without a byte order mark.

    Raises:
        UnreadableError: The server cannot read it, though libyaml can.
    """
    try:
        next_event = yamlparser.events(text)
        start = next_event()
        if type(start) is StreamEndEvent or start.version is not None:
            return None
        root = next_event()
        item_lines: list[list[int]] = []
        value = _scalar(root) if type(root) is ScalarEvent else _collection(root, next_event, 1, item_lines)
        return PlainDocument(value, root.start_mark.line + 1, next_event().end_mark.index, item_lines)
    except (yaml.YAMLError, yamlscalar.ScalarError, UnicodeEncodeError, _UnusualError):
        return None


def _collection(event: Any, next_event: Callable[[], Any], depth: int, item_lines: list[list[int]]) -> JSONValue:
    """Return the mapping or list that *event* starts; raise _UnusualError for anchors and aliases."""
    if event.anchor is not None or depth > jsonvalue.MAX_DEPTH:
        raise _UnusualError
    if event.flow_style and type(next_event) is not _FlowEvents:
        next_event = _FlowEvents(next_event)
    if type(event) is MappingStartEvent:
        return _mapping(next_event, depth, item_lines)
    return _sequence(next_event, depth, item_lines)


def _mapping(next_event: Callable[[], Any], depth: int, item_lines: list[list[int]]) -> dict[str, JSONValue]:
    # The hot loop of reading: it accesses as few attributes of each event as possible.
    hints, resolve, resolve_key = yamlscalar.HINTS, yamlscalar.value, yamlscalar.key
    result: dict[str, JSONValue] = {}
    while type(event := next_event()) is ScalarEvent:
        key = event.value
        if event.implicit[0] and key[:1] in hints:
            key = resolve_key(key)
        if key in result or key == yamlnode.MERGE or event.anchor is not None or event.tag is not None:
            raise _UnusualError
        event = next_event()
        if type(event) is not ScalarEvent:
            result[key] = _collection(event, next_event, depth + 1, item_lines)
            continue
        if event.anchor is not None or event.tag is not None:
            raise _UnusualError
        text = event.value
        result[key] = resolve(text) if event.implicit[0] and text[:1] in hints else text
    if type(event) is not MappingEndEvent:
        raise _UnusualError
    return result


def _sequence(next_event: Callable[[], Any], depth: int, item_lines: list[list[int]]) -> list[JSONValue]:
    result: list[JSONValue] = []
    lines: list[int] = []
    if depth == 2:
        item_lines.append(lines)
    while type(event := next_event()) is not SequenceEndEvent:
        if depth == 2:
            lines.append(event.start_mark.line + 1)
        result.append(
            _scalar(event) if type(event) is ScalarEvent else _collection(event, next_event, depth + 1, item_lines)
        )
    return result


def _scalar(event: Any) -> JSONValue:
    if event.anchor is not None or event.tag is not None:
        raise _UnusualError
    text = event.value
    return yamlscalar.value(text) if event.implicit[0] and text[:1] in yamlscalar.HINTS else text


@dataclass(frozen=True, slots=True)
class _FlowEvents:
    """Events inside [] or {}, where the server's scanner is stricter."""

    next_event: Callable[[], Any]

    def __call__(self) -> Any:
        event = self.next_event()
        yamlparser.check_flow_scalar(event)
        return event

"""
Spans of a YAML text: the begin and end index of each node.

Blanks, comments and line breaks behind a node do not belong to it.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import yaml
from yaml.events import AliasEvent, MappingEndEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent, StreamEndEvent

from pytest_crd import lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml import jsonreader, parser, yamlscalar, yamlstream
from pytest_crd.engine.yaml.yamlstream import UnreadableError

SpanKind: TypeAlias = Literal["scalar", "list", "mapping", "alias"]

# An anchor and a tag, with the blanks and comments behind them.
_PROPERTIES: Final = lazyre.compile(r"(?:[&!]\S*+\s++(?:#.*+\s++)*+)*+")
_KEEPING: Final = lazyre.compile(r"(?:[&!]\S*+\s++)*+[|>]\d?\+")
_JSON: Final = json.JSONDecoder()
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(slots=True, eq=False)
class Span:
    """
    A node with its place.

    Attributes:
        kind: The kind of node.
        start: The index of its begin, including an anchor or tag.
        inner: The index behind its anchor and tag.
        end: The index behind its last character.
        column: The number of characters before `inner` on its line.
        is_flow: Whether it is inside brackets, or is a scalar that may be.
        text: The text of a scalar.
        is_plain: Whether it is a scalar without quotes and tag.
        anchor: The name of its anchor; may be empty.
        pairs: The keys and values of a mapping.
        items: The items of a list.
        target: The target of an alias.
    """

    kind: SpanKind
    start: int
    inner: int
    end: int
    column: int
    is_flow: bool
    text: str = ""
    is_plain: bool = False
    anchor: str = ""
    pairs: list[tuple[Span, Span]] = field(default_factory=list)
    items: list[Span] = field(default_factory=list)
    target: Span | None = None

    @property
    def resolved(self) -> Span:
        """The node itself, or the target of an alias."""
        return self.target or self

    @property
    def key(self) -> str:
        """The scalar as the key of a mapping."""
        return yamlscalar.key(self.text) if self.is_plain else self.text

    def own(self, name: str) -> tuple[Span, Span] | None:
        """Return the last key and value with that name in the mapping itself; merged keys do not count."""
        return next((pair for pair in reversed(self.pairs) if pair[0].kind == "scalar" and pair[0].key == name), None)

    def walk(self) -> Iterator[Span]:
        """Yield the node and all nodes inside; targets of aliases are left out."""
        yield self
        for key, value in self.pairs:
            yield from key.walk()
            yield from value.walk()
        for item in self.items:
            yield from item.walk()


class SpannedText(NamedTuple):
    """
    A normalized text: with line feeds only, and one at the end.

    Attributes:
        text: The text.
        documents: The root of each document that is not empty.
        is_json: Whether all documents are JSON.
    """

    text: str
    documents: tuple[Span, ...]
    is_json: bool


class Edit(NamedTuple):
    """A replacement for the text between two indices."""

    start: int
    end: int
    text: str


def find_spans(content: str) -> SpannedText:
    """
    Return the spans of a file.

    Args:
        content: The text of the file, without a byte order mark.

    Raises:
        UnreadableError: The text is not YAML, is nested too deeply, or only the server's reader accepts it.
    """
    text = content.replace("\r\n", "\n")
    text = text if text.endswith("\n") else f"{text}\n"
    values = _json_values(text)
    roots = [_compose(text, part, start) for start, part in values or _yaml_parts(text)]
    return SpannedText(text, tuple(root for root in roots if root is not None), is_json=bool(values))


def _compose(text: str, part: str, start: int) -> Span | None:
    """Return the root of one document of a text, and raise errors with line numbers of the text."""
    try:
        return _Composer(part, start).document()
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        problem = parser.problem(part, error)
    except UnreadableError as error:
        problem = error
    raise UnreadableError(problem.line and problem.line + text.count("\n", 0, start), problem.message)


def _yaml_parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the begin of each document, and its text."""
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    for chunk in yamlstream.split(text):
        start = lines[chunk.offset]
        # The reader skips a byte order mark.
        yield start + (not text.startswith(chunk.text, start)), chunk.text


def _json_values(text: str) -> list[tuple[int, str]]:
    """Return the begin and text of each value in a JSON stream; empty if the text is not JSON."""
    values: list[tuple[int, str]] = []
    start = jsonreader.skip_blank(text, 0)
    while start < len(text):
        try:
            _, end = _JSON.raw_decode(text, start)
        except (ValueError, RecursionError):
            return []
        values.append((start, text[start:end]))
        start = jsonreader.skip_blank(text, end)
    return values


def apply_edits(content: str, layout: SpannedText, edits: Sequence[Edit]) -> str:
    """
    Return *content* with *edits* to its layout's text; added text gets the line ends of the file.

    Args:
        content: The text of the file.
        layout: Its layout.
        edits: Edits in order, without overlap.
    """
    returns = [match.start() for match in re.finditer("\r\n", content)]
    # The indices of the carriage returns in the normalized text.
    dropped = [index - number for number, index in enumerate(returns)]
    ending = "\r\n" if len(returns) * 2 > layout.text.count("\n") else "\n"
    parts: list[str] = []
    done = 0
    for start, end, added in edits:
        begin, stop = (min(index + bisect.bisect_left(dropped, index), len(content)) for index in (start, end))
        if start == len(layout.text) and not content.endswith("\n"):
            added = "\n" + added.removesuffix("\n")  # noqa: PLW2901 - the last line stays one without an end
        parts += [content[done:begin], added.replace("\n", ending)]
        done = stop
    return "".join([*parts, content[done:]])


class _Composer:
    """Composer of the first document of a text that begins at *start* in the file."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._start = start
        self._anchors: dict[str, Span] = {}
        self._next: Callable[[], Any] = parser.events(text)

    def document(self) -> Span | None:
        """Return the root; None if the document is empty or null."""
        if type(self._next()) is StreamEndEvent:
            return None
        root = self._node(self._next(), 0, is_flow=False)
        return None if root.is_plain and root.text in _NULLS else root

    def _node(self, event: Any, depth: int, *, is_flow: bool) -> Span:
        kind = type(event)
        if kind is AliasEvent:
            place = self._place("alias", event, is_flow=True)
            place.target = self._anchors.get(event.anchor)
            if place.target is None:
                raise UnreadableError(event.start_mark.line + 1, f"unknown anchor '{event.anchor}' referenced")
            return place
        if kind is ScalarEvent:
            return self._scalar(event)
        is_flow = is_flow or event.flow_style
        place = self._place("list" if kind is SequenceStartEvent else "mapping", event, is_flow=is_flow)
        self._anchors[event.anchor] = place
        if depth > jsonvalue.MAX_DEPTH:
            raise UnreadableError(event.start_mark.line + 1, yamlstream.TOO_DEEP)
        self._fill(place, depth + 1)
        return place

    def _fill(self, place: Span, depth: int) -> None:
        while type(event := self._next()) not in (SequenceEndEvent, MappingEndEvent):
            node = self._node(event, depth, is_flow=place.is_flow)
            if place.kind == "list":
                place.items.append(node)
            else:
                key, node = node, self._node(self._next(), depth, is_flow=place.is_flow)
                place.pairs.append((key, node))
            place.end = node.end
        if place.is_flow:
            place.end = event.end_mark.index + self._start

    def _scalar(self, event: Any) -> Span:
        is_block = event.style in ("|", ">")
        place = self._place("scalar", event, is_flow=not is_block)
        place.text, place.is_plain = event.value, event.implicit[0] and event.tag is None
        if is_block:
            place.end = self._start + self._end_of_lines(event)
        self._anchors[event.anchor] = place
        return place

    def _end_of_lines(self, event: Any) -> int:
        """Return the end of the last line of a block scalar; its end mark is the begin of the next node."""
        end: int = event.end_mark.index
        if _KEEPING.match(self._text, event.start_mark.index):
            return end - self._text.endswith("\n", 0, end)  # empty lines behind it belong to it
        return len(self._text[:end].rstrip("\n"))

    def _place(self, kind: SpanKind, event: Any, *, is_flow: bool) -> Span:
        start, end = event.start_mark.index, event.end_mark.index
        anchor = event.anchor if kind != "alias" else None
        properties = _PROPERTIES.match(self._text, start) if kind != "alias" else None
        inner = properties.end() if properties else start
        column = inner - (self._text.rfind("\n", 0, inner) + 1)
        at = self._start
        return Span(kind, start + at, inner + at, end + at, column, is_flow, anchor=anchor or "")

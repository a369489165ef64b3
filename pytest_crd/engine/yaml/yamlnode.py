"""
YAML nodes: the parsed text with positions, before it is decoded.

Anchors are bound in reading order, as in the server, so an anchor may be redefined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar

import yaml
from yaml.events import AliasEvent, MappingEndEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent, StreamEndEvent

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml import parser, yamlscalar, yamlstream
from pytest_crd.engine.yaml.yamlstream import UnreadableError

_MERGE_TAG: Final = yamlscalar.TAG_PREFIX + "merge"


@dataclass(frozen=True, slots=True, eq=False)
class ScalarNode:
    """
    A scalar.

    Attributes:
        line: 1-based line.
        start: The index in the text of the scalar, or of its anchor or tag.
        text: Its content.
        tag: Its tag in the long form.
        plain: Whether it is plain and untagged.
    """

    line: int
    start: int
    text: str
    tag: str | None = None
    plain: bool = False

    def resolve(self) -> yamlscalar.Native:
        """Return the value of the scalar; raises ScalarError as yamlscalar does."""
        if self.tag is not None:
            return yamlscalar.resolve_tagged(self.text, self.tag)
        return yamlscalar.resolve(self.text) if self.plain else self.text

    def is_merge(self) -> bool:
        """Return whether the scalar is the merge key; with `!` or `!!merge`, a quoted `<<` is one too."""
        return self.text == yamlscalar.MERGE and (self.plain or self.tag in ("!", _MERGE_TAG))


@dataclass(frozen=True, slots=True, eq=False)
class SequenceNode:
    """A list, with its line and its items."""

    line: int
    items: list[YamlNode] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class MappingNode:
    """A mapping, with its line and its pairs of keys and values."""

    line: int
    pairs: list[tuple[YamlNode, YamlNode]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class AliasNode:
    """A reference to an anchored node, which may contain this alias."""

    line: int
    name: str
    target: ScalarNode | SequenceNode | MappingNode


_Anchored = TypeVar("_Anchored", ScalarNode, SequenceNode, MappingNode)
YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode


class Composed(NamedTuple):
    """The first document of a text: its root, None if there is no document, and the index of its end."""

    root: YamlNode | None
    end: int


def compose(text: str) -> Composed:
    """
    Return the nodes of the first document of *text*.

    Raises:
        UnreadableError: The server cannot parse the text as YAML.

    Reference:
        go.yaml.in/yaml/v2 decode.go, (*parser).parse.
    """
    try:
        next_event = parser.events(text)
        start = next_event()
        if type(start) is StreamEndEvent:
            return Composed(None, len(text))
        parser.check_version(start)
        root = _Composer(text, next_event).node(next_event(), 1, flow=False)
        return Composed(root, next_event().end_mark.index)
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise parser.problem(text, error) from None


@dataclass(frozen=True, slots=True)
class _Composer:
    text: str
    next_event: Callable[[], Any]
    anchors: dict[str, Any] = field(default_factory=dict)

    def node(self, event: Any, depth: int, *, flow: bool) -> YamlNode:
        line = event.start_mark.line + 1
        kind = type(event)
        if kind is AliasEvent:
            if event.anchor not in self.anchors:
                raise UnreadableError(line, f"unknown anchor '{event.anchor}' referenced")
            return AliasNode(line, event.anchor, self.anchors[event.anchor])
        if kind is ScalarEvent:
            if flow:
                parser.check_flow_scalar(event)
                parser.check_flow_tag(event, self.text)
            scalar = ScalarNode(
                line, event.start_mark.index, event.value, event.tag, plain=event.implicit[0] and event.tag is None
            )
            return self.anchored(scalar, event)
        if depth > jsonvalue.MAX_DEPTH:
            raise UnreadableError(line, yamlstream.TOO_DEEP)
        if kind is SequenceStartEvent:
            return self.sequence(self.anchored(SequenceNode(line), event), depth + 1, flow=flow or event.flow_style)
        return self.mapping(self.anchored(MappingNode(line), event), depth + 1, flow=flow or event.flow_style)

    def sequence(self, sequence: SequenceNode, depth: int, *, flow: bool) -> SequenceNode:
        while type(event := self.next_event()) is not SequenceEndEvent:
            sequence.items.append(self.node(event, depth, flow=flow))
        return sequence

    def mapping(self, mapping: MappingNode, depth: int, *, flow: bool) -> MappingNode:
        while type(event := self.next_event()) is not MappingEndEvent:
            key = self.node(event, depth, flow=flow)
            mapping.pairs.append((key, self.node(self.next_event(), depth, flow=flow)))
        return mapping

    def anchored(self, node: _Anchored, event: Any) -> _Anchored:
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node


def merged(node: YamlNode) -> list[YamlNode]:
    """Return the values that a merge key merges, in the server's order: a list backwards, so that its first item wins."""
    return node.items[::-1] if isinstance(node, SequenceNode) else [node]

"""
Places of values in a text that was already read.

Places are computed from nodes, so that reading itself keeps no positions.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeGuard, cast

from pytest_crd import lazyre
from pytest_crd.engine.yaml import yamlnode, yamlscalar
from pytest_crd.engine.yaml.yamlnode import AliasNode, MappingNode, ScalarNode, SequenceNode, YamlNode

# Anchor and tag before a scalar, with blanks and comments between them.
_PROPERTIES: Final = lazyre.compile(r"(?:[&!]\S*+\s++(?:#.*+\s++)*+)*+")
_BLOCK_HEADER: Final = lazyre.compile(r"[|>].*")
_OUTSIDE_QUOTES: Final = lazyre.compile(r"\S")
_IN_SINGLE_QUOTES: Final = lazyre.compile(r"''|[^'\s]|\s")
# An escape of YAML or JSON, JSON's pair of surrogates included; or any other character.
_IN_DOUBLE_QUOTES: Final = lazyre.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|x(?P<x>..)|u(?P<u>.{4})|U(?P<U>.{8})|\r?\n|.)|[^\"\\]", re.DOTALL
)
# The escapes of blanks, of line breaks, and of nothing.
_BLANK_ESCAPES: Final = frozenset({*(f"\\{letter}" for letter in "ntrvfNLP_ \t\n"), "\\\r\n"})


class BareBoolean(NamedTuple):
    """
    An unquoted word that the server reads as a boolean, though it may be meant as a text: `on`, `no`, `y`.

    Attributes:
        line: 1-based line of the word.
        path: Its path: keys and indices; for a key, the last element is the JSON key, `"true"` or `"false"`.
        written: The word.
        is_key: Whether it is a key, not a value.
    """

    line: int
    path: tuple[str | int, ...]
    written: str
    is_key: bool

    @property
    def value(self) -> str:
        """The server's reading: `true` or `false`."""
        return yamlscalar.key(self.written)


def find_line(root: YamlNode, path: Sequence[str | int], *, key: bool) -> int:
    """
    Return the line of the value at *path*, or of its nearest existing ancestor.

    Args:
        root: The root of a document that was decoded without error.
        path: Mapping keys and list indices.
        key: Whether to return the line of the last mapping key instead of its value's.
    """
    node, line = root, root.line
    for position, step in enumerate(path, start=1):
        entry = _child(_target(node), step)
        if entry is None:
            return line
        key_node, node = entry
        line = key_node.line if key and position == len(path) else node.line
    return line


def key_lines(root: YamlNode, path: Sequence[str | int]) -> dict[tuple[str | int, ...], int]:
    """Return the lines of all keys and items below *path*, by their relative path; *root*: as for `find_line`."""
    node = _target(root)
    for step in path:
        entry = _child(node, step)
        if entry is None:
            return {}
        node = _target(entry[1])
    lines: dict[tuple[str | int, ...], int] = {}
    _collect(node, (), lines)
    return lines


def _collect(node: YamlNode, path: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int]) -> None:
    if isinstance(node, MappingNode):
        for key, value in _assignments(node):
            inner = (*path, _text(key))
            lines[inner] = key.line
            _collect(_target(value), inner, lines)
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.items):
            inner = (*path, index)
            lines[inner] = item.line
            _collect(_target(item), inner, lines)


def bare_booleans(node: YamlNode, path: tuple[str | int, ...] = ()) -> Iterator[BareBoolean]:
    """
    Yield the words in a value that are read as booleans, except `true` and `false`.

    Args:
        node: The value, in a document that was decoded without error.
        path: The path of the value.
    """
    node = _target(node)
    if isinstance(node, MappingNode):
        for key, value in _assignments(node):
            inner = (*path, _text(key))
            name = _target(key)
            if _is_bare_boolean(name):
                yield BareBoolean(name.line, inner, name.text, is_key=True)
            yield from bare_booleans(value, inner)
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.items):
            yield from bare_booleans(item, (*path, index))
    elif _is_bare_boolean(node):
        yield BareBoolean(node.line, path, node.text, is_key=False)


def _is_bare_boolean(node: YamlNode) -> TypeGuard[ScalarNode]:
    return isinstance(node, ScalarNode) and node.plain and node.text in yamlscalar.BARE_BOOLEANS


def find_character(root: YamlNode, text: str, path: Sequence[str | int], offset: int) -> int | None:
    """
    Return the index in *text* of the character at *offset*, in code points, of the string at *path*.

    Args:
        root: The root node of a document in *text*.
        text: The text.
        path: Mapping keys and list indices.
        offset: In code points; the position behind the last character is allowed.

    Returns:
        The index; None if there is no string, or its characters do not occur one by one in the text.
    """
    node = _target(root)
    for step in path:
        entry = _child(node, step)
        if entry is None:
            return None
        node = _target(entry[1])
    if not isinstance(node, ScalarNode) or node.resolve() != node.text:
        return None

    return find_in_scalar(text, node.start, node.text, offset)


def _child(node: YamlNode, step: str | int) -> tuple[YamlNode, YamlNode] | None:
    """Return key and value at *step*; an item of a list is its own key. None if there is no such child."""
    if isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.items):
        return node.items[step], node.items[step]
    return _children(node).get(step) if isinstance(node, MappingNode) else None


@functools.lru_cache(maxsize=16)
def _children(mapping: MappingNode) -> dict[str | int, tuple[YamlNode, YamlNode]]:
    """Return keys and values of *mapping* by name; cached because lookups of many paths pass the same mappings."""
    return {_text(key): (key, value) for key, value in _assignments(mapping)}


def _assignments(mapping: YamlNode) -> Iterator[tuple[YamlNode, YamlNode]]:
    """Yield keys and values of *mapping* in the order in which the server sets them; the last one wins."""
    for key, value in cast("MappingNode", mapping).pairs:
        if isinstance(key, ScalarNode) and key.is_merge():
            for source in yamlnode.merged(value):
                yield from _assignments(_target(source))
        else:
            yield key, value


def _text(key: YamlNode) -> str:
    return yamlscalar.to_key(cast("ScalarNode", _target(key)).resolve())


def _target(node: YamlNode) -> YamlNode:
    return node.target if isinstance(node, AliasNode) else node


def find_in_scalar(text: str, start: int, value: str, offset: int) -> int | None:
    """
    Return the index in *text* of the character of *value* at *offset*.

    YAML changes only line breaks and blanks. All other characters of a value occur in the text in the same order, so
    counting them finds the position, for all styles of quoting, folding and indentation.

    Args:
        text: The text of a document.
        start: The index of the scalar, or of its anchor or tag.
        value: The value of the scalar.
        offset: In code points. For a blank, which YAML may have folded, or the end, the index is behind the previous
            character.

    Returns:
        The index; None if the characters of the value do not occur one by one in the text, as with `!!binary`.
    """
    before = sum(map(_is_ink, value[:offset]))
    is_behind = before > 0 and not _is_ink(value[offset : offset + 1])
    last = before - 1 if is_behind else before
    spans = list(itertools.islice(_ink(text, start), last + 1))
    if len(spans) <= last or not _are_same(text, spans, value):
        return None
    return spans[last][1] if is_behind else spans[last][0]


def _ink(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the span of each character of the scalar at *start* that is neither a blank nor a line break."""
    properties = _PROPERTIES.match(text, start)
    begin = properties.end() if properties else start
    quote = text[begin : begin + 1]
    if quote == "'":
        characters = _quoted(_IN_SINGLE_QUOTES, text, begin + 1)
    elif quote == '"':
        characters = _quoted(_IN_DOUBLE_QUOTES, text, begin + 1)
    else:
        header = _BLOCK_HEADER.match(text, begin)
        characters = _OUTSIDE_QUOTES.finditer(text, header.end() if header else begin)
    for match in characters:
        if not _is_blank(match):
            yield match.span()


def _quoted(characters: re.Pattern[str], text: str, start: int) -> Iterator[re.Match[str]]:
    while match := characters.match(text, start):
        yield match
        start = match.end()


def _is_blank(match: re.Match[str]) -> bool:
    token = match[0]
    digits = next((digits for digits in match.groupdict().values() if digits), "")
    return token in _BLANK_ESCAPES or token.isspace() or bool(digits and chr(int(digits, 16)).isspace())


def _are_same(text: str, spans: list[tuple[int, int]], value: str) -> bool:
    """Return whether the characters at *spans* match *value*; escapes are assumed to match."""
    read = filter(_is_ink, value)
    return all(end - start > 1 or text[start] == char for (start, end), char in zip(spans, read, strict=False))


def _is_ink(char: str) -> bool:
    return bool(char) and not char.isspace()

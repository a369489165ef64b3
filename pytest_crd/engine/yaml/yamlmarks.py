"""
Places of values: where in a text something stands that has already been read.

It asks the nodes, so reading itself keeps no positions.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeGuard, cast

from pytest_crd.engine.yaml import yamlnode, yamlscalar
from pytest_crd.engine.yaml.yamlnode import AliasNode, MappingNode, ScalarNode, SequenceNode, YamlNode


class BareBoolean(NamedTuple):
    """
    A word without quotes that the server reads as a boolean, though it may be meant as a text: `on`, `no`, `y`.

    Attributes:
        line: 1-based line of the word.
        path: Where it is: keys and indices; of a key the key as JSON has it, `"true"` or `"false"`, is the last.
        written: The word.
        is_key: Whether it is a key, and no value.
    """

    line: int
    path: tuple[str | int, ...]
    written: str
    is_key: bool

    @property
    def value(self) -> str:
        """What the server reads: `true` or `false`."""
        return yamlscalar.key(self.written)


def find(root: YamlNode, path: Sequence[str | int], *, key: bool) -> int:
    """
    Return the line of what stands at *path*, or of its nearest ancestor that is there.

    Args:
        root: A document that was decoded without error.
        path: Mapping keys and list indices.
        key: Whether the line of the last mapping key is wanted, instead of its value's.
    """
    node, line = root, root.line
    for position, step in enumerate(path, start=1):
        found = _child(_target(node), step)
        if found is None:
            return line
        key_node, node = found
        line = key_node.line if key and position == len(path) else node.line
    return line


def key_lines(root: YamlNode, path: Sequence[str | int]) -> dict[tuple[str | int, ...], int]:
    """Return the lines of all keys and items below *path*, by their path from there; *root*: as for `find`."""
    node = _target(root)
    for step in path:
        found = _child(node, step)
        if found is None:
            return {}
        node = _target(found[1])
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
    Yield the words in a value that are read as booleans, but for `true` and `false`.

    Args:
        node: The value, in a document that was decoded without error.
        path: Where it is.
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
        root: The nodes of a document in *text*.
        text: What was read.
        path: Mapping keys and list indices.
        offset: In code points; that behind the last character counts too.

    Returns:
        The index; None where there is no string, or where its characters do not stand in the text one by one.
    """
    node = _target(root)
    for step in path:
        found = _child(node, step)
        if found is None:
            return None
        node = _target(found[1])
    if not isinstance(node, ScalarNode) or node.resolve() != node.text:
        return None
    from pytest_crd.engine.yaml import scalarplaces  # noqa: PLC0415 - only a mistake inside a text needs it

    return scalarplaces.find(text, node.start, node.text, offset)


def _child(node: YamlNode, step: str | int) -> tuple[YamlNode, YamlNode] | None:
    """Return the key and the value at *step*; a list's item is its own key."""
    if isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.items):
        return node.items[step], node.items[step]
    return _children(node).get(step) if isinstance(node, MappingNode) else None


@functools.lru_cache(maxsize=16)
def _children(mapping: MappingNode) -> dict[str | int, tuple[YamlNode, YamlNode]]:
    """Return the keys and values of *mapping* by name; a look-up of many paths passes the same mappings again and again."""
    return {_text(key): (key, value) for key, value in _assignments(mapping)}


def _assignments(mapping: YamlNode) -> Iterator[tuple[YamlNode, YamlNode]]:
    """Give the keys and values of *mapping* in the order in which the server sets them: the last one stays."""
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

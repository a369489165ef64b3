"""
Rewriting of JSON trees without modifying the input: changed parts are new, unchanged parts are shared.

Passes report changes as paths, built from the bottom up, so unchanged objects cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final, TypeAlias

from pytest_crd.engine.jsonvalue import CONTAINERS, JSONValue
from pytest_crd.engine.schema.structural import Structural
from pytest_crd.records import NamedTuple

# Object keys and 0-based list indices, from the root of the tree; during the rewrite, from the current node.
Path: TypeAlias = "tuple[str | int, ...]"

# Rewrites one object or list, and appends the path of every change that the pass reports.
Rewrite: TypeAlias = "Callable[[JSONValue, list[Path]], JSONValue]"


class Rewritten(NamedTuple):
    """
    Result of a rewrite of a tree.

    Attributes:
        value: The new tree; unchanged parts are shared with the old one.
        paths: The paths of the changes.
    """

    value: JSONValue
    paths: tuple[Path, ...]


class _Dropped:
    """Marker of a dropped value."""


DROPPED: Final = _Dropped()


def apply(rewrite: Rewrite, value: JSONValue) -> Rewritten:
    """Return the result of *rewrite* for any JSON value; scalars stay unchanged."""
    if type(value) not in CONTAINERS:
        return Rewritten(value, ())
    paths: list[Path] = []
    return Rewritten(rewrite(value, paths), tuple(paths))


class Once:
    """Rewrite that is compiled on first use."""

    def __init__(self, compile: Callable[[], Rewrite]) -> None:  # noqa: A002 - the verb of this package
        self._compile = compile

    @cached_property
    def rewrite(self) -> Rewrite:
        """The compiled rewrite."""
        return self._compile()


class ByKey(dict[str, Rewrite]):
    """Rewrites for the values of an object by key, compiled on first use."""

    def __init__(
        self, properties: Mapping[str, Structural], of_schema: Callable[[Structural], Rewrite], others: Once
    ) -> None:
        """
        Create from schemas.

        Args:
            properties: The schemas of keys.
            of_schema: Compiles the rewrite of a schema.
            others: The rewrite for all other keys.
        """
        super().__init__()
        self._properties = properties
        self._of_schema = of_schema
        self._others = others

    def __missing__(self, key: str) -> Rewrite:
        child = self._properties.get(key)
        if child is None:
            return self._others.rewrite  # not stored: a map may have many different keys
        rewrite = self[key] = self._of_schema(child)
        return rewrite


def prefix(paths: list[Path], start: int, segment: str | int) -> None:
    """Prepend *segment* to each of *paths* from *start* on, the paths that a nested rewrite has appended."""
    for position in range(start, len(paths)):
        paths[position] = (segment, *paths[position])


def changed_object(value: Mapping[str, JSONValue], changes: Mapping[str, JSONValue]) -> JSONValue:
    """Return *value* with *changes* by key: replaced in place, added at the end, or omitted if DROPPED."""
    return {key: item for key, item in {**value, **changes}.items() if item is not DROPPED}


def changed_list(value: list[JSONValue], changes: Mapping[int, JSONValue]) -> JSONValue:
    """Return *value* with *changes* by index."""
    return [changes.get(index, item) for index, item in enumerate(value)]


def items(rewrite: Rewrite) -> Rewrite:
    """Return a rewrite of lists that applies *rewrite* to nested objects and lists."""

    def rewrite_items(value: JSONValue, paths: list[Path]) -> JSONValue:
        changes: dict[int, JSONValue] = {}
        for index, item in enumerate(value):
            if type(item) is dict or type(item) is list:
                start = len(paths)
                new = rewrite(item, paths)
                if new is not item:
                    changes[index] = new
                    prefix(paths, start, index)
        return changed_list(value, changes) if changes else value

    return rewrite_items

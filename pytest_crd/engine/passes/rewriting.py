"""
Rewriting a JSON tree without touching the caller's: what changed is new, what did not is shared.

The passes note changes by path from the bottom up, so that an object in which nothing changes costs no path at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.jsonvalue import CONTAINERS, JSONValue
from pytest_crd.engine.schema.structural import Structural

# Object keys and 0-based list indices, from the root of the tree; while it is rewritten, from the node at hand.
Path: TypeAlias = "tuple[str | int, ...]"

# Rewrites one object or list, and appends the path of every change that the pass reports.
Rewrite: TypeAlias = "Callable[[JSONValue, list[Path]], JSONValue]"


class Rewritten(NamedTuple):
    """
    What a pass made of a tree.

    Attributes:
        value: The new tree; it shares with the old one what did not change.
        paths: Where something changed.
    """

    value: JSONValue
    paths: tuple[Path, ...]


TreePass: TypeAlias = "Callable[[JSONValue], Rewritten]"


class _Dropped:
    """Stands in place of a value that is to go."""


DROPPED: Final = _Dropped()


def as_pass(rewrite: Rewrite) -> TreePass:
    """Return *rewrite* as a pass over any JSON value; scalars stay as they are."""

    def rewrite_tree(value: JSONValue) -> Rewritten:
        if type(value) not in CONTAINERS:
            return Rewritten(value, ())
        paths: list[Path] = []
        new = rewrite(value, paths)
        return Rewritten(new, tuple(paths))

    return rewrite_tree


class Once:
    """A rewrite that is compiled when it is first needed."""

    def __init__(self, compile: Callable[[], Rewrite]) -> None:  # noqa: A002 - what it does
        self._compile = compile

    @cached_property
    def rewrite(self) -> Rewrite:
        """The rewrite."""
        return self._compile()


class ByKey(dict[str, Rewrite]):
    """How the object or list under each key of an object is rewritten; compiled when the key is first met."""

    def __init__(
        self, properties: Mapping[str, Structural], of_schema: Callable[[Structural], Rewrite], others: Once
    ) -> None:
        """
        Take what there is to compile.

        Args:
            properties: The keys that have a schema of their own.
            of_schema: Compiles one of these.
            others: What rewrites the value under any other key.
        """
        super().__init__()
        self._properties = properties
        self._of_schema = of_schema
        self._others = others

    def __missing__(self, key: str) -> Rewrite:
        child = self._properties.get(key)
        if child is None:
            return self._others.rewrite  # not stored: map keys are the user's, and there may be many
        rewrite = self[key] = self._of_schema(child)
        return rewrite


def prefix(paths: list[Path], start: int, segment: str | int) -> None:
    """Put *segment* before each of *paths* from *start* on: what a rewrite noted below the place *segment*."""
    for position in range(start, len(paths)):
        paths[position] = (segment, *paths[position])


def changed_object(value: Mapping[str, JSONValue], changes: Mapping[str, JSONValue]) -> JSONValue:
    """Return *value* with *changes* by key: replaced in place, added at the end, left out where DROPPED."""
    return {key: item for key, item in {**value, **changes}.items() if item is not DROPPED}


def changed_list(value: list[JSONValue], changes: Mapping[int, JSONValue]) -> JSONValue:
    """Return *value* with the items of *changes* in place of those at their indices."""
    return [changes.get(index, item) for index, item in enumerate(value)]


def items(rewrite: Rewrite) -> Rewrite:
    """Return the rewrite of a list whose objects and lists are rewritten by *rewrite*."""

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

"""Progress: what is told, step by step, of something that may take long; who hands in whom to tell decides what is shown of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from typing import TypeAlias, TypeVar

T = TypeVar("T")

# Takes how many steps are done, of how many, and what the next one is about.
Tell: TypeAlias = Callable[[int, int, str], None]
# Begins something, by what it is called, until the end of the `with` block.
Progress: TypeAlias = Callable[[str], AbstractContextManager[Tell]]


def untold(done: int, of: int, at: str) -> None:
    """Tell nobody."""


@contextlib.contextmanager
def silent(what: str) -> Iterator[Tell]:  # noqa: ARG001 - what others show
    """Begin something of which nobody is told."""
    yield untold


def each(things: Collection[T], tell: Tell, name: Callable[[T], str]) -> Iterator[T]:
    """
    Yield *things*, and tell before each how many are done.

    Args:
        things: What is gone through.
        tell: Who is told.
        name: Gives what a thing is called.
    """
    for done, thing in enumerate(things):
        tell(done, len(things), name(thing))
        yield thing

"""Progress reporting for long operations; the caller passes in the function that shows it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from typing import TypeAlias, TypeVar

T = TypeVar("T")

# Takes the number of finished steps, the number of all steps, and the name of the next step.
Tell: TypeAlias = Callable[[int, int, str], None]
# Takes the title of an operation and returns a context in which its steps can be reported.
Progress: TypeAlias = Callable[[str], AbstractContextManager[Tell]]


def ignore_step(done: int, total: int, at: str) -> None:
    """Show nothing."""


@contextlib.contextmanager
def silent(title: str) -> Iterator[Tell]:  # noqa: ARG001 - the signature of Progress
    """Begin an operation without showing its progress."""
    yield ignore_step


def each(items: Collection[T], tell: Tell, name: Callable[[T], str]) -> Iterator[T]:
    """
    Yield *items*, and report before each how many are done.

    Args:
        items: The steps of the operation.
        tell: Reports a step.
        name: Returns the name of an item.
    """
    for done, item in enumerate(items):
        tell(done, len(items), name(item))
        yield item

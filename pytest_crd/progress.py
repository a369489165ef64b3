"""Progress reporting for long operations; the caller passes in the function that shows it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from typing import Final, TextIO, TypeAlias, TypeVar

from pytest_crd import wording

PAUSE: Final = 0.2
"""Seconds between two states on a terminal."""
LONG_PAUSE: Final = 20.0
"""Seconds between two lines without a terminal."""
_ERASE: Final = "\r\x1b[K"

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


@contextlib.contextmanager
def show(title: str, stream: TextIO) -> Iterator[Tell]:
    """Show the progress of an operation on the last line of a terminal; without a terminal, print a line now and then."""
    is_terminal = stream.isatty()
    start, end, pause = (_ERASE, "", PAUSE) if is_terminal else ("", "\n", LONG_PAUSE)
    due = time.monotonic() + pause

    def show_step(done: int, total: int, _: str) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + pause
            print(f"{start}{wording.escape(title)}: {done} of {total}", end=end, file=stream, flush=True)

    yield show_step
    if is_terminal:
        print(_ERASE, end="", file=stream, flush=True)


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

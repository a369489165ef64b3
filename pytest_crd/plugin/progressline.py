"""
The progress line of a terminal: finished steps, all steps, and the name of the next one.

It appears after two seconds, is rewritten in place and erased at the end. Without a terminal, a line of its own is printed now and then. It is
not shown with `-q`, or while a test runs, because pytest's own line is there.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Final

import pytest

from pytest_crd import progress
from pytest_crd.progress import Progress, Tell

PATIENCE: Final = 2.0
"""Seconds until the progress of an operation is shown."""
_PAUSE: Final = 0.1
LONG_PAUSE: Final = 20.0
"""Seconds until the first line without a terminal, and between two lines."""
# The least room, in characters, in which the name of a step is shown.
_LEAST: Final = 10


class ProgressLine:
    """The progress line of a session."""

    def __init__(self, config: pytest.Config, clock: Callable[[], float] = time.monotonic) -> None:
        """Create it with the session's configuration and a clock in seconds."""
        self._config = config
        self._clock = clock
        self._is_begun = self._is_shown = False
        self._due = 0.0

    @contextlib.contextmanager
    def showing(self, title: str) -> Iterator[Tell]:
        """Show the progress of an operation until the end of the `with` block; an inner operation shares the outer one's delay."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or self._config.get_verbosity() < 0:
            yield progress.ignore_step
            return
        is_part, self._is_begun = self._is_begun, True
        if not is_part:
            self._due = self._clock() + (PATIENCE if reporter.isatty else LONG_PAUSE)
        try:
            yield functools.partial(self._show_step, reporter, title)
        finally:
            self._is_begun = is_part
            if self._is_shown:
                self._is_shown = False
                self._write(reporter, "", "")  # moves the cursor back to the start of the line

    def _show_step(self, reporter: Any, title: str, done: int, total: int, at: str) -> None:
        now = self._clock()
        if now < self._due or reporter.currentfspath is not None:
            return
        begin = f"crd: {title}: {done} of {total}"
        if not reporter.isatty:
            self._due = now + LONG_PAUSE
            with self._uncaptured():
                reporter.write_line(_escape(f"{begin}, {at}" if at else begin), flush=True)
            return
        self._due = now + _PAUSE
        self._is_shown = True
        room = self._config.get_terminal_writer().fullwidth - 1
        # The end of a path says more than its beginning.
        space = room - len(begin) - len(", ")
        name = at if len(at) <= space else f"...{at[-space + 3 :]}"
        self._write(reporter, (f"{begin}, {name}" if at and space > _LEAST else begin)[:room])

    def _write(self, reporter: Any, *lines: str) -> None:
        """Write the first of *lines* over the whole terminal line, and the others over its beginning."""
        with self._uncaptured():
            for index, line in enumerate(lines):
                reporter.rewrite(_escape(line), erase=not index, flush=True)

    def _uncaptured(self) -> AbstractContextManager[None]:
        """Return a context in which output reaches the terminal although pytest captures it during collection."""
        manager: Any = self._config.pluginmanager.get_plugin("capturemanager")
        return contextlib.nullcontext() if manager is None else manager.global_and_fixture_disabled()


def _escape(line: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in line)


_LINE: Final[pytest.StashKey[ProgressLine]] = pytest.StashKey()


def get_progress(config: pytest.Config) -> Progress:
    """Return the function that shows operations in the progress line of a session."""

    def showing(title: str) -> AbstractContextManager[Tell]:
        return config.stash.setdefault(_LINE, ProgressLine(config)).showing(title)

    return showing

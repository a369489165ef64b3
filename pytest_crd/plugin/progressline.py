"""
The line of a terminal that tells how far something is that takes long: what is done, of how many, and what it is at.

It stands there after two seconds, where there is a terminal and nobody has asked for quiet, is written again and again, and is gone in
the end. While a test runs, pytest's own line stands there, and this one does not.
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
"""After how many seconds something is told of."""
_PAUSE: Final = 0.1
# So many characters of what it is at say something.
_LEAST: Final = 10


class ProgressLine:
    """The line of a session."""

    def __init__(self, config: pytest.Config, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the session's configuration, and what gives the time in seconds."""
        self._config = config
        self._clock = clock
        self._is_begun = self._is_shown = False
        self._due = 0.0

    @contextlib.contextmanager
    def showing(self, what: str) -> Iterator[Tell]:
        """Show how far something is, until the end of the `with` block; its seconds are those of what it is a part of."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or not reporter.isatty or self._config.get_verbosity() < 0:
            yield progress.untold
            return
        is_part, self._is_begun = self._is_begun, True
        if not is_part:
            self._due = self._clock() + PATIENCE
        try:
            yield functools.partial(self._tell, reporter, what)
        finally:
            self._is_begun = is_part
            if self._is_shown:
                self._is_shown = False
                self._write(reporter, "", "")  # what is written next begins where this line did

    def _tell(self, reporter: Any, what: str, done: int, of: int, at: str) -> None:
        now = self._clock()
        if now < self._due or reporter.currentfspath is not None:
            return
        self._due = now + _PAUSE
        self._is_shown = True
        room = self._config.get_terminal_writer().fullwidth - 1
        begin = f"crd: {what}: {done} of {of}"
        # The end of a path says more than its beginning.
        left = room - len(begin) - len(", ")
        shown = at if len(at) <= left else f"...{at[-left + 3 :]}"
        self._write(reporter, (f"{begin}, {shown}" if at and left > _LEAST else begin)[:room])

    def _write(self, reporter: Any, *lines: str) -> None:
        """Write the first of *lines* over all that stands there, and the others over its beginning."""
        with self._uncaptured():
            for index, line in enumerate(lines):
                shown = "".join(char if char.isprintable() else "?" for char in line)
                reporter.rewrite(shown, erase=not index, flush=True)

    def _uncaptured(self) -> AbstractContextManager[None]:
        """Return the context in which what is written reaches the terminal, though pytest collects a file meanwhile."""
        manager: Any = self._config.pluginmanager.get_plugin("capturemanager")
        return contextlib.nullcontext() if manager is None else manager.global_and_fixture_disabled()


_LINE: Final = pytest.StashKey[ProgressLine]()


def of(config: pytest.Config) -> Progress:
    """Return what shows how far something is, in the line of a session."""

    def showing(what: str) -> AbstractContextManager[Tell]:
        return config.stash.setdefault(_LINE, ProgressLine(config)).showing(what)

    return showing

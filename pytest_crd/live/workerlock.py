"""
The worker lock: of several threads one works at a time, while the others wait for a server.

The engine is not made for several threads: some of what it sets, such as how deep calls may nest, is of the whole process.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class WorkerLock:
    """A lock that the working thread holds; a thread that never takes it neither waits nor releases anything."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Work, when the others have stopped, until the end of the `with` block."""
        self._take()
        try:
            yield
        finally:
            self._give_up()

    @contextlib.contextmanager
    def released(self) -> Iterator[None]:
        """Let others work until the end of the `with` block."""
        is_mine = self._owner == threading.get_ident()
        if is_mine:
            self._give_up()
        try:
            yield
        finally:
            if is_mine:
                self._take()

    @contextlib.contextmanager
    def holding(self, lock: threading.Lock) -> Iterator[None]:
        """Hold *lock* until the end of the `with` block; others work until it is free, for one of them has it."""
        with self.released():
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _take(self) -> None:
        self._lock.acquire()
        self._owner = threading.get_ident()

    def _give_up(self) -> None:
        if self._owner == threading.get_ident():  # unless Ctrl-C came while it was to be taken back
            self._owner = 0
            self._lock.release()

"""
Worker lock: one thread works at a time while others wait for a server.

The engine is not thread-safe: some of its settings, such as the recursion limit, belong to the whole process.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class WorkerLock:
    """Lock of the working thread; a thread that does not hold it can call `released` without effect."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0

    @contextlib.contextmanager
    def acquired(self) -> Iterator[None]:
        """Hold the lock until the end of the `with` block."""
        self._take()
        try:
            yield
        finally:
            self._give_up()

    @contextlib.contextmanager
    def released(self) -> Iterator[None]:
        """Release the lock until the end of the `with` block, if this thread holds it."""
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
        """Hold *lock* until the end of the `with` block; release the worker lock while waiting for it, because its owner may need that."""
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
        if self._owner == threading.get_ident():  # not the owner if Ctrl-C came while the lock was taken back
            self._owner = 0
            self._lock.release()

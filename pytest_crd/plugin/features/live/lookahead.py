"""
What the tests to come will ask a server: asked before they are run, and the CRDs made that it is asked of, as early as may be.

A server holds the first writes to a new CRD for two seconds, and tells of its making a little later. So all CRDs of a session are made
side by side from its beginning, while the first tests are run, and nobody waits for one after another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent import futures
from concurrent.futures import Future
from typing import Final

import pytest

from pytest_crd.cases.questions import AnyQuestion
from pytest_crd.live.run import LiveVerdict, Run
from pytest_crd.live.workerlock import WorkerLock
from pytest_crd.plugin.features.live import items as asked

# How many tests are asked about at a time.
_AHEAD: Final = 64
_PAUSE: Final = 0.1


class Lookahead:
    """The questions of the tests to come."""

    def __init__(self, run: Run, worker_lock: WorkerLock) -> None:
        """Take who asks, and what a thread has that works."""
        self._run, self._worker_lock = run, worker_lock
        self._places: dict[pytest.Item, int] = {}
        self._begun: set[pytest.Item] = set()
        self._known: dict[pytest.Item, list[AnyQuestion]] = {}
        self._asked: dict[pytest.Item | None, tuple[list[AnyQuestion], Future[LiveVerdict]]] = {}
        self._is_over = threading.Event()
        self._scout: threading.Thread | None = None

    def prepare(self, items: Sequence[pytest.Item]) -> None:
        """Begin to make the CRDs of tests."""
        self._scout = threading.Thread(target=self._look, args=(items,), name="pytest-crd lookahead", daemon=True)
        self._scout.start()

    def _look(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            if self._is_over.is_set():
                return
            with self._worker_lock.held():
                if item not in self._begun:
                    self._known[item] = asked.foreseen(item)
                    self._run.prepare(self._known[item])

    def end(self) -> None:
        """Make no more CRDs."""
        self._is_over.set()
        if self._scout is not None:
            self._scout.join()

    def ask(self, item: pytest.Item, items: Sequence[pytest.Item]) -> None:
        """Begin to ask what a test and the next ones after it ask; who holds the worker lock calls it."""
        here = self._places.setdefault(item, len(self._places))
        self.ask_all(items[here : here + _AHEAD])

    def ask_all(self, items: Sequence[pytest.Item]) -> None:
        """Begin to ask what tests ask."""
        for one in items:
            if one not in self._begun:
                self._begun.add(one)
                questions = self._known.pop(one, None)
                if questions := asked.foreseen(one) if questions is None else questions:
                    self._asked[one] = (questions, self._run.ahead(questions))

    def wait(self, item: pytest.Item, waiting: Callable[[], None]) -> None:
        """Wait until what a test will ask is answered, if that is known, and call *waiting* again and again meanwhile."""
        if item in self._asked:
            with self._worker_lock.released():
                while not futures.wait([self._asked[item][1]], timeout=_PAUSE).done:
                    waiting()

    def verdict(self, item: pytest.Item | None, questions: list[AnyQuestion]) -> LiveVerdict:
        """Return what becomes of the questions of a test, which may have been asked."""
        known, future = self._asked.pop(item, ([], None))
        if future is None or known != questions:
            return self._run.verdict(questions)
        with self._worker_lock.released():
            return future.result()

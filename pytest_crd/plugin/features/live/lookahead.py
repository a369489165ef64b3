"""
Questions of the next tests, sent to the server in advance, and the CRDs that they need, created as early as possible.

A server holds the first writes to a new CRD for two seconds, and reports the CRD as established a little later. So all CRDs of a session
are created side by side from its beginning, while the first tests run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent import futures
from concurrent.futures import Future
from typing import Final

import pytest

from pytest_crd.cases.questions import AnyQuestion
from pytest_crd.engine.observer import Observer
from pytest_crd.live.run import LiveVerdict, Run
from pytest_crd.live.workerlock import WorkerLock
from pytest_crd.plugin.features.live import items as liveitems

# The number of tests for which questions are sent in advance.
_AHEAD: Final = 64
_PAUSE: Final = 0.1


class Lookahead:
    """Questions of the next tests."""

    def __init__(self, run: Run, worker_lock: WorkerLock, observer: Observer) -> None:
        """Create it with the run that sends questions, the lock of the working thread, and the observer of the tests."""
        self._run, self._worker_lock, self._observer = run, worker_lock, observer
        self._places: dict[pytest.Item, int] = {}
        self._begun: set[pytest.Item] = set()
        self._foreseen: dict[pytest.Item, list[AnyQuestion]] = {}
        self._pending: dict[pytest.Item | None, tuple[list[AnyQuestion], Future[LiveVerdict]]] = {}
        self._is_over = threading.Event()
        self._scout: threading.Thread | None = None

    def prepare(self, items: Sequence[pytest.Item]) -> None:
        """Begin to create the CRDs of tests."""
        self._scout = threading.Thread(target=self._look, args=(items,), name="pytest-crd lookahead", daemon=True)
        self._scout.start()

    def _look(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            if self._is_over.is_set():
                return
            with self._worker_lock.acquired():
                if item not in self._begun:
                    self._foreseen[item] = liveitems.foresee_questions(item, self._observer)
                    self._run.prepare(self._foreseen[item])

    def end(self) -> None:
        """Stop creating CRDs."""
        self._is_over.set()
        if self._scout is not None:
            self._scout.join()

    def ask_next(self, item: pytest.Item, items: Sequence[pytest.Item]) -> None:
        """Begin to send the questions of a test and of the next ones; the caller holds the worker lock."""
        here = self._places.setdefault(item, len(self._places))
        self.ask_all(items[here : here + _AHEAD])

    def ask_all(self, items: Sequence[pytest.Item]) -> None:
        """Begin to send the questions of tests, once for each test."""
        for item in items:
            if item not in self._begun:
                self._begun.add(item)
                questions = self._foreseen.pop(item, None)
                if questions := liveitems.foresee_questions(item, self._observer) if questions is None else questions:
                    self._pending[item] = (questions, self._run.ahead(questions))

    def wait(self, item: pytest.Item, waiting: Callable[[], None]) -> None:
        """Wait for the answers to the foreseen questions of a test, and call *waiting* repeatedly meanwhile."""
        if item in self._pending:
            with self._worker_lock.released():
                while not futures.wait([self._pending[item][1]], timeout=_PAUSE).done:
                    waiting()

    def verdict(self, item: pytest.Item | None, questions: list[AnyQuestion]) -> LiveVerdict:
        """Return the verdict on the questions of a test; the foreseen one if it was for the same questions."""
        foreseen, future = self._pending.pop(item, ([], None))
        if future is None or foreseen != questions:
            return self._run.verdict(questions)
        with self._worker_lock.released():
            return future.result()

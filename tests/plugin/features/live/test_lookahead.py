"""Questions of the next tests, sent in advance."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_crd.engine.observer import Observer
from pytest_crd.live.run import LiveOutcome, LiveVerdict
from pytest_crd.live.workerlock import WorkerLock
from pytest_crd.plugin.features.live.lookahead import Lookahead

OBSERVER = Observer()


class _Item:
    """A test with one question."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.times = 0
        self.config = SimpleNamespace(stash=pytest.Stash())

    def get_closest_marker(self, _: str) -> None:
        return None

    def run_ahead(self) -> None:
        self.times += 1
        assert OBSERVER.question is not None
        OBSERVER.question(self.name)


class _Run:
    """Fake run that records its calls."""

    def __init__(self) -> None:
        self.prepared: list[Any] = []
        self.asked: list[Any] = []

    def prepare(self, asked: list[Any]) -> None:
        self.prepared += asked

    def ahead(self, asked: list[Any]) -> Future[LiveVerdict]:
        self.asked += asked
        future: Future[LiveVerdict] = Future()
        future.set_result(LiveVerdict(LiveOutcome.AGREED))
        return future


def _lookahead(run: _Run, worker_lock: WorkerLock | None = None) -> Lookahead:
    fake_run: Any = run
    return Lookahead(fake_run, worker_lock or WorkerLock(), OBSERVER)


def test_crds_are_created_for_all_tests_and_each_test_is_foreseen_once() -> None:
    run, worker_lock = _Run(), WorkerLock()
    items: Any = [_Item("a"), _Item("b"), _Item("c")]
    lookahead = _lookahead(run, worker_lock)
    with worker_lock.acquired():  # no other thread works meanwhile
        lookahead.ask_all(items[:1])
        lookahead.prepare(items)
    scout = lookahead._scout
    assert scout is not None
    scout.join(10)

    lookahead.ask_all(items)
    lookahead.end()

    assert run.prepared == ["b", "c"]
    assert run.asked == ["a", "b", "c"]
    assert [item.times for item in items] == [1, 1, 1]


def test_a_finished_session_creates_no_more_crds() -> None:
    run = _Run()
    items: Any = [_Item("a")]
    lookahead = _lookahead(run)
    lookahead.end()

    lookahead.prepare(items)
    lookahead.end()

    assert run.prepared == []


def test_a_test_waits_for_answers_to_its_foreseen_questions_and_shows_progress() -> None:
    class _Slow(_Run):
        def __init__(self) -> None:
            super().__init__()
            self.future: Future[LiveVerdict] = Future()

        def ahead(self, asked: list[Any]) -> Future[LiveVerdict]:
            super().ahead(asked)
            return self.future

    run, worker_lock = _Slow(), WorkerLock()
    item: Any = _Item("a")
    waited: list[bool] = []

    def waiting() -> None:
        with worker_lock.acquired():  # another thread may hold it meanwhile
            waited.append(True)
        run.future.set_result(LiveVerdict(LiveOutcome.AGREED))

    lookahead = _lookahead(run, worker_lock)
    with worker_lock.acquired():
        lookahead.wait(item, waiting)
        assert waited == []
        lookahead.ask_all([item])
        lookahead.wait(item, waiting)

    assert waited == [True]

"""The lock of the working thread."""

from __future__ import annotations

import threading
import time

from pytest_crd.live.workerlock import WorkerLock


def test_one_thread_works_at_a_time_and_others_while_it_waits() -> None:
    worker_lock, lock = WorkerLock(), threading.Lock()
    working: list[str] = []
    most: list[int] = []

    def work(name: str) -> None:
        with worker_lock.acquired():
            for _ in range(20):
                working.append(name)
                time.sleep(0.0005)
                most.append(len(working))
                working.remove(name)
                with worker_lock.released():
                    time.sleep(0.0005)
                with worker_lock.holding(lock):
                    working.append(name)
                    with worker_lock.released():
                        time.sleep(0.0005)
                    working.remove(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert not any(thread.is_alive() for thread in threads)
    assert max(most) <= 2  # the working thread, and a thread that waits with the lock


def test_a_thread_without_the_lock_releases_nothing() -> None:
    worker_lock = WorkerLock()

    with worker_lock.released(), worker_lock.acquired(), worker_lock.released(), worker_lock.acquired():
        assert worker_lock._lock.locked()

    assert not worker_lock._lock.locked()


def test_a_thread_interrupted_before_reacquiring_takes_the_lock_from_no_other() -> None:
    worker_lock = WorkerLock()

    with worker_lock.acquired():
        worker_lock._give_up()
        worker_lock._lock.acquire()  # as another thread does

    assert worker_lock._lock.locked()

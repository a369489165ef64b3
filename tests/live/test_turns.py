"""Threads of which one works at a time."""

from __future__ import annotations

import threading
import time

from pytest_crd.live.turns import Turn


def test_one_thread_works_at_a_time_and_others_while_it_waits() -> None:
    turn, lock = Turn(), threading.Lock()
    working: list[str] = []
    most: list[int] = []

    def work(name: str) -> None:
        with turn.taken():
            for _ in range(20):
                working.append(name)
                time.sleep(0.0005)
                most.append(len(working))
                working.remove(name)
                with turn.given_up():
                    time.sleep(0.0005)
                with turn.holding(lock):
                    working.append(name)
                    with turn.given_up():
                        time.sleep(0.0005)
                    working.remove(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert not any(thread.is_alive() for thread in threads)
    assert max(most) <= 2  # one that works, and one that holds the lock and waits


def test_who_has_no_turn_gives_nothing_up() -> None:
    turn = Turn()

    with turn.given_up(), turn.taken(), turn.given_up(), turn.taken():
        assert turn._lock.locked()

    assert not turn._lock.locked()


def test_who_is_interrupted_before_it_has_its_turn_back_takes_it_from_nobody() -> None:
    turn = Turn()

    with turn.taken():
        turn._give_up()
        turn._lock.acquire()  # as another thread does

    assert turn._lock.locked()

"""Steps in forked processes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_crd.cli import forks
from pytest_crd.engine import ManifestError, Mistake

# A test may run in a worker of pytest-xdist, which has threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


@pytest.fixture(autouse=True)
def _has_no_child() -> Iterator[None]:
    """Check that no fork is left."""
    before = _children()
    yield
    assert _children() == before


def _children() -> str:
    return Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children").read_text(encoding="utf-8")


def _fail(index: int) -> int:
    if index == 3:
        raise ManifestError([Mistake("a.yaml", 1, "is wrong")])
    return index


def _interrupt(_: int) -> None:
    raise KeyboardInterrupt


class _UnsendableError(Exception):
    """An error that cannot be pickled."""

    def __reduce__(self) -> str:
        raise TypeError("not to be pickled")


def _raise_unsendable(_: int) -> None:
    raise _UnsendableError


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_results_are_in_the_order_of_the_steps(count: int, jobs: int) -> None:
    assert [*forks.run(lambda index: index * index, count, jobs)] == [index * index for index in range(count)]


def test_steps_are_shared_evenly_by_processes() -> None:
    first, second, third, fourth = forks.run(lambda _: os.getpid(), 4, 2)

    assert (first, second) == (third, fourth)
    assert len({first, second, os.getpid()}) == 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_is_raised_after_the_results_before_it(jobs: int) -> None:
    results = forks.run(_fail, 9, jobs)

    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ManifestError, match="is wrong") as caught:
        next(results)
    assert caught.value.mistakes == (Mistake("a.yaml", 1, "is wrong"),)
    assert all("in _fail\n" in note for note in getattr(caught.value, "__notes__", ()))
    assert len(getattr(caught.value, "__notes__", ())) == jobs - 1


def test_a_result_that_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(Exception, match="pickle"):
        [*forks.run(lambda _: lambda: None, 2, 2)]


def test_an_error_that_cannot_be_sent_ends_the_run_with_its_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ChildProcessError, match="ended before its work was done"):
        [*forks.run(_raise_unsendable, 2, 2)]

    assert "_UnsendableError" in capfd.readouterr().err


def test_an_interrupted_fork_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ChildProcessError):
        [*forks.run(_interrupt, 2, 2)]

    assert capfd.readouterr().err == ""


def test_a_killed_fork_with_half_a_result_in_its_pipe_is_an_error() -> None:
    results: Iterator[Any] = forks.run(lambda index: b"x" * 1_000_000 if index > 1 else os.getpid(), 4, 2)
    process = next(results)
    _wait_for_full_pipe(process)

    os.kill(process, signal.SIGKILL)

    with pytest.raises(ChildProcessError, match=f"process {process} ended before its work was done"):
        list(results)


def _wait_for_full_pipe(process: int) -> None:
    while Path(f"/proc/{process}/stat").read_text(encoding="utf-8").split()[2] != "S":
        time.sleep(0.001)


def test_forks_end_if_no_more_results_are_wanted() -> None:
    results = forks.run(lambda _: b"x" * 100_000, 1000, 2)
    next(results)

    results.close()


@pytest.mark.parametrize(
    ("platform", "threads", "is_safe"), [("linux", 1, True), ("linux", 2, False), ("darwin", 1, False)]
)
def test_only_a_linux_process_without_threads_forks_by_itself(
    platform: str, threads: int, monkeypatch: pytest.MonkeyPatch, *, is_safe: bool
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(threading, "active_count", lambda: threads)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)

    assert forks.count_cores() == (3 if is_safe else 1)

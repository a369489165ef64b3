"""
Steps of a task in forked processes, with the results of one process: the same results in the same order, and the same errors.

A fork needs no arguments: it has the CRDs and everything else that this process has read. With n forks, each takes every n-th step. It writes
its results into a pipe; a full pipe makes it wait, and it ends if no process reads the pipe.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import IO, Any, Final, NamedTuple, TypeVar

_T = TypeVar("_T")
_SYSTEM: Final = "linux"


class _Fork(NamedTuple):
    """A forked process, and the reading end of its pipe."""

    process: int
    results: IO[bytes]


def count_cores() -> int:
    """Return the number of cores for forks; 1 if forks are unsafe: in a process with threads, and outside of Linux."""
    is_safe = sys.platform == _SYSTEM and threading.active_count() == 1
    return len(os.sched_getaffinity(0)) if is_safe else 1


def run(step: Callable[[int], _T], count: int, jobs: int) -> Generator[_T]:
    """
    Yield the results of *step* for 0, 1, 2 … in this order; close the iterator to end the forks early.

    Args:
        step: Returns a result, which can be pickled.
        count: The number of steps.
        jobs: The number of forks; 1 for no fork.

    Raises:
        Exception: The first error of a step, with its traceback as a note.
    """
    if jobs == 1:
        yield from map(step, range(count))
        return
    forks: list[_Fork] = []
    try:
        for number in range(jobs):
            forks.append(_fork(step, range(number, count, jobs), forks))
        for index in range(count):
            yield _receive(forks[index % jobs])
    finally:
        for fork in forks:
            fork.results.close()
        for fork in forks:
            os.waitpid(fork.process, 0)


def _fork(step: Callable[[int], object], indices: Iterable[int], others: Sequence[_Fork]) -> _Fork:
    """Return a fork that writes the results of steps."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return _Fork(process, os.fdopen(reading, "rb"))
    try:
        os.close(reading)
        for fork in others:
            fork.results.close()
        with contextlib.suppress(BrokenPipeError, KeyboardInterrupt), os.fdopen(writing, "wb", 0) as results:
            for index in indices:
                results.write(_attempt(step, index))
    except Exception:  # noqa: BLE001 - this process ends here
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(0)


def _attempt(step: Callable[[int], object], index: int) -> bytes:
    """Return the pickled result of a step, its error, and the traceback of the error."""
    try:
        return pickle.dumps((step(index), None, ""))
    except Exception as error:  # noqa: BLE001 - it is raised again
        return pickle.dumps((None, error, traceback.format_exc()))


def _receive(fork: _Fork) -> Any:
    """
    Return the next result of a fork.

    Raises:
        ChildProcessError: The fork has ended early.
        Exception: The error of the step.
    """
    try:
        result, error, place = pickle.load(fork.results)  # noqa: S301 - a process of this program has written it
    except (EOFError, pickle.UnpicklingError):
        raise ChildProcessError(f"process {fork.process} ended before its work was done") from None
    if error is not None:
        error.add_note(f"in a forked process:\n{place}")
        raise error
    return result

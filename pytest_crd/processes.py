"""
Process groups: a command and its children, which end with this process.

A watchdog, a shell with a fixed script, ends the group if this process ends without doing so: after a crash, or `kill -9`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

GRACE: Final = 5.0
"""Seconds from SIGTERM to SIGKILL."""
SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end a process without a cleanup: from `kill`, and from a closing terminal."""
_PAUSE: Final = 0.01
_LAST_WORDS: Final = 0.5
# It reads the number of the group, and then waits for a line, which never comes if this process crashes.
_WATCHDOG: Final = """
read group || exit
read line && exit
kill -s TERM -- "-$group" && sleep {grace} && kill -s KILL -- "-$group"
"""


class ProcessGroup:
    """A running command with its children, in a session of its own, so that Ctrl-C in the terminal does not reach it."""

    def __init__(  # noqa: PLR0913 - the parameters of a process
        self,
        words: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str] | None,
        output: IO[bytes] | int,
        errors: IO[bytes] | int = subprocess.STDOUT,
        grace: float = GRACE,
    ) -> None:
        """
        Start a command.

        Args:
            words: The program and its arguments.
            folder: The working folder.
            environment: The environment; None for the one of this process.
            output: The file for the standard output, or `subprocess.PIPE` for `communicate`.
            errors: The same for the error output, which is a part of the standard output by default.
            grace: The seconds from SIGTERM to SIGKILL.

        Raises:
            OSError: The program cannot be started.
        """
        self._grace = grace
        self._watchdog = subprocess.Popen(  # noqa: S603 - a fixed script
            ["/bin/sh", "-c", _WATCHDOG.format(grace=grace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
        try:
            self._command = subprocess.Popen(  # noqa: S603 - the command is the user's own setting
                words,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        except BaseException:
            self._watchdog.communicate()
            raise
        self._write(f"{self._command.pid}\n")

    @property
    def code(self) -> int | None:
        """The exit code of the command; negative for a signal, None while it runs."""
        return self._command.poll()

    @property
    def has_members(self) -> bool:
        """Whether the command or a child runs."""
        if self.code is None:
            return True
        try:
            os.killpg(self._command.pid, 0)
        except (ProcessLookupError, PermissionError):  # without members, or with zombies alone on macOS
            return False
        return _has_living(self._command.pid)

    def wait(self) -> int | None:
        """Return the exit code of a command that is about to end, after the loss of its connections; None if it runs on."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._command.wait(_LAST_WORDS)
        return self.code

    def communicate(self, seconds: float) -> tuple[bytes, bytes]:
        """
        Return the standard output and the error output of a command with pipes, as soon as it and all readers of its pipes have ended.

        Raises:
            TimeoutExpired: It takes longer; a further call continues.
        """
        return self._command.communicate(timeout=seconds)

    def end(self) -> bool:
        """End the command and its children with SIGTERM, then with SIGKILL; return True if SIGTERM was enough."""
        self._signal(signal.SIGTERM)
        has_obeyed = _wait_until(lambda: not self.has_members, self._grace)
        if not has_obeyed:
            self._signal(signal.SIGKILL)
        self._command.wait()
        for pipe in filter(None, (self._command.stdout, self._command.stderr)):
            pipe.close()
        self._write("end\n")
        self._watchdog.communicate()
        return has_obeyed

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._command.pid, number)

    def _write(self, line: str) -> None:
        """Write a line to the watchdog, unless it has ended."""
        assert self._watchdog.stdin is not None  # noqa: S101 - it is a pipe
        with contextlib.suppress(BrokenPipeError):
            self._watchdog.stdin.write(line.encode())


@contextlib.contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block at SIGTERM and SIGHUP, so that it cleans up; a handler that exists, or another thread, changes nothing."""
    is_main = threading.current_thread() is threading.main_thread()
    numbers = [number for number in SIGNALS if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(number: int, _frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second signal would interrupt the cleanup
    raise KeyboardInterrupt(signal.Signals(number).name)


def _has_living(group: int) -> bool:
    """Return whether a group has a process besides zombies, which stay in a container without an init process."""
    stats = [*Path("/proc").glob("[0-9]*/stat")]
    return not stats or any(_is_living(path, group) for path in stats)


def _is_living(path: Path, group: int) -> bool:
    try:
        state, _, number = path.read_text(errors="replace").rpartition(")")[2].split()[:3]
    except OSError:  # it has ended in the meantime
        return False
    return int(number) == group and state != "Z"


def _wait_until(is_done: Callable[[], bool], seconds: float) -> bool:
    """Return True as soon as *is_done* returns True, or False after *seconds*."""
    end = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() >= end:
            return False
        time.sleep(_PAUSE)
    return True

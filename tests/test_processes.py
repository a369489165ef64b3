"""Process groups, which leave no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.webhookservers import is_running

from pytest_crd import processes
from pytest_crd.processes import ProcessGroup

pytestmark = pytest.mark.session


def _start(tmp_path: Path, script: str, *, grace: float = 5) -> ProcessGroup:
    with (tmp_path / "output").open("wb") as output:
        return ProcessGroup(
            ["sh", "-c", script], folder=tmp_path, environment=dict(os.environ), output=output, grace=grace
        )


def _until(is_true: Callable[[], object]) -> None:
    end = time.monotonic() + 5
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.005)


def _output(tmp_path: Path) -> str:
    return (tmp_path / "output").read_text(encoding="utf-8")


@pytest.fixture
def pids(tmp_path: Path) -> Iterator[Callable[[int], list[int]]]:
    """Return a function that waits for lines with process numbers, and returns them; all must have ended with the test."""
    started: list[int] = []

    def wait_for(count: int) -> list[int]:
        _until(lambda: len(_output(tmp_path).split("\n")) > count)
        started.extend(int(line) for line in _output(tmp_path).split())
        return started

    yield wait_for
    _until(lambda: not any(is_running(pid) for pid in started))


def test_a_command_and_its_children_end_with_sigterm(tmp_path: Path, pids: Callable[[int], list[int]]) -> None:
    group = _start(tmp_path, "echo $$; sleep 60 & echo $!; wait")
    pids(2)

    assert (group.code, group.has_members) == (None, True)
    assert group.end()
    assert group.code == -signal.SIGTERM
    assert not group.has_members


def test_processes_that_ignore_sigterm_are_killed(tmp_path: Path, pids: Callable[[int], list[int]]) -> None:
    group = _start(tmp_path, "trap '' TERM; echo $$; (sleep 60; :) & echo $!; wait", grace=0.05)
    pids(2)

    assert not group.end()
    assert group.code == -signal.SIGKILL


def test_children_of_an_ended_command_are_members(tmp_path: Path, pids: Callable[[int], list[int]]) -> None:
    group = _start(tmp_path, "sleep 60 & echo $!; exit 3")
    pids(1)

    assert group.wait() == 3
    assert group.has_members
    assert group.end()


@pytest.mark.parametrize(
    ("stat", "is_living"), [("7 (a) b) S 1 5 5", True), ("7 (a) b) Z 1 5 5", False), ("7 (a) S 1 6 6", False)]
)
def test_a_zombie_is_no_member(tmp_path: Path, stat: str, *, is_living: bool) -> None:
    (tmp_path / "stat").write_text(stat, encoding="utf-8")

    assert processes._is_living(tmp_path / "stat", 5) is is_living


def test_a_process_that_ends_while_it_is_looked_at_is_no_member(tmp_path: Path) -> None:
    assert not processes._is_living(tmp_path / "stat", 1)


def test_a_running_command_has_no_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_LAST_WORDS", 0.01)
    group = _start(tmp_path, "sleep 60")

    assert group.wait() is None
    group.end()


def test_an_unknown_program_leaves_no_watchdog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen.__init__

    def note(process: subprocess.Popen[bytes], *arguments: object, **named: object) -> None:
        started.append(process)
        start(process, *arguments, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess.Popen, "__init__", note)
    with (tmp_path / "output").open("wb") as output, pytest.raises(FileNotFoundError):
        ProcessGroup(["no-such-program"], folder=tmp_path, environment={}, output=output)

    assert started[0].returncode is not None


def test_an_ended_watchdog_does_not_matter(tmp_path: Path) -> None:
    group = _start(tmp_path, "sleep 60")
    group._watchdog.kill()
    group._watchdog.wait()

    assert group.end()


CRASH = """
import os, pathlib, sys
from pytest_crd.processes import ProcessGroup
folder = pathlib.Path(sys.argv[1])
with (folder / "output").open("wb") as output:
    script = "echo $$; sleep 60 & echo $!; wait"
    ProcessGroup(["sh", "-c", script], folder=folder, environment=dict(os.environ), output=output)
print(flush=True)
sys.stdin.read()
"""


@pytest.mark.long
def test_the_group_of_a_killed_process_ends(tmp_path: Path, pids: Callable[[int], list[int]]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CRASH, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        pids(2)
        process.kill()


def test_signals_interrupt_the_main_thread_unless_they_have_a_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [
        signal.signal(number, handler) for number, handler in ((signal.SIGTERM, print), (signal.SIGHUP, signal.SIG_DFL))
    ]
    try:
        with processes.interrupted_by_signals():
            assert signal.getsignal(signal.SIGTERM) is print
            assert signal.getsignal(signal.SIGHUP) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
        monkeypatch.setattr(threading, "main_thread", lambda: None)
        with processes.interrupted_by_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    finally:
        for number, handler in zip((signal.SIGTERM, signal.SIGHUP), before, strict=True):
            signal.signal(number, handler)

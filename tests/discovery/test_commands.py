"""Commands that print manifests."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.webhookservers import is_running

from pytest_crd.discovery import commands
from pytest_crd.engine import InputError

pytestmark = pytest.mark.session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in {
        "good.sh": "cat; echo kind: A; pwd",
        "bad.sh": "echo one; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo line $i >&2; done; exit 3",
        "quiet.sh": "echo why; exit 1",
        "dies.sh": "kill -9 $$",
        "slow.sh": "echo wait >&2; exec sleep 9",
        "parent.sh": "sleep 60 > /dev/null 2>&1 & echo $! > pids",
        "busy.sh": "sleep 60 & echo $! > pids; echo $$ >> pids; wait",
    }.items():
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
        path.chmod(0o755)
    return tmp_path


def test_the_output_of_a_command_is_returned_and_its_input_is_empty(folder: Path) -> None:
    assert commands.run("./good.sh", folder=folder) == f"kind: A\n{folder}\n".encode()


def _wait_for_end(folder: Path) -> None:
    """Wait until the processes in the file `pids` have ended."""
    end = time.monotonic() + 5
    pids = [int(line) for line in (folder / "pids").read_text(encoding="utf-8").split()]
    while any(is_running(pid) for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.005)
    assert pids


@pytest.mark.parametrize(
    ("command", "raised"), [("./parent.sh", None), ("./busy.sh", InputError), ("./busy.sh", KeyboardInterrupt)]
)
def test_the_children_of_a_command_end_with_it(folder: Path, command: str, raised: type[BaseException] | None) -> None:
    def wait() -> None:
        if raised is KeyboardInterrupt and (folder / "pids").exists():
            raise KeyboardInterrupt

    with pytest.raises(raised) if raised else contextlib.nullcontext():
        commands.run(command, folder=folder, seconds=0.2, waiting=wait)

    _wait_for_end(folder)


def test_a_command_of_a_killed_process_ends_with_its_children(folder: Path) -> None:
    program = "from pathlib import Path; from pytest_crd.discovery import commands; "
    program += f"commands.run('./busy.sh', folder=Path({str(folder)!r}), waiting=lambda: print(flush=True))"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        while not (folder / "pids").exists() or (folder / "pids").read_text(encoding="utf-8").count("\n") < 2:
            assert process.stdout.readline()
        process.kill()

    _wait_for_end(folder)


def test_words_are_quoted_as_for_a_shell(folder: Path) -> None:
    assert commands.run(f"'{sys.executable}' -c 'print(\"a  b\")'", folder=folder) == b"a  b\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("./bad.sh", "exited with 3:" + "".join(f"\n  line {number}" for number in range(2, 12))),
        ("./quiet.sh", "exited with 1:\n  why"),
        ("./dies.sh", "was ended by signal 9"),
        ("./slow.sh", "took more than 0.5 seconds:\n  wait"),
        ("no-such-command a", "cannot be run in {folder}: No such file or directory"),
    ],
)
def test_a_command_that_fails_says_how_with_its_last_lines(folder: Path, command: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        commands.run(command, folder=folder, seconds=0.5)

    assert str(raised.value) == f"crd_commands: `{command}`: {message.format(folder=folder)}"


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("kustomize build config/crd", ""),
        ("helm template 'a b'", ""),
        ("kustomize build 'x", '"kustomize build \'x": No closing quotation'),
        ("a | b", "'a | b': no shell runs it, to which alone '|' means something; write a script"),
        (" ", "an empty line"),
    ],
)
def test_a_malformed_command_is_found_before_it_runs(command: str, problem: str) -> None:
    assert commands.problem_of(command) == problem


def test_the_callback_is_called_while_a_command_runs(folder: Path) -> None:
    called: list[None] = []

    with pytest.raises(InputError):
        commands.run("./slow.sh", folder=folder, seconds=0.35, waiting=lambda: called.append(None))

    assert 2 <= len(called) <= 6


def test_a_command_is_killed_if_the_callback_raises(folder: Path) -> None:
    def end() -> None:
        raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        commands.run("./slow.sh", folder=folder, waiting=end)

    assert time.monotonic() - began < 5

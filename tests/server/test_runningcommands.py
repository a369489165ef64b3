"""Commands that use the server of a test: readiness, output, early ends, and stops."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_crd.server import runningcommands
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.requestlog import RequestLog
from pytest_crd.server.runningcommands import CommandError, Commands, RunningCommand

pytestmark = pytest.mark.session
WATCH = HTTPRequest("GET", "/apis/example.com/v1/things?watch=1", {"user-agent": "operator"})


@pytest.fixture
def log() -> RequestLog:
    return RequestLog()


@pytest.fixture
def start(log: RequestLog) -> Iterator[Callable[..., Any]]:
    """Yield a function that starts a shell script, and stop all scripts."""
    started: list[Commands] = []

    def start_script(script: str, watched: Sequence[str] | None = ("things.example.com",), **options: Any) -> Any:
        commands = Commands(log, lambda: watched, lambda: {"PATH": "/usr/bin:/bin", "GREETING": "hello"})
        defaults: dict[str, Any] = {"watches": (), "ready": None, "folder": ".", "environment": {}, "timeout": 10.0}
        started.append(commands)
        commands.start(["sh", "-c", script], **{**defaults, **options})
        return commands

    yield start_script
    for commands in started:
        commands.stop()


def _nothing() -> None:
    """Do nothing."""


def _after(steps: Iterator[Callable[[], None]], function: Callable[[int], Any], count: int) -> Any:
    """Take a step, and return the value of a function."""
    next(steps, _nothing)()
    return function(count)


def _ended(command: RunningCommand) -> RunningCommand:
    command._group._command.wait()
    return command


def test_a_command_has_the_environment_and_ends_when_stopped(tmp_path: Path) -> None:
    environment = {"NAME": "you", "PATH": "/usr/bin:/bin"}
    command = RunningCommand(
        ["sh", "-c", "echo hello $NAME; echo > done; exec sleep 60"], folder=tmp_path, environment=environment
    )
    while not (tmp_path / "done").exists():
        pass
    assert (command.output, command.code, command.problem) == ("hello you\n", None, "")
    assert repr(command).endswith("sleep 60'`, running>")
    with command as entered:
        assert entered is command
    command.stop()
    assert (command.code, command.problem, command.output) == (-15, "", "hello you\n")
    assert repr(command).endswith("sleep 60'`, exit code -15>")


def test_a_command_is_ready_when_it_watches_a_resource(log: RequestLog, start: Callable[..., Commands]) -> None:
    watch: Callable[[], None] = functools.partial(log.note, WATCH, None)
    watch()
    with pytest.raises(
        CommandError,
        match=r"did not get ready in 0\.1 seconds: no sign that it watches a custom resource of the project",
    ):
        start("sleep 60", timeout=0.1)
    ready: Iterator[Callable[[], None]] = iter([_nothing, watch])
    since = log.since

    def since_with_watches(count: int) -> Any:
        next(ready, _nothing)()
        return since(count)

    log.since = since_with_watches  # type: ignore[method-assign] # as if the command watched between two looks
    start("sleep 60").stop()
    ready = iter([_nothing, watch])
    start("sleep 60", watches="things").stop()
    ready = iter([_nothing, watch])
    start("sleep 60", watched=()).stop()


@pytest.mark.parametrize("watched", [(), ("things.example.com",)])
def test_a_command_with_a_refused_watch_is_not_ready(
    watched: Sequence[str], log: RequestLog, start: Callable[..., Commands]
) -> None:
    refused = iter([functools.partial(log.note, WATCH, HTTPAnswer(403, b""))] * 2)
    log.since = functools.partial(_after, refused, log.since)  # type: ignore[method-assign] # as if the command watched
    with pytest.raises(CommandError, match="did not get ready"):
        start("sleep 60", timeout=0.1, watched=watched)


def test_a_command_that_ends_before_it_is_ready_is_an_error(start: Callable[..., Commands]) -> None:
    with pytest.raises(CommandError, match=re.escape("exited with 3 before it watches things and more:\nhello")):
        start("echo $GREETING; exit 3", watches=("things", "more"))
    with pytest.raises(CommandError, match="before it is ready"):
        start("exit 1", ready=lambda: False)


def test_an_expected_error_of_a_command_is_no_problem_of_the_test(log: RequestLog) -> None:
    commands = Commands(log, lambda: (), lambda: {"PATH": "/usr/bin:/bin"})
    for script in ("exit 3", "sleep 60"):
        with pytest.raises(CommandError):
            commands.start(
                ["sh", "-c", script], watches=(), ready=lambda: False, folder=".", environment={}, timeout=0.2
            )
    assert (commands.count, commands.problems()) == (2, [])
    assert [command.code for command in commands._running] == [3, -15]


def test_a_program_that_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        CommandError, match=re.escape(f"`/no/such` cannot be run in {tmp_path}: No such file or directory")
    ):
        RunningCommand(["/no/such"], folder=tmp_path, environment={})


def test_readiness_without_seen_requests_needs_a_function(start: Callable[..., Commands]) -> None:
    with pytest.raises(CommandError, match="with --crd-live the requests of a command are not seen: give `ready`"):
        start("sleep 60", watched=None)
    commands = start("sleep 60", watched=None, ready=lambda: True)
    assert (commands.count, commands.problems()) == (1, [])
    commands.stop(1)
    commands.stop()


def test_a_command_that_ends_by_itself_is_a_problem_of_the_test(start: Callable[..., Commands]) -> None:
    commands = start("seq 1 70; kill -9 $$", ready=lambda: True)
    (command,) = commands._running
    assert _ended(command).problem == f"`{command.text}` was ended by signal 9"
    assert commands.problems() == [f"{command.problem} during the test"]
    ((text, tail),) = commands.sections()
    assert (text, tail.splitlines()[:2], len(tail.splitlines())) == (command.text, ["… 10 lines before", "11"], 61)
    commands.stop()
    assert commands.problems() == []


def test_the_command_of_kopf_watches_all_namespaces_or_one(tmp_path: Path) -> None:
    (tmp_path / "operator.py").touch()
    words = runningcommands.kopf_command(tmp_path, "operator.py", "", ["--verbose"])
    assert words == [
        sys.executable,
        "-P",
        "-u",
        "-m",
        "kopf",
        "run",
        "--standalone",
        "--all-namespaces",
        "--verbose",
        "operator.py",
    ]
    assert runningcommands.kopf_command(tmp_path, "operator.py", "team", [])[7:9] == ["--namespace", "team"]


def test_an_operator_that_is_missing_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match=re.escape(f"run_operator: there is no file {tmp_path / 'no.py'}")):
        runningcommands.kopf_command(tmp_path, "no.py", "", [])
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(CommandError, match="run_operator needs kopf, which is not installed"):
        runningcommands.kopf_command(tmp_path, "no.py", "", [])

"""Commands that use the server of a test, such as an operator: started by the test, ready when they watch, ended with the test."""

from __future__ import annotations

import importlib.util
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Self

from pytest_crd.processes import ProcessGroup
from pytest_crd.server.http.requestlog import RequestLog

_PAUSE: Final = 0.01
_OK: Final = 200
_MOST_LINES: Final = 60
_UNSEEN: Final = "with --crd-live the requests of a command are not seen: give `ready`, a function that returns true once it is ready"


class CommandError(Exception):
    """A command cannot be started, ends too early, or is not ready in time; the message has the end of its output."""


class RunningCommand:
    """
    A command that a test has started, with its children. In a `with` statement it ends with the block, else with the test.

    Attributes:
        text: The command line.
    """

    def __init__(self, words: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        """
        Start a command.

        Args:
            words: The program and its arguments.
            folder: The working folder.
            environment: The environment.

        Raises:
            CommandError: The program cannot be started.
        """
        self.text = shlex.join(words)
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`
        self._is_stopped = False
        self._code: int | None = None
        try:
            self._group = ProcessGroup(words, folder=folder, environment=environment, output=self._output)
        except OSError as error:
            self._output.close()
            raise CommandError(f"`{self.text}` cannot be run in {folder.absolute()}: {error.strerror}") from None

    @property
    def output(self) -> str:
        """The output so far, standard output and error output together."""
        if not self._output.closed:
            position = self._output.seek(0, 2)
            self._output.seek(0)
            self._read = self._output.read(position).decode(errors="replace")
        return self._read

    @property
    def code(self) -> int | None:
        """The exit code; negative for a signal, None while the command runs."""
        return self._code if self._is_stopped else self._group.code

    @property
    def problem(self) -> str:
        """A message if the command ended without `stop`; else empty."""
        code = None if self._is_stopped else self._group.code
        if code is None:
            return ""
        return f"`{self.text}` {f'exited with {code}' if code >= 0 else f'was ended by signal {-code}'}"

    def tail(self) -> str:
        """Return the last lines of the output."""
        lines = self.output.splitlines()
        return "\n".join(
            [
                *([f"… {len(lines) - _MOST_LINES} lines before"] if len(lines) > _MOST_LINES else []),
                *lines[-_MOST_LINES:],
            ]
        )

    def stop(self) -> None:
        """End the command and its children: SIGTERM, and after five seconds SIGKILL."""
        if not self._is_stopped:
            self._group.end()
            self._code, self._is_stopped = self._group.code, True
            _ = self.output
            self._output.close()

    def __enter__(self) -> Self:
        """Return the command."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the command."""
        self.stop()

    def __repr__(self) -> str:
        """Return the command line and the state."""
        return f"<RunningCommand `{self.text}`, {'running' if self.code is None else f'exit code {self.code}'}>"


class Commands:
    """The commands of a test."""

    def __init__(
        self, log: RequestLog, watched: Callable[[], Sequence[str] | None], environment: Callable[[], Mapping[str, str]]
    ) -> None:
        """
        Create without commands.

        Args:
            log: The requests to the server.
            watched: Returns the resources of which a ready command watches one; None if requests are not seen.
            environment: Returns the environment of commands.
        """
        self._log = log
        self._watched = watched
        self._environment = environment
        self._running: list[RunningCommand] = []

    def start(  # noqa: PLR0913 - the parameters of `CrdServer.run_command`
        self,
        words: Sequence[str],
        *,
        watches: str | Sequence[str],
        ready: Callable[[], object] | None,
        folder: str | Path,
        environment: Mapping[str, str],
        timeout: float,
    ) -> RunningCommand:
        """Start a command and wait until it is ready, as in `CrdServer.run_command`."""
        is_ready, awaited = self._readiness((watches,) if isinstance(watches, str) else watches, ready)
        command = RunningCommand(words, folder=Path(folder), environment={**self._environment(), **environment})
        self._running.append(command)
        deadline = time.monotonic() + timeout
        while not is_ready():
            if problem := command.problem:
                command.stop()
                raise CommandError(f"{problem} before {awaited}:\n{command.tail()}")
            if time.monotonic() >= deadline:
                command.stop()
                raise CommandError(
                    f"`{command.text}` did not get ready in {timeout:g} seconds: no sign that {awaited}\n{command.tail()}"
                )
            time.sleep(_PAUSE)
        return command

    def _readiness(
        self, watches: Sequence[str], ready: Callable[[], object] | None
    ) -> tuple[Callable[[], object], str]:
        """
        Return a function that returns true once a command is ready, and its condition in words.

        Raises:
            CommandError: The requests of a command are not seen.
        """
        if ready is not None:
            return ready, "it is ready"
        watched = self._watched()
        if watched is None:
            raise CommandError(_UNSEEN)
        before = self._log.count

        def has_watched(resource: str) -> bool:
            return bool(self._log.since(before).find(verb="watch", resource=resource, code=_OK))

        if watches:
            return lambda: all(map(has_watched, watches)), f"it watches {' and '.join(watches)}"
        if not watched:
            return lambda: self._log.since(before).find(verb="watch", code=_OK), "it watches a resource"
        return lambda: any(map(has_watched, watched)), "it watches a custom resource of the project"

    @property
    def count(self) -> int:
        """The number of commands that were started."""
        return len(self._running)

    def problems(self) -> list[str]:
        """Return a message for each command that ended by itself."""
        return [f"{command.problem} during the test" for command in self._running if command.problem]

    def sections(self) -> list[tuple[str, str]]:
        """Return the command line and the end of the output of each command."""
        return [(command.text, command.tail()) for command in self._running]

    def stop(self, start: int = 0) -> None:
        """End the commands after the first *start* ones, the last one first."""
        for command in reversed(self._running[start:]):
            command.stop()


def kopf_command(folder: Path, path: str | Path, namespace: str, options: Iterable[str]) -> list[str]:
    """
    Return the command line of a kopf operator.

    Args:
        folder: The working folder.
        path: The file of the operator, relative to the folder.
        namespace: The namespace that it watches; empty for all.
        options: Further options of `kopf run`.

    Raises:
        CommandError: kopf is not installed, or the file is missing.
    """
    if importlib.util.find_spec("kopf") is None:
        raise CommandError(
            "run_operator needs kopf, which is not installed; for another framework, write run_command([...])"
        )
    if not (folder / path).is_file():
        raise CommandError(f"run_operator: there is no file {folder / path}")
    scope = ["--namespace", namespace] if namespace else ["--all-namespaces"]
    # Without -P, a file `operator.py` in the folder would replace the module of the standard library.
    return [sys.executable, "-P", "-u", "-m", "kopf", "run", "--standalone", *scope, *options, str(path)]

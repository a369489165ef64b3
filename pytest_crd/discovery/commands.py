"""Commands that print manifests, such as `kustomize build config/crd` and `helm template charts/x`."""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.processes import ProcessGroup

SECONDS: Final = 60
_MOST_LINES: Final = 10
_PAUSE: Final = 0.1
_SHELL_OPERATORS: Final = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "<"})


def problem_of(command: str) -> str:
    """Return the error in *command* if it cannot be run; else empty."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"{command!r}: {error}"
    if not words:
        return "an empty line"
    if operators := _SHELL_OPERATORS.intersection(words):
        return f"{command!r}: no shell runs it, to which alone {min(operators)!r} means something; write a script"
    return ""


def run(
    command: str,
    *,
    folder: Path,
    seconds: float = SECONDS,
    waiting: Callable[[], None] = lambda: None,
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """
    Run *command* and return its standard output. It and its children end with the call, also if this process is killed.

    Args:
        command: Its words, quoted as for a shell; no shell is involved.
        folder: The working folder.
        seconds: The timeout.
        waiting: Called repeatedly until the command has ended.
        environment: Its environment; None for the one of this process.

    Raises:
        CrdError: The command is missing, fails, or takes too long; the message has the last lines of its error output.
    """
    pipe = subprocess.PIPE
    try:
        group = ProcessGroup(shlex.split(command), folder=folder, environment=environment, output=pipe, errors=pipe)
    except OSError as error:
        raise _failure(command, f"cannot be run in {folder}: {error.strerror}") from None
    try:
        output, errors = _communicate(group, seconds, waiting)
    except subprocess.TimeoutExpired as error:
        raise _failure(command, f"took more than {seconds:g} seconds", error.stderr or b"") from None
    finally:
        group.end()
    if code := group.code:
        how = f"exited with {code}" if code > 0 else f"was ended by signal {-code}"
        raise _failure(command, how, errors.strip() or output)
    return output


def _communicate(group: ProcessGroup, seconds: float, waiting: Callable[[], None]) -> tuple[bytes, bytes]:
    """
    Wait for a command and return its standard output and error output.

    Raises:
        TimeoutExpired: It takes too long.
    """
    end = time.monotonic() + seconds
    while True:
        waiting()
        try:
            return group.communicate(min(_PAUSE, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            if time.monotonic() >= end:
                raise


def _failure(command: str, problem: str, errors: bytes = b"") -> CrdError:
    lines = errors.decode(errors="replace").strip().splitlines()[-_MOST_LINES:]
    words = "".join(f"\n  {line}" for line in lines)
    return CrdError([Mistake(f"crd_commands: `{command}`", 0, f"{problem}{':' if words else ''}{words}")])

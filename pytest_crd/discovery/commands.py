"""Commands that print manifests, such as `kustomize build config/crd` and `helm template charts/x`."""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pytest_crd.engine.inputerror import CrdError, Mistake

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
    Run *command* and return its standard output.

    Args:
        command: Its words, quoted as for a shell; no shell is involved.
        folder: The working folder.
        seconds: The timeout.
        waiting: Called repeatedly until the command has ended.
        environment: Its environment; None for the one of this process.

    Raises:
        CrdError: The command is missing, fails, or takes too long; the message has the last lines of its error output.
    """
    try:
        with subprocess.Popen(  # noqa: S603 - the command is the user's own setting
            shlex.split(command),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            output, errors = _communicate(process, seconds, waiting)
    except subprocess.TimeoutExpired as error:
        raise _failure(command, f"took more than {seconds:g} seconds", error.stderr or b"") from None
    except OSError as error:
        raise _failure(command, f"cannot be run in {folder}: {error.strerror}") from None
    if code := process.returncode:
        how = f"exited with {code}" if code > 0 else f"was ended by signal {-code}"
        raise _failure(command, how, errors.strip() or output)
    return output


def _communicate(process: subprocess.Popen[bytes], seconds: float, waiting: Callable[[], None]) -> tuple[bytes, bytes]:
    """
    Wait for a process and return its standard output and error output.

    Raises:
        TimeoutExpired: It took too long and was killed.
    """
    end = time.monotonic() + seconds
    try:
        while True:
            waiting()
            try:
                return process.communicate(timeout=min(_PAUSE, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                if time.monotonic() >= end:
                    raise
    except BaseException:
        process.kill()
        raise


def _failure(command: str, problem: str, errors: bytes = b"") -> CrdError:
    lines = errors.decode(errors="replace").strip().splitlines()[-_MOST_LINES:]
    words = "".join(f"\n  {line}" for line in lines)
    return CrdError([Mistake(f"crd_commands: `{command}`", 0, f"{problem}{':' if words else ''}{words}")])

"""Commands whose standard output is a stream of manifests, as `kustomize build config/crd` and `helm template charts/x`."""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pytest_crd.engine.inputerror import CrdError, Mistake

SECONDS: Final = 60
_MOST_LINES: Final = 10
_PAUSE: Final = 0.1
_OF_SHELLS: Final = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "<"})


def problem_of(command: str) -> str:
    """Return why *command* cannot be run, before it is; empty where it may."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"{command!r}: {error}"
    if not words:
        return "an empty line"
    if found := _OF_SHELLS.intersection(words):
        return f"{command!r}: no shell runs it, to which alone {min(found)!r} means something; write a script"
    return ""


def run(command: str, *, folder: Path, seconds: float = SECONDS, waiting: Callable[[], None] = lambda: None) -> bytes:
    """
    Return what *command* prints.

    Args:
        command: Its words, quoted as for a shell, which runs nothing of it.
        folder: Where it is run.
        seconds: How long it may take.
        waiting: Called again and again until it has ended.

    Raises:
        CrdError: It is not there, fails, or takes too long; with the last lines that it has printed about it.
    """
    try:
        with subprocess.Popen(  # noqa: S603 - the user's own settings say what is to be run
            shlex.split(command),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            output, said = _printed(process, seconds, waiting)
    except subprocess.TimeoutExpired as error:
        raise _failure(command, f"took more than {seconds:g} seconds", error.stderr or b"") from None
    except OSError as error:
        raise _failure(command, f"cannot be run in {folder}: {error.strerror}") from None
    if code := process.returncode:
        how = f"exited with {code}" if code > 0 else f"was ended by signal {-code}"
        raise _failure(command, how, said.strip() or output)
    return output


def _printed(process: subprocess.Popen[bytes], seconds: float, waiting: Callable[[], None]) -> tuple[bytes, bytes]:
    """
    Return what a process prints, and what it says of errors, when it has ended.

    Raises:
        TimeoutExpired: It takes too long, and was ended.
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


def _failure(command: str, what: str, said: bytes = b"") -> CrdError:
    lines = said.decode(errors="replace").strip().splitlines()[-_MOST_LINES:]
    words = "".join(f"\n  {line}" for line in lines)
    return CrdError([Mistake(f"crd_commands: `{command}`", 0, f"{what}{':' if words else ''}{words}")])

"""Commands whose standard output is a stream of manifests, as `kustomize build config/crd` and `helm template charts/x`."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import Final

from pytest_crd.engine.inputerror import CrdError, Mistake

SECONDS: Final = 60
_MOST_LINES: Final = 10
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


def run(command: str, *, folder: Path, seconds: float = SECONDS) -> bytes:
    """
    Return what *command* prints.

    Args:
        command: Its words, quoted as for a shell, which runs nothing of it.
        folder: Where it is run.
        seconds: How long it may take.

    Raises:
        CrdError: It is not there, fails, or takes too long; with the last lines that it has printed about it.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the user's own settings say what is to be run
            shlex.split(command),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _failure(command, f"took more than {seconds:g} seconds", error.stderr or b"") from None
    except OSError as error:
        raise _failure(command, f"cannot be run in {folder}: {error.strerror}") from None
    if done.returncode:
        how = f"exited with {done.returncode}" if done.returncode > 0 else f"was ended by signal {-done.returncode}"
        raise _failure(command, how, done.stderr.strip() or done.stdout)
    return done.stdout


def _failure(command: str, what: str, said: bytes = b"") -> CrdError:
    lines = said.decode(errors="replace").strip().splitlines()[-_MOST_LINES:]
    words = "".join(f"\n  {line}" for line in lines)
    return CrdError([Mistake(f"crd_commands: `{command}`", 0, f"{what}{':' if words else ''}{words}")])

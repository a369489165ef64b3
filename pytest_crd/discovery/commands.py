"""Commands that print manifests, such as `kustomize build config/crd` and `helm template charts/x`: running and suggesting them."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from pytest_crd.discovery import kustomizeroots
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.loading.crdfiles import Remark, RemarkKind
from pytest_crd.processes import ProcessGroup

SECONDS: Final = 60
_MOST_LINES: Final = 10
_PAUSE: Final = 0.1
_SHELL_OPERATORS: Final = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "<"})

_CHART: Final = ("Chart.yaml",)
# The folders where kubebuilder puts kustomizations of CRDs.
_USUAL_FOLDERS: Final = ("config/crd", "config/default")
_MOST_COMMANDS: Final = 3


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


def suggest(passed_over: Iterable[Remark], *, base: Path) -> Iterator[Mistake]:
    """
    Yield hints to set `crd_commands` if no CRD was found; a command is run only if the setting names it.

    Args:
        passed_over: Remarks about templates and patches.
        base: The folder of the project.
    """
    commands = dict.fromkeys([*_commands_of_files(passed_over, base), *_commands_of_usual_folders(base)])
    for command in list(commands)[:_MOST_COMMANDS]:
        yield Mistake(str(base), 0, f"write crd_commands = {command}; a command is run only if crd_commands names it")


def _commands_of_files(passed_over: Iterable[Remark], base: Path) -> Iterator[str]:
    for remark in passed_over:
        path = base / remark.source
        if remark.kind is RemarkKind.TEMPLATE and (chart := _above(path, base, _CHART)):
            yield f"helm template {chart} --include-crds"
        elif remark.kind is RemarkKind.PATCH and (folder := _above(path, base, kustomizeroots.NAMES)):
            yield _kustomize(folder)


def _commands_of_usual_folders(base: Path) -> Iterator[str]:
    folders = [name for name in _USUAL_FOLDERS if any((base / name / file).is_file() for file in kustomizeroots.NAMES)]
    yield from map(_kustomize, folders[:1])


def _above(path: Path, base: Path, names: Iterable[str]) -> str:
    """Return the nearest folder above a file that contains a file of *names*, quoted for a command; else empty."""
    inside = (parent for parent in path.parents if parent.is_relative_to(base))
    folder = next((parent for parent in inside if any((parent / name).is_file() for name in names)), None)
    return "" if folder is None else shlex.quote(folder.relative_to(base).as_posix())


def _kustomize(folder: str) -> str:
    is_alone = shutil.which("kubectl") is None and shutil.which("kustomize") is not None
    return f"{'kustomize build' if is_alone else 'kubectl kustomize'} {folder}"

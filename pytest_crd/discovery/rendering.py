"""The commands that print CRDs of which a project has only templates or kustomizations: what to write, and what comes of it here."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pytest_crd.discovery import commands
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.loading.crdfiles import CrdFiles
from pytest_crd.engine.loading.remarks import Remark, RemarkKind

_CHART: Final = ("Chart.yaml",)
_KUSTOMIZATION: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# Where kubebuilder has them, also of CRDs that lie elsewhere.
_USUAL: Final = ("config/crd", "config/default")
_MOST: Final = 3
_SECONDS: Final = 10


def advice(passed_over: Iterable[Remark], *, base: Path, kubernetes_version: str) -> Iterator[Mistake]:
    """
    Yield the lines to write where no CRD was found, each tried where its program is there.

    Args:
        passed_over: Templates and patches among the files that were looked at.
        base: The folder of the project.
        kubernetes_version: Whose behaviour and words CRDs show.
    """
    for command in likely(passed_over, base=base)[:_MOST]:
        outcome = _outcome(command, base, kubernetes_version)
        yield Mistake(str(base), 0, f"write crd_commands = {command} ({outcome})")


def likely(passed_over: Iterable[Remark], *, base: Path) -> list[str]:
    """Return the commands that may print CRDs, each once, the likeliest first."""
    return list(dict.fromkeys([*_of_files(passed_over, base), *_of_usual_folders(base)]))


def _of_files(passed_over: Iterable[Remark], base: Path) -> Iterator[str]:
    for remark in passed_over:
        path = base / remark.source
        if remark.kind is RemarkKind.TEMPLATE and (chart := _above(path, base, _CHART)):
            yield f"helm template {chart} --include-crds"
        elif remark.kind is RemarkKind.PATCH and (folder := _above(path, base, _KUSTOMIZATION)):
            yield _kustomize(folder)


def _of_usual_folders(base: Path) -> Iterator[str]:
    folders = [name for name in _USUAL if any((base / name / one).is_file() for one in _KUSTOMIZATION)]
    yield from map(_kustomize, folders[:1])


def _above(path: Path, base: Path, names: Iterable[str]) -> str:
    """Return the nearest folder around a file that has a file of one of *names*, as a command has it; empty where none has."""
    inside = (parent for parent in path.parents if parent.is_relative_to(base))
    found = next((parent for parent in inside if any((parent / name).is_file() for name in names)), None)
    return "" if found is None else shlex.quote(found.relative_to(base).as_posix())


def _kustomize(folder: str) -> str:
    is_alone = shutil.which("kubectl") is None and shutil.which("kustomize") is not None
    return f"{'kustomize build' if is_alone else 'kubectl kustomize'} {folder}"


def _outcome(command: str, base: Path, kubernetes_version: str) -> str:
    program = command.partition(" ")[0]
    if shutil.which(program) is None:
        return f"{program} is not installed here"
    printed = CrdFiles(kubernetes_version)
    try:
        printed.take_output(commands.run(command, folder=base, seconds=_SECONDS), source=command)
    except CrdError as error:
        lines = error.mistakes[0].message.splitlines()
        return f"tried here: {' '.join(line.strip() for line in lines[:2])}"
    if printed.mistakes:
        return f"tried here: {printed.mistakes[0].message}"
    return f"tried here: it prints {len(printed.crds)} CRD{'' if len(printed.crds) == 1 else 's'}"

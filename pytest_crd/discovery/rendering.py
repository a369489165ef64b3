"""Commands to write in `crd_commands` for a project with only templates or kustomizations of CRDs."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.loading.remarks import Remark, RemarkKind

_CHART: Final = ("Chart.yaml",)
_KUSTOMIZATION: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# Where kubebuilder has them, also of CRDs that lie elsewhere.
_USUAL: Final = ("config/crd", "config/default")
_MOST: Final = 3


def advice(passed_over: Iterable[Remark], *, base: Path) -> Iterator[Mistake]:
    """
    Yield the setting to write where no CRD was found; its command is run only where a setting names it.

    Args:
        passed_over: Remarks about templates and patches.
        base: The folder of the project.
    """
    commands = dict.fromkeys([*_of_files(passed_over, base), *_of_usual_folders(base)])
    for command in list(commands)[:_MOST]:
        yield Mistake(str(base), 0, f"write crd_commands = {command}; a command is run only if crd_commands names it")


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

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
# The folders where kubebuilder puts kustomizations of CRDs.
_USUAL: Final = ("config/crd", "config/default")
_MOST: Final = 3


def advice(passed_over: Iterable[Remark], *, base: Path) -> Iterator[Mistake]:
    """
    Yield hints to set `crd_commands` if no CRD was found; a command is run only if the setting names it.

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
    folders = [name for name in _USUAL if any((base / name / file).is_file() for file in _KUSTOMIZATION)]
    yield from map(_kustomize, folders[:1])


def _above(path: Path, base: Path, names: Iterable[str]) -> str:
    """Return the nearest folder above a file that contains a file of *names*, quoted for a command; else empty."""
    inside = (parent for parent in path.parents if parent.is_relative_to(base))
    folder = next((parent for parent in inside if any((parent / name).is_file() for name in names)), None)
    return "" if folder is None else shlex.quote(folder.relative_to(base).as_posix())


def _kustomize(folder: str) -> str:
    is_alone = shutil.which("kubectl") is None and shutil.which("kustomize") is not None
    return f"{'kustomize build' if is_alone else 'kubectl kustomize'} {folder}"

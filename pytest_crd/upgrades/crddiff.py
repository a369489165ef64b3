"""Comparisons of two sets of CRDs, such as two commits, without the tests and settings of a project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_crd import folders
from pytest_crd.discovery import samplepaths
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.progress import Progress, silent
from pytest_crd.upgrades.projectobjects import Reader, Specimen, Specimens
from pytest_crd.upgrades.upgradetask import Task


class CrdDiff(NamedTuple):
    """
    A comparison of two sets of CRDs.

    Attributes:
        tasks: The upgrade of each old CRD.
        added: The CRDs without an old one.
        specimens: The objects to judge by, and notes about files with objects.
    """

    tasks: tuple[Task, ...]
    added: tuple[CustomResourceDefinition, ...]
    specimens: Specimens


def compare(old: Baseline, new: Baseline, kubernetes_version: str, progress: Progress = silent) -> CrdDiff:
    """
    Compare two sets of CRDs.

    Args:
        old: The CRDs that users have.
        new: The CRDs that replace them.
        kubernetes_version: The Kubernetes version of the answers.
        progress: Shows which files are read.
    """
    specimens = _read_objects(old, new, kubernetes_version, progress)
    new_crds = new.crds(kubernetes_version)
    tasks: list[Task] = []
    for id_, olds in old.old_crds(kubernetes_version).items():
        newest = olds[-1].crd
        successors = _find_successors(newest, new_crds)
        tasks.append(Task(id_, olds, successors, kubernetes_version, Path(), 0, specimens, ()))
    names = {task.old.name for task in tasks}
    return CrdDiff(tuple(tasks), tuple(crd for crd in new_crds if crd.name not in names), specimens)


def _find_successors(
    old: CustomResourceDefinition, new_crds: Sequence[CustomResourceDefinition]
) -> list[CustomResourceDefinition]:
    """Return the CRDs that may replace *old*; of alternatives, only the nearest by the path of the file."""
    same_name = [crd for crd in new_crds if crd.name == old.name]
    common = [_count_common_parts(old, crd) for crd in same_name]
    best = max(common, default=0)
    nearest = [crd for crd, count in zip(same_name, common, strict=True) if best and count == best]
    return nearest if len(nearest) == 1 else same_name


def _count_common_parts(old: CustomResourceDefinition, new: CustomResourceDefinition) -> int:
    """Return the number of equal parts at the ends of the paths of two files."""
    pairs = zip(_parts(old), _parts(new), strict=False)
    count = 0
    for part, new_part in pairs:
        if part != new_part:
            break
        count += 1
    return count


def _parts(crd: CustomResourceDefinition) -> list[str]:
    """Return the parts of the path of a file, the name first."""
    return [*reversed(crd.source.rpartition(":")[0].rpartition(":")[2].split("/"))]


def _read_objects(old: Baseline, new: Baseline, kubernetes_version: str, progress: Progress) -> Specimens:
    """Return the objects in the usual places: samples of both, and stored objects of the old case files."""
    parts = [*_read_side(old, folders.CASE_FILES, kubernetes_version, progress)]
    parts += _read_side(new, (), kubernetes_version, progress)
    objects: list[Specimen] = []
    notes: list[str] = []
    for part in parts:
        objects += part.objects
        notes += part.notes
    return Specimens(tuple(objects), tuple(dict.fromkeys(notes)))


def _read_side(
    side: Baseline, case_files: Sequence[str], kubernetes_version: str, progress: Progress
) -> Iterator[Specimens]:
    if side.tree is not None:
        reader = Reader(side.tree, side.crds(kubernetes_version), progress)
        yield reader.read(samplepaths.patterns(()), case_files)

"""Comparisons of two sets of CRDs, such as two commits, without the tests and settings of a project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_crd import folders
from pytest_crd.discovery import samplepaths
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.engine import CustomResourceDefinition, InputError
from pytest_crd.progress import Progress, silent
from pytest_crd.upgrades.projectobjects import Reader, Specimen, Specimens
from pytest_crd.upgrades.successors import find_successions
from pytest_crd.upgrades.task import Task


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

    def find_unjudged(self) -> dict[str, str]:
        """Return the objects that no upgrade judges, by place, with the reason; an upgrade with unknown effects judges none."""
        unjudged: dict[str, str] = {}
        for specimen in self.specimens.objects:
            own = [task for task in self.tasks if (task.old.group, task.old.kind) == (specimen.group, specimen.kind)]
            reasons = [_find_reason(task, specimen.source) for task in own] or ["no old CRD has its kind"]
            if all(reasons):
                unjudged[specimen.source] = reasons[0]
        return unjudged


def _find_reason(task: Task, source: str) -> str:
    try:
        return task.upgrade.unjudged.get(source, "")
    except InputError:
        return "the effects of the upgrade are not known"


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
    tasks = [
        Task(item.id, item.olds, item.today, kubernetes_version, Path(), 0, specimens, ())
        for item in find_successions(old.old_crds(kubernetes_version), [*new_crds])
    ]
    names = {task.old.name for task in tasks}
    return CrdDiff(tuple(tasks), tuple(crd for crd in new_crds if crd.name not in names), specimens)


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

"""The upgrades of a project: the CRDs of the baseline, their replacements, and the objects to judge by."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.discovery import madecrds
from pytest_crd.discovery.baseline import LAST_RELEASE, Baseline
from pytest_crd.discovery.filetrees import FolderTree, GitTree
from pytest_crd.discovery.releasewalk import OldCrd
from pytest_crd.engine import CustomResourceDefinition, InputError
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.loading.crdfiles import Remark
from pytest_crd.upgrades import convertedobjects, histories
from pytest_crd.upgrades.allowances import ANY, Allowance
from pytest_crd.upgrades.migrations import Migration
from pytest_crd.upgrades.projectobjects import Reader, Specimens
from pytest_crd.upgrades.successors import find_successions
from pytest_crd.upgrades.task import Task, is_needed


@dataclass(frozen=True, slots=True)
class Scope:
    """
    The settings of a project's upgrade checks.

    Attributes:
        base: The folder to which the file names of CRDs are relative.
        folder: The folder of the project.
        home: The ini file, the place of tasks whose CRD is in no file.
        samples: Files, folders and globs with custom resources.
        case_files: Name patterns of case files.
        allowed: The allowances for upgrades and rollbacks.
        has_rollbacks: Whether rollbacks are judged, too.
        migrated: The declared migrations of stored objects.
    """

    base: Path
    folder: Path
    home: Path
    samples: tuple[str, ...]
    case_files: tuple[str, ...]
    allowed: tuple[Allowance, ...] = ()
    has_rollbacks: bool = False
    migrated: tuple[Migration, ...] = ()


@dataclass(frozen=True, slots=True)
class BaselineUpgrades:
    """
    The summary of one baseline.

    Attributes:
        words: The baseline and its counts.
        notes: Notes about skipped files and CRDs.
        hints: Notes about nothing that is left out.
        not_compared: Lines about CRDs of today without a baseline, which even a quiet run shows.
        unjudged: Lines about upgrades that are not judged, or that cannot differ, which every run shows.
    """

    words: str
    notes: tuple[Remark | str, ...]
    hints: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """
    The upgrades of a project.

    Attributes:
        tasks: One task for each CRD, baseline and Kubernetes version.
        parts: The summaries of the readable baselines.
        unread: The errors of unreadable baselines, by baseline name.
        problem: The error that prevents all upgrade checks; None if there is none.
        of_all: The allowances for all CRDs, except the general ones that need not be used.
    """

    tasks: tuple[Task, ...] = ()
    parts: tuple[BaselineUpgrades, ...] = ()
    unread: Mapping[str, InputError] = field(default_factory=dict)
    problem: InputError | None = None
    of_all: tuple[Allowance, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to judge, for any reason."""
        return not (self.tasks or self.unread)

    @property
    def outdated(self) -> list[Allowance]:
        """The allowances for all CRDs that no task needs."""
        return [] if self.unread else [item for item in self.of_all if not is_needed(item, self.tasks)]


def make_plan(catalogs: Sequence[Catalog], baselines: Mapping[str, Baseline | InputError], scope: Scope) -> Plan:
    """
    Return the plan of a project's upgrades.

    Args:
        catalogs: The CRDs of today, one catalog for each Kubernetes version.
        baselines: The baselines by name, or the errors of unreadable ones.
        scope: The settings of the project.

    Raises:
        InputError: The CRDs of today cannot be loaded, or an allowance names an unknown CRD.
    """
    first = catalogs[0]
    unread = {name: item for name, item in baselines.items() if isinstance(item, InputError)}
    readable = {name: item for name, item in baselines.items() if not isinstance(item, InputError)}
    if not unread:
        olds = [
            old
            for item in readable.values()
            for same_id in item.old_crds(first.kubernetes_version).values()
            for old in same_id
        ]
        _check_names(scope.allowed, [old.crd.name for old in olds])
        _check_migrations(scope.migrated, olds)
    folder, progress = FolderTree(scope.folder, scope.samples), first.sources.progress
    now = Reader(folder, first.crds, progress).read(scope.samples, ())
    stored = Reader(folder, first.crds, progress).read((), scope.case_files) if scope.has_rollbacks else Specimens()
    tasks: list[Task] = []
    parts: list[BaselineUpgrades] = []
    for name, baseline in readable.items():
        users = baseline.crds(first.kubernetes_version)
        reader = Reader(baseline.tree, users, progress) if baseline.tree else None
        then = reader.read(scope.samples, scope.case_files) if reader else Specimens()
        specimens = Specimens((*then.objects, *now.objects))
        label = f"-{name}" if len(baselines) > 1 else ""
        tasks += _tasks(catalogs, baseline, label, specimens, scope)
        if scope.has_rollbacks:
            back = _tasks(catalogs, baseline, label, Specimens((*specimens.objects, *stored.objects)), scope)
            tasks += (replace(task, is_rollback=True) for task in back if task.today)
        versions = [(crd, version.name) for crd in users for version in crd.versions if version.served]
        objects = {specimen.source for version in versions for specimen in specimens.select(*version)}
        counted = f"{_count_text(users, 'CRD')}, {_count_text(objects, 'object')} to judge by"
        notes: tuple[Remark | str, ...] = (
            *users.passed_over,
            *then.notes,
            *now.notes,
            *baseline.notes,
            *histories.find_refusals(baseline.releases, first.kubernetes_version, scope.migrated),
        )
        not_compared: tuple[str, ...] = ()
        if isinstance(baseline.tree, GitTree):
            not_compared = find_not_compared(first, {crd.name for crd in users}, baseline.makers, baseline.words)
        words = f"upgrades from {baseline.words}: {counted}"
        unjudged = (_describe_same(baseline),) if baseline.is_checkout else ()
        parts.append(BaselineUpgrades(words, notes, users.alternatives, not_compared, unjudged))
    for task in tasks:
        task.group = [item for item in tasks if (item.old.name, item.is_rollback) == (task.old.name, task.is_rollback)]
        task.knows_all = not unread
    judged = (False, True) if scope.has_rollbacks else (False,)
    allowed = (item for item in scope.allowed if item.crd == ANY and item.is_rollback in judged)
    of_all = tuple(item for item in allowed if not item.is_general)
    return Plan(tuple(tasks), tuple(parts), unread, of_all=of_all)


def _tasks(
    catalogs: Sequence[Catalog], baseline: Baseline, label: str, specimens: Specimens, scope: Scope
) -> Iterator[Task]:
    """Yield the upgrades from one baseline; *label* keeps their ids distinct between baselines."""
    for catalog in catalogs:
        version = catalog.kubernetes_version
        for id_, olds, today in find_successions(baseline.old_crds(version), [*catalog.crds]):
            prepared = [convertedobjects.prepare(crd) for crd in today]
            path, line = _place(prepared, scope)
            yield Task(
                f"{id_}{label}",
                olds,
                prepared,
                version,
                path,
                line,
                specimens,
                scope.allowed,
                migrated=scope.migrated,
            )


def find_not_compared(
    catalog: Catalog, names: Container[str], makers: Container[str], baseline: str
) -> tuple[str, ...]:
    """
    Return a line about the CRDs that only Python code makes, and whose code made none at a commit; empty if there are none.

    Args:
        catalog: The CRDs of today.
        names: The names of the CRDs at the commit.
        makers: The Python files that made CRDs at the commit.
        baseline: The commit, in words.

    Raises:
        InputError: The CRDs of today cannot be loaded.
    """
    python_crds = catalog.sources.only_made(catalog.kubernetes_version)
    missing = [crd for crd in python_crds if crd.name not in names and madecrds.find_maker(crd.source) not in makers]
    if not missing:
        return ()
    listed = ", ".join(dict.fromkeys(f"{crd.name} ({madecrds.find_maker(crd.source)})" for crd in missing))
    return (f"not compared with {baseline}, which has neither a file nor a {madecrds.HOOK} of them: {listed}",)


def _describe_same(baseline: Baseline) -> str:
    return (
        f"nothing can differ: the baseline {baseline.words} is the current commit, and no file is changed; "
        f"{LAST_RELEASE} is the last release"
    )


def _count_text(things: Collection[object], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def _check_names(allowed: Sequence[Allowance], names: Sequence[str]) -> None:
    listed = ", ".join(sorted(set(names)))
    message = f"the baseline has no CRD of this name; it has: {listed}"
    mistakes = [Mistake(f"crd_baseline_allow: {item}", 0, message) for item in allowed if item.crd not in (ANY, *names)]
    if mistakes:
        raise CrdError(mistakes)


def _check_migrations(migrated: Sequence[Migration], olds: Sequence[OldCrd]) -> None:
    """
    Raise an error for each migration of a version that no CRD of the baseline has stored.

    Raises:
        CrdError: The migrations, with the versions that were stored.
    """
    if not migrated:
        return
    stored = sorted({name for old in olds for name in histories.find_migratable(old)})
    message = f"no earlier release stored it in a CRD that still lists it; stored: {', '.join(stored) or 'none'}"
    mistakes = [
        Mistake(f"crd_baseline_migrated: {item.group_version}", 0, message)
        for item in migrated
        if item.group_version not in stored
    ]
    if mistakes:
        raise CrdError(mistakes)


def _place(today: Sequence[CustomResourceDefinition], scope: Scope) -> tuple[Path, int]:
    """Return the file and the line of the CRD that replaces the baseline's; the ini file and 0 if it is in no file."""
    if today:
        name, _, line = today[0].source.rpartition(":")
        path = Path(scope.base, name).absolute()
        if path.is_file():
            return path.resolve() if ".." in path.parts else path, int(line)
    return scope.home, 0

"""The upgrades of a project: the CRDs of the baseline, their replacements, and the objects to judge by."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.discovery import madecrds
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.discovery.filetrees import FolderTree, GitTree
from pytest_crd.engine import (
    CustomResourceDefinition,
    InputError,
    UnsupportedConstructError,
    UnsupportedExpressionError,
)
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.engine.loading.remarks import Remark
from pytest_crd.upgrades import upgrade
from pytest_crd.upgrades.allowances import ANY, Allowance
from pytest_crd.upgrades.projectobjects import Reader, Specimens
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind


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
    """

    base: Path
    folder: Path
    home: Path
    samples: tuple[str, ...]
    case_files: tuple[str, ...]
    allowed: tuple[Allowance, ...] = ()
    has_rollbacks: bool = False


@dataclass(eq=False)
class Task:
    """
    The upgrade of one baseline CRD to the CRD of today under one Kubernetes version, or its rollback.

    Attributes:
        id: The name of the CRD; with its file if it has alternatives, and with the baseline if there are several.
        old: The CRD of the baseline.
        today: The CRDs of this name today.
        kubernetes_version: The Kubernetes version of the answers.
        path: The file to which the upgrade belongs.
        line: The line of the new CRD there; 0 if it is in no file.
        specimens: The objects of the project.
        allowed: The allowances for upgrades and rollbacks.
        is_rollback: Whether the baseline's CRD replaces the one of today, and not the reverse.
        group: All tasks of CRDs of this name in the same direction, including this one.
        knows_all: Whether every baseline could be read.
    """

    id: str
    old: CustomResourceDefinition
    today: Sequence[CustomResourceDefinition]
    kubernetes_version: str
    path: Path
    line: int
    specimens: Specimens
    allowed: Sequence[Allowance]
    is_rollback: bool = False
    group: Sequence[Task] = field(default=(), repr=False)
    knows_all: bool = True

    @cached_property
    def upgrade(self) -> Upgrade:
        """
        The effects of the upgrade or rollback.

        Raises:
            InputError: The effects are unknown.
        """
        try:
            today = self._today()
            if today is not None and self.is_rollback:
                return _reduce_rollback(upgrade.judge(today, self.old, self.specimens))
            return upgrade.judge(self.old, today, self.specimens)
        except (UnsupportedConstructError, UnsupportedExpressionError) as error:
            message = f"what becomes of its objects is not known: {error}"
            raise CrdError([Mistake(self.old.source or self.old.name, 0, message)]) from None

    @property
    def breaking(self) -> tuple[Finding, ...]:
        """The findings that fail the upgrade: breaking ones that are not allowed."""
        breaking = (finding for finding in self.upgrade.findings if finding.is_breaking)
        return tuple(item for item in breaking if not any(self._allows(allowance, item) for allowance in self.allowed))

    @property
    def outdated(self) -> list[Allowance]:
        """
        The CRD's allowances that no task of its group needs any more.

        Only the first task of a group has them; the others have none.
        """
        if not self.knows_all or self.group[0] is not self:
            return []
        own = [item for item in self.allowed if (item.crd, item.is_rollback) == (self.old.name, self.is_rollback)]
        return [item for item in own if not _is_needed(item, self.group)]

    def needs(self, allowance: Allowance) -> bool:
        """
        Return True if a finding of the task is covered by *allowance*.

        Raises:
            InputError: The effects are unknown.
        """
        return any(self._allows(allowance, finding) for finding in self.upgrade.findings)

    def _allows(self, allowance: Allowance, finding: Finding) -> bool:
        return allowance.is_rollback is self.is_rollback and allowance.covers(self.old.name, finding)

    def _today(self) -> CustomResourceDefinition | None:
        if len(self.today) < 2:
            return next(iter(self.today), None)
        file = _file(self.old)
        same = [crd for crd in self.today if file.endswith(_file(crd))]
        if len(same) == 1:
            return same[0]
        listed = ", ".join(crd.source for crd in self.today)
        message = f"there are several CRDs of this name today, and none in the file of this one: {listed}"
        raise CrdError([Mistake(self.old.source, 0, message)])


@dataclass(frozen=True, slots=True)
class BaselineUpgrades:
    """
    The summary of one baseline.

    Attributes:
        words: The baseline and its counts.
        notes: Notes about skipped files and CRDs.
    """

    words: str
    notes: tuple[Remark | str, ...]


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
        return [] if self.unread else [item for item in self.of_all if not _is_needed(item, self.tasks)]


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
        _check_names(
            scope.allowed, [crd.name for item in readable.values() for crd in item.crds(first.kubernetes_version)]
        )
    folder, progress = FolderTree(scope.folder), first.sources.progress
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
        counted = f"{_count_text(users, 'CRD')}, {_count_text(specimens.objects, 'object')} to judge by"
        notes: tuple[Remark | str, ...] = (
            *users.passed_over,
            *users.alternatives,
            *then.notes,
            *now.notes,
            *_unjudged(first, baseline),
        )
        parts.append(BaselineUpgrades(f"upgrades from {baseline.words}: {counted}", notes))
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
        crds = baseline.crds(catalog.kubernetes_version)
        for old in crds:
            today = [crd for crd in catalog.crds if crd.name == old.name]
            path, line = _place(today, scope)
            name, version = f"{crds.id_of(old)}{label}", catalog.kubernetes_version
            yield Task(name, old, today, version, path, line, specimens, scope.allowed)


def _unjudged(catalog: Catalog, baseline: Baseline) -> Iterator[str]:
    """Yield a note for each CRD that only Python code makes and that the commit of the baseline therefore lacks."""
    if isinstance(baseline.tree, GitTree):
        names = {crd.name for crd in baseline.crds(catalog.kubernetes_version)}
        for crd in catalog.sources.only_made(catalog.kubernetes_version):
            if crd.name not in names:
                yield (
                    f"{crd.source}: no upgrade of {crd.name} is judged: {madecrds.HOOK} makes it, "
                    f"and no file has it at {baseline.words}"
                )


def _count_text(things: Collection[object], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def _check_names(allowed: Sequence[Allowance], names: Sequence[str]) -> None:
    listed = ", ".join(sorted(set(names)))
    message = f"the baseline has no CRD of this name; it has: {listed}"
    mistakes = [Mistake(f"crd_baseline_allow: {item}", 0, message) for item in allowed if item.crd not in (ANY, *names)]
    if mistakes:
        raise CrdError(mistakes)


def _is_needed(allowance: Allowance, tasks: Iterable[Task]) -> bool:
    """Return True if a task of *tasks* needs the allowance, or if a task's effects are unknown."""
    for task in tasks:
        try:
            if task.needs(allowance):
                return True
        except InputError:
            return True  # The task reports the error itself.
    return False


def _reduce_rollback(effects: Upgrade) -> Upgrade:
    """
    Return the effects of a rollback without the redundant findings.

    Widened places are refused or dropped by the upgrade itself. A new field is dropped together with its default, so one finding is enough.
    """
    dropped = {finding.path for finding in effects.findings if finding.kind is Kind.DATA_LOSS}
    findings = (
        finding
        for finding in effects.findings
        if finding.kind is not Kind.WIDENED and not (finding.kind is Kind.CHANGED and finding.path in dropped)
    )
    return replace(effects, findings=tuple(findings))


def _place(today: Sequence[CustomResourceDefinition], scope: Scope) -> tuple[Path, int]:
    """Return the file and the line of the CRD that replaces the baseline's; the ini file and 0 if it is in no file."""
    if today:
        name, _, line = today[0].source.rpartition(":")
        path = Path(scope.base, name).absolute()
        if path.is_file():
            return path.resolve() if ".." in path.parts else path, int(line)
    return scope.home, 0


def _file(crd: CustomResourceDefinition) -> str:
    return crd.source.rpartition(":")[0]

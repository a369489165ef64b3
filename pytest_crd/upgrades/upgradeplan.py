"""The upgrades of a project: which CRDs of the baseline there are, what takes their place, and the objects to judge by."""

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
    What a project asks for.

    Attributes:
        base: What the files of CRDs are named relative to.
        folder: The folder of the project.
        home: What stands for CRDs that are in no file: the ini file.
        samples: Files, folders and globs with custom resources.
        case_files: Name patterns of case files.
        allowed: What upgrades and rollbacks may do.
        has_rollbacks: Whether the way back is judged, too.
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
    One CRD of a baseline, under one Kubernetes version: the upgrade to that of today, or the way back.

    Attributes:
        id: The name of the CRD, with its file where it has alternatives, and with the baseline where there are several.
        old: The CRD.
        today: The CRDs of this name that there are today.
        kubernetes_version: Whose answers are given.
        path: The file that the upgrade stands in.
        line: The line of the new CRD there; 0 where it is in none.
        specimens: The objects of the project.
        allowed: What upgrades and rollbacks may do.
        is_rollback: Whether the CRD takes the place of that of today, and not the reverse.
        group: All tasks of CRDs of this name in the same direction, itself too.
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
        What becomes of objects.

        Raises:
            InputError: It cannot be told.
        """
        try:
            today = self._today()
            if today is not None and self.is_rollback:
                return _told_of_rollback(upgrade.judge(today, self.old, self.specimens))
            return upgrade.judge(self.old, today, self.specimens)
        except (UnsupportedConstructError, UnsupportedExpressionError) as error:
            message = f"what becomes of its objects is not known: {error}"
            raise CrdError([Mistake(self.old.source or self.old.name, 0, message)]) from None

    @property
    def breaking(self) -> tuple[Finding, ...]:
        """What fails the upgrade: what breaks, and is not allowed."""
        found = self.upgrade.findings
        return tuple(one for one in found if one.is_breaking and not any(self._allows(by, one) for by in self.allowed))

    @property
    def outdated(self) -> list[Allowance]:
        """
        What is allowed to the CRD, and no longer happens under any Kubernetes version, nor in any alternative, from any baseline.

        The first of the tasks of the CRD tells it.
        """
        if not self.knows_all or self.group[0] is not self:
            return []
        own = [one for one in self.allowed if (one.crd, one.is_rollback) == (self.old.name, self.is_rollback)]
        return [one for one in own if not _happens(one, self.group)]

    def needs(self, allowance: Allowance) -> bool:
        """
        Return whether it does something that is allowed.

        Raises:
            InputError: It cannot be told.
        """
        return any(self._allows(allowance, one) for one in self.upgrade.findings)

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
    What is said of one baseline.

    Attributes:
        words: Which it is, and what there is to judge.
        notes: What was passed over.
    """

    words: str
    notes: tuple[Remark | str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """
    The upgrades of a project.

    Attributes:
        tasks: One for each CRD of each baseline and each Kubernetes version.
        parts: What is said of each baseline that could be read.
        unread: Why others could not be, by what names them.
        problem: What keeps upgrades from being judged; None where nothing does.
        of_all: What is allowed to all CRDs and should be needed by one.
    """

    tasks: tuple[Task, ...] = ()
    parts: tuple[BaselineUpgrades, ...] = ()
    unread: Mapping[str, InputError] = field(default_factory=dict)
    problem: InputError | None = None
    of_all: tuple[Allowance, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to judge, for whatever reason."""
        return not (self.tasks or self.unread)

    @property
    def outdated(self) -> list[Allowance]:
        """What is allowed to all CRDs, and happens in none."""
        return [] if self.unread else [one for one in self.of_all if not _happens(one, self.tasks)]


def of(catalogs: Sequence[Catalog], baselines: Mapping[str, Baseline | InputError], scope: Scope) -> Plan:
    """
    Return the upgrades.

    Args:
        catalogs: The CRDs of today, once for each Kubernetes version.
        baselines: The CRDs that users have, by what names them; or why they cannot be read.
        scope: What the project asks for.

    Raises:
        InputError: The CRDs of today cannot be loaded; something is allowed to a CRD that there is not.
    """
    first = catalogs[0]
    unread = {name: one for name, one in baselines.items() if isinstance(one, InputError)}
    known = {name: one for name, one in baselines.items() if not isinstance(one, InputError)}
    if not unread:
        _demand_known(scope.allowed, [crd.name for one in known.values() for crd in one.crds(first.kubernetes_version)])
    folder, progress = FolderTree(scope.folder), first.sources.progress
    now = Reader(folder, first.crds, progress).read(scope.samples, ())
    stored = Reader(folder, first.crds, progress).read((), scope.case_files) if scope.has_rollbacks else Specimens()
    tasks: list[Task] = []
    parts: list[BaselineUpgrades] = []
    for name, baseline in known.items():
        users = baseline.crds(first.kubernetes_version)
        reader = Reader(baseline.tree, users, progress) if baseline.tree else None
        then = reader.read(scope.samples, scope.case_files) if reader else Specimens()
        specimens = Specimens((*then.found, *now.found))
        label = f"-{name}" if len(baselines) > 1 else ""
        tasks += _tasks(catalogs, baseline, label, specimens, scope)
        if scope.has_rollbacks:
            back = _tasks(catalogs, baseline, label, Specimens((*specimens.found, *stored.found)), scope)
            tasks += (replace(task, is_rollback=True) for task in back if task.today)
        counted = f"{_counted(users, 'CRD')}, {_counted(specimens.found, 'object')} to judge by"
        notes: tuple[Remark | str, ...] = (
            *users.passed_over,
            *users.alternatives,
            *then.notes,
            *now.notes,
            *_unjudged(first, baseline),
        )
        parts.append(BaselineUpgrades(f"upgrades from {baseline.words}: {counted}", notes))
    for task in tasks:
        task.group = [one for one in tasks if (one.old.name, one.is_rollback) == (task.old.name, task.is_rollback)]
        task.knows_all = not unread
    judged = (False, True) if scope.has_rollbacks else (False,)
    allowed = (one for one in scope.allowed if one.crd == ANY and one.is_rollback in judged)
    of_all = tuple(one for one in allowed if not one.is_general)
    return Plan(tuple(tasks), tuple(parts), unread, of_all=of_all)


def _tasks(
    catalogs: Sequence[Catalog], baseline: Baseline, label: str, specimens: Specimens, scope: Scope
) -> Iterator[Task]:
    """Yield the upgrades from one baseline, which *label* tells from those from others."""
    for catalog in catalogs:
        crds = baseline.crds(catalog.kubernetes_version)
        for old in crds:
            today = [crd for crd in catalog.crds if crd.name == old.name]
            path, line = _place(today, scope)
            name, version = f"{crds.id_of(old)}{label}", catalog.kubernetes_version
            yield Task(name, old, today, version, path, line, specimens, scope.allowed)


def _unjudged(catalog: Catalog, baseline: Baseline) -> Iterator[str]:
    """Yield what is said of CRDs that Python makes and that a commit, which has only files, does not have."""
    if isinstance(baseline.tree, GitTree):
        names = {crd.name for crd in baseline.crds(catalog.kubernetes_version)}
        for crd in catalog.sources.only_made(catalog.kubernetes_version):
            if crd.name not in names:
                yield (
                    f"{crd.source}: no upgrade of {crd.name} is judged: {madecrds.HOOK} makes it, "
                    f"and no file has it at {baseline.words}"
                )


def _counted(things: Collection[object], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def _demand_known(allowed: Sequence[Allowance], names: Sequence[str]) -> None:
    listed = ", ".join(sorted(set(names)))
    message = f"the baseline has no CRD of this name; it has: {listed}"
    mistakes = [Mistake(f"crd_baseline_allow: {one}", 0, message) for one in allowed if one.crd not in (ANY, *names)]
    if mistakes:
        raise CrdError(mistakes)


def _happens(allowance: Allowance, tasks: Iterable[Task]) -> bool:
    """Return whether one of *tasks* needs it, as far as is known."""
    for task in tasks:
        try:
            if task.needs(allowance):
                return True
        except InputError:
            return True  # which that task says itself
    return False


def _told_of_rollback(found: Upgrade) -> Upgrade:
    """
    Return what a rollback does, less what need not be told of it.

    What it widens is what the upgrade refuses or drops. A field that is new is dropped with its default: one cause, told once.
    """
    dropped = {one.path for one in found.findings if one.kind is Kind.DATA_LOSS}
    told = (
        one
        for one in found.findings
        if one.kind is not Kind.WIDENED and not (one.kind is Kind.CHANGED and one.path in dropped)
    )
    return replace(found, findings=tuple(told))


def _place(today: Sequence[CustomResourceDefinition], scope: Scope) -> tuple[Path, int]:
    """Return the file and the line of the CRD that takes the place of an old one."""
    if today:
        name, _, line = today[0].source.rpartition(":")
        path = Path(scope.base, name).absolute()
        if path.is_file():
            return path.resolve() if ".." in path.parts else path, int(line)
    return scope.home, 0


def _file(crd: CustomResourceDefinition) -> str:
    return crd.source.rpartition(":")[0]

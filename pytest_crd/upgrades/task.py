"""Tasks of an upgrade check: one CRD of the baseline and the CRD that replaces it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from pytest_crd.discovery.releasewalk import OldCrd
from pytest_crd.engine import (
    CustomResourceDefinition,
    InputError,
    UnsupportedConstructError,
    UnsupportedExpressionError,
)
from pytest_crd.engine.inputerror import CrdError, Mistake
from pytest_crd.upgrades import histories, upgrade
from pytest_crd.upgrades.allowances import Allowance
from pytest_crd.upgrades.migrations import Migration
from pytest_crd.upgrades.projectobjects import Specimens
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from pytest_crd.wording import counted


@dataclass(eq=False)
class Task:
    """
    The upgrade of one CRD of the baseline to the CRD of today under one Kubernetes version, or its rollback.

    Attributes:
        id: The name of the CRD; with its file if it has alternatives, and with the baseline if there are several.
        olds: The CRD of the baseline, in each distinct form of its releases, the oldest first.
        today: The CRD that replaces it; empty if there is none.
        kubernetes_version: The Kubernetes version of the answers.
        path: The file to which the upgrade belongs.
        line: The line of the new CRD there; 0 if it is in no file.
        specimens: The objects of the project.
        allowed: The allowances for upgrades and rollbacks.
        is_rollback: Whether the baseline's CRD replaces the one of today, and not the reverse.
        group: All tasks of CRDs of this name in the same direction, including this one.
        knows_all: Whether every baseline could be read.
        migrated: The declared migrations of stored objects.
    """

    id: str
    olds: Sequence[OldCrd]
    today: Sequence[CustomResourceDefinition]
    kubernetes_version: str
    path: Path
    line: int
    specimens: Specimens
    allowed: Sequence[Allowance]
    is_rollback: bool = False
    group: Sequence[Task] = field(default=(), repr=False)
    knows_all: bool = True
    migrated: Sequence[Migration] = ()

    @property
    def old(self) -> CustomResourceDefinition:
        """The CRD of the baseline, in its newest form."""
        return self.olds[-1].crd

    @property
    def origin(self) -> str:
        """The place of the CRD of the baseline; its releases if there are several."""
        releases = [release for old in self.olds for release in old.releases]
        return counted(len(releases), "release") if releases else self.old.source

    @cached_property
    def upgrade(self) -> Upgrade:
        """
        The effects of the upgrade or rollback.

        Raises:
            InputError: The effects are unknown.
        """
        if not self.olds[0].releases:
            return self._judge(self.olds[0])
        return histories.merge([(old, self._judge(old)) for old in self.olds])

    def _judge(self, old: OldCrd) -> Upgrade:
        try:
            today = self._today
            if today is not None and self.is_rollback:
                return _reduce_rollback(upgrade.judge(today, old.crd, self.specimens))
            return histories.judge(old, today, self.specimens, self.migrated)
        except (UnsupportedConstructError, UnsupportedExpressionError) as error:
            message = f"what becomes of its objects is not known: {error}"
            raise CrdError([Mistake(old.crd.source or old.crd.name, 0, message)]) from None

    @property
    def breaking(self) -> tuple[Finding, ...]:
        """The findings that fail the upgrade: breaking ones that are not allowed, or only by an ambiguous allowance."""
        clear = [item for item in self.allowed if not _is_ambiguous(item, self._covered(item))]
        breaking = (finding for finding in self.upgrade.findings if finding.is_breaking)
        return tuple(item for item in breaking if not any(self._allows(allowance, item) for allowance in clear))

    @property
    def refused(self) -> CustomResourceDefinition | None:
        """The CRD of today if nothing else fails the upgrade than the errors of its creation; else None."""
        if self.is_rollback or not self.breaking or any(finding.is_allowable for finding in self.breaking):
            return None
        crd = self._today
        assert crd is not None  # noqa: S101 - a removal is allowable
        errors = crd.create(field_validation="Strict").errors
        return crd if all(error in errors for error in crd.first_response.errors) else None

    @property
    def outdated(self) -> list[Allowance]:
        """
        The CRD's allowances that no task of its group needs any more.

        Only the first task of a group has them; the others have none.
        """
        if not self.knows_all or self.group[0] is not self:
            return []
        own = [item for item in self.allowed if (item.crd, item.is_rollback) == (self.old.name, self.is_rollback)]
        return [item for item in own if not is_needed(item, self.group)]

    @property
    def ambiguous(self) -> dict[Allowance, list[Finding]]:
        """
        The allowances without a cause that would permit several findings, with the findings.

        The first task of a group also has those of which each finding is of another task.
        """
        tasks = self.group if self.group[:1] == [self] and self.knows_all else (self,)
        covered = {
            item: _collect(task.covered_if_known(item) for task in tasks) for item in self.allowed if item.is_for_one
        }
        return {item: findings for item, findings in covered.items() if _is_ambiguous(item, findings)}

    def covered_if_known(self, allowance: Allowance) -> list[Finding]:
        """Return the findings that an allowance covers; nothing if the effects are unknown, which the task reports itself."""
        try:
            return self._covered(allowance)
        except InputError:
            return []

    def _covered(self, allowance: Allowance) -> list[Finding]:
        return [finding for finding in self.upgrade.findings if self._allows(allowance, finding)]

    def needs(self, allowance: Allowance) -> bool:
        """
        Return True if a finding of the task is covered by *allowance*, or if no server takes the CRD and nothing else was judged.

        Raises:
            InputError: The effects are unknown.
        """
        return any(self._allows(allowance, finding) or not finding.is_allowable for finding in self.upgrade.findings)

    def _allows(self, allowance: Allowance, finding: Finding) -> bool:
        return allowance.is_rollback is self.is_rollback and allowance.covers(self.old.name, finding)

    @property
    def _today(self) -> CustomResourceDefinition | None:
        return next(iter(self.today), None)


def is_needed(allowance: Allowance, tasks: Iterable[Task]) -> bool:
    """Return True if a task of *tasks* needs the allowance, or if a task's effects are unknown."""
    for task in tasks:
        try:
            if task.needs(allowance):
                return True
        except InputError:
            return True  # The task reports the error itself.
    return False


def _collect(findings: Iterable[Iterable[Finding]]) -> list[Finding]:
    """Return the findings, each cause once."""
    return [*{finding.cause: finding for finding in itertools.chain.from_iterable(findings)}.values()]


def _is_ambiguous(allowance: Allowance, findings: Iterable[Finding]) -> bool:
    """Return True if an allowance for one finding covers several causes."""
    return allowance.is_for_one and len({finding.cause for finding in findings}) > 1


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

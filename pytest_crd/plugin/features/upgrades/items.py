"""Collectors and items for upgrades; each belongs to the file of its new CRD, or without one to the ini file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_crd.engine import InputError, profile
from pytest_crd.plugin import session
from pytest_crd.plugin.items import failures
from pytest_crd.plugin.items.failures import (
    CausedFailure,
    FailureText,
    MistakenFailure,
    TextFailure,
    TextItem,
    paint,
)
from pytest_crd.plugin.settings import inilines
from pytest_crd.plugin.settings.project import COMMANDS
from pytest_crd.plugin.settings.upgrades import ALLOWED, BASELINE
from pytest_crd.report import causes, verdictrules
from pytest_crd.report import upgradewords as report
from pytest_crd.report.testfacts import About, Cause, FilePlace, VerdictKind
from pytest_crd.upgrades import allowances
from pytest_crd.upgrades.allowances import Allowance
from pytest_crd.upgrades.task import Task
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from pytest_crd.upgrades.upgradeplan import Plan
from pytest_crd.wording import Paint, plain


class UpgradeFailure(CausedFailure):
    """Failure of an upgrade that breaks objects; `str()` returns the whole report."""

    def __init__(self, text: str, task: Task, allowed: tuple[Path, int]) -> None:
        """Create it with the report, the upgrade, and the file and line of `crd_baseline_allow`."""
        super().__init__(text)
        self._task = task
        self._allowed = allowed

    def causes(self) -> tuple[Cause, ...]:
        """Return the effects that break objects, and the allowances that match nothing or too much."""
        task = self._task
        breaking = causes.explain_upgrade(task.breaking, is_rollback=task.is_rollback)
        ambiguous = (
            Cause(
                verdictrules.AMBIGUOUS,
                f"allows one finding, and several match: {entry}",
                place=FilePlace(str(self._allowed[0]), self._allowed[1]),
            )
            for entry in task.ambiguous
        )
        return (*breaking, *_explain_outdated(task.outdated, *self._allowed), *ambiguous)


def _explain_outdated(outdated: Sequence[Allowance], path: Path, line: int) -> tuple[Cause, ...]:
    place = FilePlace(str(path), line)
    return tuple(
        Cause(verdictrules.ALLOWED, f"allowed, but no longer found: {entry}", place=place) for entry in outdated
    )


class StandingFailure(TextFailure):
    """Failure about all upgrades, at a line of the ini file: an outdated allowance, or a baseline that cannot be judged."""

    def __init__(self, text: str, path: Path, line: int, outdated: Sequence[Allowance] = ()) -> None:
        """Create it with the report, the file, the line (0 for the whole file) and the outdated allowances, if these are the problem."""
        super().__init__(text)
        self._text = text
        self._outdated = outdated
        self._path = path
        self._line = line

    def to_text(self) -> FailureText:
        """Return the report as pytest shows it."""
        text, path = self._text, session.display_path(self._path)
        return FailureText(plain=text, coloured=text, path=path, line=self._line, summary=text.partition("\n")[0])

    def causes(self) -> tuple[Cause, ...]:
        """Return the outdated allowances; without any, the reason why nothing is judged."""
        unjudged = Cause(verdictrules.UNJUDGED, self._text, place=FilePlace(str(self._path), self._line))
        return _explain_outdated(self._outdated, self._path, self._line) or (unjudged,)


class UpgradeFile(pytest.File):
    """File with upgraded CRDs; the ini file for CRDs without a file, and for tests about all upgrades."""

    def __init__(self, *, plan: Plan, is_home: bool, **kwargs: Any) -> None:
        """
        Create the collector with the plan, which has the upgrades of other files, too.

        Args:
            plan: The plan.
            is_home: Whether the tests about all upgrades are collected here.
            kwargs: Arguments of pytest.
        """
        super().__init__(**kwargs)
        self._plan = plan
        self._is_home = is_home

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the upgrades of the file; at home also the unreadable baselines, and the test of allowances for all CRDs."""
        plan = self._plan
        for name, problem in plan.unread.items() if self._is_home else ():
            yield UnjudgedItem.from_parent(self, name=f"upgrade[{name}]", problem=str(problem))
        has_several = len({task.kubernetes_version for task in plan.tasks}) > 1
        for task in plan.tasks:
            if task.path == self.path:
                label = f"[{task.kubernetes_version}]" if has_several else ""
                word = "rollback" if task.is_rollback else "upgrade"
                yield UpgradeItem.from_parent(self, name=f"{word}[{task.id}]{label}", task=task)
        if self._is_home and plan.of_all:
            yield AllowedItem.from_parent(self, name="upgrade[crd_baseline_allow]", plan=plan)


class UnjudgedItem(TextItem):
    """Failing item in place of upgrades that cannot be judged."""

    unasked = "there is nothing to ask"

    def __init__(self, *, problem: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._problem = problem
        self.extra_keyword_matches.add("upgrade")

    def runtest(self) -> None:
        """
        Fail.

        Raises:
            StandingFailure: Always, with the reason.
        """
        raise StandingFailure(self._problem, self.path, inilines.line_of(self.config, BASELINE))

    def about(self) -> About:
        """Return the facts for reports: no CRD."""
        return About(VerdictKind.UPGRADE, verdictrules.UNJUDGED)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return the file, the 0-based line of `crd_baseline`, and the name."""
        return self.path, _index(inilines.line_of(self.config, BASELINE)), self.name


class AllowedItem(TextItem):
    """Item about allowances for all CRDs: each must match an upgrade."""

    unasked = "what an upgrade does is asked of the engine alone"

    def __init__(self, *, plan: Plan, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._plan = plan
        self.extra_keyword_matches.add("upgrade")

    def runtest(self) -> None:
        """
        Compare the allowances with all upgrades.

        Raises:
            StandingFailure: An allowance matches nothing.
        """
        if outdated := self._plan.outdated:
            text = "\n".join(report.describe_outdated(outdated))
            raise StandingFailure(text, self.path, inilines.line_of(self.config, ALLOWED), outdated)

    def about(self) -> About:
        """Return the facts for reports: no single CRD."""
        return About(VerdictKind.UPGRADE, verdictrules.ALLOWED)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return the file, the 0-based line of `crd_baseline_allow`, and the name."""
        return self.path, _index(inilines.line_of(self.config, ALLOWED)), self.name


class UpgradeItem(TextItem):
    """Item of the upgrade or rollback of one CRD."""

    unasked = "what an upgrade does is asked of the engine alone"

    def __init__(self, *, task: Task, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.task = task
        self._warnings: list[Finding] = []
        self.extra_keyword_matches.add("rollback" if task.is_rollback else "upgrade")

    def runtest(self) -> None:
        """
        Judge the upgrade.

        Raises:
            UpgradeFailure: It breaks objects, or an allowance matches nothing.
            pytest.fail.Exception: The CRDs or samples have a mistake, so that the upgrade cannot be judged.
        """
        try:
            upgrade, breaking, outdated = self.task.upgrade, self.task.breaking, self.task.outdated
            ambiguous = self.task.ambiguous
        except InputError as error:
            raise MistakenFailure(error) from None
        if (refused := self.task.refused) is not None and not outdated:
            self.skip_if_told(refused.source, self.task.kubernetes_version)
        notes = [*upgrade.unshown, *upgrade.notices]
        notes += [f"{source}: not judged: {reason}" for source, reason in upgrade.unjudged.items()]
        warnings = [*upgrade.warnings, *report.count_others(upgrade)]
        for finding in upgrade.findings:
            if finding.kind is Kind.WARNED:
                warnings.append(finding.words)
                self._warnings.append(finding)
            elif finding not in breaking:
                allowed = "allowed: " if finding.is_breaking else ""
                first, *rest = report.describe_finding(finding)
                notes.append("\n".join((f"{allowed}{first}", *rest)))
        self.user_properties += [(session.NOTE, note) for note in notes]
        self.user_properties += [(session.WARNING, f"{self.nodeid}: {warning}") for warning in warnings]
        if breaking or outdated or ambiguous:
            text = "\n".join(self._describe())
            home = self.config.inipath or self.config.rootpath
            raise UpgradeFailure(text, self.task, (home, inilines.line_of(self.config, ALLOWED)))

    def about(self) -> About:
        """Return the facts for reports: the CRD, and the warnings of the server after the upgrade."""
        task = self.task
        warnings = causes.explain_upgrade(self._warnings, is_rollback=task.is_rollback)
        rule = verdictrules.ROLLBACK if task.is_rollback else verdictrules.UPGRADE
        version = task.kubernetes_version
        return About(VerdictKind.UPGRADE, rule, task.old.name, "", version, warnings)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the report in place of a traceback."""
        if not isinstance(excinfo.value, UpgradeFailure):
            return super().repr_failure(excinfo, style)
        task = self.task
        return FailureText(
            plain=str(excinfo.value),
            coloured="\n".join(self._describe(paint)),
            path=session.display_path(self.path),
            line=self._line,
            summary=report.summary(task.breaking, task.outdated, task.ambiguous),
        )

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the upgrade."""
        return self.path, _index(self._line), self.name

    @property
    def _line(self) -> int:
        """The line of the new CRD. Without a file, the line of `crd_commands`; for a removed CRD, of `crd_baseline`."""
        return self.task.line or inilines.line_of(self.config, COMMANDS if self.task.today else BASELINE)

    def _describe(self, paint: Paint = plain) -> Iterator[str]:
        task = self.task
        ambiguous = {item: self._suggest(findings) for item, findings in task.ambiguous.items()}
        replacements = [item for items in ambiguous.values() for item in items]
        suggested = [item for item in self._suggest(task.breaking) if item not in replacements]
        yield from report.lines(self._title, task.breaking, task.outdated, suggested, paint=paint)
        yield from report.describe_ambiguous(ambiguous, paint=paint)

    def _suggest(self, findings: Iterable[Finding]) -> list[Allowance]:
        task = self.task
        allowable = [finding for finding in findings if finding.is_allowable and not finding.remedy]
        others = [finding for finding in task.upgrade.findings if finding.is_breaking]
        return allowances.suggest(task.old.name, allowable, is_rollback=task.is_rollback, others=others)

    @property
    def _title(self) -> str:
        task = self.task
        place, direction = (
            failures.place(session.display_path(self.path), self._line),
            "to" if task.is_rollback else "from",
        )
        return f"{place}: {self.name} {direction} {task.origin}, Kubernetes {profile.describe(task.kubernetes_version)}"


def _index(line: int) -> int | None:
    """Return a 1-based line as pytest's 0-based one; None for 0, which means no line."""
    return line - 1 if line else None

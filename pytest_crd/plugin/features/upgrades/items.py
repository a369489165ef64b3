"""Upgrades as pytest's items, below the files of the CRDs of today, wherever these lie."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd.engine import InputError
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
from pytest_crd.report import upgradewords as report
from pytest_crd.upgrades import allowances
from pytest_crd.upgrades.allowances import Allowance
from pytest_crd.upgrades.upgradefindings import Finding, Kind
from pytest_crd.upgrades.upgradeplan import Plan, Task

if TYPE_CHECKING:
    from pytest_crd.report.testfacts import About, Cause


class UpgradeFailure(CausedFailure):
    """An upgrade breaks objects; `str()` is the whole report on it."""

    def __init__(self, text: str, task: Task, allowed: tuple[Path, int]) -> None:
        """Take the report, the upgrade, and the place of the setting that allows what upgrades do."""
        super().__init__(text)
        self._task = task
        self._allowed = allowed

    def causes(self) -> tuple[Cause, ...]:
        """Return what breaks objects, and what is allowed in vain, one by one."""
        from pytest_crd.report import causes  # noqa: PLC0415 - only a report for programs needs them

        task = self._task
        breaking = causes.explain_upgrade(task.breaking, is_rollback=task.is_rollback)
        return (*breaking, *_in_vain(task.outdated, *self._allowed))


def _in_vain(allowances: Sequence[Allowance], path: Path, line: int) -> tuple[Cause, ...]:
    from pytest_crd.report import verdictrules  # noqa: PLC0415 - only a report for programs needs them
    from pytest_crd.report.testfacts import Cause, FilePlace  # noqa: PLC0415

    place = FilePlace(str(path), line)
    return tuple(Cause(verdictrules.ALLOWED, f"allowed, but no longer found: {one}", place=place) for one in allowances)


class StandingFailure(TextFailure):
    """What is wrong with all upgrades, or keeps them from being judged; it stands in the ini file."""

    def __init__(self, text: str, path: Path, line: int, outdated: Sequence[Allowance] = ()) -> None:
        """Take what is wrong, the file, and the line, 0 for the whole file; and what is allowed in vain, where it is that."""
        super().__init__(text)
        self._text = text
        self._outdated = outdated
        self._path = path
        self._line = line

    def to_text(self) -> FailureText:
        """Return what pytest shows."""
        text, path = self._text, session.display_path(self._path)
        return FailureText(plain=text, coloured=text, path=path, line=self._line, summary=text.partition("\n")[0])

    def causes(self) -> tuple[Cause, ...]:
        """Return what is allowed in vain, one by one, or why nothing is judged."""
        from pytest_crd.report import verdictrules  # noqa: PLC0415 - only a report for programs needs them
        from pytest_crd.report.testfacts import Cause, FilePlace  # noqa: PLC0415

        unjudged = Cause(verdictrules.UNJUDGED, self._text, place=FilePlace(str(self._path), self._line))
        return _in_vain(self._outdated, self._path, self._line) or (unjudged,)


class UpgradeFile(pytest.File):
    """A file with CRDs that take the place of others; the ini file for those that are in none, and for what is said of all."""

    def __init__(self, *, plan: Plan, is_home: bool, **kwargs: Any) -> None:
        """
        Take all upgrades, those of other files too.

        Args:
            plan: The upgrades.
            is_home: Whether what is said of all of them stands here.
            kwargs: What pytest asks for.
        """
        super().__init__(**kwargs)
        self._plan = plan
        self._is_home = is_home

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the upgrades that stand in the file; where it is the ini file, what cannot be read, and what is allowed to all."""
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
    """What stands for upgrades that cannot be judged."""

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
        """Return that it is about no CRD."""
        from pytest_crd.report import verdictrules  # noqa: PLC0415 - only a report for programs needs them
        from pytest_crd.report.testfacts import About, VerdictKind  # noqa: PLC0415

        return About(VerdictKind.UPGRADE, verdictrules.UNJUDGED)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line of what names the baseline, and name."""
        return self.path, _index(inilines.line_of(self.config, BASELINE)), self.name


class AllowedItem(TextItem):
    """What is allowed to all CRDs: it happens in one."""

    unasked = "what an upgrade does is asked of the engine alone"

    def __init__(self, *, plan: Plan, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._plan = plan
        self.extra_keyword_matches.add("upgrade")

    def runtest(self) -> None:
        """
        Look for what it allows in all upgrades.

        Raises:
            StandingFailure: Something is allowed that no longer happens.
        """
        if outdated := self._plan.outdated:
            text = "\n".join(report.describe_outdated(outdated))
            raise StandingFailure(text, self.path, inilines.line_of(self.config, ALLOWED), outdated)

    def about(self) -> About:
        """Return that it is about no CRD alone."""
        from pytest_crd.report import verdictrules  # noqa: PLC0415 - only a report for programs needs them
        from pytest_crd.report.testfacts import About, VerdictKind  # noqa: PLC0415

        return About(VerdictKind.UPGRADE, verdictrules.ALLOWED)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line of what allows it, and name."""
        return self.path, _index(inilines.line_of(self.config, ALLOWED)), self.name


class UpgradeItem(TextItem):
    """The upgrade of one CRD, or its way back."""

    unasked = "what an upgrade does is asked of the engine alone"

    def __init__(self, *, task: Task, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.task = task
        self._warned: list[Finding] = []
        self.extra_keyword_matches.add("rollback" if task.is_rollback else "upgrade")

    def runtest(self) -> None:
        """
        Judge the upgrade.

        Raises:
            UpgradeFailure: It breaks objects, or something is allowed that no longer happens.
            pytest.fail.Exception: Nobody knows what it does.
        """
        try:
            upgrade, breaking, outdated = self.task.upgrade, self.task.breaking, self.task.outdated
        except InputError as error:
            raise MistakenFailure(error) from None
        notes = [*upgrade.unshown, *upgrade.notices]
        warnings = [*upgrade.warnings, *report.count_others(upgrade)]
        for finding in upgrade.findings:
            if finding.kind is Kind.WARNED:
                warnings.append(finding.words)
                self._warned.append(finding)
            elif finding not in breaking:
                allowed = "allowed: " if finding.is_breaking else ""
                first, *rest = report.describe_finding(finding)
                notes.append("\n".join((f"{allowed}{first}", *rest)))
        self.user_properties += [(session.NOTE, note) for note in notes]
        self.user_properties += [(session.WARNING, f"{self.nodeid}: {warning}") for warning in warnings]
        if breaking or outdated:
            text = "\n".join(report.lines(self._title, breaking, outdated, self._suggested))
            home = self.config.inipath or self.config.rootpath
            raise UpgradeFailure(text, self.task, (home, inilines.line_of(self.config, ALLOWED)))

    def about(self) -> About:
        """Return the CRD whose upgrade it is, and what the server warns of after it."""
        from pytest_crd.report import causes, verdictrules  # noqa: PLC0415 - only a report for programs needs them
        from pytest_crd.report.testfacts import About, VerdictKind  # noqa: PLC0415

        task = self.task
        warnings = causes.explain_upgrade(self._warned, is_rollback=task.is_rollback)
        rule = verdictrules.ROLLBACK if task.is_rollback else verdictrules.UPGRADE
        version = task.kubernetes_version
        return About(VerdictKind.UPGRADE, rule, task.old.name, "", version, warnings)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the report in place of a traceback."""
        if not isinstance(excinfo.value, UpgradeFailure):
            return super().repr_failure(excinfo, style)
        task = self.task
        coloured = report.lines(self._title, task.breaking, task.outdated, self._suggested, paint=paint)
        return FailureText(
            plain=str(excinfo.value),
            coloured="\n".join(coloured),
            path=session.display_path(self.path),
            line=self._line,
            summary=report.summary(task.breaking, task.outdated),
        )

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the upgrade."""
        return self.path, _index(self._line), self.name

    @property
    def _line(self) -> int:
        """The line of the new CRD; where it is in no file, that of the setting that prints it, or that names the baseline."""
        return self.task.line or inilines.line_of(self.config, COMMANDS if self.task.today else BASELINE)

    @property
    def _suggested(self) -> list[Allowance]:
        task = self.task
        return allowances.suggest(task.old.name, task.breaking, is_rollback=task.is_rollback)

    @property
    def _title(self) -> str:
        task = self.task
        place, way = failures.place(session.display_path(self.path), self._line), "to" if task.is_rollback else "from"
        return f"{place}: {self.name} {way} {task.old.source}, Kubernetes {task.kubernetes_version}"


def _index(line: int) -> int | None:
    """Return a 1-based line as pytest counts them; None for 0, which is no line."""
    return line - 1 if line else None

"""Upgrades as pytest's items, below the files of the CRDs of today, wherever these lie."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd import session
from pytest_crd.engine import InputError
from pytest_crd.failuretext import FailureText, TextItem, paint
from pytest_crd.report import upgrades as report
from pytest_crd.upgrades.plan import Task

# The property of an item with what is worth to know of it though it holds.
NOTE: Final = "crd_note"
# The same, for what everybody is told.
WARNING: Final = "crd_warning"


class UpgradeFailure(AssertionError):  # noqa: N818 - a failure, not an error: pytest tells the two apart
    """An upgrade breaks objects; `str()` is the whole report on it."""


class UpgradeFile(pytest.File):
    """A file with CRDs that take the place of others; the ini file for those that are in none."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the upgrades."""
        yield from items(self)


class UnreadBaseline(pytest.File):
    """What stands for a baseline that cannot be read."""

    def collect(self) -> Iterator[pytest.Item]:
        """Raise what is wrong with it."""
        raise self.CollectError(str(session.upgrades(self.config).problem))


class UpgradeItem(TextItem):
    """The upgrade of one CRD."""

    def __init__(self, *, task: Task, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.task = task
        self.extra_keyword_matches.add("upgrade")

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
            pytest.fail(str(error), pytrace=False)
        notes = [*upgrade.unshown]
        for finding in upgrade.findings:
            if finding not in breaking:
                allowed = "allowed: " if finding.is_breaking else ""
                first, *rest = report.of_finding(finding)
                notes.append("\n".join((f"{allowed}{first}", *rest)))
        self.user_properties += [(NOTE, note) for note in notes]
        self.user_properties += [(WARNING, f"{self.nodeid}: {warning}") for warning in upgrade.warnings]
        if breaking or outdated:
            raise UpgradeFailure("\n".join(report.lines(self._title, breaking, outdated, self.task.old.name)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the report in place of a traceback."""
        if not isinstance(excinfo.value, UpgradeFailure):
            return super().repr_failure(excinfo, style)
        task = self.task
        coloured = report.lines(self._title, task.breaking, task.outdated, task.old.name, paint=paint)
        return FailureText(
            plain=str(excinfo.value),
            coloured="\n".join(coloured),
            path=session.shown(self.path),
            line=task.line,
            summary=report.summary(task.breaking, task.outdated),
        )

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the upgrade."""
        return self.path, self.task.line - 1 if self.task.line else None, self.name

    @property
    def _title(self) -> str:
        place = f"{session.shown(self.path)}:{self.task.line}"
        return f"{place}: {self.name} from {self.task.old.source}, Kubernetes {self.task.kubernetes_version}"


def items(parent: pytest.File) -> Iterator[pytest.Item]:
    """Yield the upgrades that stand in a file."""
    tasks = session.upgrades(parent.config).tasks
    has_several = len({task.kubernetes_version for task in tasks}) > 1
    for task in tasks:
        if task.path == parent.path:
            label = f"[{task.kubernetes_version}]" if has_several else ""
            yield UpgradeItem.from_parent(parent, name=f"upgrade[{task.id}]{label}", task=task)


def named(path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Return the collector of a file that is named on the command line; None where no upgrade stands in it."""
    if any(task.path == path for task in session.upgrades(parent.config).tasks):
        return UpgradeFile.from_parent(parent, path=path)
    return None


def added(collector: pytest.Session) -> Iterator[pytest.File]:
    """Yield the files with upgrades that a run is given besides what it names: none where it names some, or node ids."""
    if any("::" in argument.partition("[")[0] for argument in collector.config.args):
        return
    plan = session.upgrades(collector.config)
    if plan.problem is not None:
        yield UnreadBaseline.from_parent(collector, path=collector.config.inipath or collector.config.rootpath)
    paths = dict.fromkeys(task.path for task in plan.tasks)
    if not any(map(collector.isinitpath, paths)):
        for path in paths:
            yield UpgradeFile.from_parent(collector, path=path)

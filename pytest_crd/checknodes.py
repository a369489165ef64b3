"""Checks as pytest's items, below the files that they speak of, wherever these lie."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_crd import failuretext, livenodes, options, session
from pytest_crd.checks.verdict import Check, Verdict
from pytest_crd.failuretext import FailureText, TextFailure, TextItem
from pytest_crd.livenodes import Place
from pytest_crd.report import checks as report

# The property of an item with what the server warns of.
WARNING: Final = "crd_warning"
NOTE: Final = "crd_note"


class CheckFailure(TextFailure):
    """A check does not hold."""

    def __init__(self, title: str, path: str, line: int, verdict: Verdict, verbosity: int) -> None:
        self._title, self._path, self._line = title, path, line
        self._verdict, self._verbosity = verdict, verbosity
        super().__init__("\n".join(report.lines(title, verdict, verbosity=verbosity)))

    def shown(self) -> FailureText:
        """Return the report, in colour too."""
        lines = report.lines(self._title, self._verdict, verbosity=self._verbosity, paint=failuretext.paint)
        return FailureText(
            plain=str(self),
            coloured="\n".join(lines),
            path=self._path,
            line=self._line,
            summary=report.summary(self._verdict),
        )


class CheckFile(pytest.File):
    """A file that checks speak of; the ini file for what commands have printed."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the checks, those of each Kubernetes version in their order."""
        for check in session.checks(self.config).checks[self.path]:
            yield CheckItem.from_parent(self, name=check.name, check=check)


class MistakenFile(pytest.File):
    """A file that keeps the CRDs from being checked."""

    def collect(self) -> Iterator[pytest.Item]:
        """Raise what is wrong with the CRDs."""
        raise self.CollectError(str(session.checks(self.config).problem))


class CheckItem(TextItem):
    """One check."""

    def __init__(self, *, check: Check, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check
        self.extra_keyword_matches.add(check.kind)

    def runtest(self) -> None:
        """
        Run the check.

        Raises:
            CheckFailure: It does not hold.
        """
        with livenodes.beside(self.config, Place(self.path, self.check.line, self.check.name)):
            self._judge()

    def foresee(self) -> None:
        """Run it for its questions alone."""
        self.check.run()

    def _judge(self) -> None:
        verdict = self.check.run()
        if options.of(self.config).warnings_fail:
            verdict = verdict.with_warnings_failing()
        if verdict.passed_over:
            pytest.skip(verdict.passed_over)
        self.user_properties += [(NOTE, note) for note in verdict.notes]
        self.user_properties += [(WARNING, f"{one.place}: warning: {one.text}") for one in verdict.warnings]
        if verdict.findings:
            title = f"{self.check.source}: {self.check.name}, Kubernetes {self.check.kubernetes_version}"
            where = session.shown(self.path)
            raise CheckFailure(title, where, self.check.line, verdict, self.config.get_verbosity())

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the check."""
        return self.path, self.check.line - 1 if self.check.line else None, self.name


def named(path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Return the collector of a file that is named on the command line; None where no check speaks of it."""
    plan = session.checks(parent.config)
    if plan.problem is not None and _names_items(parent.config):
        return MistakenFile.from_parent(parent, path=path)
    return CheckFile.from_parent(parent, path=path) if path in plan.checks else None


def added(collector: pytest.Session) -> Iterator[pytest.File]:
    """Yield the files with checks that a run has besides what it names: none where it names some of them, or node ids."""
    plan = session.checks(collector.config)
    if _names_items(collector.config) or any(map(collector.isinitpath, plan.checks)):
        return
    if plan.problem is not None and not plan.is_in_vain:
        yield MistakenFile.from_parent(collector, path=collector.config.rootpath, nodeid="CRDs")
    for path in plan.checks:
        yield CheckFile.from_parent(collector, path=path)


def _names_items(config: pytest.Config) -> bool:
    return any("::" in argument.partition("[")[0] for argument in config.args)

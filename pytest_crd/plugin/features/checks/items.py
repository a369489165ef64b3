"""Checks as pytest's items, below the files that they speak of, wherever these lie."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pytest_crd.checks.verdict import Check, CheckVerdict
from pytest_crd.plugin import session
from pytest_crd.plugin.items import extensions, failures
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import FailureText, TextFailure, TextItem
from pytest_crd.plugin.settings import inilines
from pytest_crd.plugin.settings.project import COMMANDS
from pytest_crd.report import checks as report


class CheckFailure(TextFailure):
    """A check does not hold."""

    def __init__(self, title: str, path: str, line: int, verdict: CheckVerdict, verbosity: int) -> None:
        self._title, self._path, self._line = title, path, line
        self._verdict, self._verbosity = verdict, verbosity
        super().__init__("\n".join(report.lines(title, verdict, verbosity=verbosity)))

    def shown(self) -> FailureText:
        """Return the report, in colour too."""
        lines = report.lines(self._title, self._verdict, verbosity=self._verbosity, paint=failures.paint)
        return FailureText(
            plain=str(self),
            coloured="\n".join(lines),
            path=self._path,
            line=self._line,
            summary=report.summary(self._verdict),
        )


class CheckFile(pytest.File):
    """A file that checks speak of; the ini file for what commands have printed."""

    def __init__(self, *, checks: Sequence[Check], warnings_fail: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._checks, self._warnings_fail = checks, warnings_fail

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the checks, those of each Kubernetes version in their order."""
        for check in self._checks:
            yield CheckItem.from_parent(self, name=check.name, check=check, warnings_fail=self._warnings_fail)


class CheckItem(TextItem):
    """One check."""

    def __init__(self, *, check: Check, warnings_fail: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check
        self._warnings_fail = warnings_fail
        self.extra_keyword_matches.add(check.kind)

    def runtest(self) -> None:
        """
        Run the check.

        Raises:
            CheckFailure: It does not hold.
        """
        with extensions.beside(self.config, TestPlace(self.path, self._line, self.check.name)):
            self._judge()

    def foresee(self) -> None:
        """Run it for its questions alone."""
        self.check.run()

    def _judge(self) -> None:
        verdict = self.check.run()
        if self._warnings_fail:
            verdict = verdict.with_warnings_failing()
        if verdict.passed_over:
            pytest.skip(verdict.passed_over)
        notes = (self.config.get_verbosity() > 1 and verdict.details) or verdict.notes
        self.user_properties += [(session.NOTE, note) for note in notes]
        self.user_properties += [(session.WARNING, f"{one.place}: warning: {one.text}") for one in verdict.warnings]
        if verdict.findings:
            title = f"{self.check.source}: {self.check.name}, Kubernetes {self.check.kubernetes_version}"
            where = session.shown(self.path)
            raise CheckFailure(title, where, self._line, verdict, self.config.get_verbosity())

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the check."""
        return self.path, self._line - 1 if self._line else None, self.name

    @property
    def _line(self) -> int:
        """The line of what is checked; of what a command has printed, that of the setting with the commands."""
        return self.check.line or inilines.line_of(self.config, COMMANDS)

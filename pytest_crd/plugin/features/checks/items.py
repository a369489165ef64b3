"""Collectors and items for checks, below the files of their CRDs and samples, wherever these lie."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd.checks.verdict import Check, CheckFinding
from pytest_crd.plugin import session
from pytest_crd.plugin.items import extensions
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import TextItem
from pytest_crd.plugin.settings import inilines
from pytest_crd.plugin.settings.project import COMMANDS

if TYPE_CHECKING:
    from pytest_crd.report.testfacts import About


class CheckFile(pytest.File):
    """File with a checked CRD or sample; the ini file for the output of commands."""

    def __init__(self, *, checks: Sequence[Check], warnings_fail: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._checks, self._warnings_fail = checks, warnings_fail

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the checks of the file, for one Kubernetes version after the other."""
        for check in self._checks:
            yield CheckItem.from_parent(self, name=check.name, check=check, warnings_fail=self._warnings_fail)


class CheckItem(TextItem):
    """Test item of one check."""

    def __init__(self, *, check: Check, warnings_fail: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check
        self._warnings: tuple[CheckFinding, ...] = ()
        self._warnings_fail = warnings_fail
        if check.fails_if_refused and not check.is_allowed:
            self.judged_crd = (check.source, check.kubernetes_version)
        self.extra_keyword_matches.add(check.kind)

    def runtest(self) -> None:
        """
        Run the check.

        Raises:
            CheckFailure: It does not hold.
        """
        with extensions.mirror_requests(self.config, TestPlace(self.path, self.line, self.check.name)):
            self._judge()

    def run_ahead(self) -> None:
        """Run the check only to learn its requests."""
        self.check.run()

    def about(self) -> About:
        """Return the facts about the check for reports: its CRD and the server's warnings."""
        about: About = _reports().about(self.check, self._warnings)
        return about

    def _judge(self) -> None:
        verdict = self.check.run()
        if verdict.refused_crd:
            self.skip_if_told(verdict.refused_crd, self.check.kubernetes_version)
        if self._warnings_fail:
            verdict = verdict.with_warnings_failing()
        if verdict.passed_over:
            pytest.skip(verdict.passed_over)
        notes = (self.config.get_verbosity() > 1 and verdict.details) or verdict.notes
        self.user_properties += [(session.NOTE, note) for note in notes]
        self.user_properties += [
            (session.WARNING, f"{warning.place}: warning: {warning.text}")
            for warning in (*verdict.warnings, *verdict.allowed)
        ]
        self._warnings = (*verdict.warnings, *verdict.allowed)
        if verdict.findings:
            place = TestPlace(self.path, self.line, self.name)
            failure: Exception = _reports().CheckFailure(
                self.check, verdict, place, verbosity=self.config.get_verbosity()
            )
            raise failure

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the check."""
        return self.path, self.line - 1 if self.line else None, self.name

    @property
    def line(self) -> int:
        """The line of the checked CRD or sample; for the output of a command, the line of `crd_commands`."""
        return self.check.line or inilines.line_of(self.config, COMMANDS)


def _reports() -> ModuleType:
    from pytest_crd.plugin.features.checks import reports  # noqa: PLC0415 - reports are slow to import, and most checks hold

    return reports

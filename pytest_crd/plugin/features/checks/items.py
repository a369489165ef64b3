"""Checks as pytest's items, below the files that they speak of, wherever these lie."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd import garbage
from pytest_crd.checks.verdict import Check, CheckFinding, CheckVerdict
from pytest_crd.plugin import session
from pytest_crd.plugin.items import extensions, failures
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import FailureText, TextFailure, TextItem
from pytest_crd.plugin.settings import inilines
from pytest_crd.plugin.settings.project import COMMANDS

if TYPE_CHECKING:
    from pytest_crd.report.testfacts import About, Cause


class CheckFailure(TextFailure):
    """A check does not hold."""

    def __init__(self, item: CheckItem, verdict: CheckVerdict) -> None:
        check, self._line = item.check, item.line
        self._title = title = f"{check.source}: {check.name}, Kubernetes {check.kubernetes_version}"
        self._path = session.display_path(item.path)
        self._check, self._verdict = check, verdict
        self._verbosity = verbosity = item.config.get_verbosity()
        from pytest_crd.report import checkwords as report  # noqa: PLC0415 - only a failure needs it

        super().__init__("\n".join(report.lines(title, verdict, verbosity=verbosity)))

    def to_text(self) -> FailureText:
        """Return the report, in colour too."""
        from pytest_crd.report import checkwords as report  # noqa: PLC0415 - only a failure needs it

        lines = report.lines(self._title, self._verdict, verbosity=self._verbosity, paint=failures.paint)
        return FailureText(
            plain=str(self),
            coloured="\n".join(lines),
            path=self._path,
            line=self._line,
            summary=report.summary(self._verdict),
        )

    def causes(self) -> tuple[Cause, ...]:
        """Return what is wrong, one by one."""
        from pytest_crd.report import causes  # noqa: PLC0415 - only a report for programs needs them

        return causes.explain_check(self._verdict, rule_of(self._check))


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
        self._warned: tuple[CheckFinding, ...] = ()
        self._warnings_fail = warnings_fail
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
        """Run it for its questions alone."""
        self.check.run()

    def about(self) -> About:
        """Return the CRD that it is about, and what the server warned of."""
        from pytest_crd.report import causes  # noqa: PLC0415 - only a report for programs needs them
        from pytest_crd.report.testfacts import About, VerdictKind  # noqa: PLC0415

        check, rule = self.check, rule_of(self.check)
        warnings = causes.explain_warnings(self._warned, rule)
        return About(VerdictKind.CHECK, rule, check.crd, check.version, check.kubernetes_version, warnings)

    @garbage.paused()
    def _judge(self) -> None:
        verdict = self.check.run()
        if self._warnings_fail:
            verdict = verdict.with_warnings_failing()
        if verdict.passed_over:
            pytest.skip(verdict.passed_over)
        notes = (self.config.get_verbosity() > 1 and verdict.details) or verdict.notes
        self.user_properties += [(session.NOTE, note) for note in notes]
        self.user_properties += [(session.WARNING, f"{one.place}: warning: {one.text}") for one in verdict.warnings]
        self._warned = verdict.warnings
        if verdict.findings:
            raise CheckFailure(self, verdict)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return file, 0-based line and name of the check."""
        return self.path, self.line - 1 if self.line else None, self.name

    @property
    def line(self) -> int:
        """The line of what is checked; of what a command has printed, that of the setting with the commands."""
        return self.check.line or inilines.line_of(self.config, COMMANDS)


def rule_of(check: Check) -> str:
    """Return the id of the rule that a check judges by."""
    from pytest_crd.report import verdictrules  # noqa: PLC0415 - only a report for programs needs them

    return verdictrules.name_lint_rule(check.lint) if check.lint else verdictrules.name_check_rule(check.kind)

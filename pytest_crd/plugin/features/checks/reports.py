"""Reports about checks: the text of a failure, its causes, and the facts for reports for programs."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_crd.checks.verdict import Check, CheckFinding, CheckVerdict
from pytest_crd.engine import profile
from pytest_crd.plugin import session
from pytest_crd.plugin.items import failures
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import FailureText, TextFailure
from pytest_crd.report import causes, checkwords, verdictrules
from pytest_crd.report.testfacts import About, Cause, VerdictKind


class CheckFailure(TextFailure):
    """Failure of a check."""

    def __init__(self, check: Check, verdict: CheckVerdict, place: TestPlace, *, verbosity: int) -> None:
        self._title = title = f"{check.source}: {check.name}, Kubernetes {profile.describe(check.kubernetes_version)}"
        self._check, self._verdict, self._place = check, verdict, place
        self._verbosity = verbosity
        super().__init__("\n".join(checkwords.lines(title, verdict, verbosity=verbosity)))

    def to_text(self) -> FailureText:
        """Return the report, plain and in colour."""
        lines = checkwords.lines(self._title, self._verdict, verbosity=self._verbosity, paint=failures.paint)
        return FailureText(
            plain=str(self),
            coloured="\n".join(lines),
            path=session.display_path(self._place.path),
            line=self._place.line,
            summary=checkwords.summary(self._verdict),
        )

    def causes(self) -> tuple[Cause, ...]:
        """Return the causes of the failure."""
        return causes.explain_check(self._verdict, _rule_of(self._check), self._check.crd)


def about(check: Check, warnings: Sequence[CheckFinding]) -> About:
    """Return the facts about a check: its CRD and the server's warnings."""
    rule = _rule_of(check)
    explained = causes.explain_warnings(warnings, rule)
    return About(VerdictKind.CHECK, rule, check.crd, check.version, check.kubernetes_version, explained)


def _rule_of(check: Check) -> str:
    """Return the id of the rule that a check applies."""
    return verdictrules.name_lint_rule(check.lint) if check.lint else verdictrules.name_check_rule(check.kind)

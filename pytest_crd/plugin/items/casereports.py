"""Reports about cases: the text of a failure, its causes, and the facts for reports for programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pytest_crd.cases.caseresult import CaseResult, Context
from pytest_crd.cases.model import Case
from pytest_crd.plugin.items import failures
from pytest_crd.plugin.items.failures import FailureText
from pytest_crd.report import causes, text, verdictrules
from pytest_crd.report.testfacts import About, Cause, FilePlace, VerdictKind


@dataclass(frozen=True)
class CaseReport:
    """
    Report about a case that does not hold.

    Attributes:
        path: The file of the case, as users name it.
        case: The case.
        result: Its result.
        verbosity: The verbosity of the session.
    """

    path: str
    case: Case
    result: CaseResult
    verbosity: int

    @property
    def _title(self) -> str:
        return f"{self.path}:{self.case.line}: {self.case.title}"

    @cached_property
    def plain(self) -> str:
        """The report without colours."""
        return "\n".join(text.lines(self._title, self.result, verbosity=self.verbosity))

    def to_text(self) -> FailureText:
        """Return the report, plain and in colour."""
        coloured = text.lines(self._title, self.result, verbosity=self.verbosity, paint=failures.paint)
        return FailureText(
            plain=self.plain,
            coloured="\n".join(coloured),
            path=self.path,
            line=self.case.line,
            summary=text.summary(self.result),
        )

    def causes(self) -> tuple[Cause, ...]:
        """Return the causes of the failure."""
        return causes.explain_case(self.result, verdictrules.name_section_rule(self.case.section))


def about(path: Path, case: Case, kubernetes_version: str, context: Context | None, warnings: Iterable[str]) -> About:
    """Return the facts about a case: its CRD version and its warnings; *context* is None if it did not run."""
    rule, place = verdictrules.name_section_rule(case.section), FilePlace(str(path), case.line)
    explained = tuple(Cause(rule, warning, place=place) for warning in warnings)
    if context is None:
        return About(VerdictKind.CASE, rule, kubernetes_version=kubernetes_version, warnings=explained)
    return About(VerdictKind.CASE, rule, context.crd, context.version, context.kubernetes_version, explained)

"""Files with cases that are filled in: each case is observed where it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pytest_crd.casefiles import observation
from pytest_crd.casefiles.notes import Note
from pytest_crd.casefiles.observation import Mode, Observed
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import Case
from pytest_crd.generation import casenames, gone


class Content(NamedTuple):
    """
    A file with cases, as it was read.

    Attributes:
        path: The file; of a link, what it leads to.
        digest: The digest of its content.
        is_suite: Whether it is in the format of openshift/api.
        mode: How much is written.
        kubernetes_versions: Those that its cases are run for.
    """

    path: Path
    digest: str
    is_suite: bool
    mode: Mode
    kubernetes_versions: tuple[str, ...]

    def observe(self, case: Any, run: Callable[[Any], CaseResult], *, version: str) -> tuple[CaseResult, Note]:
        """
        Return the outcome of *case*, as it will be once it is written, and what is to be written.

        Args:
            case: The case.
            run: What runs it, or the same case with other expectations.
            version: The Kubernetes version that it is run for, where the session has several; else empty.

        Raises:
            InputError: What the case says cannot be.
        """
        observed = self._of_suite(run(case)) if self.is_suite else self._of_case(case, run)
        is_removed = self._is_removed(case, observed)
        if is_removed:
            observed = Observed(observed.result._replace(mismatches=()))
        name = casenames.made_anew(case.name, case.section, observed.result) if observed.values else case.name
        note = Note(
            path=str(self.path),
            digest=self.digest,
            name=case.name,
            title=case.title,
            line=case.line,
            version=version,
            versions=self.kubernetes_versions if version else (),
            values=observed.values,
            removed=observed.removed,
            filled=observed.filled,
            turn=observed.turn,
            problem=observed.problem,
            suggestions=observed.suggestions,
            renamed=name if name not in {None, case.name} else "",
            is_named_by_hand=name is None and bool(observed.turn),
            is_removed=is_removed,
        )
        return observed.result, note

    def passed_over(self, case: Case) -> Note:
        """Return that what *case* leaves out stays so, as it is skipped or known to fail."""
        return Note(str(self.path), self.digest, case.name, case.title, case.line, passed_over=case.passed_over)

    def _of_case(self, case: Any, run: Callable[[Any], CaseResult]) -> Observed:
        """Return what becomes of a case; of a generated one, without the fields that are gone, where that makes it hold."""
        observed = observation.observe(case, run, self.mode)
        trimmed = gone.without_any(case, observed.result) if self._turns and observed.problem else None
        if trimmed is None:
            return observed
        other = observation.observe(trimmed.case, run, self.mode)
        return observed if other.problem else other._replace(values={trimmed.key: trimmed.value, **other.values})

    @property
    def _turns(self) -> bool:
        return self.mode >= Mode.UPDATE_VERDICTS

    def _is_removed(self, case: Case, observed: Observed) -> bool:
        """Return whether a case that does not hold was generated for a field that is gone."""
        version = observed.result.version
        is_asked = self._turns and bool(observed.values or observed.problem)
        return is_asked and version is not None and gone.is_about_one(case, version)

    def _of_suite(self, result: CaseResult) -> Observed:
        is_asked = not result.holds and self.mode >= Mode.UPDATE
        return Observed(result, problem="suites in the format of openshift/api are never written" if is_asked else "")

"""Case files that are filled in: the result of each case is observed when it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pytest_crd.casefiles import observation
from pytest_crd.casefiles.notes import Note
from pytest_crd.casefiles.observation import Mode, Observed
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import Case
from pytest_crd.generation import casenames, removedfields


class Content(NamedTuple):
    """
    A case file, as it was read.

    Attributes:
        path: The file, with links resolved.
        digest: The digest of its content.
        is_suite: Whether it is in the format of openshift/api.
        mode: How much is written.
        kubernetes_versions: The Kubernetes versions that its cases run for.
    """

    path: Path
    digest: str
    is_suite: bool
    mode: Mode
    kubernetes_versions: tuple[str, ...]

    def observe(self, case: Any, run: Callable[[Any], CaseResult], *, version: str) -> tuple[CaseResult, Note]:
        """
        Run *case* and return its result, as it will be once the file is written, and the note to write.

        Args:
            case: The case.
            run: Runs a case, also a variant with other expectations.
            version: The Kubernetes version of the run if the session has several; else empty.

        Raises:
            InputError: The case has a mistake.
        """
        observed = self._of_suite(run(case)) if self.is_suite else self._of_case(case, run)
        is_removed = self._is_removed(case, observed)
        if is_removed:
            observed = Observed(observed.result._replace(mismatches=()))
        name = casenames.rename_case(case.name, case.section, observed.result) if observed.values else case.name
        under = {} if self.is_suite else case.declared.get("errorsUnder") or {}
        values, only = observed.values, "".join(self.kubernetes_versions) if not version else ""
        if only in under and "errors" in values:  # a run of one version leaves the errors of all others alone
            values = {"errorsUnder": {**under, only: values["errors"]}, **values}
            values = {key: value for key, value in values.items() if key != "errors"}
        note = Note(
            path=str(self.path),
            digest=self.digest,
            name=case.name,
            title=case.title,
            line=case.line,
            version=version,
            versions=self.kubernetes_versions if version else (),
            values=values,
            removed=observed.removed,
            filled=observed.filled,
            turn=observed.turn,
            problem=observed.problem,
            suggestions=observed.suggestions,
            renamed=name if name not in {None, case.name} else "",
            is_named_by_hand=name is None and bool(observed.turn),
            is_removed=is_removed,
            errors_under=under,
        )
        return observed.result, note

    def passed_over(self, case: Case) -> Note:
        """Return the note that nothing is filled into *case*, because it is skipped or expected to fail."""
        return Note(str(self.path), self.digest, case.name, case.title, case.line, passed_over=case.passed_over)

    def _of_case(self, case: Any, run: Callable[[Any], CaseResult]) -> Observed:
        """Return the observation of a case; of a generated case, without fields that are gone if the case holds without them."""
        observed = observation.observe(case, run, self.mode)
        trimmed = removedfields.trim_case(case, observed.result) if self._turns and observed.problem else None
        if trimmed is None:
            return observed
        without_gone = observation.observe(trimmed.case, run, self.mode)
        if without_gone.problem:
            return observed
        return without_gone._replace(values={trimmed.key: trimmed.value, **without_gone.values})

    @property
    def _turns(self) -> bool:
        return self.mode >= Mode.UPDATE_VERDICTS

    def _is_removed(self, case: Case, observed: Observed) -> bool:
        """Return whether a case is removed: it fails, and was generated for a field that is gone."""
        version = observed.result.version
        is_wanted = self._turns and bool(observed.values or observed.problem)
        return is_wanted and version is not None and removedfields.is_about_removed_field(case, version)

    def _of_suite(self, result: CaseResult) -> Observed:
        is_wanted = not result.holds and self.mode >= Mode.UPDATE
        return Observed(result, problem="suites in the format of openshift/api are never written" if is_wanted else "")

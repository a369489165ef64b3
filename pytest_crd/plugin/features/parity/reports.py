"""Reports about parity checks: the text of a failure, its causes, and the facts for reports for programs."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_crd.classes.divergences import AllowedDivergence
from pytest_crd.classes.paritychecks import ParityCheck
from pytest_crd.engine import profile
from pytest_crd.plugin import session
from pytest_crd.plugin.items import failures
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import FailureText, TextFailure
from pytest_crd.report import causes, paritywords, verdictrules
from pytest_crd.report.testfacts import About, Cause, FilePlace, VerdictKind
from pytest_crd.wording import Paint, plain


class ParityFailure(TextFailure):
    """Failure of a parity check."""

    def __init__(
        self, check: ParityCheck, outdated: Sequence[AllowedDivergence], place: TestPlace, *, verbosity: int
    ) -> None:
        """Create it with a check that has findings, or allowances without a divergence."""
        source = failures.place(session.display_path(place.path), place.line)
        self._title = f"{source}: {place.title}, {check.class_name}, Kubernetes {profile.describe(check.version.crd.kubernetes_version)}"
        self._check, self._outdated, self._place = check, outdated, place
        self._verbosity = verbosity
        super().__init__("\n".join(self._lines()))

    def _lines(self, paint: Paint = plain) -> list[str]:
        findings = self._check.verdict.findings
        words = paritywords.lines(
            self._title, findings, self._outdated, self._check.target, verbosity=self._verbosity, paint=paint
        )
        return [*words]

    def to_text(self) -> FailureText:
        """Return the report, plain and in colour."""
        return FailureText(
            plain=str(self),
            coloured="\n".join(self._lines(failures.paint)),
            path=session.display_path(self._place.path),
            line=self._place.line,
            summary=paritywords.summary(self._check.verdict.findings, self._outdated),
        )

    def causes(self) -> tuple[Cause, ...]:
        """Return the divergences, and the allowances that match nothing."""
        place = FilePlace(str(self._place.path), self._place.line)
        return (*causes.explain_parity(self._check.verdict.findings), *_explain_outdated(self._outdated, place))


class OutdatedFailure(TextFailure):
    """Failure about allowances for several checks."""

    def __init__(self, outdated: Sequence[AllowedDivergence], place: TestPlace) -> None:
        """Create it with the allowances that match nothing."""
        self._outdated, self._place = outdated, place
        super().__init__("\n".join(paritywords.describe_outdated(outdated)))

    def to_text(self) -> FailureText:
        """Return the report as pytest shows it."""
        path = session.display_path(self._place.path)
        summary = paritywords.summary((), self._outdated)
        return FailureText(plain=str(self), coloured=str(self), path=path, line=self._place.line, summary=summary)

    def causes(self) -> tuple[Cause, ...]:
        """Return the allowances."""
        return _explain_outdated(self._outdated, FilePlace(str(self._place.path), self._place.line))


def about(check: ParityCheck | None) -> About:
    """Return the facts about a check: its CRD and version; None for the allowances about several checks."""
    if check is None:
        return About(VerdictKind.PARITY, verdictrules.PARITY_ALLOWED)
    crd = check.version.crd
    return About(VerdictKind.PARITY, verdictrules.PARITY, crd.name, check.version.name, crd.kubernetes_version)


def _explain_outdated(outdated: Sequence[AllowedDivergence], place: FilePlace) -> tuple[Cause, ...]:
    return tuple(
        Cause(verdictrules.PARITY_ALLOWED, f"allowed, but no longer found: {entry}", place=place) for entry in outdated
    )

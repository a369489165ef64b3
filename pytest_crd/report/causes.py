"""Causes: what is wrong, one by one, out of what the cases, the checks, the upgrades and the engine hand on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.engine import FieldError, Response
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.report import text, verdictrules
from pytest_crd.report.testfacts import Cause, FilePlace, placed
from pytest_crd.upgrades.upgradefindings import Finding, Witness


def of_case(result: CaseResult, rule: str) -> tuple[Cause, ...]:
    """
    Return what is not as a case expects: at the line of the CRD that decided, or at the case where none did.

    Args:
        result: A result that does not hold.
        rule: The rule of the case's section.
    """
    crd = placed(result.context.source)
    related = () if crd is None else (crd,)
    return tuple(
        Cause(rule, row.brief, row.field, placed(row.source), related, row.details) for row in text.differing(result)
    )


def of_check(verdict: CheckVerdict, rule: str) -> tuple[Cause, ...]:
    """Return what is wrong of a check that does not hold; what has no place only explains the others."""
    found = [one for one in verdict.findings if one.place] or verdict.findings
    return tuple(_of_finding(one, rule) for one in found)


def of_warnings(findings: Iterable[CheckFinding], rule: str) -> tuple[Cause, ...]:
    """Return what the server warns of in a check."""
    return tuple(_of_finding(one, rule) for one in findings)


def of_upgrade(findings: Iterable[Finding], *, is_rollback: bool) -> tuple[Cause, ...]:
    """Return what an upgrade does to objects, at the lines of the new CRD, each with what shows it."""
    return tuple(
        Cause(
            verdictrules.of_upgrade(one.kind, is_rollback=is_rollback),
            one.words,
            one.path,
            next((placed(new.where) for _, new in one.lines if new.where), None),
            tuple(_around(one)),
            tuple(f"- {old.text or '(nothing)'} + {new.text or '(nothing)'}" for old, new in one.lines),
            None if one.witness is None else _shown(one.witness),
        )
        for one in findings
    )


def of_errors(errors: Sequence[FieldError], rule: str) -> tuple[Cause, ...]:
    """Return the server's reasons, each at the line of the CRD that decided."""
    return tuple(
        Cause(rule, str(one), one.field, placed(one.source), details=one.rule.lines if one.rule else ())
        for one in errors
    )


def of_mistakes(mistakes: Iterable[Mistake], rule: str) -> tuple[Cause, ...]:
    """Return the mistakes in what somebody wrote, each at its line."""
    return tuple(Cause(rule, one.message, place=FilePlace(one.source, one.line)) for one in mistakes)


def _of_finding(finding: CheckFinding, rule: str) -> Cause:
    origin = placed(finding.origin)
    related = () if origin is None else (origin,)
    return Cause(rule, finding.text, finding.field, placed(finding.place), related, finding.details)


def _around(finding: Finding) -> Iterator[FilePlace]:
    """Yield where the old CRD says otherwise, and where objects stand that show it."""
    sources = [old.where for old, _ in finding.lines]
    sources += [finding.witness.source] if finding.witness is not None else []
    for source in (*sources, *finding.others):
        if (place := placed(source)) is not None:
            yield place


def _shown(witness: Witness) -> dict[str, Any]:
    return {
        "object": witness.resource,
        "stored": witness.stored,
        "applied": [{"manager": one.manager, "object": one.resource} for one in witness.applied],
        "before": _answer(witness.before),
        "after": _answer(witness.after),
        "note": witness.note,
        "source": witness.source,
    }


def _answer(response: Response) -> dict[str, Any]:
    return {
        "accepted": response.accepted,
        "code": response.code,
        "message": response.message,
        "stored": response.stored,
    }

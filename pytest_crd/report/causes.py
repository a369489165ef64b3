"""Causes of failures, from the results of cases, checks, upgrades and the engine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.engine import FieldError, Response
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.report import causegroups, text, verdictrules
from pytest_crd.report.testfacts import Cause, FilePlace, parse_place
from pytest_crd.upgrades.upgradefindings import Finding, Line, Witness

if TYPE_CHECKING:
    from pytest_crd.classes.divergences import Divergence


def explain_case(result: CaseResult, rule: str) -> tuple[Cause, ...]:
    """
    Return the mismatches of a case as causes, at the line of the CRD that decided, else at the case.

    Args:
        result: A result that does not hold.
        rule: The rule of the case's section.
    """
    crd = parse_place(result.context.source)
    related = () if crd is None else (crd,)
    return tuple(
        Cause(
            rule,
            row.brief,
            row.field,
            parse_place(row.source),
            related,
            row.details,
            key=_key(row.source, row.field),
            decision=row.decision,
        )
        for row in text.find_differences(result)
    )


def explain_check(verdict: CheckVerdict, rule: str, crd: str) -> tuple[Cause, ...]:
    """
    Return the findings of a failed check as causes; findings without a place are left out if others have one.

    Args:
        verdict: The verdict.
        rule: The rule of the check.
        crd: The name of its CRD; may be empty.
    """
    placed_findings = [finding for finding in verdict.findings if finding.place] or verdict.findings
    return tuple(_make_cause(finding, rule, crd) for finding in placed_findings)


def explain_warnings(findings: Iterable[CheckFinding], rule: str) -> tuple[Cause, ...]:
    """Return the server's warnings in a check as causes."""
    return tuple(_make_cause(finding, rule, "") for finding in findings)


def explain_upgrade(findings: Iterable[Finding], *, is_rollback: bool) -> tuple[Cause, ...]:
    """Return the effects of an upgrade as causes, at the lines of the new CRD, each with its witness."""
    return tuple(
        Cause(
            verdictrules.name_upgrade_rule(finding.kind, is_rollback=is_rollback),
            finding.words if finding.words.startswith(f"{finding.path}:") else f"{finding.path}: {finding.words}",
            finding.path,
            parse_place(where),
            tuple(_related_places(finding)),
            tuple(_describe_lines(*lines) for lines in finding.lines),
            None if finding.witness is None else describe_witness(finding.witness),
            _key(where, finding.path),
            finding.decision,
        )
        for finding in findings
        for where in [next((new.where for _, new in finding.lines if new.where), "")]
    )


def explain_parity(divergences: Iterable[Divergence]) -> tuple[Cause, ...]:
    """Return the differences between a class and a CRD as causes, at the lines of the CRD, each with its object."""
    return tuple(
        Cause(
            verdictrules.name_parity_rule(item.kind.name),
            f"{item.path}: {item.kind}: {item.words}",
            item.path,
            parse_place(item.place),
            key=_key(item.place, item.path),
            decision=item.kind.value,
            details=(f"object: {json.dumps(item.resource, ensure_ascii=False)}",),
        )
        for item in divergences
    )


def explain_errors(errors: Sequence[FieldError], rule: str) -> tuple[Cause, ...]:
    """Return the server's errors as causes, each at the line of the CRD that decided."""
    return tuple(
        Cause(rule, str(error), error.field, parse_place(error.source), details=error.rule.lines if error.rule else ())
        for error in errors
    )


def explain_mistakes(mistakes: Iterable[Mistake], rule: str) -> tuple[Cause, ...]:
    """Return the mistakes in a user's files as causes, each at its line."""
    return tuple(Cause(rule, mistake.message, place=FilePlace(mistake.source, mistake.line)) for mistake in mistakes)


def _make_cause(finding: CheckFinding, rule: str, crd: str) -> Cause:
    origin = parse_place(finding.origin)
    related = () if origin is None else (origin,)
    key = finding.pattern or _key(finding.origin, finding.field) or f"{crd} {finding.text}"
    place = parse_place(finding.place)
    return Cause(rule, finding.text, finding.field, place, related, finding.details, key=key, decision=finding.decision)


def _key(origin: str, field: str) -> str:
    """Return the key of a cause: its place in a CRD, and its field without indices and keys; empty without a place."""
    return f"{origin} {causegroups.without_indices(field)}" if origin else ""


def _describe_lines(old: Line, new: Line) -> str:
    """Return the lines of the old and the new CRD; a line without a successor has its place."""
    place = "" if new.text or not old.where else f" ({old.where})"
    return f"- {old.text or '(nothing)'}{place} + {new.text or '(nothing)'}"


def _related_places(finding: Finding) -> Iterator[FilePlace]:
    """Yield the places in the old CRD, and the places of objects that show the effect."""
    sources = [old.where for old, _ in finding.lines]
    sources += [finding.witness.source] if finding.witness is not None else []
    for source in (*sources, *finding.others):
        if (place := parse_place(source)) is not None:
            yield place


def describe_witness(witness: Witness) -> dict[str, Any]:
    """Return an object that shows an effect as JSON, with the answers to it."""
    return {
        "object": witness.resource,
        "stored": witness.stored,
        "applied": [{"manager": apply.manager, "object": apply.resource} for apply in witness.applied],
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
        "stored": response.stored_if_accepted,
    }

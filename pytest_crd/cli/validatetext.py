"""Results of the command `validate` for people: lines for each object, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_crd.casefiles import yamltext
from pytest_crd.cli import objectkinds
from pytest_crd.cli.judging import SendingMethod
from pytest_crd.cli.objectkinds import KindExplanations
from pytest_crd.cli.verdicts import ObjectVerdict, ValidationSummary, VerdictCounts
from pytest_crd.report import text
from pytest_crd.wording import counted, escape

_MOST_KINDS: Final = 5
_COMMENT: Final = "# "


def describe(verdicts: Iterable[ObjectVerdict], method: SendingMethod, *, shows_objects: bool) -> Iterator[str]:
    """
    Yield lines for each object of a known kind.

    Args:
        verdicts: The verdicts.
        method: The method of sending.
        shows_objects: Whether to yield the stored objects as YAML, and everything else as comments.
    """
    mark = _COMMENT if shows_objects else ""
    for verdict in verdicts:
        outcome = verdict.outcome
        yield from (f"{mark}{line}" for line in _describe(verdict, method))
        if shows_objects and outcome.is_accepted and not verdict.is_by_schema:
            yield "---"
            yield from (f"# {note}" for note in verdict.notes)
            yield from yamltext.block(verdict.stored)


def summarize(
    summary: ValidationSummary, reasons: KindExplanations, method: SendingMethod, *, shows_objects: bool
) -> Iterator[str]:
    """
    Yield lines for objects of unknown kinds, then the summary.

    Args:
        summary: The numbers of all objects.
        reasons: The reasons why objects of unknown kinds have no verdict.
        method: The method of sending.
        shows_objects: Whether to yield comments.
    """
    mark = _COMMENT if shows_objects else ""
    for item, words in (*reasons.misspelt, *reasons.unserved):
        yield f"{mark}{item.where}: {escape(words)}"
    for item, kind in reasons.others if method.is_strict else ():
        yield f"{mark}{item.where}: {objectkinds.describe_other(kind)}"
    yield from (f"{mark}{objectkinds.describe_unbuilt(*item)}" for item in summary.unbuilt)
    yield f"{mark}{_summarize(summary, reasons, method)}"


def _describe(verdict: ObjectVerdict, method: SendingMethod) -> Iterator[str]:
    outcome = verdict.outcome
    head = f"{verdict.where}: {verdict.title}"
    if outcome.placeholder:
        yield f"{head}: not judged, as {escape(outcome.placeholder)}"
        return
    only = "" if outcome.is_validated else ", only decoded"
    only = ", by a JSON Schema alone" if verdict.is_by_schema else only
    yield f"{head}: {outcome.heading if outcome.findings else f'accepted{only}{_describe_method(verdict, method)}'}"
    for finding in outcome.findings:
        first, *rest = text.visible_lines(finding.text)
        yield f"  {finding.place}{': ' if finding.place else ''}{first}"
        yield from (f"      {line}" for line in (*rest, *finding.details))
    yield from (f"  warning: {warning.text}" for warning in outcome.warnings)


def _describe_method(verdict: ObjectVerdict, method: SendingMethod) -> str:
    if method.old is None or verdict.is_by_schema:
        return ""
    return ", an update" if verdict.is_update else ", as nothing is stored of it"


def _summarize(summary: ValidationSummary, reasons: KindExplanations, method: SendingMethod) -> str:
    parts = [_count(summary.custom, "custom resource", method)]
    if summary.built_in.all:
        parts.append(_count(summary.built_in, "built-in object", method))
    if summary.placeholders:
        parts.append(f"{counted(summary.placeholders, 'value')} not known, encrypted or variable")
    if reasons.misspelt:
        parts.append(f"{counted(len(reasons.misspelt), 'object')} of a misspelt kind")
    if reasons.unserved:
        parts.append(f"{counted(len(reasons.unserved), 'object')} of a kind that is not served")
    if reasons.others:
        listed = _count_kinds(Counter(kind for _, kind in reasons.others))
        parts.append(f"{counted(len(reasons.others), 'object')} of other kinds, not judged ({listed})")
    if summary.unbuilt:
        parts.append(f"{counted(len(summary.unbuilt), 'folder')} of Flux not judged")
    if summary.skipped:
        parts.append(f"{counted(summary.skipped.total(), 'object')} skipped ({_count_kinds(summary.skipped)})")
    return "; ".join(parts)


def _count(counts: VerdictCounts, noun: str, method: SendingMethod) -> str:
    """Return the numbers of objects by verdict."""
    parts = [f"{counted(counts.all, noun)}, {counts.refused} refused"]
    if counts.unjudged:
        parts.append(f"{counts.unjudged} not judged")
    if counts.changed:
        parts.append(f"{counts.changed} accepted, but not as {'it is' if counts.changed == 1 else 'they are'}")
    if by_schema := +counts.by_schema:
        parts.append(f"{by_schema.total()} by a JSON Schema alone ({_count_kinds(by_schema)})")
    if method.old is not None:
        parts.append(f"{counts.updated} of them updated")
    if decoded := +counts.decoded:
        parts.append(f"{decoded.total()} only decoded ({_count_kinds(decoded)})")
    return ", ".join(parts)


def _count_kinds(kinds: Counter[str]) -> str:
    """Return the numbers of the most frequent kinds."""
    counts = kinds.most_common()
    listed = ", ".join(f"{count} {kind}" for kind, count in counts[:_MOST_KINDS])
    return f"{listed} and {len(counts) - _MOST_KINDS} more kinds" if len(counts) > _MOST_KINDS else listed

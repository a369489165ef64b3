"""Report on a failed check: a heading, and a line for each place."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_crd.checks.verdict import CheckVerdict
from pytest_crd.report import text
from pytest_crd.wording import Paint, plain

_MOST_FINDINGS = 20


def lines(title: str, verdict: CheckVerdict, *, verbosity: int = 0, paint: Paint = plain) -> Iterator[str]:
    """
    Yield the lines of a failure.

    Args:
        title: The name and place of the check.
        verdict: A verdict with findings.
        verbosity: 0 or less: the first findings; more: all of them.
        paint: Function that colours a part of a line.
    """
    yield paint(title, "title")
    yield ""
    yield f"{verdict.heading}:"
    findings = verdict.findings if verbosity > 0 else verdict.findings[:_MOST_FINDINGS]
    for finding in findings:
        first, *rest = text.visible_lines(finding.text)
        yield f"  {paint(finding.place, 'path')}{': ' if finding.place else ''}{paint(first, 'actual')}"
        yield from (f"      {paint(line, 'actual')}" for line in rest)
        yield from (
            f"      {paint(line, 'reason')}" for detail in finding.details for line in text.visible_lines(detail)
        )
    if len(verdict.findings) > len(findings):
        yield f"  … and {len(verdict.findings) - len(findings)} more; -v shows all"


def summary(verdict: CheckVerdict) -> str:
    """Return the first finding on one line, and the number of others."""
    first = verdict.findings[0]
    more = f" (+{len(verdict.findings) - 1} more)" if len(verdict.findings) > 1 else ""
    return f"{' '.join(' '.join(text.visible_lines(first.text)).split())}{more}"

"""Report on the effects of an upgrade on objects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from pytest_crd.synthesis import objectwords
from pytest_crd.upgrades.allowances import Allowance
from pytest_crd.upgrades.upgrade import Upgrade
from pytest_crd.upgrades.upgradefindings import Finding, Kind, Line, Witness
from pytest_crd.wording import Paint, counted, plain

_SHOWN_PARTS: Final = 3
_MOST_RELEASES: Final = 5
_AMBIGUOUS: Final = "this line of crd_baseline_allow is for one finding, but several have its path and kind; write those that are intended"
_HINT = "if this is intended, allow it in the ini file, one line each"


def lines(
    title: str,
    findings: Sequence[Finding],
    outdated: Sequence[Allowance],
    suggested: Sequence[Allowance],
    *,
    paint: Paint = plain,
) -> Iterator[str]:
    """
    Yield the report on a failed upgrade.

    Args:
        title: The name of the upgrade.
        findings: The breaking effects.
        outdated: Allowances without an effect.
        suggested: Allowances that would make it pass.
        paint: Function that colours a text.
    """
    yield paint(title, "title")
    for finding in findings:
        yield ""
        yield from describe_finding(finding, paint=paint)
    if suggested:
        yield ""
        yield paint(f"{_HINT}{_put_together(findings, suggested)}:", "reason")
        yield from ("crd_baseline_allow =", *(f"    {allowance}" for allowance in suggested))
    if outdated:
        yield ""
        yield from describe_outdated(outdated, paint=paint)


def describe_outdated(outdated: Sequence[Allowance], *, paint: Paint = plain) -> Iterator[str]:
    """Yield the lines about allowances without an effect."""
    yield "allowed, but no longer found; take it out of crd_baseline_allow:"
    yield from (paint(f"  {allowance}", "actual") for allowance in outdated)


def describe_ambiguous(ambiguous: Mapping[Allowance, Sequence[Allowance]], *, paint: Paint = plain) -> Iterator[str]:
    """Yield the lines about allowances that would permit several findings, with an allowance for each finding."""
    for allowance, replacements in ambiguous.items():
        yield ""
        yield f"{_AMBIGUOUS}:"
        yield paint(f"- {allowance}", "actual")
        yield from (paint(f"+ {replacement}", "expected") for replacement in replacements)


def _put_together(findings: Sequence[Finding], suggested: Sequence[Allowance]) -> str:
    """Return the number of findings that each pattern covers, in words."""
    patterns = [allowance for allowance in suggested if allowance.is_pattern]
    counts = (
        f"{allowance.path} for {sum(allowance.covers(allowance.crd, finding) for finding in findings)}"
        for allowance in patterns
    )
    return f" ({', '.join(counts)} of the {len(findings)})" if patterns else ""


def describe_finding(finding: Finding, *, paint: Paint = plain) -> Iterator[str]:
    """Yield the lines about one finding."""
    versions = f" ({', '.join(finding.versions)})" if finding.versions else ""
    yield f"{paint(finding.kind.value, 'actual')}: {paint(finding.path, 'path')}{versions}"
    yield f"  {finding.words}"
    if finding.releases:
        yield f"  releases: {_list_releases(finding.releases)}"
    witness = finding.witness
    if witness is not None:
        if witness.note:
            yield f"  {witness.note}"
        if witness.applied:
            yield from _of_applies(witness)
        elif witness.source:
            yield f"  object: {witness.source}"
        else:
            yield f"  object: {objectwords.shorten(witness.resource)}"
        if witness.stored is not None:
            yield f"  stored: {objectwords.shorten(witness.stored)}"
    if finding.others:
        yield f"  as well: {', '.join(finding.others)}"
    for old, new in finding.lines:
        width = max(len(old.where), len(new.where))
        yield paint(f"  - {_line(old, width)}", "actual")
        yield paint(f"  + {_line(new, width)}", "expected")
    if finding.remedy:
        yield f"  {finding.remedy}"


def _list_releases(releases: Sequence[str]) -> str:
    if len(releases) <= _MOST_RELEASES:
        return ", ".join(releases)
    return f"{releases[0]}, {releases[1]} … {releases[-1]} ({len(releases)} releases)"


def _of_applies(witness: Witness) -> Iterator[str]:
    """Yield the applies with their managers, and the answers to the last one under both CRDs."""
    for manager, resource in witness.applied:
        yield f"  {manager} applies: {objectwords.shorten(resource)}"
    for when, answer in (("before", witness.before), ("now", witness.after)):
        stored = answer.stored_if_accepted
        rest = {key: value for key, value in (stored or {}).items() if key != "metadata"}
        yield f"  {when}: {objectwords.shorten(rest) if answer.accepted else ' '.join(answer.message.split())}"


def summary(findings: Sequence[Finding], outdated: Sequence[Allowance], ambiguous: Collection[Allowance] = ()) -> str:
    """Return the report on one line."""
    counts = [f"{count} {kind.value}" for kind in Kind if (count := sum(finding.kind is kind for finding in findings))]
    if outdated:
        counts.append(f"{len(outdated)} allowed in vain")
    if ambiguous:
        counts.append(f"{len(ambiguous)} ambiguous in crd_baseline_allow")
    first = f": {findings[0].path}: {findings[0].words}" if findings else ""
    return f"{', '.join(counts)}{first}"


def count_others(upgrade: Upgrade) -> Iterator[str]:
    """Yield remarks about an upgrade, even if it passes: the number of undecided changes, and of others that clients may notice."""
    if upgrade.undecided:
        names = ", ".join(upgrade.undecided[:_SHOWN_PARTS])
        others = len(upgrade.undecided) - _SHOWN_PARTS
        more = f" and {others} more" if others > 0 else ""
        yield f"no object was found that shows {counted(len(upgrade.undecided), 'change')} that may refuse objects: {names}{more}"
    if upgrade.notices:
        yield f"{counted(len(upgrade.notices), 'other change')} that clients may notice; -v tells which"


def _line(line: Line, width: int) -> str:
    return f"{line.where:<{width}}  {line.text or '(nothing)'}"

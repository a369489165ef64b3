"""The summary of a job in Markdown, as the page of a run of GitHub Actions shows it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_crd import lazyre
from pytest_crd.coverage.summary import Summary
from pytest_crd.report import text
from pytest_crd.report.outputs import uniquefindings
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.outputs.uniquefindings import OutputFinding
from pytest_crd.report.testfacts import Cause, SessionFacts, Verdict, VerdictKind, VerdictOutcome

LIMIT: Final = 1024 * 1024
"""The most bytes that the summary of a step may have."""
_CUT: Final = "The rest is left out, as a summary may have 1 MiB: the log of the run has all of it.\n"
# Characters that Markdown, HTML or GitHub would interpret.
_SPECIAL: Final = lazyre.compile(r"[\\`*_\[\]<>#|~&@$]")
_HEADINGS: Final = {
    VerdictKind.COLLECTION: "Not collected",
    VerdictKind.SESSION: "Not run",
    VerdictKind.UPGRADE: "Upgrades",
    VerdictKind.CHECK: "Checks",
    VerdictKind.PARITY: "Classes",
    VerdictKind.CASE: "Cases",
    VerdictKind.PYTHON: "Python tests",
}
_PLURALS: Final = {
    VerdictKind.COLLECTION: "collection errors",
    VerdictKind.SESSION: "session errors",
    VerdictKind.CHECK: "checks",
    VerdictKind.CASE: "cases",
    VerdictKind.UPGRADE: "upgrades",
    VerdictKind.PARITY: "parity checks",
    VerdictKind.PYTHON: "Python tests",
}
_LONGEST: Final = 2000


def render(facts: SessionFacts, roots: Roots, coverage: Summary | None, *, room: int = LIMIT) -> str:
    """
    Return the summary.

    Args:
        facts: The outcome of the session.
        roots: The folders that names of files are relative to.
        coverage: The coverage of the schemas; None if it was not measured.
        room: The maximal size in bytes.
    """
    return _within(_blocks(facts, roots, coverage), room)


def _within(blocks: Iterable[str], room: int) -> str:
    """Return the first blocks that fit into *room* bytes, with a note if some are left out."""
    parts: list[str] = []
    free = room - len(_CUT.encode())
    for block in blocks:
        free -= len(block.encode("utf-8", "replace")) + 1
        if free < 0:
            parts.append(_CUT)
            break
        parts.append(block)
    return "\n".join(parts) if len(parts) > 1 or room >= len(_CUT.encode()) else ""


def _blocks(facts: SessionFacts, roots: Roots, coverage: Summary | None) -> Iterator[str]:
    if facts.is_green:
        yield f"**pytest-crd**: {_counted(facts)}\n"
    else:
        yield f"### pytest-crd: {_counted(facts)}\n"
        if facts.remark:
            yield f"**{escape(facts.remark)}**\n"
        if facts.verdicts:
            yield _table(facts.verdicts)
        for kind, heading in _HEADINGS.items():
            yield from _section(
                heading,
                [item for item in uniquefindings.errors_by_origin(facts, roots) if item.first.about.kind is kind],
            )
    yield from _section("Warnings of the server", uniquefindings.warnings(facts, roots))
    if skipped := [item for item in facts.verdicts if item.outcome is VerdictOutcome.SKIPPED]:
        yield _skipped(skipped)
    if coverage is not None:
        yield _coverage(coverage)


def _counted(facts: SessionFacts) -> str:
    """Return the number of verdicts by outcome and by kind, and the number of other failures."""
    counts = Counter(item.outcome for item in facts.verdicts)
    outcomes = (
        ", ".join(f"{counts[item]} {item.value}" for item in VerdictOutcome if counts[item]) or "nothing was judged"
    )
    kinds = Counter(item.about.kind for item in facts.verdicts)
    of_kinds = ", ".join(
        f"{kinds[item]} {_PLURALS[item] if kinds[item] != 1 else item.value}" for item in _HEADINGS if kinds[item]
    )
    words = f"{outcomes} ({of_kinds})" if of_kinds else outcomes
    failed = facts.others_failed
    return f"{words}; {failed} of the tests that are not about CRDs failed" if failed else words


def _table(verdicts: Sequence[Verdict]) -> str:
    outcomes = [item for item in VerdictOutcome if any(verdict.outcome is item for verdict in verdicts)]
    rows = [
        f"| | {' | '.join(item.value for item in outcomes)} |",
        f"| --- |{' ---: |' * len(outcomes)}",
    ]
    for kind, heading in _HEADINGS.items():
        counts = Counter(item.outcome for item in verdicts if item.about.kind is kind)
        if counts:
            rows.append(f"| {heading} | {' | '.join(str(counts[item]) for item in outcomes)} |")
    return "\n".join(rows) + "\n"


def _section(heading: str, findings: Sequence[OutputFinding]) -> Iterator[str]:
    if not findings:
        return
    yield f"#### {heading}\n"
    for finding in findings:
        yield from _finding(finding)


def _finding(finding: OutputFinding) -> Iterator[str]:
    place = ":".join(str(part) for part in finding.place if part)
    lines = [
        f"- {escape(place)}: {escape(finding.words)}",
        f"  <br>{escape(uniquefindings.list_tests(finding))}",
    ]
    lines += [f"  <br>{escape(line)}" for line in finding.cause.details]
    yield "\n".join(lines) + "\n"
    if finding.cause.witness is not None:
        yield _witness(finding.cause)


def _witness(cause: Cause) -> str:
    """Return a code block with the witness; it is not indented, so that it stands below the list item."""
    witness = cause.witness or {}
    rows = {
        "object": witness["object"],
        **({"stored": witness["stored"]} if witness["stored"] is not None else {}),
        **({"applied": witness["applied"]} if witness["applied"] else {}),
        "before": _answer(witness["before"]),
        "now": _answer(witness["after"]),
    }
    lines = [f"{name}: {_short(json.dumps(value, ensure_ascii=False))}" for name, value in rows.items()]
    lines += [witness["note"]] if witness["note"] else []
    code = "\n".join("\n".join(text.visible_lines(line)) for line in lines)
    fence = "`" * (max(map(len, re.findall("`+", code)), default=0) + 3)
    return f"{fence}text\n{code}\n{fence}\n"


def _answer(answer: dict[str, object]) -> object:
    return answer["stored"] if answer["accepted"] else answer["message"]


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"


def _skipped(verdicts: Sequence[Verdict]) -> str:
    reasons = Counter(verdict.summary for verdict in verdicts)
    lines = [f"- {count}: {escape(reason or 'without a reason')}" for reason, count in reasons.most_common()]
    return "\n".join(("Skipped:\n", *lines)) + "\n"


def _coverage(summary: Summary) -> str:
    rows = [
        "#### Coverage\n",
        "| | points | held | seen | missed | covered |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    tallies = [*((version.name, version.tally) for version in summary.versions), ("all", summary.tally)]
    rows += [
        f"| {escape(name)} | {tally.points} | {tally.held} | {tally.seen} | {tally.missed} | {tally.percent_text} |"
        for name, tally in tallies
    ]
    return "\n".join(rows) + "\n"


def escape(value: str) -> str:
    """Return a text that Markdown shows literally, also in tables and lists: on one line, without HTML, links and mentions."""
    lines = text.visible_lines(value)
    return "<br>".join(_SPECIAL.sub(lambda match: f"&#{ord(match[0])};", line) for line in lines)

"""The summary of a job in Markdown, as the page of a run of GitHub Actions shows it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_crd.coverage.summary import Summary
from pytest_crd.report import text
from pytest_crd.report.outputs import uniquefindings
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.outputs.uniquefindings import OutputFinding
from pytest_crd.report.testfacts import Cause, SessionFacts, Verdict, VerdictKind, VerdictOutcome

LIMIT: Final = 1024 * 1024
"""How many bytes the summary of a step may have."""
_CUT: Final = "The rest is left out, as a summary may have 1 MiB: the log of the run has all of it.\n"
# Characters that Markdown, HTML or GitHub would make something else of.
_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>#|~&@$]")
_HEADINGS: Final = {
    VerdictKind.COLLECTION: "Not collected",
    VerdictKind.SESSION: "Not run",
    VerdictKind.CHECK: "Checks",
    VerdictKind.CASE: "Cases",
    VerdictKind.UPGRADE: "Upgrades",
    VerdictKind.PYTHON: "Python tests",
}
_PLURALS: Final = {
    VerdictKind.COLLECTION: "collection errors",
    VerdictKind.SESSION: "session errors",
    VerdictKind.CHECK: "checks",
    VerdictKind.CASE: "cases",
    VerdictKind.UPGRADE: "upgrades",
    VerdictKind.PYTHON: "Python tests",
}
_LONGEST: Final = 2000


def render(facts: SessionFacts, roots: Roots, coverage: Summary | None, *, room: int = LIMIT) -> str:
    """
    Return the summary.

    Args:
        facts: What became of the session.
        roots: What names of files are relative to.
        coverage: What of the schemas was reached; None where nobody has asked.
        room: How many bytes it may have.
    """
    return _within(_blocks(facts, roots, coverage), room)


def _within(blocks: Iterable[str], room: int) -> str:
    """Put blocks together, as many as there is room for, and say where some are left out."""
    made: list[str] = []
    left = room - len(_CUT.encode())
    for block in blocks:
        left -= len(block.encode("utf-8", "replace")) + 1
        if left < 0:
            made.append(_CUT)
            break
        made.append(block)
    return "\n".join(made) if len(made) > 1 or room >= len(_CUT.encode()) else ""


def _blocks(facts: SessionFacts, roots: Roots, coverage: Summary | None) -> Iterator[str]:
    if facts.is_green:
        yield f"**pytest-crd**: {_counted(facts)}\n"
    else:
        yield f"### pytest-crd: {_counted(facts)}\n"
        if facts.remark:
            yield f"**{escaped(facts.remark)}**\n"
        if facts.verdicts:
            yield _table(facts.verdicts)
        for kind, heading in _HEADINGS.items():
            yield from _section(
                heading, [one for one in uniquefindings.errors(facts, roots) if one.first.about.kind is kind]
            )
    yield from _section("Warnings of the server", uniquefindings.warnings(facts, roots))
    if skipped := [one for one in facts.verdicts if one.outcome is VerdictOutcome.SKIPPED]:
        yield _skipped(skipped)
    if coverage is not None:
        yield _coverage(coverage)


def _counted(facts: SessionFacts) -> str:
    """Return how many verdicts of which outcome there are, and of what kind; and what else fails."""
    counts = Counter(one.outcome for one in facts.verdicts)
    outcomes = ", ".join(f"{counts[one]} {one.value}" for one in VerdictOutcome if counts[one]) or "nothing was judged"
    kinds = Counter(one.about.kind for one in facts.verdicts)
    of_kinds = ", ".join(
        f"{kinds[one]} {_PLURALS[one] if kinds[one] != 1 else one.value}" for one in _HEADINGS if kinds[one]
    )
    words = f"{outcomes} ({of_kinds})" if of_kinds else outcomes
    failed = facts.others_failed
    return f"{words}; {failed} of the tests that are not about CRDs failed" if failed else words


def _table(verdicts: Sequence[Verdict]) -> str:
    outcomes = [one for one in VerdictOutcome if any(verdict.outcome is one for verdict in verdicts)]
    rows = [
        f"| | {' | '.join(one.value for one in outcomes)} |",
        f"| --- |{' ---: |' * len(outcomes)}",
    ]
    for kind, heading in _HEADINGS.items():
        counts = Counter(one.outcome for one in verdicts if one.about.kind is kind)
        if counts:
            rows.append(f"| {heading} | {' | '.join(str(counts[one]) for one in outcomes)} |")
    return "\n".join(rows) + "\n"


def _section(heading: str, found: Sequence[OutputFinding]) -> Iterator[str]:
    if not found:
        return
    yield f"#### {heading}\n"
    for one in found:
        yield from _finding(one)


def _finding(found: OutputFinding) -> Iterator[str]:
    place = ":".join(str(part) for part in found.place if part)
    field = f"**{escaped(found.cause.field)}**: " if _is_named(found.cause) else ""
    lines = [f"- {escaped(place)}: {field}{escaped(found.words)}", f"  <br>{escaped(uniquefindings.found_by(found))}"]
    lines += [f"  <br>{escaped(line)}" for line in found.cause.details]
    yield "\n".join(lines) + "\n"
    if found.cause.witness is not None:
        yield _witness(found.cause)


def _is_named(cause: Cause) -> bool:
    """Return whether the field is to be said besides the words: of upgrades, whose words may not have it."""
    is_of_upgrade = cause.rule.startswith(("upgrade/", "rollback/"))
    return bool(cause.field) and is_of_upgrade and not cause.words.startswith(f"{cause.field}:")


def _witness(cause: Cause) -> str:
    """Return what shows it, as code: no list item, which would end where a line of it is not indented."""
    witness = cause.witness or {}
    shown = {
        "object": witness["object"],
        **({"stored": witness["stored"]} if witness["stored"] is not None else {}),
        **({"applied": witness["applied"]} if witness["applied"] else {}),
        "before": _answer(witness["before"]),
        "now": _answer(witness["after"]),
    }
    lines = [f"{name}: {_short(json.dumps(value, ensure_ascii=False))}" for name, value in shown.items()]
    lines += [witness["note"]] if witness["note"] else []
    code = "\n".join("\n".join(text.visible_lines(line)) for line in lines)
    fence = "`" * (max(map(len, re.findall("`+", code)), default=0) + 3)
    return f"{fence}text\n{code}\n{fence}\n"


def _answer(answer: dict[str, object]) -> object:
    return answer["stored"] if answer["accepted"] else answer["message"]


def _short(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"


def _skipped(verdicts: Sequence[Verdict]) -> str:
    reasons = Counter(one.summary for one in verdicts)
    lines = [f"- {count}: {escaped(reason or 'without a reason')}" for reason, count in reasons.most_common()]
    return "\n".join(("Skipped:\n", *lines)) + "\n"


def _coverage(summary: Summary) -> str:
    rows = [
        "#### Coverage\n",
        "| | points | held | seen | missed | covered |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    tallies = [*((one.name, one.tally) for one in summary.versions), ("all", summary.tally)]
    rows += [
        f"| {escaped(name)} | {tally.points} | {tally.held} | {tally.seen} | {tally.missed} | {tally.shown} |"
        for name, tally in tallies
    ]
    return "\n".join(rows) + "\n"


def escaped(value: str) -> str:
    """Return a text that Markdown shows as it is, in a table and a list too: on one line, without HTML, links and mentions."""
    lines = text.visible_lines(value)
    return "<br>".join(_SPECIAL.sub(lambda found: f"&#{ord(found[0])};", line) for line in lines)

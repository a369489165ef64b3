"""Verdicts of a session: one for each test, whichever process ran it, from the reports of pytest."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from pytest_crd import lazyre
from pytest_crd.plugin.features.outputs.testsubjects import ReportFacts, text_of
from pytest_crd.report import verdictrules
from pytest_crd.report.testfacts import About, Cause, FilePlace, Verdict, VerdictKind, VerdictOutcome

# The attribute of a report with facts about its test; pytest-xdist sends it along.
FACTS: Final = "pytest_crd_facts"
# Outcomes of the phases of a test; the last one in this order counts.
_ORDER: Final = (
    VerdictOutcome.PASSED,
    VerdictOutcome.SKIPPED,
    VerdictOutcome.XFAILED,
    VerdictOutcome.XPASSED,
    VerdictOutcome.ERROR,
    VerdictOutcome.FAILED,
)
# The phase in a report of pytest-xdist about a test during which a worker crashed.
_CRASHED: Final = "???"
_SKIPPED: Final = lazyre.compile("^Skipped: ")


@dataclass
class _Record:
    """State of one test, from its reports so far."""

    name: str
    facts: ReportFacts | None = None
    outcome: VerdictOutcome | None = None
    causes: list[Cause] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    summary: str = ""
    duration: float = 0.0


class VerdictLedger:
    """The verdicts of a session."""

    def __init__(self) -> None:
        """Create an empty ledger."""
        self._tests: dict[str, _Record] = {}
        self._collectors: dict[str, _Record] = {}
        self._has_crashed = False

    def add_test(self, report: pytest.TestReport) -> None:
        """Add the report on a phase of a test."""
        record = self._tests.setdefault(report.nodeid, _Record(report.location[2]))
        record.duration += report.duration
        outcome = _outcome(report)
        if outcome is None:
            return
        when: str | None = report.when
        if when == _CRASHED:
            record.facts, self._has_crashed = _crash_facts(report), True
        _add(record, report, outcome)

    def add_collector(self, report: pytest.CollectReport) -> None:
        """Add the report on a collector if it failed."""
        if report.failed and report.nodeid not in self._collectors:
            record = self._collectors[report.nodeid] = _Record(report.nodeid)
            _add(record, report, VerdictOutcome.ERROR)

    @property
    def problem(self) -> str:
        """The reason why verdicts are missing; empty if none are."""
        if missed := len(self._collectors):
            return f"{missed} file{'' if missed == 1 else 's'} could not be collected: what they hold was not judged"
        return "a process has crashed in which tests ran" if self._has_crashed else ""

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdicts on tests about CRDs and on collection errors, ordered by file and line."""
        records = [*self._collectors.items(), *self._tests.items()]
        verdicts = [
            _verdict(name, record)
            for name, record in records
            if record.facts is not None and record.outcome is not None
        ]
        return tuple(sorted(verdicts, key=lambda verdict: (verdict.place, verdict.id)))

    def others(self) -> Counter[VerdictOutcome]:
        """Return the number of tests that do not concern CRDs, by outcome."""
        records = (record for record in self._tests.values() if record.facts is None)
        return Counter(record.outcome for record in records if record.outcome is not None)


def _add(record: _Record, report: pytest.TestReport | pytest.CollectReport, outcome: VerdictOutcome) -> None:
    if text := getattr(report, FACTS, ""):
        record.facts = facts = ReportFacts.from_text(text)
        record.causes += (cause for cause in facts.causes if cause not in record.causes)
    record.outcome = outcome if record.outcome is None else max(record.outcome, outcome, key=_ORDER.index)
    if outcome in {VerdictOutcome.FAILED, VerdictOutcome.ERROR, VerdictOutcome.XFAILED}:
        record.texts.append(text_of(report))
    record.summary = record.summary or _summary(report)


def _outcome(report: pytest.TestReport) -> VerdictOutcome | None:
    """Return the outcome that a report has for its test; None if it has none."""
    is_excused = hasattr(report, "wasxfail")
    if report.failed:
        return VerdictOutcome.FAILED if report.when == "call" else VerdictOutcome.ERROR
    if report.skipped:
        return VerdictOutcome.XFAILED if is_excused else VerdictOutcome.SKIPPED
    if report.passed and report.when == "call":
        return VerdictOutcome.XPASSED if is_excused else VerdictOutcome.PASSED
    return None


def _summary(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return one line with the reason why a test failed, was skipped or is excused; empty if it passed."""
    if reason := getattr(report, "wasxfail", ""):
        return str(reason)
    longrepr: Any = report.longrepr
    if report.skipped:
        reason = longrepr[2] if isinstance(longrepr, tuple) else longrepr
        return _SKIPPED.sub("", str(reason))
    crash = getattr(longrepr, "reprcrash", None)
    lines = str(crash.message if crash is not None else text_of(report)).splitlines()
    return lines[0] if lines else ""


def _crash_facts(report: pytest.TestReport) -> ReportFacts:
    """Return the facts about a test during which the process crashed: its name and file."""
    place = FilePlace(report.nodeid.partition("::")[0])
    cause = Cause(
        verdictrules.SESSION, f"{text_of(report)}: nothing is known of what {report.nodeid} came to", place=place
    )
    return ReportFacts(About(VerdictKind.SESSION, verdictrules.SESSION), (cause,), place)


def _verdict(name: str, record: _Record) -> Verdict:
    facts = record.facts
    outcome = record.outcome
    assert facts is not None  # noqa: S101 - the caller has checked it
    assert outcome is not None  # noqa: S101
    text = "\n\n".join(record.texts)
    causes = tuple(record.causes or facts.causes)
    return Verdict(
        id=name,
        name=record.name,
        about=facts.about,
        outcome=outcome,
        place=facts.place,
        summary=record.summary,
        text=text,
        duration=record.duration,
        causes=causes,
    )

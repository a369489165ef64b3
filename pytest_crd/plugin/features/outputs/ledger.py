"""What pytest's reports say, put together: one verdict for each test, whichever process has run it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from pytest_crd.plugin.features.outputs.testsubjects import ReportFacts, text_of
from pytest_crd.report import verdictrules
from pytest_crd.report.testfacts import About, Cause, FilePlace, Verdict, VerdictKind, VerdictOutcome

# What a report has as an attribute, which pytest-xdist sends along.
FACTS: Final = "pytest_crd_facts"
# Of several reports of a test, that counts which stands last here.
_ORDER: Final = (
    VerdictOutcome.PASSED,
    VerdictOutcome.SKIPPED,
    VerdictOutcome.XFAILED,
    VerdictOutcome.XPASSED,
    VerdictOutcome.ERROR,
    VerdictOutcome.FAILED,
)
# What pytest-xdist says of a test during which a worker has crashed.
_CRASHED: Final = "???"
_SKIPPED: Final = re.compile("^Skipped: ")


@dataclass
class _Record:
    """What the reports on one test say, so far."""

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
        """Begin with none."""
        self._tests: dict[str, _Record] = {}
        self._collectors: dict[str, _Record] = {}
        self._has_crashed = False

    def add_test(self, report: pytest.TestReport) -> None:
        """Take what a report says of setting up a test, of running it, or of clearing up."""
        record = self._tests.setdefault(report.nodeid, _Record(report.location[2]))
        record.duration += report.duration
        outcome = _outcome(report)
        if outcome is None:
            return
        when: str | None = report.when
        if when == _CRASHED:
            record.facts, self._has_crashed = _crashed(report), True
        _add(record, report, outcome)

    def add_collector(self, report: pytest.CollectReport) -> None:
        """Take what a report says of a file that cannot be collected."""
        if report.failed and report.nodeid not in self._collectors:
            record = self._collectors[report.nodeid] = _Record(report.nodeid)
            _add(record, report, VerdictOutcome.ERROR)

    @property
    def problem(self) -> str:
        """What of the verdicts says that there should be others; empty where nothing does."""
        if missed := len(self._collectors):
            return f"{missed} file{'' if missed == 1 else 's'} could not be collected: what they hold was not judged"
        return "a process has crashed in which tests ran" if self._has_crashed else ""

    def verdicts(self) -> tuple[Verdict, ...]:
        """Return the verdicts on what has to do with CRDs, in the order of files and lines."""
        found = [*self._collectors.items(), *self._tests.items()]
        made = [_verdict(name, one) for name, one in found if one.facts is not None and one.outcome is not None]
        return tuple(sorted(made, key=lambda one: (one.place, one.id)))

    def others(self) -> Counter[VerdictOutcome]:
        """Return how many tests that have nothing to do with CRDs came to what."""
        return Counter(one.outcome for one in self._tests.values() if one.facts is None and one.outcome is not None)


def _add(record: _Record, report: pytest.TestReport | pytest.CollectReport, outcome: VerdictOutcome) -> None:
    if text := getattr(report, FACTS, ""):
        record.facts = facts = ReportFacts.from_text(text)
        record.causes += (one for one in facts.causes if one not in record.causes)
    record.outcome = outcome if record.outcome is None else max(record.outcome, outcome, key=_ORDER.index)
    if outcome in {VerdictOutcome.FAILED, VerdictOutcome.ERROR, VerdictOutcome.XFAILED}:
        record.texts.append(text_of(report))
    record.summary = record.summary or _summary(report)


def _outcome(report: pytest.TestReport) -> VerdictOutcome | None:
    """Return what a report says became of a test; None where it says nothing of that."""
    is_excused = hasattr(report, "wasxfail")
    if report.failed:
        return VerdictOutcome.FAILED if report.when == "call" else VerdictOutcome.ERROR
    if report.skipped:
        return VerdictOutcome.XFAILED if is_excused else VerdictOutcome.SKIPPED
    if report.passed and report.when == "call":
        return VerdictOutcome.XPASSED if is_excused else VerdictOutcome.PASSED
    return None


def _summary(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return why a test fails, was skipped or is excused, on one line; empty where it passes."""
    if reason := getattr(report, "wasxfail", ""):
        return str(reason)
    longrepr: Any = report.longrepr
    if report.skipped:
        reason = longrepr[2] if isinstance(longrepr, tuple) else longrepr
        return _SKIPPED.sub("", str(reason))
    crash = getattr(longrepr, "reprcrash", None)
    lines = str(crash.message if crash is not None else text_of(report)).splitlines()
    return lines[0] if lines else ""


def _crashed(report: pytest.TestReport) -> ReportFacts:
    """Return what is known of a test during which the process has crashed: its name, and its file."""
    place = FilePlace(report.nodeid.partition("::")[0])
    cause = Cause(
        verdictrules.SESSION, f"{text_of(report)}: nothing is known of what {report.nodeid} came to", place=place
    )
    return ReportFacts(About(VerdictKind.SESSION, verdictrules.SESSION), (cause,), place)


def _verdict(name: str, record: _Record) -> Verdict:
    facts = record.facts
    outcome = record.outcome
    assert facts is not None  # noqa: S101 - others are counted
    assert outcome is not None  # noqa: S101
    text = "\n\n".join(record.texts)
    found = tuple(record.causes or facts.causes)
    return Verdict(
        id=name,
        name=record.name,
        about=facts.about,
        outcome=outcome,
        place=facts.place,
        summary=record.summary,
        text=text,
        duration=record.duration,
        causes=found,
    )

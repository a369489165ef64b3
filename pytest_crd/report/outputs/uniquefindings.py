"""Findings that several tests share: causes with the same place and words are merged."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_crd import lazyre
from pytest_crd.report import causegroups, text
from pytest_crd.report.causegroups import CauseGroups
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import Cause, FilePlace, SessionFacts, Verdict

_LINES: Final = lazyre.compile(r"(\.(?:ya?ml|json|py|ini|toml|cfg)):\d+(?::\d+)?", re.IGNORECASE)
_MOST_TESTS: Final = 3


@dataclass
class OutputFinding:
    """
    A cause, and the tests that have found it.

    Attributes:
        cause: The cause from the first test.
        place: Its place, with the repository's name of the file.
        verdicts: The tests that have found it, each once.
        rank: Its best position among the causes of a test.
    """

    cause: Cause
    place: FilePlace
    verdicts: list[Verdict] = field(default_factory=list)
    rank: int = 0

    @property
    def first(self) -> Verdict:
        """The first test that has found it."""
        return self.verdicts[0]

    @property
    def words(self) -> str:
        """The words of the cause, with terminal control characters escaped."""
        return "\n".join(text.visible_lines(self.cause.words))


def errors(facts: SessionFacts, roots: Roots) -> list[OutputFinding]:
    """Return the findings that fail tests, in the order of the tests."""
    return _merge(((verdict, verdict.causes) for verdict in facts.failures), roots)


def errors_by_origin(facts: SessionFacts, roots: Roots) -> list[OutputFinding]:
    """Return the findings that fail tests, one for each origin in a CRD: of upgrades first, then of checks, then of cases."""
    groups: CauseGroups[OutputFinding] = CauseGroups()
    verdicts = sorted(facts.failures, key=lambda verdict: causegroups.rank(verdict.about.kind))
    return _merge(((verdict, verdict.causes) for verdict in verdicts), roots, groups)


def warnings(facts: SessionFacts, roots: Roots) -> list[OutputFinding]:
    """Return the server's warnings, in the order of the tests."""
    return _merge(((verdict, verdict.about.warnings) for verdict in facts.verdicts), roots)


def sort_by_rank(findings: Iterable[OutputFinding]) -> list[OutputFinding]:
    """Return findings by rank, so that a few of them represent as many tests as possible: first causes come first."""
    return sorted(findings, key=lambda finding: finding.rank)


def _merge(
    causes_by_test: Iterable[tuple[Verdict, Sequence[Cause]]],
    roots: Roots,
    groups: CauseGroups[OutputFinding] | None = None,
) -> list[OutputFinding]:
    """Return a finding for each place and text; with *groups*, also causes with the same origin share one."""
    findings: dict[tuple[FilePlace, str], OutputFinding] = {}
    for verdict, causes in causes_by_test:
        for rank, cause in enumerate(causes):
            place, cause_id = roots.place_of(cause, verdict), causegroups.identify(verdict.about, cause)
            finding = groups.find(cause_id) if groups is not None else None
            if finding is None:
                finding = findings.setdefault((place, cause.words), OutputFinding(cause, place, rank=rank))
            if groups is not None:
                groups.add(cause_id, finding)
            finding.rank = min(finding.rank, rank)
            if verdict not in finding.verdicts:
                finding.verdicts.append(verdict)
    return list(findings.values())


def fingerprints(findings: Sequence[OutputFinding]) -> list[str]:
    """
    Return a fingerprint for each finding that stays the same in every run, even if its line moves.

    It is made from the rule, the file, the CRD, the field and the words; equal findings are numbered.
    """
    counts: Counter[str] = Counter()
    result = []
    for finding in findings:
        about = finding.first.about
        parts = (
            finding.cause.rule,
            finding.place.path,
            about.crd,
            finding.cause.field,
            _LINES.sub(r"\1", finding.cause.words),
        )
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        counts[digest] += 1
        result.append(digest if counts[digest] == 1 else f"{digest}:{counts[digest]}")
    return result


def list_tests(finding: OutputFinding) -> str:
    """Return a list of the tests that have found it, shortened if there are many."""
    names = [verdict.id for verdict in finding.verdicts]
    if len(names) == 1:
        return f"test: {names[0]}"
    more = f" and {len(names) - _MOST_TESTS} more" if len(names) > _MOST_TESTS else ""
    return f"{len(names)} tests: {', '.join(names[:_MOST_TESTS])}{more}"

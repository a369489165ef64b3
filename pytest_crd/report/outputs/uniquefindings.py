"""What is told once, though several tests have found it: causes with one place and the same words."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_crd.report import text
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import Cause, FilePlace, SessionFacts, Verdict

_LINES: Final = re.compile(r"(\.(?:ya?ml|json|py|ini|toml|cfg)):\d+(?::\d+)?", re.IGNORECASE)
_MOST_TESTS: Final = 3


@dataclass
class OutputFinding:
    """
    A cause, and who has found it.

    Attributes:
        cause: What is wrong, as the first test has found it.
        place: Where, by the name that the repository has for the file.
        verdicts: The tests that have found it, each once.
        rank: At which place it stood among the causes of a test, at best.
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
        """What is wrong, without what a terminal would obey."""
        return "\n".join(text.visible_lines(self.cause.words))


def errors(facts: SessionFacts, roots: Roots) -> list[OutputFinding]:
    """Return what fails tests, in the order of the tests."""
    return _together(((verdict, verdict.causes) for verdict in facts.failures), roots)


def warnings(facts: SessionFacts, roots: Roots) -> list[OutputFinding]:
    """Return what the server warns of, in the order of the tests."""
    return _together(((verdict, verdict.about.warnings) for verdict in facts.verdicts), roots)


def by_rank(found: Iterable[OutputFinding]) -> list[OutputFinding]:
    """Return findings so that a few of them tell of as many tests as can be: what each test tells first comes first."""
    return sorted(found, key=lambda one: one.rank)


def _together(found: Iterable[tuple[Verdict, Sequence[Cause]]], roots: Roots) -> list[OutputFinding]:
    findings: dict[tuple[FilePlace, str], OutputFinding] = {}
    for verdict, causes in found:
        for rank, cause in enumerate(causes):
            place = roots.place_of(cause, verdict)
            one = findings.setdefault((place, cause.words), OutputFinding(cause, place, rank=rank))
            one.rank = min(one.rank, rank)
            if verdict not in one.verdicts:
                one.verdicts.append(verdict)
    return list(findings.values())


def fingerprints(found: Sequence[OutputFinding]) -> list[str]:
    """
    Return what tells each finding from all others in every run, wherever its line has moved to.

    That is the rule, the file, the CRD and field that it is about, and the words; what is alike in all of this is numbered.
    """
    seen: Counter[str] = Counter()
    made = []
    for one in found:
        about = one.first.about
        known = (one.cause.rule, one.place.path, about.crd, one.cause.field, _LINES.sub(r"\1", one.cause.words))
        digest = hashlib.sha256("\0".join(known).encode("utf-8", "surrogatepass")).hexdigest()
        seen[digest] += 1
        made.append(digest if seen[digest] == 1 else f"{digest}:{seen[digest]}")
    return made


def found_by(found: OutputFinding) -> str:
    """Return the tests that have found it, in words: of many the first."""
    names = [one.id for one in found.verdicts]
    if len(names) == 1:
        return f"test: {names[0]}"
    more = f" and {len(names) - _MOST_TESTS} more" if len(names) > _MOST_TESTS else ""
    return f"{len(names)} tests: {', '.join(names[:_MOST_TESTS])}{more}"

"""
What a test came to, as data: every report that a program reads is made of this.

A test has one verdict, and a verdict that does not hold has causes. Both travel between processes as JSON; file names are as they were
known where the cause was, and whoever writes a report makes them relative to what its readers expect.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

_PLACE: Final = re.compile(r"(.*?)(?::(\d+))?(?::(\d+))?", re.DOTALL)


class VerdictKind(enum.StrEnum):
    """What was judged."""

    CASE = "case"
    CHECK = "check"
    UPGRADE = "upgrade"
    PYTHON = "python test"
    COLLECTION = "collection error"
    SESSION = "session error"


class VerdictOutcome(enum.StrEnum):
    """What became of it."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


class FilePlace(NamedTuple):
    """
    A place in a file.

    Attributes:
        path: The file, as it was named where the place was known.
        line: The 1-based line; 0 for the whole file.
        column: The 1-based character in it; 0 for the whole line.
    """

    path: str
    line: int = 0
    column: int = 0


def placed(text: str) -> FilePlace | None:
    """Return the place that `file:line:column`, `file:line` or `file` spells; None of an empty text."""
    found = _PLACE.fullmatch(text)
    return FilePlace(found[1], int(found[2] or 0), int(found[3] or 0)) if found and text else None


@dataclass(frozen=True, slots=True)
class Cause:
    """
    One thing that is wrong, or that the server warns of.

    Attributes:
        rule: Which rule it breaks: an id of the table of rules.
        words: What is wrong, in the server's words where it has some.
        field: The field that it is about, as the engine or the case spells it; empty where it is about none.
        place: What it speaks of: a line of a CRD, a sample or a case; None where that is the test.
        related: Other places that tell more.
        details: Lines that explain it.
        witness: The object that shows it and the answers to it, as JSON; None where there is none.
    """

    rule: str
    words: str
    field: str = ""
    place: FilePlace | None = None
    related: tuple[FilePlace, ...] = ()
    details: tuple[str, ...] = ()
    witness: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON, for another process."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Cause:
        """Return what another process has sent."""
        place = value["place"]
        return cls(
            rule=value["rule"],
            words=value["words"],
            field=value["field"],
            place=None if place is None else FilePlace(*place),
            related=tuple(FilePlace(*one) for one in value["related"]),
            details=tuple(value["details"]),
            witness=value["witness"],
        )


@dataclass(frozen=True, slots=True)
class About:
    """
    What a test is about, whether it holds or not.

    Attributes:
        kind: What is judged.
        rule: Which rule must hold: an id of the table of rules.
        crd: The name of the CRD; empty where there is none, or several.
        version: The version of the CRD; empty where there is none, or several.
        kubernetes_version: Whose behaviour; empty where it is not known.
        warnings: What the server warns of.
    """

    kind: VerdictKind
    rule: str
    crd: str = ""
    version: str = ""
    kubernetes_version: str = ""
    warnings: tuple[Cause, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON, for another process."""
        own = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        return {**own, "warnings": [one.to_json() for one in self.warnings]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> About:
        """Return what another process has sent."""
        warnings = tuple(map(Cause.from_json, value["warnings"]))
        return cls(**{**value, "kind": VerdictKind(value["kind"]), "warnings": warnings})


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What became of a test.

    Attributes:
        id: pytest's node id.
        name: What the test is called.
        about: What it is about.
        outcome: What became of it.
        place: Where it stands.
        summary: What is wrong, or why it was skipped, on one line; empty where it passed.
        text: The whole report on it, plain; empty where it passed.
        duration: How many seconds it took.
        causes: What is wrong, one by one; at least one where it failed.
    """

    id: str
    name: str
    about: About
    outcome: VerdictOutcome
    place: FilePlace
    summary: str = ""
    text: str = ""
    duration: float = 0.0
    causes: tuple[Cause, ...] = ()

    @property
    def is_failure(self) -> bool:
        """Whether it fails the session."""
        return self.outcome in {VerdictOutcome.FAILED, VerdictOutcome.ERROR}


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """
    What became of a session.

    Attributes:
        verdicts: Those on what has to do with CRDs, in the order of their files and lines.
        exit_code: With what it ends.
        is_complete: Whether all that was to be judged was judged.
        problem: Why it is not complete; empty where it is.
        kubernetes_versions: Whose behaviour was asked for.
        others: How many tests that have nothing to do with CRDs came to what.
        tool_version: The version of this project.
    """

    verdicts: tuple[Verdict, ...]
    exit_code: int
    is_complete: bool
    problem: str
    kubernetes_versions: tuple[str, ...]
    others: Mapping[VerdictOutcome, int]
    tool_version: str

    @property
    def failures(self) -> tuple[Verdict, ...]:
        """The verdicts that fail the session."""
        return tuple(one for one in self.verdicts if one.is_failure)

    @property
    def others_failed(self) -> int:
        """How many tests fail that have nothing to do with CRDs."""
        return self.others.get(VerdictOutcome.FAILED, 0) + self.others.get(VerdictOutcome.ERROR, 0)

    @property
    def is_green(self) -> bool:
        """Whether everything was judged, and all holds, also what has nothing to do with CRDs."""
        return self.is_complete and not self.exit_code and not self.failures and not self.others_failed

    @property
    def remark(self) -> str:
        """Why the session is not green, where no verdict says so; else empty."""
        if self.problem or self.is_green or self.failures or self.others_failed:
            return self.problem
        return f"the run ends with exit code {self.exit_code}, though no test fails: its log says why"

"""
Outcomes of tests as data, the basis of all reports for programs.

A test has one verdict, and a failed verdict has causes. Both travel between processes as JSON. File names are those of
the place where the
cause was found; each report makes them relative for its readers.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pytest_crd import lazyre

_PLACE: Final = lazyre.compile(r"(.*?)(?::(\d+))?(?::(\d+))?", re.DOTALL)


class VerdictKind(enum.StrEnum):
    """The kind of a test."""

    CASE = "case"
    CHECK = "check"
    UPGRADE = "upgrade"
    PARITY = "parity"
    PYTHON = "python test"
    COLLECTION = "collection error"
    SESSION = "session error"


class VerdictOutcome(enum.StrEnum):
    """The outcome of a test."""

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
        path: The file, by the name that it has at the origin of the cause.
        line: The 1-based line; 0 for the whole file.
        column: The 1-based character in it; 0 for the whole line.
    """

    path: str
    line: int = 0
    column: int = 0


def parse_place(text: str) -> FilePlace | None:
    """Return the place from `file:line:column`, `file:line` or `file`; None for an empty text."""
    match = _PLACE.fullmatch(text)
    return FilePlace(match[1], int(match[2] or 0), int(match[3] or 0)) if match and text else None


@dataclass(frozen=True, slots=True)
class Cause:
    """
    A cause of a failure or warning.

    Attributes:
        rule: The id of the broken rule in the table of rules.
        words: A description, in the server's words if it has some.
        field: Its field, as the engine or the case spells it; may be empty.
        place: Its place in a CRD, a sample or a case; None for the test itself.
        related: Other relevant places.
        details: Lines with an explanation.
        witness: An object that shows the effect, with the answers to it, as JSON; None if there is none.
        key: A text that causes with the same origin in a CRD have in common; empty if it has no origin there.
        decision: The reason of a refusal without values, which tells causes with the same key apart, or the field of a value from
            the input; empty for another cause.
    """

    rule: str
    words: str
    field: str = ""
    place: FilePlace | None = None
    related: tuple[FilePlace, ...] = ()
    details: tuple[str, ...] = ()
    witness: Mapping[str, Any] | None = None
    key: str = ""
    decision: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the cause as JSON, for another process."""
        return {attribute.name: getattr(self, attribute.name) for attribute in dataclasses.fields(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Cause:
        """Return the cause from the JSON of another process."""
        place = value["place"]
        return cls(
            rule=value["rule"],
            words=value["words"],
            field=value["field"],
            place=None if place is None else FilePlace(*place),
            related=tuple(FilePlace(*place_value) for place_value in value["related"]),
            details=tuple(value["details"]),
            witness=value["witness"],
            key=value["key"],
            decision=value["decision"],
        )


@dataclass(frozen=True, slots=True)
class About:
    """
    The subject of a test, whether it passes or not.

    Attributes:
        kind: The kind of test.
        rule: The id of its rule in the table of rules.
        crd: The name of the CRD; empty for none or several.
        version: The version of the CRD; empty for none or several.
        kubernetes_version: The Kubernetes version; empty if unknown.
        warnings: The server's warnings.
    """

    kind: VerdictKind
    rule: str
    crd: str = ""
    version: str = ""
    kubernetes_version: str = ""
    warnings: tuple[Cause, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the subject as JSON, for another process."""
        own = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        return {**own, "warnings": [item.to_json() for item in self.warnings]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> About:
        """Return the subject from the JSON of another process."""
        warnings = tuple(map(Cause.from_json, value["warnings"]))
        return cls(**{**value, "kind": VerdictKind(value["kind"]), "warnings": warnings})


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    The verdict on a test.

    Attributes:
        id: pytest's node id.
        name: The name of the test.
        about: The subject of the test.
        outcome: The outcome.
        place: The place of the test.
        summary: The failure or the reason for a skip, on one line; empty if it passed.
        text: The whole report in plain text; empty if it passed.
        duration: The duration in seconds.
        causes: The causes; at least one if it failed.
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
    The outcome of a session.

    Attributes:
        verdicts: The verdicts on tests of CRDs, in the order of their files and lines.
        exit_code: The exit code.
        is_complete: Whether all selected tests were judged.
        problem: The reason why it is incomplete; empty if it is complete.
        kubernetes_versions: The Kubernetes versions of the session.
        others: The number of tests without CRDs by outcome.
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
        return tuple(verdict for verdict in self.verdicts if verdict.is_failure)

    @property
    def others_failed(self) -> int:
        """The number of failed tests without CRDs."""
        return self.others.get(VerdictOutcome.FAILED, 0) + self.others.get(VerdictOutcome.ERROR, 0)

    @property
    def is_green(self) -> bool:
        """Whether everything was judged and passed, including tests without CRDs."""
        return self.is_complete and not self.exit_code and not self.failures and not self.others_failed

    @property
    def remark(self) -> str:
        """The reason why the session is not green if no verdict shows it; else empty."""
        if self.problem or self.is_green or self.failures or self.others_failed:
            return self.problem
        return f"the run ends with exit code {self.exit_code}, though no test fails: its log says why"

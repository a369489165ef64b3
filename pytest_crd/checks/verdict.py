"""Checks and what comes of them: data for the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple


class CheckFinding(NamedTuple):
    """
    One thing that is wrong, or worth to know.

    Attributes:
        place: Where it stands: `file:line`, or `file:line:column`; may be empty.
        text: What it is, in the server's words where it has some.
        details: Lines that explain it; may be none.
        field: The field that it is about, as the server spells it; empty where it is about none.
        origin: Where the schema stands that decided, `file:line`, where that is another place; may be empty.
    """

    place: str
    text: str
    details: tuple[str, ...] = ()
    field: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """
    What came of a check.

    Attributes:
        heading: What is wrong, as a whole.
        findings: What is wrong, one by one; empty where the check holds.
        warnings: What the server warns of.
        notes: What is worth to know of a check that holds.
        details: The same at length, for who asks twice; empty where the notes say all.
        passed_over: Why nothing can be said; empty where something can.
    """

    heading: str = ""
    findings: tuple[CheckFinding, ...] = ()
    warnings: tuple[CheckFinding, ...] = ()
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    passed_over: str = ""

    def with_warnings_failing(self) -> CheckVerdict:
        """Return the same verdict, of which what the server warns of is wrong, too."""
        warned = tuple(one._replace(text=f"warning: {one.text}") for one in self.warnings)
        heading = self.heading if self.findings else "the server warns"
        return replace(self, heading=heading, findings=(*self.findings, *warned), warnings=())


@dataclass(frozen=True, slots=True)
class Check:
    """
    Something that is asked.

    Attributes:
        kind: What is asked: `accepted`, `samples` …
        subject: About what.
        source: Where that stands, `file:line`.
        path: The file; None where a command has printed it.
        line: The 1-based line in the file; 0 where it stands in none.
        kubernetes_version: Whose behaviour and words.
        run: Answers.
        crd: The name of the CRD.
        version: The version of the CRD; empty where it is about all of them.
        lint: The name of the lint; empty of all other checks.
    """

    kind: str
    subject: str
    source: str
    path: Path | None
    line: int
    kubernetes_version: str
    run: Callable[[], CheckVerdict]
    crd: str = ""
    version: str = ""
    lint: str = ""

    @property
    def name(self) -> str:
        """What it is called: `accepted[backups.storage.example.com]`."""
        return f"{self.kind}[{self.subject}]"

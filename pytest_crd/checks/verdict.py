"""Checks and their verdicts, as data for reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pytest_crd.engine import CustomResourceDefinition, FieldError

CheckKind: TypeAlias = Literal[
    "accepted",
    "applies",
    "conditions",
    "copies",
    "deployable",
    "matches",
    "policy",
    "published",
    "roundtrip",
    "rules",
    "samples",
    "structural",
    "types",
]
"""The kind of a check; each has a rule in reports."""


class CheckFinding(NamedTuple):
    """
    A finding of a check.

    Attributes:
        place: Its place: `file:line`, or `file:line:column`; may be empty.
        text: A description, in the server's words if it has some.
        details: Lines with an explanation; may be empty.
        field: Its field, as the server spells it; may be empty.
        origin: The place of the deciding schema keyword, `file:line`, if it is another one; may be empty.
        decision: The reason of its error without values, `FieldError.decision`; may be empty.
        pattern: A description that findings about different fields have in common if they have one remedy; may be empty.
        name: The name of a part without effect, for `crd_checks_allow`; empty for all other findings.
    """

    place: str
    text: str
    details: tuple[str, ...] = ()
    field: str = ""
    origin: str = ""
    decision: str = ""
    pattern: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """
    The verdict of a check.

    Attributes:
        heading: A summary of the findings.
        findings: The findings; empty if the check holds.
        warnings: The server's warnings, and those about parts of a CRD without effect.
        allowed: Findings that are warnings and never fail: those that the project allows, and losses by the conversion strategy `None`.
        notes: Remarks, shown for a check that holds.
        details: The notes in full, for `-vv`; empty if the notes are complete.
        passed_over: The reason for no verdict; empty if there is one.
        refused_crd: The source of the CRD that the server refuses, if `accepted` lists all errors behind the findings; else empty.
    """

    heading: str = ""
    findings: tuple[CheckFinding, ...] = ()
    warnings: tuple[CheckFinding, ...] = ()
    allowed: tuple[CheckFinding, ...] = ()
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    passed_over: str = ""
    refused_crd: str = ""

    def with_warnings_failing(self) -> CheckVerdict:
        """Return the same verdict with the server's warnings as findings."""
        warned = tuple(warning._replace(text=f"warning: {warning.text}") for warning in self.warnings)
        words = "accepted, but without effect" if any(warning.name for warning in self.warnings) else "the server warns"
        heading = self.heading if self.findings else words
        return replace(self, heading=heading, findings=(*self.findings, *warned), warnings=())


@dataclass(frozen=True, slots=True)
class Check:
    """
    A check, ready to run.

    Attributes:
        kind: The kind of check: `accepted`, `samples` …
        subject: The name of the checked thing.
        source: The place of the subject, `file:line`.
        path: The file; None for output of a command.
        line: The 1-based line in the file; 0 without a file.
        kubernetes_version: The Kubernetes version of the answers.
        run: Function that returns the verdict.
        crd: The name of the CRD.
        version: The version of the CRD; empty for all of them.
        lint: The name of the lint; empty for all other checks.
        effects: The names in `crd_checks_allow` of the warnings that it may have about parts of the CRD without effect.
        is_allowed: Whether the project accepts its findings.
        fails_if_refused: Whether it fails if the server refuses the CRD, and lists all errors; unless *is_allowed*.
    """

    kind: CheckKind
    subject: str
    source: str
    path: Path | None
    line: int
    kubernetes_version: str
    run: Callable[[], CheckVerdict]
    crd: str = ""
    version: str = ""
    lint: str = ""
    effects: tuple[str, ...] = ()
    is_allowed: bool = False
    fails_if_refused: bool = False

    @property
    def name(self) -> str:
        """The name of the check: `accepted[backups.storage.example.com]`."""
        return f"{self.kind}[{self.subject}]"


def find_refused(crd: CustomResourceDefinition, errors: Iterable[FieldError]) -> str:
    """Return the source of a CRD if `accepted` fails with all of *errors*; else empty."""
    refused = crd.create(field_validation="Strict").errors
    return crd.source if all(error in refused for error in errors) else ""

"""Made-up facts of sessions, for tests of reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import About, Cause, FilePlace, SessionFacts, Verdict, VerdictKind, VerdictOutcome

CRD = "crds/a.yaml"
CASES = "test_a.crd.yaml"


def roots(folder: Path) -> Roots:
    """Return the roots of *folder*, after creating an empty CRD file and case file in it."""
    (folder / "crds").mkdir(exist_ok=True)
    for name in (CRD, CASES):
        (folder / name).touch()
    return Roots((folder,), (folder,))


def verdict(
    *causes: Cause,
    name: str = "a case",
    outcome: VerdictOutcome = VerdictOutcome.FAILED,
    kind: VerdictKind = VerdictKind.CASE,
    warnings: tuple[Cause, ...] = (),
    summary: str = "",
) -> Verdict:
    """Return a verdict on a case in line 4 of the case file."""
    about = About(kind, "case/create", "as.example.com", "v1", "1.37", warnings)
    return Verdict(f"{CASES}::{name}", name, about, outcome, FilePlace(CASES, 4), summary, "", 0.5, causes)


def passed(name: str = "holds") -> Verdict:
    """Return a verdict on a passed case."""
    return verdict(name=name, outcome=VerdictOutcome.PASSED)


def session(
    *verdicts: Verdict, exit_code: int = 0, problem: str = "", others: Mapping[VerdictOutcome, int] | None = None
) -> SessionFacts:
    """Return the facts of a session with *verdicts*."""
    return SessionFacts(verdicts, exit_code, not problem, problem, ("1.37",), others or {}, "0.1.0")


def cause(words: str = "it is wrong", line: int = 3, **more: Any) -> Cause:
    """Return a cause in line 3 of the CRD, or in *line*."""
    return Cause(**{"rule": "case/create", "words": words, "place": FilePlace(CRD, line), **more})

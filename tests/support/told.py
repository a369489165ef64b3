"""Facts of sessions that never were, for tests of the reports that are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import About, Cause, FilePlace, SessionFacts, Verdict, VerdictKind, VerdictOutcome

CRD = "crds/a.yaml"
CASES = "test_a.crd.yaml"


def roots(folder: Path) -> Roots:
    """Return what names are relative to, in a folder with a CRD and a case file."""
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
    """Return a verdict on a case in the fourth line of the case file."""
    about = About(kind, "case/create", "as.example.com", "v1", "1.37", warnings)
    return Verdict(f"{CASES}::{name}", name, about, outcome, FilePlace(CASES, 4), summary, "", 0.5, causes)


def passed(name: str = "holds") -> Verdict:
    """Return a verdict on a case that holds."""
    return verdict(name=name, outcome=VerdictOutcome.PASSED)


def session(
    *verdicts: Verdict, exit_code: int = 0, problem: str = "", others: Mapping[VerdictOutcome, int] | None = None
) -> SessionFacts:
    """Return a session that came to *verdicts*."""
    return SessionFacts(verdicts, exit_code, not problem, problem, ("1.37",), others or {}, "0.1.0")


def cause(words: str = "it is wrong", line: int = 3, **more: Any) -> Cause:
    """Return a cause in a line of the CRD."""
    return Cause(**{"rule": "case/create", "words": words, "place": FilePlace(CRD, line), **more})

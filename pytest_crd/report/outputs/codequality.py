"""
The code quality report of GitLab, which its merge requests show at the lines of files.

Reference:
    GitLab's documentation of the code quality report format.
"""

from __future__ import annotations

import json
from typing import Any, Final

from pytest_crd.report.outputs import uniquefindings
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.outputs.uniquefindings import OutputFinding
from pytest_crd.report.testfacts import SessionFacts, VerdictOutcome

FILE: Final = "gl-code-quality-report.json"


def render(facts: SessionFacts, roots: Roots, home: str) -> str:
    """
    Return the report.

    Args:
        facts: The outcome of the session.
        roots: The folders that names of files are relative to.
        home: The file to name if the session did not finish.
    """
    errors, warnings = uniquefindings.errors(facts, roots), uniquefindings.warnings(facts, roots)
    entries = [
        *(_entry(finding, _severity(finding)) for finding in errors),
        *(_entry(finding, "minor") for finding in warnings),
    ]
    for entry, fingerprint in zip(entries, uniquefindings.fingerprints([*errors, *warnings]), strict=True):
        entry["fingerprint"] = fingerprint
    if facts.remark:
        location = {"path": home, "lines": {"begin": 1}}
        own = {"description": facts.remark, "check_name": "session/error", "severity": "blocker", "location": location}
        entries.insert(0, {**own, "fingerprint": "session/error"})
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _severity(finding: OutputFinding) -> str:
    return "critical" if any(verdict.outcome is VerdictOutcome.ERROR for verdict in finding.verdicts) else "major"


def _entry(finding: OutputFinding, severity: str) -> dict[str, Any]:
    words, *_ = finding.words.splitlines() or [""]
    return {
        "description": f"{words} ({uniquefindings.list_tests(finding)})",
        "check_name": finding.cause.rule,
        "severity": severity,
        "location": {"path": finding.place.path, "lines": {"begin": max(1, finding.place.line)}},
    }

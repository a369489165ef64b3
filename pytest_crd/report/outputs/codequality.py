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
        facts: What became of the session.
        roots: What names of files are relative to.
        home: The file that is named where the session did not come to its end.
    """
    errors, warnings = uniquefindings.errors(facts, roots), uniquefindings.warnings(facts, roots)
    entries = [
        *(_entry(one, _severity(one)) for one in errors),
        *(_entry(one, "minor") for one in warnings),
    ]
    for entry, fingerprint in zip(entries, uniquefindings.fingerprints([*errors, *warnings]), strict=True):
        entry["fingerprint"] = fingerprint
    if facts.remark:
        location = {"path": home, "lines": {"begin": 1}}
        own = {"description": facts.remark, "check_name": "session/error", "severity": "blocker", "location": location}
        entries.insert(0, {**own, "fingerprint": "session/error"})
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _severity(found: OutputFinding) -> str:
    return "critical" if any(one.outcome is VerdictOutcome.ERROR for one in found.verdicts) else "major"


def _entry(found: OutputFinding, severity: str) -> dict[str, Any]:
    words, *_ = found.words.splitlines() or [""]
    return {
        "description": f"{words} ({uniquefindings.found_by(found)})",
        "check_name": found.cause.rule,
        "severity": severity,
        "location": {"path": found.place.path, "lines": {"begin": max(1, found.place.line)}},
    }

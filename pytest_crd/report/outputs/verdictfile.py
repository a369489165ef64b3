"""
Every verdict as JSON, whose form `verdicts.schema.json` states.

A program that reads it looks at `version` first: it is another number where a field is gone or means something else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import Cause, FilePlace, SessionFacts, Verdict, VerdictOutcome

VERSION: Final = 1


def render(facts: SessionFacts, roots: Roots) -> str:
    """Return all that is known of a session; *roots*: what names of files are relative to."""
    return json.dumps(as_json(facts, roots), indent=2, ensure_ascii=False) + "\n"


def as_json(facts: SessionFacts, roots: Roots) -> dict[str, Any]:
    """Return the same as data."""
    return {
        "version": VERSION,
        "tool": {"name": "pytest-crd", "version": facts.tool_version},
        "complete": facts.is_complete,
        "problem": facts.problem or None,
        "exitCode": facts.exit_code,
        "kubernetesVersions": list(facts.kubernetes_versions),
        "summary": {
            **_counted(Counter(one.outcome for one in facts.verdicts)),
            "otherTests": _counted(Counter(facts.others)),
        },
        "verdicts": [_verdict(one, roots) for one in facts.verdicts],
    }


def _counted(counts: Counter[VerdictOutcome]) -> dict[str, int]:
    return {one.value: counts[one] for one in VerdictOutcome}


def _verdict(verdict: Verdict, roots: Roots) -> dict[str, Any]:
    about, place = verdict.about, roots.named(verdict.place)
    return {
        "id": verdict.id,
        "name": verdict.name,
        "kind": about.kind.value,
        "rule": about.rule,
        "outcome": verdict.outcome.value,
        "path": place.path,
        "line": place.line or None,
        "summary": verdict.summary,
        "text": verdict.text,
        "kubernetesVersion": about.kubernetes_version or None,
        "crd": about.crd or None,
        "crdVersion": about.version or None,
        "seconds": round(verdict.duration, 6),
        "causes": _causes(verdict.causes, roots),
        "warnings": _causes(about.warnings, roots),
    }


def _causes(causes: Iterable[Cause], roots: Roots) -> list[dict[str, Any]]:
    return [
        {
            "rule": one.rule,
            "words": one.words,
            "field": one.field or None,
            "origin": None if one.place is None else _place(one.place, roots),
            "related": [_place(other, roots) for other in one.related],
            "details": list(one.details),
            "witness": None if one.witness is None else dict(one.witness),
        }
        for one in causes
    ]


def _place(place: FilePlace, roots: Roots) -> dict[str, Any]:
    path, line, column = roots.named(place)
    return {"path": path, "line": line or None, "column": column or None}

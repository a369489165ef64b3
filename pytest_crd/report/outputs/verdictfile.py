"""
Every verdict as JSON, in the form of `verdicts.schema.json`.

Programs must check `version` first: it changes when a field is removed or gets another meaning.
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
    """Return all facts of a session; *roots* are the folders that names of files are relative to."""
    return json.dumps(as_json(facts, roots), indent=2, ensure_ascii=False) + "\n"


def as_json(facts: SessionFacts, roots: Roots) -> dict[str, Any]:
    """Return all facts of a session as data."""
    return {
        "version": VERSION,
        "tool": {"name": "pytest-crd", "version": facts.tool_version},
        "complete": facts.is_complete,
        "problem": facts.problem or None,
        "exitCode": facts.exit_code,
        "kubernetesVersions": list(facts.kubernetes_versions),
        "summary": {
            **_counted(Counter(item.outcome for item in facts.verdicts)),
            "otherTests": _counted(Counter(facts.others)),
        },
        "verdicts": [_verdict(item, roots) for item in facts.verdicts],
    }


def _counted(counts: Counter[VerdictOutcome]) -> dict[str, int]:
    return {outcome.value: counts[outcome] for outcome in VerdictOutcome}


def _verdict(verdict: Verdict, roots: Roots) -> dict[str, Any]:
    about, place = verdict.about, roots.name_place(verdict.place)
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
            "rule": cause.rule,
            "words": cause.words,
            "field": cause.field or None,
            "origin": None if cause.place is None else _place(cause.place, roots),
            "related": [_place(place, roots) for place in cause.related],
            "details": list(cause.details),
            "witness": None if cause.witness is None else dict(cause.witness),
        }
        for cause in causes
    ]


def _place(place: FilePlace, roots: Roots) -> dict[str, Any]:
    path, line, column = roots.name_place(place)
    return {"path": path, "line": line or None, "column": column or None}

"""Effects of upgrades as JSON, for other programs."""

from __future__ import annotations

from typing import Any

from pytest_crd.engine import InputError
from pytest_crd.report import causes
from pytest_crd.upgrades.task import Task
from pytest_crd.upgrades.upgradefindings import Finding, Line


def describe_upgrade(task: Task) -> dict[str, Any]:
    """Return the effects of an upgrade; with an error if they are unknown."""
    sources = {
        "name": task.old.name,
        "old": [old.crd.source for old in task.olds],
        "new": next((crd.source for crd in task.today), None),
    }
    try:
        effects = task.upgrade
    except InputError as error:
        return {**sources, "error": str(error)}
    return {
        **sources,
        "breaks": bool(task.breaking),
        "findings": [_describe(finding) for finding in effects.findings],
        "undecided": list(effects.undecided),
        "unshown": list(effects.unshown),
        "notices": list(effects.notices),
        "warnings": list(effects.warnings),
    }


def _describe(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "path": finding.path,
        "breaks": finding.is_breaking,
        "message": finding.words,
        "versions": list(finding.versions),
        "releases": list(finding.releases),
        "lines": [{"old": _describe_line(old), "new": _describe_line(new)} for old, new in finding.lines],
        "objects": list(finding.others),
        "witness": None if finding.witness is None else causes.describe_witness(finding.witness),
    }


def _describe_line(line: Line) -> dict[str, str]:
    return {"place": line.where, "text": line.text}

"""
Log in SARIF 2.1.0, the format of static analysis results for code hosts and editors.

Reference:
    Static Analysis Results Interchange Format (SARIF) CrdVersion 2.1.0 Plus Errata 01, OASIS.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from pytest_crd.report.outputs import uniquefindings
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.outputs.uniquefindings import OutputFinding
from pytest_crd.report.testfacts import FilePlace, SessionFacts
from pytest_crd.report.verdictrules import RULES, Level, RuleHelp

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_HOME: Final = "https://github.com/pytest-crd/pytest-crd"
_ROOT: Final = "SRCROOT"
# The name of the fingerprint, with the version of its algorithm.
_FINGERPRINT: Final = "pytestCrd/v1"
_MOST_RELATED: Final = 10


def render(facts: SessionFacts, roots: Roots) -> str:
    """
    Return the log with failures and the server's warnings; passed and skipped tests are no results.

    Args:
        facts: The outcome of the session.
        roots: The folders that names of files are relative to.
    """
    errors, warnings = uniquefindings.errors(facts, roots), uniquefindings.warnings(facts, roots)
    prints = uniquefindings.fingerprints([*errors, *warnings])
    levels: list[tuple[OutputFinding, Level]] = [(finding, "error") for finding in errors]
    levels += [(finding, "warning") for finding in warnings]
    indices = {name: index for index, name in enumerate(RULES)}
    run = {
        "tool": {"driver": _driver(facts)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": f"{roots.folders[0].as_uri()}/"}},
        "invocations": [_invocation(facts)],
        "results": [
            _result(finding, level, indices, fingerprint, roots)
            for (finding, level), fingerprint in zip(levels, prints, strict=True)
        ],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _driver(facts: SessionFacts) -> dict[str, Any]:
    return {
        "name": "pytest-crd",
        "version": facts.tool_version,
        "informationUri": _HOME,
        "rules": [_rule(rule) for rule in RULES.values()],
    }


def _rule(rule: RuleHelp) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.full},
        "help": {
            "text": f"{rule.full} {rule.help} {rule.uri}",
            "markdown": f"{rule.full}\n\n{rule.help}\n\n[Documentation]({rule.uri})",
        },
        "helpUri": rule.uri,
        "defaultConfiguration": {"level": rule.level},
    }


def _invocation(facts: SessionFacts) -> dict[str, Any]:
    own: dict[str, Any] = {"executionSuccessful": facts.is_complete, "exitCode": facts.exit_code}
    if facts.problem:
        own["toolExecutionNotifications"] = [{"level": "error", "message": {"text": facts.problem}}]
    return own


def _result(
    finding: OutputFinding, level: Level, indices: dict[str, int], fingerprint: str, roots: Roots
) -> dict[str, Any]:
    cause, place = finding.cause, finding.place
    tests = [roots.name_place(item.place) for item in finding.verdicts]
    around = [related_place for item in cause.related if (related_place := roots.find_in_repository(item)) is not None]
    related = [item for item in dict.fromkeys((*tests, *around)) if item != place]
    lines = (finding.words, *cause.details, uniquefindings.list_tests(finding))
    own: dict[str, Any] = {
        "ruleId": cause.rule,
        "ruleIndex": indices[cause.rule],
        "level": level,
        "message": {"text": "\n".join(lines)},
        "locations": [_location(place, roots)],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
        "occurrenceCount": len(finding.verdicts),
    }
    if related:
        own["relatedLocations"] = [
            {"id": number, **_location(item, roots), "message": {"text": "the test" if item in tests else "more of it"}}
            for number, item in enumerate(related[:_MOST_RELATED])
        ]
    if cause.field:
        own["locations"][0]["logicalLocations"] = [{"fullyQualifiedName": cause.field, "kind": "member"}]
    return own


def _location(place: FilePlace, roots: Roots) -> dict[str, Any]:
    artifact = {"uri": quote(os.fsencode(place.path)), "uriBaseId": _ROOT}
    if Path(place.path).is_absolute():
        artifact = {"uri": Path(place.path).as_uri()}
    elif not (roots.folders[0] / place.path).exists():
        artifact = {"uri": quote(os.fsencode(place.path))}
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if place.line:
        physical["region"] = {"startLine": place.line, **({"startColumn": place.column} if place.column else {})}
    return {"physicalLocation": physical}

"""Results of the command `validate` for programs: JSON, TAP and JUnit XML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.checks.samples import SampleOutcome
from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.cli import objectkinds
from pytest_crd.cli.objectkinds import KindExplanations, UnknownObject
from pytest_crd.cli.verdicts import ObjectVerdict
from pytest_crd.engine import Mistake
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.report.outputs import testformats
from pytest_crd.report.outputs.testformats import ReportedTest
from pytest_crd.report.testfacts import FilePlace, VerdictOutcome, parse_place

_UNJUDGED: Final = "not judged"
VERSION: Final = 1
"""The version of the JSON; it changes when a field is removed or gets another meaning."""


class Answers(NamedTuple):
    """
    The answers of a run.

    Attributes:
        verdicts: The verdicts on objects of known kinds.
        reasons: The reasons why objects of unknown kinds have no verdict.
        unbuilt: The Kustomizations of Flux whose folder is not known, with the reason.
        skipped: The number of objects that the command line leaves out.
        problems: Problems that make the answers incomplete.
        kubernetes_version: The Kubernetes version of the answers.
        is_strict: Whether objects without a CRD fail.
    """

    verdicts: Sequence[ObjectVerdict]
    reasons: KindExplanations
    unbuilt: Sequence[tuple[Manifest, str]]
    skipped: int
    problems: Sequence[Mistake]
    kubernetes_version: str
    is_strict: bool


def render(answers: Answers, name: str) -> str:
    """Return the answers as JSON, JUnit XML or TAP."""
    if name == "json":
        return json.dumps(_describe(answers), indent=2, ensure_ascii=False) + "\n"
    return testformats.RENDERERS[name]([*_results(answers)])


def _describe(answers: Answers) -> dict[str, Any]:
    return {
        "version": VERSION,
        "kubernetesVersion": answers.kubernetes_version,
        "objects": [
            *map(_of_verdict, answers.verdicts),
            *(_of_other(item, "misspelt", words) for item, words in answers.reasons.misspelt),
            *(_of_other(item, "not served", words) for item, words in answers.reasons.unserved),
            *(_of_other(item, _UNJUDGED, objectkinds.describe_other(kind)) for item, kind in answers.reasons.others),
        ],
        "unbuilt": [{**_named(item.where, item.title), "message": words} for item, words in answers.unbuilt],
        "skipped": answers.skipped,
        "problems": [str(problem) for problem in answers.problems],
    }


def _of_verdict(verdict: ObjectVerdict) -> dict[str, Any]:
    outcome = verdict.outcome
    return {
        **_named(verdict.where, verdict.name),
        **({"kustomization": verdict.build} if verdict.build else {}),
        **({"appliedBy": verdict.applier} if verdict.applier else {}),
        "outcome": _outcome_word(outcome),
        **_kind(verdict),
        "code": verdict.code,
        "message": outcome.placeholder or outcome.heading or None,
        "findings": [_of_finding(finding) for finding in outcome.findings],
        "warnings": [warning.text for warning in outcome.warnings],
        "stored": verdict.stored,
    }


def _kind(verdict: ObjectVerdict) -> dict[str, Any]:
    """Return the CRD, the JSON Schema, or the resource of a built-in kind."""
    outcome = verdict.outcome
    if verdict.is_by_schema:
        return {"jsonSchema": outcome.resource}
    if verdict.is_custom:
        return {"crd": outcome.resource, "crdVersion": verdict.version}
    return {"builtIn": outcome.resource, "onlyDecoded": not outcome.is_validated}


def _of_other(item: UnknownObject, outcome: str, words: str) -> dict[str, Any]:
    return {**_named(item.where, item.title), "outcome": outcome, "message": words}


def _named(where: str, name: str) -> dict[str, Any]:
    path, line, _ = _place(where)
    return {"path": path, "line": line or None, "name": name}


def _outcome_word(outcome: SampleOutcome) -> str:
    if outcome.placeholder:
        return _UNJUDGED
    if not outcome.is_accepted:
        return "refused"
    return "accepted, but not as it is" if outcome.findings else "accepted"


def _of_finding(finding: CheckFinding) -> dict[str, Any]:
    place = parse_place(finding.place) or FilePlace("")
    return {
        "path": place.path or None,
        "line": place.line or None,
        "field": finding.field or None,
        "message": finding.text,
        "origin": finding.origin or None,
        "details": list(finding.details),
    }


def _results(answers: Answers) -> Iterator[ReportedTest]:
    for verdict in answers.verdicts:
        outcome = verdict.outcome
        lines = [finding.text for finding in outcome.findings]
        result = VerdictOutcome.FAILED if lines else VerdictOutcome.PASSED
        result = VerdictOutcome.SKIPPED if outcome.placeholder else result
        text = "\n".join((outcome.heading, *lines)) if lines else ""
        yield ReportedTest(verdict.title, _place(verdict.where), result, (lines or [""])[0].partition("\n")[0], text)
    for item, words in (*answers.reasons.misspelt, *answers.reasons.unserved):
        yield ReportedTest(item.title or "object", _place(item.where), VerdictOutcome.FAILED, words, words)
    for item, kind in answers.reasons.others:
        words = objectkinds.describe_other(kind)
        result = VerdictOutcome.FAILED if answers.is_strict else VerdictOutcome.SKIPPED
        yield ReportedTest(item.title or "object", _place(item.where), result, words, words)
    for applier, words in answers.unbuilt:
        result = VerdictOutcome.FAILED if answers.is_strict else VerdictOutcome.SKIPPED
        yield ReportedTest(f"the folder of {applier.title}", _place(applier.where), result, words, words)
    for problem in answers.problems:
        place = FilePlace(problem.source, problem.line)
        yield ReportedTest("input", place, VerdictOutcome.ERROR, problem.message, str(problem))


def _place(where: str) -> FilePlace:
    return parse_place(where) or FilePlace("")

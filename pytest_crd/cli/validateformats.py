"""Results of the command `validate` for programs: JSON, TAP and JUnit XML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.checks.samples import SampleOutcome
from pytest_crd.checks.verdict import CheckFinding
from pytest_crd.cli.objectfiles import ClassifiedObjects, Resource
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
        outcomes: The custom resources with their outcomes.
        classified: All objects by the CRDs of their kinds.
        problems: Problems that make the answers incomplete.
        kubernetes_version: The Kubernetes version of the answers.
        is_strict: Whether objects without a CRD fail.
    """

    outcomes: Sequence[tuple[Resource, SampleOutcome]]
    classified: ClassifiedObjects
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
            *(_of_resource(*item) for item in answers.outcomes),
            *(_of_other(item, "misspelt", words) for item, words in answers.classified.misspelt),
            *(_of_other(item, "not served", words) for item, words in answers.classified.unserved),
            *(_of_other(item, _UNJUDGED, f"no CRD is known of {kind}") for item, kind in answers.classified.others),
        ],
        "unbuilt": [{**_named(item), "message": words} for item, words in answers.classified.unbuilt],
        "skipped": len(answers.classified.skipped),
        "problems": [str(problem) for problem in answers.problems],
    }


def _of_resource(resource: Resource, outcome: SampleOutcome) -> dict[str, Any]:
    response = outcome.response
    return {
        **_named(resource.manifest),
        **({"kustomization": resource.build} if resource.build else {}),
        **({"appliedBy": resource.applier} if resource.applier else {}),
        "outcome": _outcome_word(outcome),
        **_kind(resource, outcome),
        "code": None if response is None else response.code,
        "message": outcome.placeholder or outcome.heading or None,
        "findings": [_of_finding(finding) for finding in outcome.findings],
        "warnings": [warning.text for warning in outcome.warnings],
        "stored": response.stored if response is not None and outcome.is_accepted else None,
    }


def _kind(resource: Resource, outcome: SampleOutcome) -> dict[str, Any]:
    """Return the CRD, the JSON Schema, or the resource of a built-in kind."""
    if resource.schema is not None:
        return {"jsonSchema": outcome.resource}
    if resource.is_custom:
        return {"crd": outcome.resource, "crdVersion": resource.version}
    return {"builtIn": outcome.resource, "onlyDecoded": not outcome.is_validated}


def _of_other(item: Manifest, outcome: str, words: str) -> dict[str, Any]:
    return {**_named(item), "outcome": outcome, "message": words}


def _named(item: Manifest) -> dict[str, Any]:
    path, line, _ = _place(item)
    return {"path": path, "line": line or None, "name": item.title}


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
    for resource, outcome in answers.outcomes:
        lines = [finding.text for finding in outcome.findings]
        result = VerdictOutcome.FAILED if lines else VerdictOutcome.PASSED
        result = VerdictOutcome.SKIPPED if outcome.placeholder else result
        text = "\n".join((outcome.heading, *lines)) if lines else ""
        yield ReportedTest(
            resource.title, _place(resource.manifest), result, (lines or [""])[0].partition("\n")[0], text
        )
    for item, words in (*answers.classified.misspelt, *answers.classified.unserved):
        yield ReportedTest(item.title or "object", _place(item), VerdictOutcome.FAILED, words, words)
    for item, kind in answers.classified.others:
        words = f"no CRD is known of {kind}"
        result = VerdictOutcome.FAILED if answers.is_strict else VerdictOutcome.SKIPPED
        yield ReportedTest(item.title or "object", _place(item), result, words, words)
    for item, words in answers.classified.unbuilt:
        result = VerdictOutcome.FAILED if answers.is_strict else VerdictOutcome.SKIPPED
        yield ReportedTest(f"the folder of {item.title}", _place(item), result, words, words)
    for problem in answers.problems:
        place = FilePlace(problem.source, problem.line)
        yield ReportedTest("input", place, VerdictOutcome.ERROR, problem.message, str(problem))


def _place(item: Manifest) -> FilePlace:
    return parse_place(item.where) or FilePlace("")

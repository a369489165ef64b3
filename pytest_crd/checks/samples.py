"""What becomes of a sample: a server must take it and drop nothing of it, unless a comment says otherwise."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_crd import suggestions
from pytest_crd.cases import barewords, comparison, questions, schemafields
from pytest_crd.cases.acceptance import RefusedCrdError
from pytest_crd.cases.questions import Question
from pytest_crd.cases.sections import Section
from pytest_crd.checks import fieldlines
from pytest_crd.checks.samplefiles import Sample
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.engine import CustomResourceDefinition, FieldError, Response, Version
from pytest_crd.engine.errors import changedfield
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.requests import completion
from pytest_crd.engine.yaml.manifest import Manifest

_PLACEHOLDERS: Final = ("{{", "${")
_LONGEST: Final = 60
_ABOUT_FIELDS: Final = ("unknown field ", "duplicate field ")


@dataclass(frozen=True, slots=True)
class SampleOutcome:
    """
    What becomes of a sample under one CRD.

    Attributes:
        crd: The CRD.
        heading: What is wrong, as a whole; empty where nothing is.
        findings: What is wrong, one by one.
        fields: The fields that are wrong, as the server spells them.
        is_answered: Whether there is an answer at all: there is none where the server refuses the CRD.
        placeholder: The first value that a template leaves open, where all that is wrong is of that kind; else empty.
        warnings: What the server warns of.
        notes: What the sample becomes.
        response: The server's answer; None where there is none.
    """

    crd: CustomResourceDefinition
    heading: str = ""
    findings: tuple[CheckFinding, ...] = ()
    fields: frozenset[str] = frozenset()
    is_answered: bool = True
    placeholder: str = ""
    warnings: tuple[CheckFinding, ...] = ()
    notes: tuple[str, ...] = ()
    response: Response | None = None


def judged(sample: Sample, crds: Sequence[CustomResourceDefinition]) -> CheckVerdict:
    """
    Return whether a sample is what its comment says, or without one, whether it is stored as it is.

    Args:
        sample: The sample.
        crds: The alternatives that claim its kind, of which one is enough.
    """
    if sample.directive.problem:
        return CheckVerdict(
            "a comment that says nothing", (CheckFinding(sample.manifest.where, sample.directive.problem),)
        )
    outcomes = [_under(sample, crd) for crd in crds]
    best = min(outcomes, key=lambda one: len(one.findings))
    verdict = _refused(sample, outcomes) if sample.directive.is_refused else _taken(best, len(outcomes))
    words = _barewords(sample, best.crd)
    if not verdict.findings:
        return replace(verdict, notes=(*verdict.notes, *words))
    return replace(verdict, findings=(*verdict.findings, *(CheckFinding("", one) for one in words)))


def _taken(best: SampleOutcome, alternatives: int) -> CheckVerdict:
    """Return the verdict on a sample that one of several alternatives must take, of which *best* comes nearest."""
    if not best.findings:
        return CheckVerdict(warnings=best.warnings, notes=best.notes)
    if best.placeholder:
        return CheckVerdict(passed_over=f"a template: {best.placeholder}")
    others = "; nor does another alternative take it" if alternatives > 1 else ""
    return CheckVerdict(f"{best.heading}{others}", best.findings, best.warnings)


def _barewords(sample: Sample, crd: CustomResourceDefinition) -> list[str]:
    """Return what is said of words that are read as booleans."""
    versions = [version for version in crd.versions if version.name == sample.version]
    manifest = sample.manifest
    return [
        one for version in versions for one in barewords.describe_in_object(manifest.document, manifest.path, version)
    ]


def _refused(sample: Sample, outcomes: Sequence[SampleOutcome]) -> CheckVerdict:
    """Return the verdict on a sample that every alternative must refuse, in the fields that its comment names."""
    unanswered = next((one for one in outcomes if not one.is_answered), None)
    if unanswered is not None:
        return CheckVerdict(unanswered.heading, unanswered.findings)
    said = "`# crd: refused` says that no server takes it"
    if taking := next((one for one in outcomes if not one.findings), None):
        return CheckVerdict(
            said, (CheckFinding(sample.manifest.where, f"accepted by {_described(taking.crd, sample.version)}"),)
        )
    wrong = frozenset[str]().union(*(one.fields for one in outcomes))
    if missing := [field for field in sample.directive.fields if field not in wrong]:
        place = sample.manifest.where
        found = [CheckFinding(place, f"{field}: nothing is wrong there") for field in missing]
        return CheckVerdict("`# crd: refused` names fields that are not refused", (*found, *outcomes[0].findings))
    return CheckVerdict(notes=tuple(f"refused, as it must be: {one.text}" for one in outcomes[0].findings))


def _under(sample: Sample, crd: CustomResourceDefinition) -> SampleOutcome:
    return under(sample.manifest, sample.version, crd, functools.partial(_created, sample.manifest))


def _created(manifest: Manifest, version: Version) -> Response:
    return questions.ask(Question(version, Section.CREATE, completion.read(printing.marshal(manifest.value))))


def under(
    manifest: Manifest, name: str, crd: CustomResourceDefinition, ask: Callable[[Version], Response]
) -> SampleOutcome:
    """
    Return what becomes of an object under a CRD.

    Args:
        manifest: The object.
        name: The version that it states.
        crd: The CRD.
        ask: Asks for it under that version.
    """
    served = [version.name for version in crd.versions if version.served]
    if name not in served:
        place = fieldlines.of_steps(manifest, ("apiVersion",))
        words = f"{crd.name} serves {', '.join(served) or 'no version'}, not {name}"
        return SampleOutcome(
            crd, "a version that is not served", (CheckFinding(place, words),), frozenset({"apiVersion"})
        )
    version = crd.version(name)
    try:
        response = ask(version)
    except RefusedCrdError as error:
        found = tuple(CheckFinding(crd.source, one.message) for one in error.mistakes)
        return SampleOutcome(crd, "the server refuses the CRD", found, is_answered=False)
    return _answered(manifest, version, response)


def _answered(manifest: Manifest, version: Version, response: Response) -> SampleOutcome:
    source = manifest.document.source
    repeated = [
        CheckFinding(f"{source}:{one.line}", f'key "{one.key}" is set twice; only the last value counts')
        for one in manifest.duplicates
    ]
    errors = [
        CheckFinding(
            fieldlines.of_steps(manifest, () if one.path is None else one.path.steps),
            one.told,
            one.rule.lines if one.rule else (),
            one.field,
            one.source,
        )
        for one in response.errors
    ]
    dropped = [*_dropped(manifest, version, response)]
    whom = _described(version.crd, version.name)
    heading = f"refused ({response.code}) by {whom}"
    if response.accepted:
        is_refused_by_kubectl = bool(repeated or response.pruned)
        but = "not as it is; kubectl refuses it" if is_refused_by_kubectl else "a part of it is not stored"
        heading = f"accepted by {whom}, but {but}"
    open_values = [_open_value(one, manifest.value) for one in response.errors]
    is_open = all(open_values) and not repeated and not dropped
    warnings = [one for one in response.warnings if not one.startswith(_ABOUT_FIELDS)]
    fields = {*(one.field for one in response.errors), *response.pruned, *response.lost}
    return SampleOutcome(
        version.crd,
        heading,
        (*repeated, *errors, *dropped),
        frozenset(fields),
        placeholder=open_values[0] if open_values and is_open else "",
        warnings=tuple(CheckFinding(fieldlines.of_sentence(manifest, one), one) for one in warnings),
        response=response,
        notes=(*_becomes(response), *filter(None, (version.unknown_when_stored if response.accepted else "",))),
    )


def _dropped(manifest: Manifest, version: Version, response: Response) -> Iterator[CheckFinding]:
    """Yield the fields that are lost, each with the one that may be meant."""
    fields = schemafields.get_fields(version)
    for path in response.changes.pruned:
        yield CheckFinding(
            fieldlines.of_steps(manifest, path.steps),
            f"{path}: the schema does not specify it, so that it is dropped{suggestions.hint(fields.near(path))}",
            field=str(path),
            origin=changedfield.source_of(path),
        )
    for path in response.changes.lost:
        words = f"{path}: the storage version does not specify it, so that it is lost without a warning"
        place = fieldlines.of_steps(manifest, path.steps)
        yield CheckFinding(place, words, field=str(path), origin=changedfield.source_of(path))


def _open_value(error: FieldError, value: JSONValue) -> str:
    """Return the field of an error and its value, where that is left open by a template; else empty."""
    for _, found in comparison.find_places(value, error.field):
        if isinstance(found, str) and any(mark in found for mark in _PLACEHOLDERS):
            return f"{error.field} is {found}"
    return ""


def _becomes(response: Response) -> Iterator[str]:
    """Yield what the server adds to a sample, and which nulls it drops."""
    places = {path.steps for path in response.changes.defaulted}
    defaults = [path for path in response.changes.defaulted if not _is_below(path.steps, places)]
    added = [
        f"{path}: {_shown(found)}" for path in defaults for _, found in comparison.find_places(response.stored, path)
    ]
    if added:
        yield f"becomes, by defaults, {', '.join(added)}"
    if response.nulls:
        yield f"loses the nulls {', '.join(response.nulls)}"


def _is_below(steps: Steps, others: Collection[Steps]) -> bool:
    return any(steps[:count] in others for count in range(len(steps)))


def _shown(value: JSONValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _described(crd: CustomResourceDefinition, version: str) -> str:
    return f"{crd.name} {version}{f' ({crd.source})' if crd.source else ''}"  # of a server's CRD there is no file

"""Checks of samples: a server must accept a sample and drop nothing from it, unless a directive says otherwise."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from pytest_crd import suggestions
from pytest_crd.cases import barewords, comparison, questions, schemafields
from pytest_crd.cases.acceptance import RefusedCrdError
from pytest_crd.cases.questions import Question
from pytest_crd.cases.schemafields import ObjectFields
from pytest_crd.cases.sections import Section
from pytest_crd.checks import fieldlines
from pytest_crd.checks.openvalues import OpenValues
from pytest_crd.checks.samplefiles import Sample
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict, find_refused
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, FieldError, Response
from pytest_crd.engine.client import completion
from pytest_crd.engine.errors import origin
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry import resourcerules
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.wording import escape

# Signs of values that are not in the file: actions of templates, variables, values encrypted by SOPS, placeholders of argocd-vault-plugin.
PLACEHOLDERS: Final = ("{{", "${", "ENC[AES256_GCM,", "<path:")
_LONGEST: Final = 60
_ABOUT_FIELDS: Final = ("unknown field ", "duplicate field ")


@dataclass(frozen=True, slots=True)
class SampleOutcome:
    """
    The result of an object of one kind.

    Attributes:
        resource: The name of the CRD, or of the resource of a built-in kind: `tabs.example.com`.
        heading: A summary of the findings; empty if there are none.
        findings: The findings.
        fields: The fields that are wrong, as the server spells them.
        is_answered: Whether there is an answer; False if the server refuses the CRD.
        placeholder: The first value that a template leaves open, if all findings are about such values; else empty.
        warnings: The server's warnings.
        unknown_when_stored: Why the stored form of the object is unknown; empty if it is known.
        response: The server's answer; None if there is none, or if it is no longer needed.
        is_accepted: Whether the server accepts the object.
        is_validated: Whether the values are validated; False if the object is only decoded.
        errors: The errors of the server among the findings, in their order.
    """

    resource: str
    heading: str = ""
    findings: tuple[CheckFinding, ...] = ()
    fields: frozenset[str] = frozenset()
    is_answered: bool = True
    placeholder: str = ""
    warnings: tuple[CheckFinding, ...] = ()
    unknown_when_stored: str = ""
    response: Response | None = None
    is_accepted: bool = False
    is_validated: bool = True
    errors: tuple[FieldError, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The defaults and dropped nulls; empty without a response."""
        notes = () if self.response is None else _becomes(self.response)
        return (*notes, *filter(None, (self.unknown_when_stored,)))


class ObjectKind(NamedTuple):
    """
    The kind of an object that a server has answered.

    Attributes:
        resource: The name of the CRD, or of the resource of a built-in kind.
        described: The kind in words.
        find_fields: Returns the fields of its objects.
        unknown_when_stored: Why the stored form of objects is unknown; empty if it is known.
        is_validated: Whether values are validated.
        is_certain: Returns whether an error does not depend on values that are not in the file. Errors of CRDs name the rule or field.
    """

    resource: str
    described: str
    find_fields: Callable[[], ObjectFields]
    unknown_when_stored: str = ""
    is_validated: bool = True
    is_certain: Callable[[FieldError], bool] = lambda _: True


def judge(
    sample: Sample, crds: Sequence[CustomResourceDefinition], copies: Sequence[CustomResourceDefinition] = ()
) -> CheckVerdict:
    """
    Return whether a sample meets its directive, or is stored unchanged without one.

    Args:
        sample: The sample.
        crds: The alternatives for its kind, of which one is enough.
        copies: CRDs of its kind in other places, which do not decide.
    """
    if sample.directive.problem:
        return CheckVerdict(
            "a comment that says nothing", (CheckFinding(sample.manifest.where, sample.directive.problem),)
        )
    outcomes = [_under(sample, crd) for crd in crds]
    best, best_crd = min(zip(outcomes, crds, strict=True), key=lambda pair: len(pair[0].findings))
    verdict = (
        _refused(sample, outcomes, crds) if sample.directive.is_refused else _judge_acceptance(best, len(outcomes))
    )
    words = _barewords(sample, best_crd)
    if not verdict.findings:
        return replace(verdict, notes=(*verdict.notes, *words))
    if best.findings:
        words += _taken_by_copies(sample, copies)
    is_unanswered = not any(item.is_answered for item in outcomes)
    refused = find_refused(crds[0], crds[0].first_response.errors) if is_unanswered else ""
    findings = (*verdict.findings, *(CheckFinding("", item) for item in words))
    return replace(verdict, findings=findings, refused_crd=refused)


def _taken_by_copies(sample: Sample, copies: Sequence[CustomResourceDefinition]) -> Iterator[str]:
    """Yield the copies of a CRD that take a sample."""
    for crd in copies:
        if not _under(sample, crd).findings:
            yield f"{crd.source} takes it, but is a copy: {crd.name} is what the other file declares"


def _judge_acceptance(best: SampleOutcome, alternatives: int) -> CheckVerdict:
    """Return the verdict on a sample for several alternatives; one must accept it; *best* has the fewest findings."""
    if not best.findings:
        return CheckVerdict(warnings=best.warnings, notes=best.notes)
    if best.placeholder:
        return CheckVerdict(passed_over=f"a template: {best.placeholder}")
    others = "; nor does another alternative take it" if alternatives > 1 else ""
    return CheckVerdict(f"{best.heading}{others}", best.findings, best.warnings)


def _barewords(sample: Sample, crd: CustomResourceDefinition) -> list[str]:
    """Return warnings about words that are read as booleans."""
    versions = [version for version in crd.versions if version.name == sample.version]
    manifest = sample.manifest
    return [
        warning
        for version in versions
        for warning in barewords.describe_in_object(manifest.document, manifest.path, version)
    ]


def _refused(
    sample: Sample, outcomes: Sequence[SampleOutcome], crds: Sequence[CustomResourceDefinition]
) -> CheckVerdict:
    """Return the verdict on a sample that every alternative must refuse, for the fields in its directive."""
    unanswered = next((item for item in outcomes if not item.is_answered), None)
    if unanswered is not None:
        return CheckVerdict(unanswered.heading, unanswered.findings)
    heading = "`# crd: refused` says that no server takes it"
    if taking := next((crd for crd, item in zip(crds, outcomes, strict=True) if not item.findings), None):
        return CheckVerdict(
            heading, (CheckFinding(sample.manifest.where, f"accepted by {_described(taking, sample.version)}"),)
        )
    wrong = frozenset[str]().union(*(item.fields for item in outcomes))
    if missing := [field for field in sample.directive.fields if field not in wrong]:
        place = sample.manifest.where
        unmet = [CheckFinding(place, f"{field}: nothing is wrong there") for field in missing]
        return CheckVerdict("`# crd: refused` names fields that are not refused", (*unmet, *outcomes[0].findings))
    if sample.directive.fields and (others := sorted(wrong.difference(sample.directive.fields))):
        unnamed = [item for outcome in outcomes for item in outcome.findings if item.field in others]
        return CheckVerdict("`# crd: refused` names some of the refused fields only", tuple(unnamed))
    return CheckVerdict(notes=tuple(f"refused, as it must be: {item.text}" for item in outcomes[0].findings))


def _under(sample: Sample, crd: CustomResourceDefinition) -> SampleOutcome:
    return judge_under(sample.manifest, sample.version, crd, functools.partial(_created, sample.manifest))


def _created(manifest: Manifest, version: CrdVersion) -> Response:
    return questions.ask(Question(version, Section.CREATE, completion.read(printing.marshal(manifest.value))))


def judge_under(
    manifest: Manifest, name: str, crd: CustomResourceDefinition, create: Callable[[CrdVersion], Response]
) -> SampleOutcome:
    """
    Return the result of an object under a CRD.

    Args:
        manifest: The object.
        name: The version in its apiVersion.
        crd: The CRD.
        create: Function that creates it under a version and returns the response.
    """
    served = [version.name for version in crd.versions if version.served]
    if name not in served:
        place = fieldlines.find_line(manifest, ("apiVersion",))
        words = f"{crd.name} serves {', '.join(served) or 'no version'}, not {name}"
        return SampleOutcome(
            crd.name, "a version that is not served", (CheckFinding(place, words),), frozenset({"apiVersion"})
        )
    version = crd.version(name)
    try:
        response = create(version)
    except RefusedCrdError as error:
        findings = tuple(CheckFinding(crd.source, mistake.message) for mistake in error.mistakes)
        return SampleOutcome(crd.name, "the server refuses the CRD", findings, is_answered=False)
    find_fields = functools.partial(schemafields.get_fields, version)
    kind = ObjectKind(crd.name, _described(crd, version.name), find_fields, version.unknown_when_stored)
    return describe_answer(manifest, kind, response)


def describe_answer(manifest: Manifest, kind: ObjectKind, response: Response) -> SampleOutcome:
    """Return the outcome of an object from the answer of a server."""
    repeated = find_repeated(manifest)
    open_values = OpenValues(manifest.value, _is_placeholder)
    reasons = [_find_open_value(item, manifest.value, open_values, kind) for item in response.errors]
    open_keys = {str(path): path.steps[-1] for path in response.changes.pruned if _is_placeholder(path.steps[-1])}
    certain = [item for item, reason in zip(response.errors, reasons, strict=True) if not reason]
    all_dropped = [*_dropped(manifest, kind, response)]
    dropped = [item for item in all_dropped if item.field not in open_keys]
    is_refused = any(not resourcerules.is_notice(item) for item in certain)
    placeholder = next(filter(None, (*reasons, *(f"a key is {key}" for key in open_keys.values()))), "")
    is_open = bool(placeholder) and not is_refused and not repeated and not dropped
    errors = response.errors if is_open else certain
    heading = f"refused ({response.code}) by {kind.described}"
    if response.accepted:
        is_refused_by_kubectl = bool(repeated or response.pruned)
        but = "not as it is; kubectl refuses it" if is_refused_by_kubectl else "a part of it is not stored"
        heading = f"accepted by {kind.described}, but {but}"
    elif not is_refused:
        heading = f"refused by kubectl, and not judged in full by {kind.described}, as {placeholder}"
    warnings = [item for item in response.warnings if not item.startswith(_ABOUT_FIELDS)]
    own_errors = (item for item in response.errors if not resourcerules.is_notice(item))
    fields = {*(item.field for item in own_errors if item.field), *response.pruned, *response.lost}
    findings = (_describe_error(manifest, item) for item in errors)
    return SampleOutcome(
        kind.resource,
        heading,
        (*repeated, *findings, *(all_dropped if is_open else dropped)),
        frozenset(fields),
        placeholder=placeholder if is_open else "",
        warnings=tuple(CheckFinding(fieldlines.find_named_field(manifest, item), escape(item)) for item in warnings),
        response=response,
        unknown_when_stored=kind.unknown_when_stored if response.accepted else "",
        is_accepted=response.accepted,
        is_validated=kind.is_validated,
        errors=tuple(errors),
    )


def _describe_error(manifest: Manifest, error: FieldError) -> CheckFinding:
    return CheckFinding(
        fieldlines.find_line(manifest, () if error.path is None else error.path.steps),
        error.text_with_origin,
        error.rule.lines if error.rule else (),
        error.field,
        error.source,
        error.decision,
    )


def find_repeated(manifest: Manifest) -> list[CheckFinding]:
    """Return a finding for each key that is set twice."""
    return [
        CheckFinding(
            f"{manifest.source}:{item.line}", f'key "{escape(item.key)}" is set twice; only the last value counts'
        )
        for item in manifest.duplicates
    ]


def _dropped(manifest: Manifest, kind: ObjectKind, response: Response) -> Iterator[CheckFinding]:
    """Yield the fields that are lost, each with a suggestion."""
    if not response.changes.pruned and not response.changes.lost:
        return
    fields = kind.find_fields()
    for path in response.changes.pruned:
        emptied = fields.find_emptied(path)
        remedy = (
            f"; {emptied} has no properties in the schema, so that it keeps nothing"
            if emptied
            else suggestions.hint(fields.near(path))
        )
        yield CheckFinding(
            fieldlines.find_line(manifest, path.steps),
            escape(f"{path}: the schema does not specify it, so that it is dropped{remedy}"),
            field=str(path),
            origin=origin.source_of(path),
        )
    for path in response.changes.lost:
        words = f"{escape(str(path))}: the storage version does not specify it, so that it is lost without a warning"
        place = fieldlines.find_line(manifest, path.steps)
        yield CheckFinding(place, words, field=str(path), origin=origin.source_of(path))


def _find_open_value(error: FieldError, value: JSONValue, open_values: OpenValues, kind: ObjectKind) -> str:
    """Return the value that a template leaves open if an error may be due to it; else empty."""
    for _, text in comparison.find_places(value, error.field):
        if _is_placeholder(text):
            return f"{error.field} is {text}"
    reason = open_values.explain(error)
    return reason if reason or kind.is_certain(error) else f"{error.field} may depend on values that are not known"


def find_placeholder(value: JSONValue) -> str:
    """Return the first value in an object that is not in its file; empty if all are."""
    if isinstance(value, str):
        return value if any(mark in value for mark in PLACEHOLDERS) else ""
    return next(filter(None, map(find_placeholder, _inner(value))), "")


def without_placeholders(value: JSONValue) -> JSONValue:
    """Return a value without the fields and items that are not in its file."""
    if isinstance(value, dict):
        return {key: without_placeholders(item) for key, item in value.items() if not _is_placeholder(item)}
    if isinstance(value, list):
        return [without_placeholders(item) for item in value if not _is_placeholder(item)]
    return value


def with_placeholders(value: JSONValue, text: str) -> JSONValue:
    """Return a value with a text in the place of each value that is not in its file."""
    if isinstance(value, dict):
        return {key: with_placeholders(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [with_placeholders(item, text) for item in value]
    return text if _is_placeholder(value) else value


def _is_placeholder(value: JSONValue) -> bool:
    return isinstance(value, str) and bool(find_placeholder(value))


def _inner(value: JSONValue) -> Iterable[JSONValue]:
    """Return the values directly inside a value."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _becomes(response: Response) -> Iterator[str]:
    """Yield notes about the defaults of a sample and its dropped nulls."""
    places = {path.steps for path in response.changes.defaulted}
    defaults = [path for path in response.changes.defaulted if not _is_below(path.steps, places)]
    added = [
        f"{path}: {_shorten(default_value)}"
        for path in defaults
        for _, default_value in comparison.find_places(response.stored_if_accepted, path)
    ]
    if added:
        yield f"becomes, by defaults, {', '.join(added)}"
    if response.nulls:
        yield f"loses the nulls {', '.join(response.nulls)}"


def _is_below(steps: Steps, others: Collection[Steps]) -> bool:
    return any(steps[:count] in others for count in range(len(steps)))


def _shorten(value: JSONValue) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _described(crd: CustomResourceDefinition, version: str) -> str:
    return f"{crd.name} {version}{f' ({crd.source})' if crd.source else ''}"  # CRDs read from a server have no file

"""Checks of a CRD itself: acceptance, structural schemas, conditions, and the migration from `apiextensions.k8s.io/v1beta1` to v1."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_crd.cases import acceptance
from pytest_crd.checks import costadvice, fieldlines
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict, find_refused
from pytest_crd.engine import (
    Condition,
    CrdVersion,
    CustomResourceDefinition,
    ErrorType,
    Response,
    Rule,
    UnsupportedConstructError,
    UnsupportedExpressionError,
    profile,
)
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.condition import NON_STRUCTURAL, shows_flaw
from pytest_crd.engine.crds.rule import CRD_LIMIT, EXPRESSION_LIMIT
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.wording import escape

_MOST_PLACES: Final = 3
_FORMAT: Final = re.compile(r'unrecognized format "(.*)"')
# The field behind each condition; the message of NonStructuralSchema names its own.
_FIELDS: Final = {
    "NamesAccepted": "spec.names",
    "Established": "spec",
    "KubernetesAPIApprovalPolicyConformant": "metadata.annotations",
}
# The field of a version for each field of the spec that all versions share.
_SHARED: Final = {
    "validation": "schema",
    "subresources": "subresources",
    "additionalPrinterColumns": "additionalPrinterColumns",
}


def accepted(
    read: ReadCrd, find_crds: Callable[[], Iterable[CustomResourceDefinition]], *, is_stored: bool
) -> CheckVerdict:
    """
    Return whether the server accepts a CRD that is created with strict field validation, as by kubectl.

    Args:
        read: The CRD.
        find_crds: Finds the CRDs of the project, with all copies; called only if the CRD has `$ref`.
        is_stored: Whether a setting declares it stored, even if today's server refuses it.
    """
    response = read.crd.create(field_validation="Strict")
    notes = tuple(_without(place) for place in read.without)
    if response.accepted:
        return CheckVerdict(warnings=tuple(_warning(read, warning) for warning in response.warnings), notes=notes)
    if is_stored:
        return CheckVerdict(passed_over=f"crd_stored says that it is stored; created anew: {response.message}")
    patches = (CheckFinding(place, _without("")) for place in read.without)
    return CheckVerdict(f"refused ({response.code})", (*_refusals(read, response, find_crds), *patches))


def _without(place: str) -> str:
    """Return the note about a patch of the conversion."""
    patch = f"{place}, a patch" if place else "a patch"
    return f"judged without {patch} of spec.conversion: crd_commands = kubectl kustomize … reads the CRD with it"


def structural(read: ReadCrd, version: CrdVersion) -> CheckVerdict:
    """Return whether the schema of a version is structural; for a CRD in v1beta1, also the demands of v1."""
    is_v1beta1 = read.crd.api_version == declared.V1BETA1
    flaws = [fieldlines.make_finding(read.manifest, error) for error in version.structural_errors]
    needs = (
        [item._replace(text=f"in v1: {item.text}") for item in _find_changes_for_v1(read) if item not in flaws]
        if is_v1beta1
        else []
    )
    condition = next((f"{item.type} would be {item.status} ({item.reason})" for item in _unusual(read)), "")
    because = f"; the condition {condition}" if is_v1beta1 and condition else ""
    if flaws:
        heading = f"the schema of {version.name} is not structural{because}"
        refused = "" if needs else find_refused(read.crd, version.structural_errors)
        return CheckVerdict(heading, (*flaws, *needs), refused_crd=refused)
    return CheckVerdict(notes=tuple(f"{item.place}: {item.text}" for item in needs))


def conditions(read: ReadCrd) -> CheckVerdict:
    """Return the conditions of a CRD that show flaws."""
    refusal = read.crd.first_response
    if not refusal.accepted:
        errors = tuple(fieldlines.make_finding(read.manifest, error) for error in refusal.errors)
        heading = "it would have no conditions, as the server refuses it"
        return CheckVerdict(heading, errors, refused_crd=find_refused(read.crd, refusal.errors))
    findings = []
    for condition in read.crd.conditions:
        if shows_flaw(condition):
            field = _FIELDS.get(condition.type)
            place = (
                fieldlines.find_line(read.manifest, tuple(field.split(".")))
                if field
                else fieldlines.find_named_field(read.manifest, condition.message)
            )
            text = f"{condition.type} would be {condition.status} ({condition.reason}): {condition.message}"
            findings.append(CheckFinding(place, text))
    return CheckVerdict("stored, but with flaws that only its conditions tell", tuple(findings))


def _unusual(read: ReadCrd) -> Iterator[Condition]:
    """Yield the conditions on the structure of a CRD that show flaws."""
    yield from (
        condition for condition in read.crd.conditions if condition.type == NON_STRUCTURAL and shows_flaw(condition)
    )


def _refusals(
    read: ReadCrd, response: Response, find_crds: Callable[[], Iterable[CustomResourceDefinition]]
) -> Iterator[CheckFinding]:
    crd, manifest = read.crd, read.manifest
    if response.code == 404:
        words = f"Kubernetes {crd.kubernetes_version} serves no {crd.api_version}, only {declared.V1}"
        yield CheckFinding(crd.source, f"{response.message}: {words}")
        yield from (item._replace(text=f"in v1: {item.text}") for item in _find_changes_for_v1(read))
    elif response.code == 400:
        source = manifest.document.source
        for item in manifest.duplicates:
            yield CheckFinding(
                f"{source}:{item.line}", f'key "{escape(item.key)}" is set twice; only the last value counts'
            )
        for path in crd.unknown_fields:
            place = fieldlines.find_line(manifest, path.steps)
            yield CheckFinding(place, f'unknown field "{escape(str(path))}"', field=str(path))
    else:
        references = [error for error in response.errors if acceptance.is_reference(error)]
        remedy = acceptance.explain_references(crd, find_crds) if references else ""
        advice = _find_advice(crd) if any(error.type is ErrorType.FORBIDDEN for error in response.errors) else {}
        for error in response.errors:
            steps = () if error.path is None else declared.place_in(crd.declared, error.path.steps[:-1])
            details = (*(error.rule.lines if error.rule is not None else ()), *advice.pop(steps, ()))
            yield fieldlines.make_finding(manifest, error, (remedy,) if error in references[-1:] else details)


def _find_advice(crd: CustomResourceDefinition) -> dict[Steps, tuple[str, ...]]:
    """Return the limits that costly rules need, by the place of each rule in the CRD."""
    try:
        return {
            (*declared.place_of_schema(crd.declared, version.name), *rule.steps): costadvice.explain_rule(version, rule)
            for version in crd.versions
            for rule in version.rules
        }
    except (UnsupportedConstructError, UnsupportedExpressionError):
        return {}  # the check of the rules says so


def _warning(read: ReadCrd, warning: str) -> CheckFinding:
    """Return a warning with the places that it may be about."""
    if (format_ := _FORMAT.fullmatch(warning)) is None:
        return CheckFinding(fieldlines.find_named_field(read.manifest, warning), warning)
    first, *others = fieldlines.find_values(read.manifest, "format", format_[1]) or (read.crd.source,)
    other_places = ", ".join(others[: _MOST_PLACES - 1]) + (" …" if len(others) >= _MOST_PLACES else "")
    return CheckFinding(first, f"{warning}, which checks nothing{f'; also at {other_places}' if others else ''}")


def within_budget(read: ReadCrd, version: CrdVersion, *, share: float) -> CheckVerdict:
    """
    Return whether the rules of a version compile and stay within their budget.

    Args:
        read: The CRD.
        version: The version.
        share: The share of the server's budget that they may take.
    """
    rules = version.rules
    # Without lines, which take longer to find than the costs and are of no use for rules that hold.
    notes = [f"{_rule_title(rule)}: {_rule_cost(rule)}" for rule in rules]
    total = sum(rule.cost + rule.message_cost for rule in rules)
    of_all = f"all rules of {version.name} cost at most {total:,} by estimate, {_share_of_budget(total / CRD_LIMIT)} a schema's budget"
    findings = [
        CheckFinding(_rule_place(read, version, rule), text, costadvice.explain_rule(version, rule))
        for rule in rules
        for text in _rule_flaws(rule, share)
    ]
    is_above = total > share * CRD_LIMIT
    if is_above:
        findings.append(CheckFinding(read.crd.source, f"{of_all}, more than {_allowed_share(share)}"))
    is_refused = not is_above and _are_refused_rules(
        read, version, [rule for rule in rules if any(_rule_flaws(rule, share))]
    )
    heading = "rules that do not compile, or that cost too much"
    return CheckVerdict(
        heading, tuple(findings), notes=(*notes, of_all), refused_crd=read.crd.source if is_refused else ""
    )


def _are_refused_rules(read: ReadCrd, version: CrdVersion, rules: Collection[Rule]) -> bool:
    """Return whether `accepted` has an error of each rule."""
    if not rules:
        return False
    crd, schema = read.crd, declared.place_of_schema(read.crd.declared, version.name)
    errors = crd.create(field_validation="Strict").errors
    places = {declared.place_in(crd.declared, error.path.steps[:-1]) for error in errors if error.path is not None}
    return all((*schema, *rule.steps) in places for rule in rules)


def _rule_flaws(rule: Rule, share: float) -> Iterator[str]:
    if rule.problem:
        yield f"{_rule_title(rule)}: {rule.problem}"
    elif rule.budget_share > share:
        yield f"{_rule_title(rule)}: {_rule_cost(rule)}, more than {_allowed_share(share)}"


def _allowed_share(share: float) -> str:
    return "the server takes" if share >= 1 else f"the {share * 100:.4g}% of crd_rule_budget"


def _rule_cost(rule: Rule) -> str:
    cost = max(rule.cost, rule.message_cost)
    return f"costs at most {cost:,} by estimate, {_share_of_budget(cost / EXPRESSION_LIMIT)} a rule's budget"


def _share_of_budget(share: float) -> str:
    return f"{share:.2%} of" if share <= 1 else f"{share:,.1f} times"


def _rule_title(rule: Rule) -> str:
    return f"{rule.path or 'the whole object'}: {' '.join(rule.rule.split())}"


def _rule_place(read: ReadCrd, version: CrdVersion, rule: Rule) -> str:
    path = (*declared.place_of_schema(read.crd.declared, version.name), *rule.steps, "rule")
    return f"{read.manifest.document.source}:{read.manifest.key_line_of(*path)}"


def _find_changes_for_v1(read: ReadCrd) -> tuple[CheckFinding, ...]:
    """Return the changes that a v1beta1 CRD needs before a server accepts it as v1."""
    spec = read.manifest.value["spec"]
    written = [
        CheckFinding(fieldlines.find_line(read.manifest, tuple(field.split("."))), text)
        for field, text in _written_otherwise(spec)
    ]
    new_crd = {**read.crd.declared, "apiVersion": declared.V1, "spec": _v1_spec(read.crd.declared["spec"])}
    crd = CustomResourceDefinition.from_manifest(new_crd, kubernetes_version=profile.DEFAULT)
    refused = (fieldlines.make_finding(read.manifest, error) for error in crd.response.errors)
    return (*written, *refused)


def _written_otherwise(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each field that has another name in v1, with advice."""
    yield "apiVersion", f"apiVersion: {declared.V1}"
    if "version" in spec:
        yield "spec.version", "spec.version is a list: spec.versions, with name, served and storage"
    for field, name in _SHARED.items():
        if field in spec:
            yield f"spec.{field}", f"spec.{field} stands in each version: spec.versions[*].{name}"
    if any("JSONPath" in column for holder in (spec, *(spec.get("versions") or ())) for column in _columns(holder)):
        yield "spec.additionalPrinterColumns", "JSONPath of a column is spelled jsonPath"
    if spec.get("preserveUnknownFields", True):
        yield (
            "spec.preserveUnknownFields",
            "unknown fields are dropped; what is to be kept needs x-kubernetes-preserve-unknown-fields: true in the schema",
        )
    conversion = spec.get("conversion") or {}
    if conversion.get("webhookClientConfig"):
        yield (
            "spec.conversion.webhookClientConfig",
            "spec.conversion.webhookClientConfig is spec.conversion.webhook.clientConfig",
        )
    if conversion.get("conversionReviewVersions"):
        yield (
            "spec.conversion.conversionReviewVersions",
            "spec.conversion.conversionReviewVersions is spec.conversion.webhook.conversionReviewVersions",
        )


def _columns(holder: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return holder.get("additionalPrinterColumns") or []


def _v1_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the *spec* of a v1beta1 CRD in the form of v1; apart from that, only unknown fields are dropped."""
    shared = {name: spec[field] for field, name in _SHARED.items() if field in spec}
    versions = spec.get("versions") or [{"name": spec.get("version"), "served": True, "storage": True}]
    moved = {*_SHARED, "version", "versions", "preserveUnknownFields", "conversion"}
    result = {key: value for key, value in spec.items() if key not in moved}
    result["versions"] = [_v1_version({**shared, **version}) for version in versions]
    if conversion := spec.get("conversion"):
        webhook = {"clientConfig": "webhookClientConfig", "conversionReviewVersions": "conversionReviewVersions"}
        webhook_config = {name: conversion[field] for name, field in webhook.items() if field in conversion}
        result["conversion"] = {
            "strategy": conversion.get("strategy"),
            **({"webhook": webhook_config} if webhook_config else {}),
        }
    return result


def _v1_version(version: Mapping[str, Any]) -> dict[str, Any]:
    renamed = [
        {"jsonPath" if key == "JSONPath" else key: value for key, value in column.items()}
        for column in _columns(version)
    ]
    return {**version, **({"additionalPrinterColumns": renamed} if renamed else {})}

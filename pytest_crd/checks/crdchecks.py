"""What a server makes of a CRD: whether it takes it, whether its schemas are structural, and its conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_crd.checks import fieldlines, migration
from pytest_crd.checks.verdict import CheckFinding, CheckVerdict
from pytest_crd.engine import Condition, Response, Version
from pytest_crd.engine.crds import declared
from pytest_crd.engine.loading.crdfiles import ReadCrd

_MOST_PLACES: Final = 3
_FORMAT: Final = re.compile(r'unrecognized format "(.*)"')
# A CRD without flaws has no condition on its structure that is true; of all others, none that is not.
_USUAL: Final = {"NonStructuralSchema": "False"}
# The field that a condition is about; the message of the one on structure names its own.
_FIELDS: Final = {
    "NamesAccepted": "spec.names",
    "Established": "spec",
    "KubernetesAPIApprovalPolicyConformant": "metadata.annotations",
}


def accepted(read: ReadCrd, *, is_stored: bool) -> CheckVerdict:
    """
    Return whether the server takes a CRD that is created strictly, as kubectl asks.

    Args:
        read: The CRD.
        is_stored: Whether it is said to be stored already, whatever today's server says of it.
    """
    response = read.crd.create(field_validation="Strict")
    notes = tuple(_without(place) for place in read.without)
    if response.accepted:
        return CheckVerdict(warnings=tuple(_warning(read, warning) for warning in response.warnings), notes=notes)
    if is_stored:
        return CheckVerdict(passed_over=f"crd_stored says that it is stored; created anew: {response.message}")
    patches = (CheckFinding(place, _without("")) for place in read.without)
    return CheckVerdict(f"refused ({response.code})", (*_refusals(read, response), *patches))


def _without(place: str) -> str:
    """Return the words about a patch of the conversion."""
    patch = f"{place}, a patch" if place else "a patch"
    return f"judged without {patch} of spec.conversion: crd_commands = kubectl kustomize … reads the CRD with it"


def structural(read: ReadCrd, version: Version) -> CheckVerdict:
    """Return whether the schema of a version is structural; of a CRD in v1beta1 also what v1 would demand."""
    is_v1beta1 = read.crd.api_version == declared.V1BETA1
    found = [fieldlines.finding(read.manifest, error) for error in version.structural_errors]
    needs = (
        [one._replace(text=f"in v1: {one.text}") for one in migration.needs(read) if one not in found]
        if is_v1beta1
        else []
    )
    condition = next((f"{one.type} would be {one.status} ({one.reason})" for one in _unusual(read)), "")
    because = f"; the condition {condition}" if is_v1beta1 and condition else ""
    if found:
        return CheckVerdict(f"the schema of {version.name} is not structural{because}", (*found, *needs))
    return CheckVerdict(notes=tuple(f"{one.place}: {one.text}" for one in needs))


def conditions(read: ReadCrd) -> CheckVerdict:
    """Return the conditions that a CRD would have, as far as they are not those of one without flaws."""
    refusal = read.crd.first_response
    if not refusal.accepted:
        errors = tuple(fieldlines.finding(read.manifest, error) for error in refusal.errors)
        return CheckVerdict("it would have no conditions, as the server refuses it", errors)
    found = []
    for condition in read.crd.conditions:
        if condition.status != _USUAL.get(condition.type, "True"):
            field = _FIELDS.get(condition.type)
            place = (
                fieldlines.of_steps(read.manifest, tuple(field.split(".")))
                if field
                else fieldlines.of_sentence(read.manifest, condition.message)
            )
            text = f"{condition.type} would be {condition.status} ({condition.reason}): {condition.message}"
            found.append(CheckFinding(place, text))
    return CheckVerdict("stored, but with flaws that only its conditions tell", tuple(found))


def _unusual(read: ReadCrd) -> Iterator[Condition]:
    """Yield the conditions on the structure of a CRD that are not those of one without flaws."""
    yield from (one for one in read.crd.conditions if one.type in _USUAL and one.status != _USUAL[one.type])


def _refusals(read: ReadCrd, response: Response) -> Iterator[CheckFinding]:
    crd, manifest = read.crd, read.manifest
    if response.code == 404:
        words = f"Kubernetes {crd.kubernetes_version} serves no {crd.api_version}, only {declared.V1}"
        yield CheckFinding(crd.source, f"{response.message}: {words}")
        yield from (one._replace(text=f"in v1: {one.text}") for one in migration.needs(read))
    elif response.code == 400:
        source = manifest.document.source
        for one in manifest.duplicates:
            yield CheckFinding(f"{source}:{one.line}", f'key "{one.key}" is set twice; only the last value counts')
        for path in crd.unknown_fields:
            place = fieldlines.of_steps(manifest, path.steps)
            yield CheckFinding(place, f'unknown field "{path}"', field=str(path))
    else:
        for error in response.errors:
            details = error.rule.lines if error.rule is not None else ()
            yield fieldlines.finding(manifest, error, details)


def _warning(read: ReadCrd, warning: str) -> CheckFinding:
    """Return a warning with the places that it may be about."""
    if (format_ := _FORMAT.fullmatch(warning)) is None:
        return CheckFinding(fieldlines.of_sentence(read.manifest, warning), warning)
    first, *others = fieldlines.of_values(read.manifest, "format", format_[1]) or (read.crd.source,)
    shown = ", ".join(others[: _MOST_PLACES - 1]) + (" …" if len(others) >= _MOST_PLACES else "")
    return CheckFinding(first, f"{warning}, which checks nothing{f'; also at {shown}' if others else ''}")

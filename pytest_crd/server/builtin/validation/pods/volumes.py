"""
Validation of the volumes of a Pod.

Reference:
    kubernetes pkg/apis/core/validation, ValidateVolumes and validateVolumeSource.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import names
from pytest_crd.server.builtin.validation.pods import podfields, projections, volumesources
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules

_LONGEST_ISCSI: Final = 64
_SECOND: Final = "may not specify more than 1 volume type"


def validate(volumes: Sequence[Object], path: FieldPath, rules: Rules) -> tuple[Mapping[str, Object], list[FieldError]]:
    """Return the valid volumes by name, and the errors of the others."""
    valid: dict[str, Object] = {}
    errors: list[FieldError] = []
    created = {f"{rules.name}-{volume.get('name') or ''}" for volume in volumes if volume.get("ephemeral") is not None}
    for place, volume in enumerate(volumes):
        own = [*_validate_volume(volume, path.index(place), valid, rules)]
        if not own:
            valid[volume.get("name") or ""] = volume
        errors += own
        claim = volume.get("persistentVolumeClaim")
        if rules.name and claim is not None and claim.get("claimName") in created:
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            place_of_name = path.index(place).child("persistentVolumeClaim", "claimName")
            errors.append(fielderror.invalid(place_of_name, claim["claimName"], detail))
    return valid, errors


def _validate_volume(volume: Object, path: FieldPath, valid: Mapping[str, Object], rules: Rules) -> Errors:
    yield from _validate_source(volume, path, rules)
    yield from podfields.validate_name(volume, "name", path, rules.label)
    if volume.get("name") in valid:
        yield fielderror.duplicate(path.child("name"), volume["name"])


def _validate_source(volume: Object, path: FieldPath, rules: Rules) -> Errors:
    is_first = True
    for name, own_rules in volumesources.SOURCES.items():
        source = volume.get(name)
        if source is None:
            continue
        if is_first:
            place = path.child(volumesources.SPELLED.get(name, name))
            for rule in own_rules:
                yield from rule(source, place, rules)
            if name == "projected":
                yield from projections.validate(source, place, rules)
        else:
            yield fielderror.forbidden(path.child(volumesources.SPELLED_SECOND.get(name, name)), _SECOND)
        yield from _validate_name_for(name, volume, path, rules, is_first=is_first)
        is_first = False


def _validate_name_for(source: str, volume: Object, path: FieldPath, rules: Rules, *, is_first: bool) -> Errors:
    """Yield the errors of the name of a volume that its source causes."""
    name = volume.get("name") or ""
    if source == "iscsi" and volume[source].get("initiatorName") is not None:
        portal = volume[source].get("targetPortal") or ""
        if len(f"{name}:{portal}".encode()) > _LONGEST_ISCSI:
            detail = (
                f"Total length of <volume name>:<iscsi.targetPortal> must be under {_LONGEST_ISCSI} characters"
                " if iscsi.initiatorName is specified."
            )
            yield fielderror.invalid(path.child("name"), name, detail)
    if source == "ephemeral" and is_first and rules.name and name:
        claim = f"{rules.name}-{name}"
        for problem in names.dns1123_subdomain(claim):
            yield fielderror.invalid(path.child("name"), name, f"PVC name {printing.quote(claim)}: {problem}")

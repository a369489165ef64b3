"""
Validation of StatefulSets.

Reference:
    kubernetes pkg/apis/apps/validation, ValidateStatefulSet.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing, structs
from pytest_crd.engine.metadata import objectmetarules
from pytest_crd.server.builtin import builtingotypes
from pytest_crd.server.builtin.validation import persistentvolumeclaims, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.pods import (
    gostructs,
    podannotations,
    podfields,
    podspecs,
    podwarnings,
)
from pytest_crd.server.builtin.validation.pods.podfields import Object
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation, ValidatedWrite
from pytest_crd.server.builtin.validation.workloads import templates
from pytest_crd.server.builtin.validation.workloads.templates import SPEC

_MANAGEMENT: Final = ("OrderedReady", "Parallel")
_ROLLING: Final = "RollingUpdate"
_ON_DELETE: Final = "OnDelete"
_RETENTIONS: Final = ("Retain", "Delete")
_RETENTION: Final = "persistentVolumeClaimRetentionPolicy"
_CLAIMS: Final = "volumeClaimTemplates"
_STATUS: Final = (
    *("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas", "observedGeneration"),
    "collisionCount",
)
# The first minor version of Kubernetes 1 that names each immutable field, and that validates templates of claims.
_NAMES_FIELDS_SINCE: Final = 37
_MUTABLE: Final = (
    *("replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit"),
    *(_RETENTION, "minReadySeconds"),
)


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new StatefulSet."""
    return [*validatedwrites.validate_core_metadata(write), *_validate_spec(write)]


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a StatefulSet or of its status."""
    change = validatedwrites.validate_core_change(write)
    if write.subresource == "status":
        errors = [*templates.validate_counts(write.new.get("status") or {}, _STATUS, "replicas"), *change]
        return [*errors, *templates.refuse_fewer_collisions(write)]
    return [*change, *_validate_spec(write), *_refuse_changes(write)]


def _refuse_changes(write: ValidatedWrite) -> list[FieldError]:
    if write.profile.minor < _NAMES_FIELDS_SINCE:
        return _refuse_other_fields(write)
    policy = printing.marshal(templates.spec_of(write.new).get("podManagementPolicy") or "")
    return [
        *templates.refuse_changed(write, "selector"),
        *templates.refuse_changed(write, _CLAIMS, "[]core.v1.PersistentVolumeClaim"),
        *templates.refuse_changed(write, "serviceName"),
        *templates.refuse_changed(write, "podManagementPolicy", shown=policy),
    ]


def _refuse_other_fields(write: ValidatedWrite) -> list[FieldError]:
    """Return the error of versions that do not name the changed fields."""
    kind = builtingotypes.named("apps.v1.StatefulSetSpec", write.profile)
    new, old = templates.spec_of(write.new), templates.spec_of(write.stored)
    mutable = {field: old[field] for field in _MUTABLE if field in old}
    if structs.equal({**{key: item for key, item in new.items() if key not in _MUTABLE}, **mutable}, old, kind):
        return []
    listed = ", ".join(f"'{field}'" for field in _MUTABLE[:-1])
    detail = f"updates to statefulset spec for fields other than {listed} and '{_MUTABLE[-1]}' are forbidden"
    return [fielderror.forbidden(SPEC, detail)]


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about a valid StatefulSet."""
    if write.subresource:
        return ()
    spec = templates.spec_of(write.new)
    warnings = (
        podwarnings.find_in_template(write, "spec", "template")
        if write.old is None
        else podwarnings.find_in_changed_template(write, ("spec",), "spec", "template")
    )
    claims: list[str] = []
    for place, claim in enumerate(spec.get(_CLAIMS) or ()):
        own = SPEC.child(_CLAIMS).index(place)
        claims += podwarnings.find_in_claim(claim.get("spec") or {}, own if write.old is None else own.child("Spec"))
    advice = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
    limit = (spec.get("revisionHistoryLimit") or 0) < 0
    return (*warnings, *claims, *((advice,) if limit else ()))


def _validate_spec(write: ValidatedWrite) -> Errors:
    spec, profile = templates.spec_of(write.new), write.profile
    policy, path = spec.get("podManagementPolicy") or "", SPEC.child("podManagementPolicy")
    if policy not in _MANAGEMENT:
        yield validatedwrites.invalid_named(path, policy, f"must be '{_MANAGEMENT[0]}' or '{_MANAGEMENT[1]}'")
    yield from _validate_strategy(spec.get("updateStrategy") or {}, write)
    for field in ("whenDeleted", "whenScaled"):
        own = SPEC.child(_RETENTION, field)
        yield from podfields.choose(spec[_RETENTION].get(field) or "", own, _RETENTIONS, empty=None)
    is_new = write.old is None
    if is_new and profile.minor >= _NAMES_FIELDS_SINCE:
        for place, claim in enumerate(spec.get(_CLAIMS) or ()):
            own = SPEC.child(_CLAIMS).index(place).child("spec")
            yield from persistentvolumeclaims.SPEC(Site(own, claim.get("spec"), None, write))
    yield from podfields.refuse_negative(spec, SPEC, "replicas", "minReadySeconds")
    start = (spec.get("ordinals") or {}).get("start") or 0
    if start < 0:
        yield fielderror.invalid(SPEC.child("ordinals.start"), start, podfields.NOT_NEGATIVE)
    if is_new and (name := spec.get("serviceName")):
        yield from podfields.validate_text(name, SPEC.child("serviceName"), templates.rules_of(write).label)
    yield from templates.validate_selector(spec, profile, "statefulset")
    yield from _validate_template(spec, write)


def _validate_template(spec: Object, write: ValidatedWrite) -> Errors:
    path, template = SPEC.child("template"), spec.get("template") or {}
    if not templates.is_selector(spec.get("selector"), write.profile):
        yield gostructs.invalid_selector(SPEC.child("selector"), spec.get("selector"), "")
    else:
        metadata, rules = template.get("metadata") or {}, templates.rules_of(write)
        completed = {**template, "spec": _completed(spec, template.get("spec") or {})}
        annotations = metadata.get("annotations") or {}
        yield from templates.refuse_other_labels(spec, path)
        yield from podspecs.validate_template(completed, path, rules)
        yield from objectmetarules.validate_labels(metadata.get("labels") or {}, path.child("labels"), write.profile)
        yield from objectmetarules.validate_annotations(annotations, path.child("annotations"), write.profile)
        yield from podannotations.validate(annotations, completed["spec"], path.child("annotations"))
    yield from templates.validate_always_restarting(template, path.child("spec"), "StatefulSet")


def _completed(spec: Object, pod: Object) -> Object:
    """Return the spec of a Pod with the volumes of its claims, and without fields that each Pod gets."""
    claims = [claim.get("metadata", {}).get("name") or "" for claim in spec.get(_CLAIMS) or ()]
    own = [volume for volume in pod.get("volumes") or () if (volume.get("name") or "") not in claims]
    added = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in dict.fromkeys(claims)]
    return {**pod, "volumes": [*added, *own], "subdomain": "", "hostname": ""}


def _validate_strategy(strategy: Object, write: ValidatedWrite) -> Errors:
    path, rolling = SPEC.child("updateStrategy"), strategy.get("rollingUpdate")
    type_, place = strategy.get("type") or "", SPEC.child("updateStrategy", "rollingUpdate")
    if type_ == _ROLLING:
        yield from _validate_rolling(rolling or {}, place)
    elif type_ != _ON_DELETE:
        detail = f"must be '{_ROLLING}' or '{_ON_DELETE}'"
        yield gostructs.invalid(path, strategy, "apps.v1.StatefulSetUpdateStrategy", detail, write.profile)
    elif rolling is not None:
        detail = f"only allowed for updateStrategy '{_ROLLING}'"
        yield gostructs.invalid(place, rolling, "apps.v1.RollingUpdateStatefulSetStrategy", detail, write.profile)


def _validate_rolling(rolling: Object, path: FieldPath) -> Errors:
    yield from podfields.refuse_negative(rolling, path, "partition")
    missing, place = rolling.get("maxUnavailable"), path.child("maxUnavailable")
    if missing is None:
        return
    yield from templates.validate_portion(missing, place)
    if templates.portion(missing) == 0:
        yield fielderror.invalid(place, missing, "cannot be 0")
    yield from templates.refuse_more_than_all(missing, place)


KIND: Final = KindValidation(validate_create, validate_update, find_warnings)

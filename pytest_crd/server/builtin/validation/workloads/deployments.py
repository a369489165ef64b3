"""
Validation of Deployments and ReplicaSets.

Reference:
    kubernetes pkg/apis/apps/validation, ValidateDeployment and ValidateReplicaSet.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import gostructs, podfields, podwarnings
from pytest_crd.server.builtin.validation.pods.podfields import Object
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation, ValidatedWrite
from pytest_crd.server.builtin.validation.workloads import templates
from pytest_crd.server.builtin.validation.workloads.templates import SPEC

_RECREATE: Final = "Recreate"
_ROLLING: Final = "RollingUpdate"
_STATUS: Final = (
    *("observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"),
    *("terminatingReplicas", "collisionCount"),
)
_REPLICA_STATUS: Final = (
    *("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"),
    "terminatingReplicas",
)


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new Deployment."""
    return [*validatedwrites.validate_core_metadata(write), *_validate_spec(write)]


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a Deployment or of its status."""
    errors = validatedwrites.validate_core_change(write)
    if write.subresource == "status":
        errors += templates.validate_counts(write.new.get("status") or {}, _STATUS, "replicas")
        return [*errors, *templates.refuse_fewer_collisions(write)]
    return [*errors, *_validate_spec(write), *templates.refuse_changed(write, "selector")]


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about a valid Deployment or ReplicaSet."""
    if write.old is None:
        name = podwarnings.warn_about_name(write.new["metadata"]["name"], write.profile)
        return (*name, *podwarnings.find_in_template(write, "spec", "template"))
    counted = ("spec", "metadata.annotations") if write.new["kind"] == "Deployment" else ("spec",)
    return podwarnings.find_in_changed_template(write, counted, "spec", "template")


def _validate_spec(write: ValidatedWrite) -> Errors:
    spec = templates.spec_of(write.new)
    yield from podfields.refuse_negative(spec, SPEC, "replicas")
    yield from templates.validate_template(spec, templates.rules_of(write), "ReplicaSet")
    yield from _validate_strategy(spec.get("strategy") or {}, write)
    yield from podfields.refuse_negative(
        spec, SPEC, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"
    )
    seconds = spec.get("progressDeadlineSeconds")
    if seconds is not None and seconds <= (spec.get("minReadySeconds") or 0):
        yield fielderror.invalid(SPEC.child("progressDeadlineSeconds"), seconds, "must be greater than minReadySeconds")


def _validate_strategy(strategy: Object, write: ValidatedWrite) -> Errors:
    path, rolling = SPEC.child("strategy"), strategy.get("rollingUpdate")
    type_ = strategy.get("type") or ""
    if type_ == _RECREATE:
        if rolling is not None:
            detail = f"may not be specified when strategy `type` is '{_RECREATE}'"
            yield fielderror.forbidden(path.child("rollingUpdate"), detail)
    elif type_ != _ROLLING:
        error = fielderror.not_supported(path, None, [_RECREATE, _ROLLING])
        printed = gostructs.marshal_named(strategy, "apps.v1.DeploymentStrategy", write.profile)
        yield badvalues.reprinted(error, printed)
    else:
        yield from _validate_rolling(strategy["rollingUpdate"], path.child("rollingUpdate"))


def _validate_rolling(rolling: Object, path: FieldPath) -> Errors:
    missing, extra = rolling.get("maxUnavailable") or 0, rolling.get("maxSurge") or 0
    place = path.child("maxUnavailable")
    yield from templates.validate_portion(missing, place)
    yield from templates.validate_portion(extra, path.child("maxSurge"))
    if templates.portion(missing) == 0 and templates.portion(extra) == 0:
        yield fielderror.invalid(place, missing, "may not be 0 when `maxSurge` is 0")
    yield from templates.refuse_more_than_all(missing, place)


def validate_replica_set(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new ReplicaSet."""
    return [*validatedwrites.validate_core_metadata(write), *_validate_replica_spec(write)]


def validate_replica_set_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a ReplicaSet or of its status."""
    errors = validatedwrites.validate_core_change(write)
    if write.subresource == "status":
        return [*errors, *templates.validate_counts(write.new.get("status") or {}, _REPLICA_STATUS, "replicas")]
    return [*errors, *_validate_replica_spec(write), *templates.refuse_changed(write, "selector")]


def _validate_replica_spec(write: ValidatedWrite) -> Errors:
    spec = templates.spec_of(write.new)
    yield from podfields.refuse_negative(spec, SPEC, "replicas", "minReadySeconds")
    yield from templates.validate_template(spec, templates.rules_of(write), "ReplicaSet")


KIND: Final = KindValidation(validate_create, validate_update, find_warnings)
REPLICA_SET: Final = KindValidation(validate_replica_set, validate_replica_set_update, find_warnings)

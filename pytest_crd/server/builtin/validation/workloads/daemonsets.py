"""
Validation of DaemonSets.

Reference:
    kubernetes pkg/apis/apps/validation, ValidateDaemonSet.
"""

from __future__ import annotations

from typing import Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import labelselectors
from pytest_crd.server.builtin.builtinconversions import TEMPLATE_GENERATION
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import gostructs, podfields, podspecs, podwarnings
from pytest_crd.server.builtin.validation.pods.podfields import Object
from pytest_crd.server.builtin.validation.validatedwrites import KindValidation, ValidatedWrite
from pytest_crd.server.builtin.validation.workloads import templates
from pytest_crd.server.builtin.validation.workloads.templates import SPEC

_ROLLING: Final = "RollingUpdate"
_ON_DELETE: Final = "OnDelete"
_STATUS: Final = (
    *("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady", "observedGeneration"),
    *("updatedNumberScheduled", "numberAvailable", "numberUnavailable", "collisionCount"),
)


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new DaemonSet."""
    return [*validatedwrites.validate_core_metadata(write), *_validate_spec(write)]


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a DaemonSet or of its status."""
    errors = validatedwrites.validate_core_change(write)
    if write.subresource == "status":
        errors += templates.validate_counts(write.new.get("status") or {}, _STATUS)
        return [*errors, *templates.refuse_fewer_collisions(write)]
    return [*errors, *templates.refuse_changed(write, "selector"), *_validate_spec(write)]


def _without_generation(write: ValidatedWrite) -> ValidatedWrite:
    """Return a write without the annotation that has the generation of the template, which is a field of the server."""
    metadata = write.new["metadata"]
    annotations = {key: text for key, text in (metadata.get("annotations") or {}).items() if key != TEMPLATE_GENERATION}
    return write._replace(new={**write.new, "metadata": {**metadata, "annotations": annotations}})


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about a valid DaemonSet."""
    if write.old is None:
        return podwarnings.find_in_template(write, "spec", "template")
    return podwarnings.find_in_changed_template(write, ("spec.template",), "spec", "template")


def _validate_spec(write: ValidatedWrite) -> Errors:
    spec, path = templates.spec_of(write.new), SPEC.child("template")
    selector, template = spec.get("selector"), spec.get("template") or {}
    yield from labelselectors.validate(selector or {}, SPEC.child("selector"), write.profile)
    if templates.is_selector(selector, write.profile):
        yield from templates.refuse_other_labels(spec, path)
    if selector is not None and not selector.get("matchLabels") and not selector.get("matchExpressions"):
        detail = "empty selector is invalid for daemonset"
        yield gostructs.invalid_selector(SPEC.child("selector"), selector, detail)
    yield from podspecs.validate_template(template, path, templates.rules_of(write))
    yield from templates.validate_always_restarting(template, path.child("spec"), "DaemonSet")
    yield from podfields.refuse_negative(spec, SPEC, "minReadySeconds")
    yield from _validate_strategy(spec.get("updateStrategy") or {}, write)
    yield from podfields.refuse_negative(spec, SPEC, "revisionHistoryLimit")


def _validate_strategy(strategy: Object, write: ValidatedWrite) -> Errors:
    path, type_ = SPEC.child("updateStrategy"), strategy.get("type") or ""
    if type_ == _ON_DELETE:
        return
    if type_ != _ROLLING:
        error = fielderror.not_supported(path, None, [_ROLLING, _ON_DELETE])
        printed = gostructs.marshal_named(strategy, "apps.v1.DaemonSetUpdateStrategy", write.profile)
        yield badvalues.reprinted(error, printed)
    else:
        yield from _validate_rolling(strategy["rollingUpdate"], path.child("rollingUpdate"))


def _validate_rolling(rolling: Object, path: FieldPath) -> Errors:
    portions = {field: rolling.get(field) or 0 for field in ("maxUnavailable", "maxSurge")}
    for field, value in portions.items():
        yield from templates.validate_portion(value, path.child(field))
    for field, value in portions.items():
        yield from templates.refuse_more_than_all(value, path.child(field))
    has_missing, has_extra = (templates.portion(value) != 0 for value in portions.values())
    if has_missing and has_extra:
        detail = "may not be set when maxUnavailable is non-zero"
        yield fielderror.invalid(path.child("maxSurge"), portions["maxSurge"], detail)
    elif not has_missing and not has_extra:
        yield fielderror.required(path.child("maxUnavailable"), "cannot be 0 when maxSurge is 0")


KIND: Final = KindValidation(validate_create, validate_update, find_warnings, prepare=_without_generation)

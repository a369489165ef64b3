"""
Validation of Jobs.

Reference:
    kubernetes pkg/apis/batch/validation, ValidateJobCreate and ValidateJobUpdate; pkg/registry/batch/job/strategy.go.
"""

from __future__ import annotations

from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.golang import structs
from pytest_crd.engine.metadata import labelselectors, names
from pytest_crd.server.builtin import builtingotypes
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import gostructs, podwarnings
from pytest_crd.server.builtin.validation.pods.podfields import Object
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, KindValidation, ValidatedWrite
from pytest_crd.server.builtin.validation.workloads import jobspecs, jobstatus, templates
from pytest_crd.server.builtin.validation.workloads.templates import SPEC

_OLD_UID: Final = "controller-uid"
_OLD_NAME: Final = "job-name"
_UID: Final = "batch.kubernetes.io/controller-uid"
_NAME: Final = "batch.kubernetes.io/job-name"
_TEMPLATE: Final = "core.v1.PodTemplateSpec"
_SCHEDULED: Final = ("nodeSelector", "tolerations", "schedulingGates")
_MANY: Final = (100_000, 10_000)
# The first minor version of Kubernetes 1 that lets the resources of a suspended Job change.
_RESOURCES_SINCE: Final = 36


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new Job."""
    return [
        *validatedwrites.validate_core_metadata(write),
        *_validate_generated(write),
        *_validate_spec(write),
        *_validate_name(write),
    ]


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a Job or of its status."""
    errors = validatedwrites.validate_core_change(write)
    if write.subresource == "status":
        return [*errors, *jobstatus.validate(write)]
    return [*errors, *_validate_spec(write), *_refuse_changes(write), *_validate_name(write)]


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about a valid Job."""
    if write.old is None:
        name = podwarnings.warn_about_name(write.new["metadata"]["name"], write.profile)
        return (
            *name,
            *find_many(templates.spec_of(write.new), "spec"),
            *podwarnings.find_in_template(write, "spec", "template"),
        )
    if write.subresource or write.new.get("spec") == write.stored.get("spec"):
        return ()
    return (*find_many(templates.spec_of(write.new), "spec"), *podwarnings.find_in_template(write, "spec", "template"))


def find_many(spec: Object, path: str) -> tuple[str, ...]:
    """Return the warning about an indexed Job with many completions."""
    counts = spec.get("completions") or 0, spec.get("parallelism") or 0
    if spec.get("completionMode") != jobspecs.INDEXED or counts[0] <= _MANY[0] or counts[1] <= _MANY[1]:
        return ()
    text = (
        f"{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4,"
        " Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
    )
    return (text,)


def _validate_generated(write: ValidatedWrite) -> Errors:
    """Yield the errors of the selector and the labels that the server generates."""
    spec, metadata = templates.spec_of(write.new), write.new["metadata"]
    if spec.get("manualSelector") or spec.get("selector") is None:
        return
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    uid, name = metadata.get("uid", ""), metadata.get("name", "")
    expected = {_OLD_UID: uid, _OLD_NAME: name, _UID: uid, _NAME: name}
    path = SPEC.child("template", "metadata", "labels")
    for key, value in expected.items():
        if labels.get(key) != value:
            yield fielderror.invalid(path.key(key), dict(sorted(labels.items())), f"must be '{value}'")
    selector = spec["selector"]
    if templates.is_selector(selector, write.profile) and not templates.is_match(selector, expected):
        yield gostructs.invalid_selector(SPEC.child("selector"), selector, "`selector` not auto-generated")


def _validate_spec(write: ValidatedWrite) -> Errors:
    spec = templates.spec_of(write.new)
    selector, path = spec.get("selector"), SPEC.child("selector")
    yield from jobspecs.validate(spec, SPEC, templates.rules_of(write))
    if selector is None:
        yield fielderror.required(path, "")
    else:
        yield from labelselectors.validate(selector, path, write.profile)
    if templates.is_selector(selector, write.profile):
        yield from templates.refuse_other_labels(spec, SPEC.child("template"))


def _validate_name(write: ValidatedWrite) -> Errors:
    """Yield the error of a name that is too long for the names of the Pods of an indexed Job."""
    spec, name = templates.spec_of(write.new), write.new["metadata"].get("name") or ""
    completions = spec.get("completions") or 0
    if spec.get("completionMode") != jobspecs.INDEXED or completions <= 0:
        return
    hostname = f"{name}-{completions - 1}"
    if names.dns1123_label(hostname, write.profile):
        detail = f"will not able to create pod with invalid DNS label: {hostname}"
        yield fielderror.invalid(ROOT.child("metadata", "name"), name, detail)


def _refuse_changes(write: ValidatedWrite) -> Errors:
    yield from _refuse_completions(write)
    yield from templates.refuse_changed(write, "selector")
    yield from _refuse_template(write)
    yield from templates.refuse_changed(write, "completionMode")
    yield from templates.refuse_changed(write, "podFailurePolicy", "batch.v1.PodFailurePolicy")
    yield from templates.refuse_changed(write, "backoffLimitPerIndex")
    yield from templates.refuse_changed(write, "managedBy")
    yield from templates.refuse_changed(write, "successPolicy", "batch.v1.SuccessPolicy")


def _refuse_completions(write: ValidatedWrite) -> list[FieldError]:
    new, old = templates.spec_of(write.new), templates.spec_of(write.stored)
    if new.get("completionMode") != jobspecs.INDEXED:
        return templates.refuse_changed(write, "completions")
    completions = new.get("completions")
    if completions in (old.get("completions"), None) or completions == new.get("parallelism"):
        return []
    detail = "can only be modified in tandem with spec.parallelism"
    return [fielderror.invalid(SPEC.child("completions"), completions, detail)]


def _refuse_template(write: ValidatedWrite) -> list[FieldError]:
    """Return the error of a changed template; a suspended Job may change scheduling and resources."""
    kind = builtingotypes.named(_TEMPLATE, write.profile)
    new: Any = templates.spec_of(write.new).get("template") or {}
    old: Any = templates.spec_of(write.stored).get("template") or {}
    is_idle = _is_idle(write)
    if is_idle:
        old = _with_scheduling(old, new)
    if is_idle and write.profile.minor >= _RESOURCES_SINCE:
        spec = _with_resources(old.get("spec") or {}, new.get("spec") or {})
        if structs.equal(new.get("spec"), spec, kind.fields["spec"]):
            return []
        path = SPEC.child("template.spec")
        detail = validatedwrites.IMMUTABLE
        return [gostructs.invalid(path, new.get("spec"), "core.v1.PodSpec", detail, write.profile)]
    if structs.equal(new, old, kind):
        return []
    path = SPEC.child("template")
    return [gostructs.invalid(path, new, _TEMPLATE, validatedwrites.IMMUTABLE, write.profile)]


def _is_idle(write: ValidatedWrite) -> bool:
    """Return whether the stored Job is suspended and has no active Pods."""
    spec, status = templates.spec_of(write.stored), write.stored.get("status") or {}
    is_new = status.get("startTime") is None
    if not spec.get("suspend"):
        return False
    if write.profile.minor < _RESOURCES_SINCE:
        return is_new
    return (is_new or jobstatus.has(status, "Suspended")) and not status.get("active")


def _with_scheduling(old: Any, new: Any) -> Any:
    """Return the stored template with the labels and the scheduling of the new template."""
    spec = {key: item for key, item in (old.get("spec") or {}).items() if key not in (*_SCHEDULED, "affinity")}
    new_spec = new.get("spec") or {}
    affinity = {
        key: item for key, item in ((old.get("spec") or {}).get("affinity") or {}).items() if key != "nodeAffinity"
    }
    if (new_spec.get("affinity") or {}).get("nodeAffinity") is not None:
        affinity["nodeAffinity"] = new_spec["affinity"]["nodeAffinity"]
    if affinity or new_spec.get("affinity") is not None:
        spec["affinity"] = affinity
    spec |= {key: new_spec[key] for key in _SCHEDULED if key in new_spec}
    metadata = {key: item for key, item in (old.get("metadata") or {}).items() if key not in ("labels", "annotations")}
    metadata |= {key: item for key, item in (new.get("metadata") or {}).items() if key in ("labels", "annotations")}
    return {**old, "metadata": metadata, "spec": spec}


def _with_resources(old: Any, new: Any) -> Any:
    """Return the stored spec of a Pod with the resources of the containers of the new one."""
    changed = dict(old)
    for kind in ("containers", "initContainers"):
        pairs = old.get(kind) or (), new.get(kind) or ()
        if len(pairs[0]) == len(pairs[1]):
            changed[kind] = [
                {**own, "resources": other.get("resources") or {}} if own.get("name") == other.get("name") else own
                for own, other in zip(*pairs, strict=True)
            ]
    return changed


KIND: Final = KindValidation(validate_create, validate_update, find_warnings)

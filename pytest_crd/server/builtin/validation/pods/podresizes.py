"""
Validation of a change of the resources of a Pod.

Reference:
    kubernetes pkg/apis/core/validation, ValidatePodResize.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import structs
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import builtingotypes, podfinishing
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.pods import podannotations
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, ValidatedWrite

_SPEC: Final = ROOT.child("spec")
_COMPUTED: Final = ("cpu", "memory")
_PARTS: Final = ("requests", "limits")
_ONLY: Final = "only cpu and memory resources"
# The path of errors about the whole Pod.
_WHOLE: Final = FieldPath().key("")
# The first minor version of Kubernetes 1 that resizes whole Pods and all init containers.
_WHOLE_SINCE: Final = 36


def validate(write: ValidatedWrite, errors: list[FieldError]) -> list[FieldError]:
    """
    Return the errors of new resources; other fields stay as they are stored.

    Args:
        write: The write of the subresource `resize`.
        errors: The errors of the metadata and the spec, which those of Pods that have no resizes replace.
    """
    new: Any = write.new.get("spec") or {}
    old: Any = write.stored.get("spec") or {}
    if problem := _find_reason(new, old, write):
        return [fielderror.forbidden(_WHOLE, problem)]
    quality = podfinishing.quality_of(new, write.profile)
    errors = [*errors]
    if quality != podfinishing.quality_of(old, write.profile):
        quality_class = (write.new.get("status") or {}).get("qosClass") or ""
        detail = "Pod QOS Class may not change as a result of resizing"
        errors.append(validatedwrites.invalid_named(_SPEC, quality_class, detail))
    if _is_on_old_node(write):
        errors.append(fielderror.forbidden(_SPEC, "Pod running on node without support for resize"))
    if _has_resources(new) or _has_resources(old):
        errors += _validate_whole(new.get("resources"), old.get("resources"), write.profile)
    misplaced = [*_refuse_other_containers(new, old)]
    return [*errors, *(misplaced or _validate_containers(new, old, write.profile))]


def _find_reason(new: Object, old: Object, write: ValidatedWrite) -> str:
    """Return why a Pod has no resizes, empty if it has some."""
    if Rules(write.profile).minor < _WHOLE_SINCE and (_has_resources(new) or _has_resources(old)):
        return "pods with pod-level resources cannot be resized"
    if podannotations.MIRROR in (write.stored["metadata"].get("annotations") or {}):
        return "static pods cannot be resized"
    is_windows = (old.get("os") or {}).get("name") == "windows"
    return "windows pods cannot be resized" if is_windows else ""


def _is_on_old_node(write: ValidatedWrite) -> bool:
    """Return whether the first running container has no resources in its status, as on a node without resizes."""
    statuses = (write.stored.get("status") or {}).get("containerStatuses") or ()
    running = (status for status in statuses if (status.get("state") or {}).get("running") is not None)
    return any(status.get("resources") is None for status in itertools.islice(running, 1))


def _has_resources(spec: Object) -> bool:
    resources = spec.get("resources") or {}
    return any(resources.get(part) for part in _PARTS)


def _validate_whole(new: Object | None, old: Object | None, profile: Profile) -> Errors:
    """Yield the errors of the resources of the Pod itself."""
    path = _SPEC.child("resources")
    if old is not None and new is None:
        yield fielderror.forbidden(path, "pod-level resources cannot be removed")
        return
    new, stored = new or {}, old or {}
    yield from _refuse_removed(new, stored, path, "pod-level resource")
    kind = builtingotypes.named("core.v1.ResourceRequirements", profile)
    if not structs.equal(_without_computed(new, stored), stored, kind):
        yield fielderror.forbidden(_SPEC, f"{_ONLY} are mutable at pod-level")


def _validate_containers(new: Object, old: Object, profile: Profile) -> Errors:
    kind = builtingotypes.named("core.v1.Container", profile)
    changes: list[FieldError] = []
    for field in ("initContainers", "containers"):
        of_field: list[FieldError] = []
        for place, container in enumerate(new.get(field) or ()):
            stored, path = old[field][place], _SPEC.child(field).index(place)
            is_fixed = field != "containers" and Rules(profile).minor < _WHOLE_SINCE and not _is_sidecar(container)
            if not is_fixed:
                yield from _refuse_removed(
                    _resources(container), _resources(stored), path.child("resources"), "resource"
                )
            changed = container if is_fixed else _with_stored_amounts(container, stored)
            if not structs.equal(changed, stored, kind):
                of_field.append(_refuse_change(path, field, profile, is_fixed=is_fixed))
            if not is_fixed and field != "containers" and not structs.equal(container, stored, kind):
                of_field += _refuse_restarts(container, path)
        changes = [*of_field, *changes]
    yield from changes


def _refuse_change(path: FieldPath, field: str, profile: Profile, *, is_fixed: bool) -> FieldError:
    if is_fixed:
        return fielderror.forbidden(_SPEC, "resources for non-sidecar init containers are immutable")
    if field == "containers":
        return fielderror.forbidden(_SPEC, f"{_ONLY} are mutable")
    if Rules(profile).minor < _WHOLE_SINCE:
        return fielderror.forbidden(_SPEC, f"{_ONLY} for sidecar containers are mutable")
    return fielderror.forbidden(path, f"{_ONLY} for init or sidecar containers are mutable")


def _refuse_restarts(container: Object, path: FieldPath) -> Errors:
    if _is_sidecar(container):
        return
    for policy in container.get("resizePolicy") or ():
        if policy.get("restartPolicy") == "RestartContainer":
            detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
            yield fielderror.forbidden(path, detail)


def _is_sidecar(container: Object) -> bool:
    return container.get("restartPolicy") == "Always"


def _refuse_other_containers(new: Object, old: Object) -> Errors:
    for kind in ("containers", "initContainers"):
        listed, stored = new.get(kind) or (), old.get(kind) or ()
        if len(listed) != len(stored):
            yield fielderror.forbidden(_SPEC.child(kind), f"{kind} may not be added or removed on resize")
            continue
        for place, (container, old_container) in enumerate(zip(listed, stored, strict=True)):
            if (container.get("name") or "") != (old_container.get("name") or ""):
                path = _SPEC.child(kind).index(place).child("name")
                yield fielderror.forbidden(path, f"{kind} may not be renamed or reordered on resize")


def _resources(container: Object) -> Object:
    resources: Object = container.get("resources") or {}
    return resources


def _refuse_removed(new: Object, old: Object, path: FieldPath, noun: str) -> Errors:
    for part in _PARTS:
        if (old.get(part) or {}).keys() - (new.get(part) or {}):
            yield fielderror.forbidden(path.child(part), f"{noun} {part} cannot be removed")


def _without_computed(new: Object, old: Object) -> Object:
    """Return resources with the stored amounts of CPU and memory."""
    needs = {
        part: {
            **{name: amount for name, amount in (new.get(part) or {}).items() if name not in _COMPUTED},
            **{name: amount for name, amount in (old.get(part) or {}).items() if name in _COMPUTED},
        }
        for part in _PARTS
    }
    return {**new, **needs}


def _with_stored_amounts(new: Object, old: Object) -> Object:
    return {**new, "resources": _without_computed(_resources(new), _resources(old))}

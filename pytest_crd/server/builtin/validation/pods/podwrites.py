"""
Validation of Pods: new ones, and updates of all their parts.

Reference:
    kubernetes pkg/apis/core/validation, ValidatePodCreate, ValidatePodUpdate and ValidatePodEphemeralContainersUpdate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing, structs
from pytest_crd.server.builtin import apparmor, builtingotypes
from pytest_crd.server.builtin.validation import ipaddresses, validatedwrites
from pytest_crd.server.builtin.validation.pods import (
    containers,
    gostructs,
    nodechanges,
    placement,
    podannotations,
    podfields,
    podresizes,
    podspecs,
    podstatus,
    podwarnings,
)
from pytest_crd.server.builtin.validation.pods.podfields import Object, Rules
from pytest_crd.server.builtin.validation.validatedwrites import METADATA, ROOT, KindValidation, ValidatedWrite

SPEC: Final = ROOT.child("spec")
_ANNOTATIONS: Final = METADATA.child("annotations")
_TYPE: Final = "core.v1.PodSpec"
_DEADLINE: Final = "activeDeadlineSeconds"
_EPHEMERAL: Final = "ephemeralContainers"
_MOST_SECONDS: Final = 2**31 - 1
_UPDATABLE: Final = (
    *("`spec.containers[*].image`", "`spec.initContainers[*].image`", "`spec.activeDeadlineSeconds`"),
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
)


def rules_of(write: ValidatedWrite) -> Rules:
    """Return the surroundings of a Pod."""
    metadata = write.new["metadata"]
    return Rules(write.profile, True, metadata.get("name") or "", metadata.get("annotations") or {}, write.sent)  # noqa: FBT003 - a Pod


def validate_create(write: ValidatedWrite) -> list[FieldError]:
    """Validate a new Pod."""
    spec, annotations = write.new.get("spec") or {}, write.new["metadata"].get("annotations") or {}
    errors = validate_whole(write)
    if spec.get(_EPHEMERAL):
        errors.append(fielderror.forbidden(SPEC.child(_EPHEMERAL), "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        detail = "cannot be set until all schedulingGates have been cleared"
        errors.append(fielderror.forbidden(SPEC.child("nodeName"), detail))
    return [*errors, *podannotations.compare_with_fields(annotations, spec, SPEC)]


def validate_whole(write: ValidatedWrite) -> list[FieldError]:
    """Return the errors of metadata and spec of a Pod."""
    spec, rules = write.new.get("spec") or {}, rules_of(write)
    errors = validatedwrites.validate_core_metadata(write)
    errors += podannotations.validate(rules.annotations, spec, _ANNOTATIONS)
    errors += podspecs.validate(spec, SPEC, rules)
    if not spec.get("serviceAccountName"):
        errors += _refuse_tokens(spec)
    for kind in ("containers", "initContainers"):
        for place, container in enumerate(spec.get(kind) or ()):
            errors += containers.validate_image(container, SPEC.child(kind).index(place))
    return errors


def _refuse_tokens(spec: Object) -> Errors:
    for place, volume in enumerate(spec.get("volumes") or ()):
        for number, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
            if source.get("serviceAccountToken") is not None:
                path = SPEC.child("volumes").index(place).child("projected", "sources").index(number)
                detail = "must not be specified when serviceAccountName is not set"
                yield fielderror.forbidden(path.child("serviceAccountToken"), detail)


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a Pod or of a subresource."""
    errors = validatedwrites.validate_core_change(write)
    if write.subresource == "status":
        return [*errors, *_refuse_annotation_changes(write), *podstatus.validate(write)]
    errors += validate_whole(write)
    errors += _refuse_annotation_changes(write)
    if write.subresource == "ephemeralcontainers":
        return [*errors, *_refuse_ephemeral_changes(write)]
    if write.subresource == "resize":
        return podresizes.validate(write, errors)
    return [*errors, *_refuse_changes(write)]


def _refuse_annotation_changes(write: ValidatedWrite) -> Errors:
    """Yield the errors of annotations that updates may not change, and of the new annotations."""
    new, old = (value["metadata"].get("annotations") or {} for value in (write.new, write.stored))
    for verb, keys in (("remove or update", old), ("add", [key for key in new if key not in old])):
        for key in sorted(keys):
            if verb != "add" and new.get(key) == old[key]:
                continue
            if key.startswith(apparmor.ANNOTATION):
                yield fielderror.forbidden(_ANNOTATIONS.key(key), f"may not {verb} AppArmor annotations")
            if key == podannotations.MIRROR:
                yield fielderror.forbidden(_ANNOTATIONS.key(key), f"may not {verb} mirror pod annotation")
    yield from podannotations.validate(new, write.new.get("spec") or {}, _ANNOTATIONS)


def _refuse_ephemeral_changes(write: ValidatedWrite) -> Errors:
    path = SPEC.child(_EPHEMERAL)
    new, old = ((value.get("spec") or {}).get(_EPHEMERAL) or () for value in (write.new, write.stored))
    by_name = {container.get("name") or "": container for container in new}
    kind = builtingotypes.named("core.v1.EphemeralContainer", write.profile)
    for container in old:
        name = container.get("name") or ""
        quoted = printing.quote(name)
        if name not in by_name:
            yield fielderror.forbidden(path, f"existing ephemeral containers {quoted} may not be removed\n")
        elif not structs.equal(container, by_name[name], kind):
            change = gostructs.find_difference(container, by_name[name], "core.v1.EphemeralContainer", write.profile)
            yield fielderror.forbidden(path, f"existing ephemeral containers {quoted} may not be changed\n{change}")


def _refuse_changes(write: ValidatedWrite) -> list[FieldError]:
    new, old = write.new.get("spec") or {}, write.stored.get("spec") or {}
    errors: list[FieldError] = []
    for kind in ("containers", "initContainers"):
        pair = new.get(kind) or (), old.get(kind) or ()
        if len(pair[0]) != len(pair[1]):
            detail = "pod updates may not add or remove containers"
            return [*errors, fielderror.forbidden(SPEC.child(kind), detail)]
        errors += _validate_images(pair[0], SPEC.child(kind))
    deadline, is_last = _compare_deadlines(new.get(_DEADLINE), old.get(_DEADLINE))
    errors += deadline
    if is_last:
        return errors
    errors += _compare_tolerations(new.get("tolerations") or (), old.get("tolerations") or (), rules_of(write))
    errors += _compare_gates(new.get("schedulingGates") or (), old.get("schedulingGates") or ())
    kind_of_spec = builtingotypes.named(_TYPE, write.profile)
    if structs.equal(new, old, kind_of_spec):
        return errors
    rest, more = nodechanges.without(_without_updatable(new, old), old, write.profile)
    errors += more
    if not structs.equal(rest, old, kind_of_spec):
        change = gostructs.find_difference(old, rest, _TYPE, write.profile)
        detail = f"pod updates may not change fields other than {','.join(_UPDATABLE)}\n{change}"
        errors.append(fielderror.forbidden(SPEC, detail))
    return errors


def _validate_images(listed: Sequence[Object], path: FieldPath) -> Errors:
    for place, container in enumerate(listed):
        yield from podfields.require(container, path.index(place), "image")
        yield from containers.validate_image(container, path.index(place))


def _compare_deadlines(new: int | None, old: int | None) -> tuple[list[FieldError], bool]:
    """Return the errors of a changed deadline, and whether they are the last ones."""
    path = SPEC.child(_DEADLINE)
    if new is None:
        detail = "must not update from a positive integer to nil value"
        return ([badvalues.invalid_as(path, None, "null", detail)] if old is not None else []), False
    if not 0 <= new <= _MOST_SECONDS:
        return [fielderror.invalid(path, new, f"must be between 0 and {_MOST_SECONDS}, inclusive")], True
    if old is not None and old < new:
        return [fielderror.invalid(path, new, "must be less than or equal to previous value")], True
    return [], False


def _compare_tolerations(new: Sequence[Object], old: Sequence[Object], rules: Rules) -> Errors:
    path = SPEC.child("tolerations")
    accepted = [{**item, "tolerationSeconds": None} for item in new]
    if any({**item, "tolerationSeconds": None} not in accepted for item in old):
        yield fielderror.forbidden(path, "existing toleration can not be modified except its tolerationSeconds")
    else:
        yield from placement.validate_tolerations(new, path, rules)


def _compare_gates(new: Sequence[Object], old: Sequence[Object]) -> Errors:
    before = {gate.get("name") or "" for gate in old}
    for name, place in {gate.get("name") or "": place for place, gate in enumerate(new)}.items():
        if name not in before:
            detail = f"only deletion is allowed, but found new scheduling gate '{name}'"
            yield fielderror.forbidden(SPEC.child("schedulingGates").index(place).child("name"), detail)


def _without_updatable(new: Object, old: Object) -> dict[str, Any]:
    """Return the new spec with the stored values of the fields that updates may change."""
    rest = dict(new)
    for kind in ("containers", "initContainers"):
        pairs = [*zip(new.get(kind) or (), old.get(kind) or (), strict=True)]
        if pairs:
            rest[kind] = [{**own, "image": stored.get("image") or ""} for own, stored in pairs]
    for field in (_DEADLINE, "schedulingGates", "tolerations"):
        rest[field] = old.get(field)
    return rest


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about a valid Pod: of new ones, and about the addresses in a status."""
    if write.old is None:
        name = podwarnings.warn_about_name(write.new["metadata"]["name"], write.profile, "the Pod's hostname")
        old = apparmor.find_profiles(write.sent)
        app_armor = (f"{_ANNOTATIONS.key(apparmor.ANNOTATION + key)}: {podannotations.OLD_APP_ARMOR}" for key in old)
        return (*app_armor, *name, *podwarnings.find(write.new, ROOT, rules_of(write)))
    if write.subresource != "status":
        return ()
    status = write.new.get("status") or {}
    return tuple(
        text
        for field in ("podIPs", "hostIPs")
        for place, address in enumerate(status.get(field) or ())
        for text in ipaddresses.find_warnings(
            ROOT.child("status", field).index(place).child("ip"), address.get("ip") or "", write.profile
        )
    )


KIND: Final = KindValidation(validate_create, validate_update, find_warnings)

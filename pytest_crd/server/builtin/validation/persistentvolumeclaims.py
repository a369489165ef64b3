"""
Validation of PersistentVolumeClaims, their status and the templates of workloads.

Reference:
    kubernetes pkg/apis/core/validation, ValidatePersistentVolumeClaim, its Update, StatusUpdate and Template; pkg/api/persistentvolumeclaim/util.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.metadata import names, objectmetarules
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import changedspecs, fieldrules, validatedwrites
from pytest_crd.server.builtin.validation.fieldrules import Site
from pytest_crd.server.builtin.validation.validatedwrites import METADATA, ROOT, KindValidation, ValidatedWrite

_Spec: TypeAlias = "dict[str, Any]"

_STORAGE: Final = "storage"
_CLAIM: Final = "PersistentVolumeClaim"
_ONCE: Final = "ReadWriteOncePod"
_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", _ONCE)
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_BOUND: Final = "Bound"
_ALONE: Final = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)
_RESIZES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)


def _validate_modes(site: Site) -> Iterator[FieldError]:
    modes = site.value or ()
    for mode in modes:
        if mode not in _MODES:
            yield validatedwrites.unsupported_named(site.path, mode, _MODES)
    if _ONCE in modes and any(mode in _MODES and mode != _ONCE for mode in modes):
        yield fielderror.forbidden(site.path, f"may not use {_ONCE} with other access modes")


def _validate_size(site: Site) -> Iterator[FieldError]:
    """Validate the size, with the path of a server, which leaves the requests out."""
    path, size = site.path.key(_STORAGE), ((site.value or {}).get("requests") or {}).get(_STORAGE)
    if size is None:
        yield fielderror.required(path, "")
    elif amounts.parse(size).sign <= 0:
        yield fielderror.invalid(path, size, "must be greater than zero")


def _validate_source(site: Site) -> Iterator[FieldError]:
    kind, group = site.value.get("kind") or "", site.value.get("apiGroup") or ""
    for name in ("name", "kind"):
        if not site.value.get(name):
            yield fielderror.required(site.path.child(name), "")
    if not group and kind != _CLAIM:
        detail = f"must be '{_CLAIM}' when referencing the default apiGroup"
        yield fielderror.invalid(site.path, kind, detail)
    if group and not _has_group(site.write.old):
        yield from _invalid(site.child("apiGroup"), names.dns1123_subdomain(group))
    if namespace := site.value.get("namespace"):
        yield from _invalid(site.child("namespace"), names.dns1123_label(namespace, site.profile))


def _has_group(claim: Mapping[str, Any] | None) -> bool:
    """Return whether the stored claim has a data source with an API group, which may stay invalid."""
    sources = [(claim or {}).get("spec", {}).get(name) or {} for name in ("dataSource", "dataSourceRef")]
    return any(source.get("apiGroup") is not None for source in sources)


def _invalid(site: Site, details: tuple[str, ...]) -> Iterator[FieldError]:
    return (site.invalid(detail) for detail in details)


def _validate_both_sources(site: Site) -> Iterator[FieldError]:
    """Yield the error of two different data sources; it prints the path of one as an empty object."""
    source, reference = ((site.value or {}).get(name) for name in ("dataSource", "dataSourceRef"))
    if source is None or reference is None:
        return
    detail = "may not be specified when dataSourceRef.namespace is specified" if reference.get("namespace") else ""
    if not detail and any(source.get(name) != reference.get(name) for name in ("apiGroup", "kind", "name")):
        detail = "must match dataSourceRef"
    if detail:
        yield badvalues.invalid_as(site.path, {}, "{}", detail)


_CLASS_NAME: Final = fieldrules.when(lambda site: site.value, fieldrules.SUBDOMAIN)
SPEC: Final = fieldrules.fields({
    "accessModes": fieldrules.required("at least 1 access mode is required"),
    "selector": fieldrules.selector,
    "accessModes.": _validate_modes,
    "resources": _validate_size,
    "storageClassName": _CLASS_NAME,
    "volumeMode": fieldrules.present(fieldrules.choice("Block", "Filesystem")),
    "dataSource": fieldrules.present(_validate_source),
    "dataSourceRef": fieldrules.present(_validate_source),
    "": _validate_both_sources,
    "volumeAttributesClassName": _CLASS_NAME,
})  # fmt: skip
_FIELDS: Final = fieldrules.table({"spec": SPEC})
_TEMPLATE: Final = fieldrules.fields({
    "metadata.annotations": lambda site: objectmetarules.validate_annotations(site.value or {}, site.path, site.profile),
    "metadata.labels": fieldrules.labels,
    "metadata": lambda site: (
        fielderror.forbidden(site.path.child(field), "cannot be set")
        for field, value in (site.value or {}).items()
        if value and field not in ("annotations", "labels")
    ),
    "spec": SPEC,
})  # fmt: skip


def validate_template(template: Mapping[str, Any], path: FieldPath, profile: Profile) -> Iterable[FieldError]:
    """Return the errors of the template of a claim; its metadata has only labels and annotations."""
    return _TEMPLATE(Site.of_part(path, template, profile))


def _validate_change(write: ValidatedWrite) -> list[FieldError]:
    """Validate that only the fields change that may."""
    new, old = dict(write.new["spec"]), dict(write.stored["spec"])
    errors = _validate_class(write, new, old)
    changed, before = _merge_changes(write, new, old)
    size, old_size = _size(new), _size(old)
    difference = changedspecs.find_difference(before, changed, write)
    if difference:
        errors.append(fielderror.forbidden(ROOT.child("spec"), f"{_ALONE}\n{difference}"))
    if amounts.compare(size, old_size) < 0:
        capacity = ((write.new.get("status") or {}).get("capacity") or {}).get(_STORAGE, "0")
        if amounts.compare(size, amounts.parse(capacity)) <= 0:
            path = ROOT.child("spec", "resources", "requests", _STORAGE)
            errors.append(fielderror.forbidden(path, "field can not be less than status.capacity"))
    if new.get("volumeMode") != old.get("volumeMode"):
        path, mode = ROOT.child("volumeMode"), new.get("volumeMode")
        errors.append(badvalues.invalid_as(path, mode, printing.marshal(mode), validatedwrites.IMMUTABLE))
    return [*errors, *_validate_attributes(write)]


def _size(spec: _Spec) -> amounts.Amount:
    return amounts.parse(((spec.get("resources") or {}).get("requests") or {}).get(_STORAGE, "0"))


def _validate_class(write: ValidatedWrite, new: _Spec, old: _Spec) -> list[FieldError]:
    """Return the error of a changed annotation with the storage class; drop the class from *new* if it may be set."""
    notes, old_notes = (side["metadata"].get("annotations") or {} for side in (write.new, write.stored))
    class_, old_class = new.get("storageClassName"), old.get("storageClassName")
    if _CLASS in old_notes and old_class is None and class_ == old_notes[_CLASS] == notes.get(_CLASS, class_):
        del new["storageClassName"]
        return []
    if class_ is not None and old_class is None and old_notes.get(_CLASS, class_) == class_:
        del new["storageClassName"]
    text = notes.get(_CLASS, "")
    if text == old_notes.get(_CLASS, ""):
        return []
    return [fielderror.invalid(METADATA.child("annotations", _CLASS), text, validatedwrites.IMMUTABLE)]


def _merge_changes(write: ValidatedWrite, new: _Spec, old: _Spec) -> tuple[_Spec, _Spec]:
    """Return both specs without the changes that are allowed: a first volume, and of bound claims size and attributes."""
    if not old.get("volumeName") and "volumeName" in new:
        old = {**old, "volumeName": new["volumeName"]}
    if (write.new.get("status") or {}).get("phase") != _BOUND:
        return new, old
    needs, sent = new.get("resources") or {}, (write.sent.get("spec") or {}).get("resources") or {}
    if needs.get("requests") or sent.get("requests") == {}:
        requests = {**needs.get("requests", {}), _STORAGE: str(_size(old))}
        new = {**new, "resources": {**needs, "requests": requests}}
    return {**new, "volumeAttributesClassName": old.get("volumeAttributesClassName")}, old


def _validate_attributes(write: ValidatedWrite) -> list[FieldError]:
    """Return the error of removed attributes that the volume has."""
    name, old = (side["spec"].get("volumeAttributesClassName") for side in (write.new, write.stored))
    current = (write.stored.get("status") or {}).get("currentVolumeAttributesClassName")
    if name == old or name or current is None:
        return []
    value = "nil" if name is None else "empty string"
    detail = f"update to {value} is forbidden when status.currentVolumeAttributesClassName is not nil"
    return [fielderror.forbidden(ROOT.child("spec", "volumeAttributesClassName"), detail)]


def _validate_capacity(site: Site) -> Iterator[FieldError]:
    for name, size in sorted((site.value or {}).items()):
        yield from _validate_amount(site.child(), name, size)


def _validate_amount(site: Site, name: str, size: str) -> Iterator[FieldError]:
    """Yield the error of a negative size, which prints the rounded number."""
    amount = amounts.parse(size)
    if amount.sign < 0:
        number = amounts.rounded_up(amount, 0).as_int64()
        yield fielderror.invalid(site.path.key(name), number, "must be a valid resource quantity")


def _find_resource_problems(site: Site, name: str) -> list[FieldError]:
    """Return the errors of a resource: other native ones than storage."""
    errors = [fielderror.invalid(site.path, name, detail) for detail in names.label_key(name, site.profile)]
    is_native = "/" not in name or "kubernetes.io/" in name
    if not errors and is_native and name != _STORAGE:
        errors.append(fielderror.not_supported(site.path, name, [_STORAGE]))
    return errors


def _validate_resizes(site: Site) -> Iterator[FieldError]:
    for name, status in sorted((site.value or {}).items()):
        yield from _find_resource_problems(site, name)
        if status not in _RESIZES:
            yield validatedwrites.unsupported_named(site.path, name, _RESIZES)


def _validate_allocated(site: Site) -> Iterator[FieldError]:
    for name, size in sorted((site.value or {}).items()):
        yield from _find_resource_problems(site, name) or _validate_amount(site, name, size)


_STATUS: Final = fieldrules.table({
    "status.capacity": _validate_capacity,
    "status.allocatedResourceStatuses": _validate_resizes,
    "status.allocatedResources": _validate_allocated,
})  # fmt: skip
_validate_status: Final = validatedwrites.chain(validatedwrites.validate_core_change, _STATUS)
_validate_new: Final = validatedwrites.chain(validatedwrites.validate_core_metadata, _FIELDS)
_validate_object: Final = validatedwrites.chain(validatedwrites.validate_core_change, _validate_new, _validate_change)


def validate_update(write: ValidatedWrite) -> list[FieldError]:
    """Validate an update of a PersistentVolumeClaim or of its status."""
    if write.subresource:
        return _validate_status(write)
    # Before 1.37 an update is validated first as a new object.
    return [*([] if write.profile.declares_required_fields else _validate_new(write)), *_validate_object(write)]


def find_warnings(write: ValidatedWrite) -> tuple[str, ...]:
    """Return the warnings about a deprecated annotation and about fractions of bytes."""
    if write.subresource:
        return ()
    notes, resources = write.new["metadata"].get("annotations") or {}, write.new["spec"].get("resources") or {}
    path = ROOT.child("spec", "resources")
    sizes = [
        (path.child(name).key(_STORAGE), (resources.get(name) or {}).get(_STORAGE)) for name in ("requests", "limits")
    ]
    fractions = [
        f"{field}: fractional byte value {printing.quote(size)} is invalid, must be an integer"
        for field, size in sizes
        if size is not None and amounts.compare(amounts.rounded_up(amounts.parse(size), 0), amounts.parse(size))
    ]
    text = (
        f'{METADATA.child("annotations").key(_CLASS)}: deprecated since v1.8; use "storageClassName" attribute instead'
    )
    return (*([text] if _CLASS in notes else []), *fractions)


KIND: Final = KindValidation(_validate_new, validate_update, find_warnings)

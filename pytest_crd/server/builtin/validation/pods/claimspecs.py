"""
Validation of the specs of claims, as StatefulSets and ephemeral volumes have them.

Reference:
    kubernetes pkg/apis/core/validation, ValidatePersistentVolumeClaimSpec and ValidatePersistentVolumeClaimTemplate.
"""

from __future__ import annotations

from typing import Any, Final

from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import labelselectors, names, objectmetarules
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation.pods import podfields
from pytest_crd.server.builtin.validation.pods.podfields import Object

_SINGLE: Final = "ReadWriteOncePod"
_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", _SINGLE)
_VOLUME_MODES: Final = ("Block", "Filesystem")
_CLAIM: Final = "PersistentVolumeClaim"
_ALLOWED_METADATA: Final = ("annotations", "labels")


def validate_template(template: Object, path: FieldPath, profile: Profile) -> Errors:
    """Yield the errors of a template of a claim; its metadata has only labels and annotations."""
    metadata, place = template.get("metadata") or {}, path.child("metadata")
    annotations = metadata.get("annotations") or {}
    yield from objectmetarules.validate_annotations(annotations, place.child("annotations"), profile)
    yield from objectmetarules.validate_labels(metadata.get("labels") or {}, place.child("labels"), profile)
    for field, value in metadata.items():
        if field not in _ALLOWED_METADATA and value:
            yield fielderror.forbidden(place.child(field), "cannot be set")
    yield from validate(template.get("spec") or {}, path.child("spec"), profile)


def validate(spec: Object, path: FieldPath, profile: Profile) -> Errors:
    """Yield the errors of the spec of a claim."""
    modes = spec.get("accessModes") or ()
    if not modes:
        yield fielderror.required(path.child("accessModes"), "at least 1 access mode is required")
    if spec.get("selector") is not None:
        yield from labelselectors.validate(spec["selector"], path.child("selector"), profile)
    for mode in modes:
        yield from podfields.choose(mode, path.child("accessModes"), _MODES, empty=None)
    if _SINGLE in modes and any(mode in _MODES and mode != _SINGLE for mode in modes):
        yield fielderror.forbidden(path.child("accessModes"), f"may not use {_SINGLE} with other access modes")
    yield from _validate_storage(spec, path)
    if name := spec.get("storageClassName"):
        yield from podfields.validate_text(name, path.child("storageClassName"), names.dns1123_subdomain)
    yield from podfields.choose_optional(spec, path, "volumeMode", _VOLUME_MODES)
    yield from _validate_sources(spec, path, profile)
    if name := spec.get("volumeAttributesClassName"):
        yield from podfields.validate_text(name, path.child("volumeAttributesClassName"), names.dns1123_subdomain)


def _validate_storage(spec: Object, path: FieldPath) -> Errors:
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    place = path.child("resources").key("storage")
    if size is None:
        yield fielderror.required(place, "")
    elif amounts.compare(amounts.parse(size), amounts.parse("0")) <= 0:
        yield fielderror.invalid(place, size, "must be greater than zero")


def _validate_sources(spec: Object, path: FieldPath, profile: Profile) -> Errors:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        yield from _validate_source(source, path.child("dataSource"))
    if reference is not None:
        yield from _validate_source(reference, path.child("dataSourceRef"))
        if namespace := reference.get("namespace"):
            place = path.child("dataSourceRef", "namespace")
            yield from podfields.validate_text(namespace, place, lambda text: names.dns1123_label(text, profile))
    if source is None or reference is None:
        return
    if reference.get("namespace"):
        yield _conflict(path, "may not be specified when dataSourceRef.namespace is specified")
    elif any(source.get(field) != reference.get(field) for field in ("apiGroup", "kind", "name")):
        yield _conflict(path, "must match dataSourceRef")


def _conflict(path: FieldPath, detail: str) -> Any:
    """Return the error of two sources, which prints a path as Go prints its struct: empty, as its fields are private."""
    return badvalues.invalid_as(path, None, "{}", detail)


def _validate_source(source: Object, path: FieldPath) -> Errors:
    yield from podfields.require(source, path, "name", "kind")
    group, kind = source.get("apiGroup") or "", source.get("kind") or ""
    if not group and kind != _CLAIM:
        yield fielderror.invalid(path, kind, f"must be '{_CLAIM}' when referencing the default apiGroup")
    if group:
        yield from podfields.validate_text(group, path.child("apiGroup"), names.dns1123_subdomain)

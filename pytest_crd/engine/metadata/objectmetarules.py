"""Validation rules of ObjectMeta, for custom resources, CRDs and embedded resources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.metadata import managedfields, ownerreferences
    from pytest_crd.engine.metadata.ownerreferences import Reading
else:
    managedfields = lazyimport.module("pytest_crd.engine.metadata.managedfields")
    ownerreferences = lazyimport.module("pytest_crd.engine.metadata.ownerreferences")

_MAX_ANNOTATIONS: Final = 256 * 1024
_ORPHAN: Final = "orphan"
_FOREGROUND: Final = "foregroundDeletion"
_STANDARD: Final = frozenset({_ORPHAN, _FOREGROUND, "kubernetes"})


class NameRule(NamedTuple):
    """
    Rule of names; both functions return the problems of a text.

    Attributes:
        name: The rule of `name`.
        prefix: The rule of `generateName`.
    """

    name: Callable[[str], tuple[str, ...]]
    prefix: Callable[[str], tuple[str, ...]]


class ObjectNaming(NamedTuple):
    """
    Naming of the object with the metadata.

    Attributes:
        rule: The rule of names.
        namespaced: Whether a namespace is required; otherwise none is allowed.
    """

    rule: NameRule
    namespaced: bool


# The rule of custom resources, and the general rule of stored objects.
DNS_SUBDOMAIN: Final = NameRule(names.dns1123_subdomain, names.dns1123_subdomain_prefix)
PATH_SEGMENT: Final = NameRule(names.path_segment, names.path_segment_prefix)


def validate(
    metadata: Mapping[str, JSONValue],
    path: FieldPath,
    naming: ObjectNaming,
    profile: Profile,
) -> list[FieldError]:
    """
    Validate an ObjectMeta.

    Args:
        metadata: A decoded ObjectMeta: every field has the right type.
        path: The path of the ObjectMeta.
        naming: The naming of the object.
        profile: The reproduced Kubernetes version.

    Errors:
        Required, Invalid, Forbidden, TooLong, NotSupported, in the server's order; labels and annotations by sorted key, as the server's
        order is random.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateObjectMetaAccessor.
    """
    errors: list[FieldError] = []
    if prefix := metadata.get("generateName"):
        place = path.child("generateName")
        errors += [fielderror.invalid(place, prefix, detail) for detail in naming.rule.prefix(prefix)]
    if name := metadata.get("name"):
        errors += [fielderror.invalid(path.child("name"), name, detail) for detail in naming.rule.name(name)]
    else:
        errors.append(fielderror.required(path.child("name"), "name or generateName is required"))
    errors += _namespace(
        metadata.get("namespace") or "", path.child("namespace"), profile, namespaced=naming.namespaced
    )
    if profile.has_cluster_name and (cluster := metadata.get("clusterName")):
        place = path.child("clusterName")
        errors += [fielderror.invalid(place, cluster, detail) for detail in names.dns1035_label(cluster)]
    if (generation := metadata.get("generation") or 0) < 0:
        place = path.child("generation")
        errors.append(fielderror.invalid(place, generation, "must be greater than or equal to 0"))
    errors += _maps(metadata, path, profile)
    if references := metadata.get("ownerReferences"):
        errors += ownerreferences.validate(references, path.child("ownerReferences"), profile)
    if listed := metadata.get("finalizers"):
        errors += validate_finalizers(listed, path.child("finalizers"), profile)
    if entries := metadata.get("managedFields"):
        errors += managedfields.validate(entries, path.child("managedFields"), profile)
    return errors


def distinct_errors(errors: Sequence[FieldError], profile: Profile) -> list[FieldError]:
    """
    Return the *errors* of one validation of metadata without duplicates.

    It applies to the result of `validate` or `validate_change` for a custom resource, a CRD or an embedded resource, not to the general
    rules of stored objects.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateObjectMetaDeclaratively: an aggregate of errors drops duplicate texts.
    """
    if not profile.drops_repeated_metadata_errors or len(errors) < 2:
        return list(errors)
    distinct: dict[str, FieldError] = {}
    for error in errors:
        distinct.setdefault(str(error), error)
    return list(distinct.values())


def validate_change(
    metadata: Mapping[str, JSONValue],
    old: Mapping[str, JSONValue],
    path: FieldPath,
    profile: Profile,
    reading: Reading | None = None,
) -> list[FieldError]:
    """
    Validate a change of an ObjectMeta.

    It has only rules that can fail here: namespace and resourceVersion were checked before, and so were name and uid, except those
    of a patch or of a mutating plugin; creationTimestamp and generation are overwritten.

    Args:
        metadata: The new ObjectMeta, decoded and prepared for the update.
        old: The stored ObjectMeta.
        path: The path of both.
        profile: The reproduced Kubernetes version.
        reading: The number of times the server has read the owner references.

    Errors:
        Forbidden, Invalid, TooLong, Required, in the server's order.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateObjectMetaAccessorUpdate.
    """
    errors: list[FieldError] = []
    if old.get("deletionTimestamp"):
        pair = metadata.get("finalizers") or (), old.get("finalizers") or ()
        errors += validate_new_finalizers(*pair, path.child("finalizers"))
    name = metadata.get("name") or ""
    if name != (old.get("name") or ""):
        errors.append(fielderror.invalid(path.child("name"), name, "field is immutable"))
    uid = metadata.get("uid")
    if uid and uid != old.get("uid"):
        errors.append(fielderror.invalid(path.child("uid"), uid, "field is immutable"))
    timestamp = metadata.get("deletionTimestamp")
    if timestamp != old.get("deletionTimestamp"):
        printed = None if profile.prints_values_as_json else _as_go_prints(str(timestamp))
        place = path.child("deletionTimestamp")
        errors.append(badvalues.invalid_as(place, timestamp, printed, "field is immutable"))
    grace = metadata.get("deletionGracePeriodSeconds")
    if grace != old.get("deletionGracePeriodSeconds"):
        errors.append(fielderror.invalid(path.child("deletionGracePeriodSeconds"), grace, "field is immutable"))
    errors += _maps(metadata, path, profile)
    if references := metadata.get("ownerReferences"):
        errors += ownerreferences.validate(
            references, path.child("ownerReferences"), profile, reading or ownerreferences.Reading.FIRST
        )
    if entries := metadata.get("managedFields"):
        errors += managedfields.validate(entries, path.child("managedFields"), profile)
    return errors


def _namespace(namespace: str, path: FieldPath, profile: Profile, *, namespaced: bool) -> list[FieldError]:
    if not namespaced:
        return [fielderror.forbidden(path, "not allowed on this type")] if namespace else []
    if not namespace:
        return [fielderror.required(path, "")]
    return [fielderror.invalid(path, namespace, detail) for detail in names.dns1123_label(namespace, profile)]


def _maps(metadata: Mapping[str, JSONValue], path: FieldPath, profile: Profile) -> list[FieldError]:
    errors: list[FieldError] = []
    if labels := metadata.get("labels"):
        errors += validate_labels(labels, path.child("labels"), profile)
    if annotations := metadata.get("annotations"):
        errors += validate_annotations(annotations, path.child("annotations"), profile)
    return errors


def validate_labels(labels: Mapping[str, str], path: FieldPath, profile: Profile) -> list[FieldError]:
    """Return the errors of *labels* by sorted key: Invalid."""
    errors: list[FieldError] = []
    for key in sorted(labels):
        errors += [fielderror.invalid(path, key, detail) for detail in names.label_key(key, profile)]
        errors += [fielderror.invalid(path, labels[key], detail) for detail in names.label_value(labels[key], profile)]
    return errors


def validate_annotations(annotations: Mapping[str, str], path: FieldPath, profile: Profile) -> list[FieldError]:
    """Return the errors of *annotations* by sorted key: Invalid, TooLong."""
    errors = [
        fielderror.invalid(path, key, detail)
        for key in sorted(annotations)
        for detail in names.label_key(names.lower(key), profile)
    ]
    size = sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items())
    if size > _MAX_ANNOTATIONS:
        errors.append(managedfields.too_long(path, _MAX_ANNOTATIONS, profile))
    return errors


def _as_go_prints(timestamp: str) -> str:
    """Return a decoded time as printed by Go's time.Time in UTC."""
    return timestamp.replace("T", " ").replace("Z", " +0000 UTC")


def validate_finalizers(finalizers: Sequence[str], path: FieldPath, profile: Profile) -> list[FieldError]:
    """
    Validate *finalizers*.

    Errors:
        Invalid: A name is no label key, or the finalizers for both propagation policies are present.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateFinalizers.
    """
    errors = [
        fielderror.invalid(path, finalizer, detail)
        for finalizer in finalizers
        for detail in names.label_key(finalizer, profile)
    ]
    if _ORPHAN in finalizers and _FOREGROUND in finalizers:
        detail = f"finalizer {_ORPHAN} and {_FOREGROUND} cannot be both set"
        printed = None if profile.prints_values_as_json else _print_strings(finalizers)
        errors.append(badvalues.invalid_as(path, list(finalizers), printed, detail))
    return errors


def validate_new_finalizers(new: Sequence[str], old: Sequence[str], path: FieldPath) -> list[FieldError]:
    """
    Validate a change of the finalizers of an object that is being deleted.

    Errors:
        Forbidden: A finalizer was added.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateNoNewFinalizers.
    """
    added = sorted(set(new) - set(old))
    if not added:
        return []
    detail = "no new finalizers can be added if the object is being deleted, found new finalizers"
    return [fielderror.forbidden(path, f"{detail} {_print_strings(added)}")]


def finalizer_warnings(new: Sequence[str], old: Sequence[str], path: FieldPath, profile: Profile) -> tuple[str, ...]:
    """
    Return the finalizer_warnings about finalizers that are in *new* but not in *old*, sorted by finalizer.

    Reference:
        apiextensions-apiserver registry/customresource/validator.go, validateKubeFinalizerName.
    """
    if not profile.warns_about_finalizers:
        return ()
    return tuple(
        f"{path}: {printing.quote(finalizer)}: {text}"
        for finalizer in sorted(set(new) - set(old))
        for text in (*names.label_key(finalizer, profile), *_preference(finalizer))
    )


def is_standard_finalizer(finalizer: str) -> bool:
    """Return whether Kubernetes has a finalizer with this name, without a domain."""
    return finalizer in _STANDARD


def _preference(finalizer: str) -> tuple[str, ...]:
    if "/" in finalizer or is_standard_finalizer(finalizer):
        return ()
    path = " including a path (/)" if "." in finalizer else ""
    return (
        f"prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers",
    )


def _print_strings(finalizers: Sequence[str]) -> str:
    return f"[]string{{{', '.join(map(printing.quote, finalizers))}}}"

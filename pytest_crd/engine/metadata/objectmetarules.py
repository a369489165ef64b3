"""What every ObjectMeta must obey, at the root and embedded, of custom resources and of CRDs: the rules of its fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import finalizers, managedfields, names, ownerreferences
from pytest_crd.engine.metadata.ownerreferences import Reading
from pytest_crd.engine.profile import Profile

_MAX_ANNOTATIONS: Final = 256 * 1024


class NameRule(NamedTuple):
    """
    What a name must be; both functions return what is wrong with a text.

    Attributes:
        name: The rule of `name`.
        prefix: The rule of `generateName`.
    """

    name: Callable[[str], tuple[str, ...]]
    prefix: Callable[[str], tuple[str, ...]]


class ObjectNaming(NamedTuple):
    """
    How what has the metadata is named.

    Attributes:
        rule: What the name must be.
        namespaced: Whether a namespace must be there; where not, none may be.
    """

    rule: NameRule
    namespaced: bool


# The rule of custom resources, and the one that holds for whatever is stored.
DNS_SUBDOMAIN: Final = NameRule(names.dns1123_subdomain, names.dns1123_subdomain_prefix)
PATH_SEGMENT: Final = NameRule(names.path_segment, names.path_segment_prefix)


def validate(
    metadata: Mapping[str, JSONValue],
    path: FieldPath,
    naming: ObjectNaming,
    profile: Profile,
) -> list[FieldError]:
    """
    Return what is wrong with an ObjectMeta.

    Args:
        metadata: A decoded ObjectMeta: every field is of the right type.
        path: Where it stands.
        naming: What its name must be, and whether there is a namespace.
        profile: Whose rules and words.

    Errors:
        Required, Invalid, Forbidden, TooLong, NotSupported, in the server's order; labels and annotations, which the
        server takes in random order, by sorted key.

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
    errors += _generation(metadata.get("generation") or 0, path.child("generation"))
    errors += _maps(metadata, path, profile)
    references = metadata.get("ownerReferences") or ()
    errors += ownerreferences.validate(references, path.child("ownerReferences"), profile)
    errors += finalizers.validate(metadata.get("finalizers") or (), path.child("finalizers"), profile)
    errors += managedfields.validate(metadata.get("managedFields") or (), path.child("managedFields"), profile)
    return errors


def once(errors: Sequence[FieldError], profile: Profile) -> list[FieldError]:
    """
    Return the *errors* of one validation of metadata, each once.

    To be applied to what `validate` or `validate_change` found for a custom resource, a CRD or an embedded resource,
    not to the rules of anything that is stored.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateObjectMetaDeclaratively: filtering a list of errors goes through an
        aggregate, which holds no text twice.
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
    reading: Reading = Reading.FIRST,
) -> list[FieldError]:
    """
    Return what is wrong with an ObjectMeta that replaces the *old* one.

    Only the rules whose breach reaches validation are here: name, namespace and resourceVersion were refused before, and uid
    but in a patch, creationTimestamp and generation overwritten.

    Args:
        metadata: The new ObjectMeta, decoded and prepared for the update.
        old: The stored one.
        path: Where both stand.
        profile: Whose rules and words.
        reading: Which time the server reads the owner references.

    Errors:
        Forbidden, Invalid, TooLong, Required, in the server's order.

    Reference:
        apimachinery api/validation/objectmeta.go, ValidateObjectMetaAccessorUpdate.
    """
    errors: list[FieldError] = []
    if old.get("deletionTimestamp"):
        pair = metadata.get("finalizers") or (), old.get("finalizers") or ()
        errors += finalizers.validate_while_deleted(*pair, path.child("finalizers"))
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
    references = metadata.get("ownerReferences") or ()
    errors += ownerreferences.validate(references, path.child("ownerReferences"), profile, reading)
    errors += managedfields.validate(metadata.get("managedFields") or (), path.child("managedFields"), profile)
    return errors


def _namespace(namespace: str, path: FieldPath, profile: Profile, *, namespaced: bool) -> list[FieldError]:
    if not namespaced:
        return [fielderror.forbidden(path, "not allowed on this type")] if namespace else []
    if not namespace:
        return [fielderror.required(path, "")]
    return [fielderror.invalid(path, namespace, detail) for detail in names.dns1123_label(namespace, profile)]


def _generation(generation: int, path: FieldPath) -> list[FieldError]:
    if generation >= 0:
        return []
    return [fielderror.invalid(path, generation, "must be greater than or equal to 0")]


def _maps(metadata: Mapping[str, JSONValue], path: FieldPath, profile: Profile) -> list[FieldError]:
    return [
        *_labels(metadata.get("labels") or {}, path.child("labels"), profile),
        *_annotations(metadata.get("annotations") or {}, path.child("annotations"), profile),
    ]


def _labels(labels: Mapping[str, str], path: FieldPath, profile: Profile) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in sorted(labels):
        errors += [fielderror.invalid(path, key, detail) for detail in names.label_key(key, profile)]
        errors += [fielderror.invalid(path, labels[key], detail) for detail in names.label_value(labels[key], profile)]
    return errors


def _annotations(annotations: Mapping[str, str], path: FieldPath, profile: Profile) -> list[FieldError]:
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
    """Print a decoded time as Go's time.Time does in a server whose time zone is UTC."""
    return timestamp.replace("T", " ").replace("Z", " +0000 UTC")

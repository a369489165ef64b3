"""
Validation of metadata: of the root on create and update, and of embedded resources.

The metadata is decoded, and at the root prepared by `requestmetadata`. Requests refused earlier do not get here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine import profile as profiles
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import decoding
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import embedded, metav1types, names, objectmetarules
from pytest_crd.engine.metadata.embedded import Below, Walk
from pytest_crd.engine.metadata.objectmetarules import NameRule, ObjectNaming
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.structural import TYPE_META, Structural

if TYPE_CHECKING:
    from pytest_crd.engine.errors import origin
    from pytest_crd.engine.metadata import ownerreferences
else:
    ownerreferences = lazyimport.module("pytest_crd.engine.metadata.ownerreferences")
    origin = lazyimport.module("pytest_crd.engine.errors.origin")


Validate: TypeAlias = Callable[[JSONValue], list[FieldError]]

_ROOT: Final = FieldPath()
_METADATA: Final = FieldPath(("metadata",))


def validate_create(
    metadata: Mapping[str, JSONValue],
    *,
    namespaced: bool,
    profile: Profile,
    rule: NameRule = objectmetarules.DNS_SUBDOMAIN,
) -> list[FieldError]:
    """
    Validate the metadata of a new object.

    Args:
        metadata: Root metadata, decoded and prepared.
        namespaced: Whether objects have namespaces.
        profile: The reproduced Kubernetes version.
        rule: The rule of names; by default that of custom resources.

    Errors:
        Required, Invalid, Forbidden, TooLong, in the server's order.

    Reference:
        apiextensions-apiserver registry/customresource/validator.go, Validate.
    """
    naming = ObjectNaming(rule, namespaced=namespaced)
    return objectmetarules.distinct_errors(objectmetarules.validate(metadata, _METADATA, naming, profile), profile)


def validate_created(metadata: Mapping[str, JSONValue], *, namespaced: bool, profile: Profile) -> list[FieldError]:
    """
    Validate the metadata of a new object without other errors, by the general rules of stored objects.

    After `validate_create` only a `generateName` such as `a/-` beside a name can fail.

    Args:
        metadata: Root metadata, decoded and prepared.
        namespaced: Whether the CRD's scope is Namespaced.
        profile: The reproduced Kubernetes version.

    Errors:
        Invalid.

    Reference:
        apiserver registry/rest/create.go, ValidateCreate.
    """
    if not metadata.get("generateName"):
        return []
    naming = ObjectNaming(objectmetarules.PATH_SEGMENT, namespaced=namespaced)
    return objectmetarules.validate(metadata, _METADATA, naming, profile)


def validate_common_update(
    metadata: Mapping[str, JSONValue], old_metadata: Mapping[str, JSONValue], *, namespaced: bool, profile: Profile
) -> list[FieldError]:
    """
    Validate the metadata of an update by the general rules of stored objects.

    These errors come first, even if the resource has a wrong kind, which suppresses others.

    Args:
        metadata: The new root metadata, decoded and prepared.
        old_metadata: The stored root metadata.
        namespaced: Whether the CRD's scope is Namespaced.
        profile: The reproduced Kubernetes version.

    Errors:
        Required, Invalid, Forbidden, TooLong, in the server's order; errors that both halves report appear twice.

    Reference:
        apiserver registry/rest/update.go, validateCommonFields.
    """
    naming = ObjectNaming(objectmetarules.PATH_SEGMENT, namespaced=namespaced)
    if {} in (metadata.get("managedFields") or ()):  # the general rules see no entries if a webhook sets a null one
        metadata = {key: value for key, value in metadata.items() if key != "managedFields"}
    return [
        *objectmetarules.validate(metadata, _METADATA, naming, profile),
        *objectmetarules.validate_change(metadata, old_metadata, _METADATA, profile, ownerreferences.Reading.SECOND),
    ]


def validate_update(
    metadata: Mapping[str, JSONValue], old_metadata: Mapping[str, JSONValue], *, namespaced: bool, profile: Profile
) -> list[FieldError]:
    """
    Validate the metadata of an update, also of the status, by all rules.

    Args:
        metadata: The new root metadata, decoded and prepared.
        old_metadata: The stored root metadata.
        namespaced: Whether the CRD's scope is Namespaced.
        profile: The reproduced Kubernetes version.

    Errors:
        The errors of `validate_common_update`, then those of the change again: a bad label appears three times, a changed deletionTimestamp
        twice, a bad finalizer once.

    Reference:
        apiserver registry/rest/update.go, ValidateUpdate; apiextensions-apiserver registry/customresource/validator.go,
        ValidateUpdate and ValidateStatusUpdate.
    """
    common = validate_common_update(metadata, old_metadata, namespaced=namespaced, profile=profile)
    entries = metadata.get("managedFields") or ()
    if not common and not metadata.get("ownerReferences") and {} not in entries:
        return []  # the change has the same errors again
    own = objectmetarules.validate_change(metadata, old_metadata, _METADATA, profile, ownerreferences.Reading.THIRD)
    return [
        *common,
        *objectmetarules.distinct_errors(own, profile),
    ]


def warnings(
    metadata: Mapping[str, JSONValue],
    old_metadata: Mapping[str, JSONValue] | None = None,
    *,
    profile: Profile | None = None,
) -> tuple[str, ...]:
    """
    Return the warnings about the metadata of an accepted resource: new finalizers without a domain.

    Args:
        metadata: The new root metadata, decoded.
        old_metadata: The stored root metadata on update; its finalizers cause no warnings. An update of the status has no warnings.
        profile: The reproduced Kubernetes version; defaults to the newest.

    Reference:
        apiextensions-apiserver registry/customresource/strategy.go, generateWarningsFromObj.
    """
    new, old = metadata.get("finalizers") or (), (old_metadata or {}).get("finalizers") or ()
    return objectmetarules.finalizer_warnings(
        new, old, _METADATA.child("finalizers"), profile or profiles.KNOWN[profiles.DEFAULT]
    )


def compile_embedded(schema: Structural, profile: Profile) -> Validate | None:
    """
    Return a function that validates apiVersion, kind and metadata of the embedded resources in a value of *schema*.

    Args:
        schema: A structural schema.
        profile: The reproduced Kubernetes version.

    Returns:
        A function from the whole value to the errors, or None if *schema* has no embedded resource.

    Errors:
        Required, Invalid, TooLong, NotSupported. The errors of a resource precede those inside it; fields are in sorted order, as the
        server's order is random.

    Reference:
        apiextensions-apiserver schema/objectmeta/validation.go, Validate.
    """

    def of_resource(_node: Structural, below: Below[FieldError]) -> Walk[FieldError]:
        def walk(value: JSONValue, path: FieldPath, errors: list[FieldError]) -> JSONValue:
            if wrong := _resource(value, path, profile):
                decided = origin.Origin(origin.schema_steps(path.segments), "x-kubernetes-embedded-resource")
                errors += [replace(error, origin=decided) for error in wrong]
            return below.walk(value, path, errors)

        return walk

    walk = embedded.compile(schema, of_resource)
    if walk is None:
        return None

    def validate(value: JSONValue) -> list[FieldError]:
        errors: list[FieldError] = []
        walk(value, _ROOT, errors)
        return errors

    return validate


def _resource(value: dict[str, JSONValue], path: FieldPath, profile: Profile) -> list[FieldError]:
    detail = "must not be empty" if profile.explains_missing_type_meta else ""
    errors = [fielderror.required(path.child(key), detail) for key in TYPE_META if key not in value]
    for key, problem in (("apiVersion", ownerreferences.group_version_problem), ("kind", _kind_problem)):
        if key in value and (wrong := _text_problem(value[key], problem)):
            errors.append(badvalues.invalid_embedded(path.child(key), value[key], wrong, profile=profile))
    if "metadata" in value:
        errors += _embedded_metadata(value["metadata"], path.child("metadata"), profile)
    return errors


def _text_problem(value: JSONValue, problem: Callable[[str], str]) -> str:
    if not isinstance(value, str):
        return "must be a string"
    return problem(value) if value else "must not be empty"


def _kind_problem(kind: str) -> str:
    problems = names.dns1035_label(names.lower(kind))
    return f"may have mixed case, but should otherwise match: {','.join(problems)}" if problems else ""


def _embedded_metadata(metadata: JSONValue, path: FieldPath, profile: Profile) -> list[FieldError]:
    # Metadata from a default, or in a resource of a wrong kind, was not decoded before.
    try:
        decoded = decoding.decode(metadata, metav1types.object_meta(profile)).value or {}
    except decoding.DecodeError as error:
        return [badvalues.invalid_embedded(path, metadata, str(error), profile=profile)]
    naming = ObjectNaming(objectmetarules.PATH_SEGMENT, namespaced=bool(decoded.get("namespace")))
    named = decoded if decoded.get("name") else {**decoded, "name": "fakename"}  # only a root needs a name
    return objectmetarules.distinct_errors(objectmetarules.validate(named, path, naming, profile), profile)

"""
Validation of a CustomResourceDefinition on create and update: every rule, in the server's order.

This module has the order; each rule has its own module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.crds import internal, internaltypes
from pytest_crd.engine.crds.internal import SPEC, InternalCrd
from pytest_crd.engine.crds.validation import options as crdoptions
from pytest_crd.engine.crds.validation import specfields, versionsfield
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.crds.validation.schemas import wholeschema
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.formats import stringformats
from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.golang.printing import quote
from pytest_crd.engine.metadata import names, objectmetarules, objectmetavalidation
from pytest_crd.engine.metadata.objectmetarules import NameRule, ObjectNaming
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import subschemas

if TYPE_CHECKING:
    from pytest_crd.engine.crds import apiapproval, conditions
    from pytest_crd.engine.crds.validation import pathfields
    from pytest_crd.engine.crds.validation import update as crdupdate
else:
    crdupdate = lazyimport.module("pytest_crd.engine.crds.validation.update")
    pathfields = lazyimport.module("pytest_crd.engine.crds.validation.pathfields")
    apiapproval = lazyimport.module("pytest_crd.engine.crds.apiapproval")
    conditions = lazyimport.module("pytest_crd.engine.crds.conditions")

_METADATA: Final = FieldPath(("metadata",))
_STORED_VERSIONS: Final = FieldPath(("status", "storedVersions"))
_ACCEPTED_NAMES: Final = FieldPath(("status", "acceptedNames"))
_GROUP: Final = SPEC.child("group")
_SCOPE: Final = SPEC.child("scope")
_NAMES: Final = SPEC.child("names")
# The ends of groups with API approval.
_PROTECTED: Final = ("k8s.io", "kubernetes.io")
_CONVERSION: Final = SPEC.child("conversion")
_SCHEMA: Final = SPEC.child("validation", "openAPIV3Schema")
_SUBRESOURCES: Final = SPEC.child("subresources")
_COLUMNS: Final = SPEC.child("additionalPrinterColumns")
_PRESERVE: Final = SPEC.child("preserveUnknownFields")
_DEPRECATED: Final = (
    "apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+; "
    "use apiextensions.k8s.io/v1 CustomResourceDefinition"
)


def create(new: InternalCrd, profile: Profile) -> list[FieldError]:
    """
    Return the errors of a CRD on creation.

    Args:
        new: The CRD with the status that the server sets.
        profile: The Kubernetes version.

    Errors:
        Any type, in the server's order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinition.
    """
    errors = objectmetarules.validate(new.metadata, _METADATA, _naming(new), profile)
    errors += _spec(new, crdoptions.create_options(new), profile)
    errors += _status(new, profile)
    errors += _approval(new, None, profile)
    errors += _preserve_unknown_fields(new, None, profile)
    return errors or objectmetavalidation.validate_created(new.metadata, namespaced=False, profile=profile)


def update(new: InternalCrd, old: InternalCrd, profile: Profile) -> list[FieldError]:
    """
    Return the errors of a CRD that replaces a stored one.

    Args:
        new: The new CRD with the status that the server sets.
        old: The stored CRD. Without conditions in its status, it counts as established unless its own declarations
            prevent that.
        profile: The Kubernetes version.

    Errors:
        Any type, in the server's order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate.
    """
    is_established = conditions.is_established(old, old.status, profile)
    strict = crdoptions.strict_options(new, is_established=is_established)
    # Requirements are only waived, so the faults of the stored CRD matter only if the new one has errors.
    return _update(new, old, strict, profile) and _update(
        new, old, crdupdate.options(new, old, profile, is_established=is_established), profile
    )


def _update(new: InternalCrd, old: InternalCrd, options: ValidationOptions, profile: Profile) -> list[FieldError]:
    errors = objectmetavalidation.validate_update(new.metadata, old.metadata, namespaced=False, profile=profile)
    errors += _spec(new, options, profile)
    errors += crdupdate.immutable(new, old, options, profile)
    errors += _status(new, profile)
    errors += _approval(new, old, profile)
    errors += _preserve_unknown_fields(new, old, profile)
    return errors


def update_status(new: InternalCrd, old: InternalCrd, profile: Profile) -> list[FieldError]:
    """
    Return the errors of a CRD with a new status, which replaces the stored status.

    Args:
        new: The stored CRD with its new metadata and status.
        old: The stored CRD.
        profile: The Kubernetes version.

    Errors:
        Invalid and Required, in the server's order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateUpdateCustomResourceDefinitionStatus.
    """
    errors = objectmetavalidation.validate_update(new.metadata, old.metadata, namespaced=False, profile=profile)
    return [*errors, *specfields.malformed(new.status.get("acceptedNames") or {}, _ACCEPTED_NAMES)]


def warnings(crd: InternalCrd, profile: Profile, old: InternalCrd | None = None) -> tuple[str, ...]:
    """
    Return the warnings with the answer to an accepted CRD, except those about unknown fields, which precede them.

    Args:
        crd: The CRD.
        profile: The Kubernetes version.
        old: On update, the stored CRD, whose warnings are not repeated.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go, WarningsOnCreate and WarningsOnUpdate.
    """
    old_warnings = set() if old is None else set(_set_warnings(old, profile))
    return (
        *deprecations(profile, is_v1beta1=crd.is_v1beta1),
        *stringformats.warnings(crd.nodes, profile, old=() if old is None else old.nodes),
        *(warning for warning in _set_warnings(crd, profile) if warning not in old_warnings),
    )


def deprecations(profile: Profile, *, is_v1beta1: bool) -> tuple[str, ...]:
    """Return the warnings about the API version of a CRD, which accompany every answer, including refusals."""
    return (_DEPRECATED,) if profile.serves_v1beta1 and is_v1beta1 else ()


def _naming(crd: InternalCrd) -> ObjectNaming:
    """Return the naming rule for a CRD, `<plural>.<group>`; the server also applies it to `generateName`."""
    expected_name = f"{crd.names.get('plural', '')}.{crd.spec.get('group', '')}"

    def check_name(text: str, problems: tuple[str, ...]) -> tuple[str, ...]:
        return problems if text == expected_name else (*problems, 'must be spec.names.plural+"."+spec.group')

    rule = NameRule(
        lambda text: check_name(text, names.dns1123_subdomain(text)),
        lambda text: check_name(text, names.dns1123_subdomain_prefix(text)),
    )
    return ObjectNaming(rule, namespaced=False)


def _spec(crd: InternalCrd, options: ValidationOptions, profile: Profile) -> list[FieldError]:
    """
    Return the errors of a CRD's spec.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionSpec.
    """
    spec = crd.spec
    errors = [*specfields.group(spec.get("group", ""), _GROUP)]
    errors += specfields.scope(spec.get("scope", ""), _SCOPE)
    errors += versionsfield.find_missing_schemas(crd, options, profile)
    has_defaults = options.allow_defaults and any(schema.has_defaults for schema in crd.schemas)
    if has_defaults and crd.preserves_unknown_fields:
        errors.append(_refused_to_preserve("must be false in order to use defaults in the schema"))
    if has_defaults or not crd.preserves_unknown_fields or subschemas.have_extensions(crd.nodes):
        options = options.with_structural_schema()
    errors += versionsfield.validate_each(crd, options, profile)
    errors += versionsfield.validate_together(crd, profile)
    errors += specfields.required(crd.names, _NAMES)
    errors += specfields.malformed(crd.names, _NAMES)
    errors += _above_all_versions(crd, options, profile)
    errors += _conversion_while_preserving(crd, profile)
    errors += specfields.validate_conversion(spec.get("conversion"), _CONVERSION, options, profile)
    return errors


def _above_all_versions(crd: InternalCrd, options: ValidationOptions, profile: Profile) -> list[FieldError]:
    """Return the errors of the fields that all versions share."""
    spec = crd.spec
    holders = (spec, *crd.versions)
    errors = wholeschema.validate(
        crd.schema_in(spec.get("validation")),
        _SCHEMA,
        options.for_version(spec.get("version", "")),
        has_status=any(internal.has_status(holder.get("subresources")) for holder in holders),
    )
    if (subresources := spec.get("subresources")) and "scale" in subresources:
        errors += pathfields.validate_scale(subresources, _SUBRESOURCES, profile)
    if columns := spec.get("additionalPrinterColumns"):
        errors += pathfields.validate_columns(columns, _COLUMNS)
    errors += versionsfield.validate_shared_selectable_fields(crd, options, profile)
    return errors


def _conversion_while_preserving(crd: InternalCrd, profile: Profile) -> Errors:
    strategy = (crd.spec.get("conversion") or {}).get("strategy", "")
    if strategy != "None" and crd.preserves_unknown_fields:
        path, detail = _CONVERSION.child("strategy"), "must be None if spec.preserveUnknownFields is true"
        yield badvalues.invalid_of_type(path, strategy, gotypes.STRING, detail, profile)


def _status(crd: InternalCrd, profile: Profile) -> Errors:
    """
    Yield the errors of the status that the server sets.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionStoredVersions.
    """
    yield from specfields.malformed(crd.status.get("acceptedNames") or {}, _ACCEPTED_NAMES)
    stored = crd.status.get("storedVersions")
    if not stored:
        detail = "must have at least one stored version"
        yield badvalues.invalid_of_type(_STORED_VERSIONS, None, internaltypes.STRINGS, detail, profile)
        return
    unlisted = {name: index for index, name in enumerate(stored)}
    for version in crd.versions:
        name = version.get("name", "")
        if version.get("storage") and name not in unlisted:
            detail = f"must have the storage version {name}"
            if profile.prints_stored_versions:
                yield badvalues.invalid_of_type(_STORED_VERSIONS, stored, internaltypes.STRINGS, detail, profile)
            else:
                yield badvalues.invalid_of_type(
                    _STORED_VERSIONS, version, internaltypes.version(profile), detail, profile
                )
        unlisted.pop(name, None)
    for name, index in unlisted.items():
        yield fielderror.invalid(_STORED_VERSIONS.index(index), name, _not_listed(name, profile))


def _not_listed(name: str, profile: Profile) -> str:
    if not profile.explains_stored_versions:
        return "must appear in spec.versions"
    return (
        f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a "
        f"storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
    )


def _approval(crd: InternalCrd, old: InternalCrd | None, profile: Profile) -> Errors:
    group = crd.spec.get("group", "")
    if not crd.is_v1beta1 and group.endswith(_PROTECTED):  # most groups need no approval
        old_metadata = None if old is None else old.metadata
        yield from apiapproval.validate(group, crd.metadata, old_metadata, profile)


def _preserve_unknown_fields(crd: InternalCrd, old: InternalCrd | None, profile: Profile) -> Errors:
    """
    Yield an error if `preserveUnknownFields` is true and was not true before.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validatePreserveUnknownFields.
    """
    if crd.is_v1beta1 or (old is not None and old.preserves_unknown_fields) or not crd.preserves_unknown_fields:
        return
    extension = "x-kubernetes-preserve-unknown-fields"
    if not profile.names_preserve_in_full:
        extension = "x-preserve-unknown-fields"
    detail = f"cannot set to true, set {extension} to true in spec.versions[*].schema instead"
    yield _refused_to_preserve(detail)


def _refused_to_preserve(detail: str) -> FieldError:
    bad_value = True
    return fielderror.invalid(_PRESERVE, bad_value, detail)


def _set_warnings(crd: InternalCrd, profile: Profile) -> list[str]:
    if not profile.warns_about_sets:
        return []
    types = {
        node["items"].get("type")
        for node in crd.nodes
        if "x-kubernetes-list-type" in node
        and node["x-kubernetes-list-type"] == "set"
        and isinstance(node.get("items"), Mapping)
    }
    return [
        f"x-kubernetes-list-type: set for items of type {quote(type_)} is not supported by server-side apply or CEL "
        "validation rules"
        for type_ in ("array", "object")
        if type_ in types
    ]

"""
Validation of a CustomResourceDefinition that is created or updated: every rule, in the server's order.

The order is written here; each rule stands in a module of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_crd.engine.crds import apiapproval, conditions, internal, internaltypes
from pytest_crd.engine.crds.internal import SPEC, InternalCrd
from pytest_crd.engine.crds.validation import conversionfield, printercolumns, scalefield, versionsfield
from pytest_crd.engine.crds.validation import namesfield as crdnames
from pytest_crd.engine.crds.validation import update as crdupdate
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

_METADATA: Final = FieldPath(("metadata",))
_STORED_VERSIONS: Final = FieldPath(("status", "storedVersions"))
_ACCEPTED_NAMES: Final = FieldPath(("status", "acceptedNames"))
_GROUP: Final = SPEC.child("group")
_SCOPE: Final = SPEC.child("scope")
_NAMES: Final = SPEC.child("names")
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
    Return what is wrong with a CRD that is created.

    Args:
        new: The CRD with the status that the server gives it.
        profile: The Kubernetes version.

    Errors:
        Any type, in the server's order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinition.
    """
    errors = objectmetarules.validate(new.metadata, _METADATA, _naming(new), profile)
    errors += _spec(new, crdupdate.create_options(new), profile)
    errors += _status(new, profile)
    errors += _approval(new, None, profile)
    errors += _preserve_unknown_fields(new, None, profile)
    return errors or objectmetavalidation.validate_created(new.metadata, namespaced=False, profile=profile)


def update(new: InternalCrd, old: InternalCrd, profile: Profile) -> list[FieldError]:
    """
    Return what is wrong with a CRD that replaces a stored one.

    Args:
        new: The new CRD with the status that the server gives it.
        old: The stored one. Where its status has no conditions, it is taken for served unless it itself
            says why not.
        profile: The Kubernetes version.

    Errors:
        Any type, in the server's order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate.
    """
    is_established = conditions.is_established(old, old.status, profile)
    options = crdupdate.options(new, old, profile, is_established=is_established)
    errors = objectmetavalidation.validate_update(new.metadata, old.metadata, namespaced=False, profile=profile)
    errors += _spec(new, options, profile)
    errors += crdupdate.immutable(new, old, options, profile)
    errors += _status(new, profile)
    errors += _approval(new, old, profile)
    errors += _preserve_unknown_fields(new, old, profile)
    return errors


def update_status(new: InternalCrd, old: InternalCrd, profile: Profile) -> list[FieldError]:
    """
    Return what is wrong with a CRD whose status replaces that of a stored one.

    Args:
        new: The stored CRD with its new metadata and status.
        old: The stored one.
        profile: The Kubernetes version.

    Errors:
        Invalid and Required, in the server's order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateUpdateCustomResourceDefinitionStatus.
    """
    errors = objectmetavalidation.validate_update(new.metadata, old.metadata, namespaced=False, profile=profile)
    return [*errors, *crdnames.malformed(new.status.get("acceptedNames") or {}, _ACCEPTED_NAMES)]


def warnings(crd: InternalCrd, profile: Profile, old: InternalCrd | None = None) -> tuple[str, ...]:
    """
    Return the warnings that accompany the answer to a CRD that is accepted; those about unknown fields come before them.

    Args:
        crd: The CRD.
        profile: The Kubernetes version.
        old: On update, the stored one, of which nobody is warned again.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go, WarningsOnCreate and WarningsOnUpdate.
    """
    known = set() if old is None else set(_set_warnings(old, profile))
    return (
        *deprecations(profile, is_v1beta1=crd.is_v1beta1),
        *stringformats.warnings(crd.nodes, profile, old=() if old is None else old.nodes),
        *(warning for warning in _set_warnings(crd, profile) if warning not in known),
    )


def deprecations(profile: Profile, *, is_v1beta1: bool) -> tuple[str, ...]:
    """Return the warnings about the API version of a CRD, which accompany every answer, also a refusal."""
    return (_DEPRECATED,) if profile.serves_v1beta1 and is_v1beta1 else ()


def _naming(crd: InternalCrd) -> ObjectNaming:
    """Return the rule that a CRD is called after its resource; the server asks it of a prefix too."""
    demanded = f"{crd.names.get('plural', '')}.{crd.spec.get('group', '')}"

    def with_demand(text: str, problems: tuple[str, ...]) -> tuple[str, ...]:
        return problems if text == demanded else (*problems, 'must be spec.names.plural+"."+spec.group')

    rule = NameRule(
        lambda text: with_demand(text, names.dns1123_subdomain(text)),
        lambda text: with_demand(text, names.dns1123_subdomain_prefix(text)),
    )
    return ObjectNaming(rule, namespaced=False)


def _spec(crd: InternalCrd, options: ValidationOptions, profile: Profile) -> list[FieldError]:
    """
    Return what is wrong with a CRD's spec.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionSpec.
    """
    spec = crd.spec
    errors = [*crdnames.group(spec.get("group", ""), _GROUP)]
    errors += crdnames.scope(spec.get("scope", ""), _SCOPE)
    errors += versionsfield.without_schema(crd, options, profile)
    has_defaults = options.allow_defaults and any(schema.has_defaults for schema in crd.schemas)
    if has_defaults and crd.preserves_unknown_fields:
        errors.append(_refused_to_preserve("must be false in order to use defaults in the schema"))
    if has_defaults or not crd.preserves_unknown_fields or subschemas.have_extensions(crd.nodes):
        options = options.with_structural_schema()
    errors += versionsfield.each(crd, options, profile)
    errors += versionsfield.together(crd, profile)
    errors += crdnames.required(crd.names, _NAMES)
    errors += crdnames.malformed(crd.names, _NAMES)
    errors += _above_all_versions(crd, options, profile)
    errors += _conversion_while_preserving(crd, profile)
    errors += conversionfield.find(spec.get("conversion"), _CONVERSION, options, profile)
    return errors


def _above_all_versions(crd: InternalCrd, options: ValidationOptions, profile: Profile) -> list[FieldError]:
    """Return what is wrong with what all versions share."""
    spec = crd.spec
    holders = (spec, *crd.versions)
    errors = wholeschema.validate(
        crd.schema_in(spec.get("validation")),
        _SCHEMA,
        options.for_version(spec.get("version", "")),
        has_status=any(internal.has_status(holder.get("subresources")) for holder in holders),
    )
    errors += scalefield.find(spec.get("subresources"), _SUBRESOURCES, profile)
    columns = spec.get("additionalPrinterColumns")
    errors += printercolumns.find(columns, _COLUMNS)
    errors += versionsfield.shared_selectable_fields(crd, options, profile)
    return errors


def _conversion_while_preserving(crd: InternalCrd, profile: Profile) -> Errors:
    strategy = (crd.spec.get("conversion") or {}).get("strategy", "")
    if strategy != "None" and crd.preserves_unknown_fields:
        path, detail = _CONVERSION.child("strategy"), "must be None if spec.preserveUnknownFields is true"
        yield badvalues.invalid_of_type(path, strategy, gotypes.STRING, detail, profile)


def _status(crd: InternalCrd, profile: Profile) -> Errors:
    """
    Yield what is wrong with the status that the server has given to a CRD.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionStoredVersions.
    """
    yield from crdnames.malformed(crd.status.get("acceptedNames") or {}, _ACCEPTED_NAMES)
    stored = crd.status.get("storedVersions")
    if not stored:
        detail = "must have at least one stored version"
        yield badvalues.invalid_of_type(_STORED_VERSIONS, None, internaltypes.STRINGS, detail, profile)
        return
    left = {name: index for index, name in enumerate(stored)}
    for version in crd.versions:
        name = version.get("name", "")
        if version.get("storage") and name not in left:
            detail = f"must have the storage version {name}"
            if profile.prints_stored_versions:
                yield badvalues.invalid_of_type(_STORED_VERSIONS, stored, internaltypes.STRINGS, detail, profile)
            else:
                yield badvalues.invalid_of_type(
                    _STORED_VERSIONS, version, internaltypes.version(profile), detail, profile
                )
        left.pop(name, None)
    for name, index in left.items():
        yield fielderror.invalid(_STORED_VERSIONS.index(index), name, _not_listed(name, profile))


def _not_listed(name: str, profile: Profile) -> str:
    if not profile.explains_stored_versions:
        return "must appear in spec.versions"
    return (
        f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a "
        f"storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
    )


def _approval(crd: InternalCrd, old: InternalCrd | None, profile: Profile) -> Errors:
    if not crd.is_v1beta1:
        old_metadata = None if old is None else old.metadata
        yield from apiapproval.validate(crd.spec.get("group", ""), crd.metadata, old_metadata, profile)


def _preserve_unknown_fields(crd: InternalCrd, old: InternalCrd | None, profile: Profile) -> Errors:
    """
    Yield that unknown fields may not be kept without a word in the schema, unless they were already.

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
    refused = True
    return fielderror.invalid(_PRESERVE, refused, detail)


def _set_warnings(crd: InternalCrd, profile: Profile) -> list[str]:
    if not profile.warns_about_sets:
        return []
    types = {
        node["items"].get("type")
        for node in crd.nodes
        if node.get("x-kubernetes-list-type") == "set" and isinstance(node.get("items"), Mapping)
    }
    return [
        f"x-kubernetes-list-type: set for items of type {quote(type_)} is not supported by server-side apply or CEL "
        "validation rules"
        for type_ in ("array", "object")
        if type_ in types
    ]

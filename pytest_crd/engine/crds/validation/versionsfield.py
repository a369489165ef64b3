"""
Validation of `versions` of a CustomResourceDefinition, each alone and all together.

Schemas, subresources, columns and selectable fields have modules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine.crds import internal, internaltypes
from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.engine.crds.validation import specfields
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.crds.validation.schemas import wholeschema
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import Errors
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.profile import Profile

if TYPE_CHECKING:
    from pytest_crd.engine.crds.internalspec import InternalSubresources, InternalVersion, Spec
    from pytest_crd.engine.crds.validation import pathfields, selectablefields
else:
    pathfields = lazyimport.module("pytest_crd.engine.crds.validation.pathfields")
    selectablefields = lazyimport.module("pytest_crd.engine.crds.validation.selectablefields")

_VERSIONS: Final = internal.SPEC.child("versions")
_PRINTABLE: Final = "must only contain printable UTF-8 characters; non-printable character found at index"
# The shared field of the spec, the field of a version, and its name in the message.
_EXCLUSIVE: Final[dict[str, tuple[internal.Exclusive, str]]] = {
    "validation": ("schema", "schemas"),
    "subresources": ("subresources", "subresources"),
    "additionalPrinterColumns": ("additionalPrinterColumns", "additionalPrinterColumns"),
}


def find_missing_schemas(crd: InternalCrd, options: ValidationOptions, profile: Profile) -> Errors:
    """
    Yield an error for each version without a schema that needs one.

    Errors:
        Required.
    """
    if crd.schema_in(crd.spec.get("validation")) is not None:
        return
    if not options.require_openapi_schema and crd.preserves_unknown_fields:
        return
    detail = "schemas are required" if profile.repeats_required_fields else ""
    if not options.require_openapi_schema:
        detail = "because otherwise all fields are pruned"
    for index, version in enumerate(crd.versions):
        needs_schema = options.require_openapi_schema or version.get("served")
        if needs_schema and crd.schema_in(version.get("schema")) is None:
            yield fielderror.required(_VERSIONS.index(index).child("schema", "openAPIV3Schema"), detail)


def validate_each(crd: InternalCrd, options: ValidationOptions, profile: Profile) -> Errors:
    """
    Yield the errors of each version, in order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionVersion.
    """
    for index, version in enumerate(crd.versions):
        path = _VERSIONS.index(index)
        name = version.get("name", "")
        yield from specfields.label(name, path.child("name"))
        yield from _deprecation_warning(version, path, profile)
        yield from wholeschema.validate(
            crd.schema_in(version.get("schema")),
            path.child("schema", "openAPIV3Schema"),
            options.for_version(name),
            has_status=internal.has_status(_subresources(crd, name)),
        )
        if (subresources := version.get("subresources")) and "scale" in subresources:
            yield from pathfields.validate_scale(subresources, path.child("subresources"), profile)
        if columns := version.get("additionalPrinterColumns"):
            yield from pathfields.validate_columns(columns, path.child("additionalPrinterColumns"))
        yield from _selectable_fields(crd, version, path, options, profile)


def validate_together(crd: InternalCrd, profile: Profile) -> Errors:
    """
    Yield the errors of the versions as a whole.

    Errors:
        Forbidden and Invalid. Only a v1beta1 CRD can declare a field both for all versions and in a version.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionSpec.
    """
    problems: list[str] = []
    for above, (field, printed_name) in _EXCLUSIVE.items() if crd.is_v1beta1 else ():
        if _is_set(crd.spec, above) and any(_is_set(version, field) for version in crd.versions):
            detail = f"top-level and per-version {printed_name} are mutually exclusive"
            yield fielderror.forbidden(internal.SPEC.child(above), detail)
        if internal.is_shared(crd, field, profile):
            should = f"top-level {above} should be used instead"
            problems.append(f"per-version {printed_name} may not all be set to identical values ({should})")
    names = [version.get("name", "") for version in crd.versions]
    if len(set(names)) != len(names):
        problems.append("must contain unique version names")
    if sum(bool(version.get("storage")) for version in crd.versions) != 1:
        problems.append("must have exactly one version marked as storage version")
    for problem in problems:
        kind = internaltypes.versions(profile)
        yield badvalues.invalid_of_type(_VERSIONS, crd.spec.get("versions"), kind, problem, profile)
    yield from _version(crd, names)


def _version(crd: InternalCrd, names: list[str]) -> Errors:
    """Yield the errors of `spec.version`, which only v1beta1 has."""
    name = crd.spec.get("version")
    if not name:
        return
    path = internal.SPEC.child("version")
    yield from specfields.label(name, path)
    if names and names[0] != name:
        yield fielderror.invalid(path, name, "must match the first version in spec.versions")


def _deprecation_warning(version: InternalVersion, path: FieldPath, profile: Profile) -> Errors:
    """
    Yield the errors of the deprecation warning of a version.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateDeprecationWarning.
    """
    text = version.get("deprecationWarning")
    if text is None:
        return
    for problem in _problems(text, is_deprecated=bool(version.get("deprecated"))):
        warning_path = path.child("deprecationWarning")
        yield badvalues.invalid_of_type(warning_path, text, internaltypes.STRING_POINTER, problem, profile)


def _problems(text: str, *, is_deprecated: bool) -> Iterator[str]:
    if not is_deprecated:
        yield "can only be set for deprecated versions"
        return
    if len(text.encode()) > 256:
        yield "must be <= 256 characters long"
    if not text:
        yield "must not be an empty string"
    for index, char in enumerate(text):
        if not printing.is_printable(char):
            yield f"{_PRINTABLE} {len(text[:index].encode())}"
            return


def _subresources(crd: InternalCrd, name: str) -> InternalSubresources | None:
    """Return the subresources of the version *name*: its own if any version declares some, else the shared ones."""
    if all(version.get("subresources") is None for version in crd.versions):
        return crd.spec.get("subresources")
    return next(version.get("subresources") for version in crd.versions if version.get("name", "") == name)


def _selectable_fields(
    crd: InternalCrd, version: InternalVersion, path: FieldPath, options: ValidationOptions, profile: Profile
) -> Errors:
    fields = version.get("selectableFields")
    if not fields:
        return
    fields_path = path.child("selectableFields")
    schema = crd.schema_in(version.get("schema"))
    if schema is None:
        yield fielderror.invalid(fields_path, "", _without("`version.schema.openAPIV3Schema` is not included", profile))
        return
    allowed = version.get("name", "") in options.too_many_selectable_fields
    yield from selectablefields.validate(fields, schema, fields_path, allow_too_many=allowed)


def validate_shared_selectable_fields(crd: InternalCrd, options: ValidationOptions, profile: Profile) -> Errors:
    """
    Yield the errors of the selectable fields that all versions share.

    Errors:
        As `selectablefields.validate`, or Invalid if the versions share no schema.
    """
    fields = crd.spec.get("selectableFields")
    if not fields:
        return
    path = internal.SPEC.child("selectableFields")
    validation = crd.spec.get("validation")
    if validation is None:
        yield fielderror.invalid(path, "", _without("validations.schema is included", profile))
        return
    allowed = "" in options.too_many_selectable_fields
    yield from selectablefields.validate(fields, crd.schema_in(validation), path, allow_too_many=allowed)


def _without(condition: str, profile: Profile) -> str:
    if profile.repeats_required_fields:
        return f"selectableFields may only be set when {condition.replace('`', '')}"
    return f"may only be set when {condition}"


def _is_set(holder: Spec | InternalVersion, field: str) -> bool:
    value = holder.get(field)
    return bool(value) if field == "additionalPrinterColumns" else value is not None

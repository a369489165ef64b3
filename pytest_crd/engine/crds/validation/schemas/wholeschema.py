"""
Validation of one schema of a CRD on create and update: every rule, in the server's order.

This module has the order; each rule has its own module.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.crds import internaltypes
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.crds.validation.schemas import defaults, schemakeywords
from pytest_crd.engine.crds.validation.schemas.expressions import NO_RULES, CostScope
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import nonstructural
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.engine.schema.structural import UnsupportedConstructError
from pytest_crd.engine.schema.subschemas import Schema

# The keywords that the root may have if the status subresource is enabled, with Go's names in the order of the message.
_WITH_STATUS: Final = {
    "description": "Description",
    "type": "Type",
    "format": "Format",
    "title": "Title",
    "maximum": "Maximum",
    "exclusiveMaximum": "ExclusiveMaximum",
    "minimum": "Minimum",
    "exclusiveMinimum": "ExclusiveMinimum",
    "maxLength": "MaxLength",
    "minLength": "MinLength",
    "pattern": "Pattern",
    "maxItems": "MaxItems",
    "minItems": "MinItems",
    "uniqueItems": "UniqueItems",
    "multipleOf": "MultipleOf",
    "required": "Required",
    "items": "Items",
    "properties": "Properties",
    "externalDocs": "ExternalDocs",
    "example": "Example",
    "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
    "x-kubernetes-validations": "XValidations",
}


def validate(
    declared: OpenAPISchema | None, path: FieldPath, options: ValidationOptions, *, has_status: bool
) -> list[FieldError]:
    """
    Return the errors of the schema of one version, or of all versions.

    Args:
        declared: The schema; None if there is none.
        path: The path of the schema in the CRD, as errors spell it.
        options: The options of the validation.
        has_status: Whether the status subresource is enabled for the schema.

    Errors:
        Required, Invalid, NotSupported and Forbidden, in the server's order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionValidation.
    """
    conditions = options, has_status
    if declared is None or conditions in declared.accepted:
        return []
    errors = _find_errors(declared, path, options, has_status=has_status)
    if not errors:
        declared.accepted.add(conditions)
    return errors


def _find_errors(
    declared: OpenAPISchema, path: FieldPath, options: ValidationOptions, *, has_status: bool
) -> list[FieldError]:
    schema, profile = declared.value, declared.profile
    errors = [*_root(schema, path, profile)] if has_status else []
    if schema.get("nullable"):
        errors.append(fielderror.forbidden(path.child("nullable"), "nullable cannot be true at the root"))
    structure: list[FieldError] = []
    compiled = NO_RULES
    unsupported = ""
    if options.require_structural_schema:
        try:
            structure = _structure(declared, path, options)
            compiled = NO_RULES if structure else _rules(declared, options)
        except UnsupportedConstructError as error:
            unsupported = str(error)
    keywords = schemakeywords.validate(schema, path, options, profile=profile, rules=compiled)
    errors += structure + keywords if profile.checks_structure_first else keywords + structure
    if unsupported and not errors:
        # Nearly always an error about a keyword is more specific.
        errors.append(fielderror.invalid(path, "", unsupported))
    return errors


def _structure(declared: OpenAPISchema, path: FieldPath, options: ValidationOptions) -> list[FieldError]:
    """Return the errors of the structure; without any, the errors of the defaults."""
    errors = [*nonstructural.find_violations(declared.structural, path, declared.profile)]
    if not errors:
        declared.accepted.add(nonstructural.find_violations)
    return errors or defaults.validate(declared, path, require_pruned=options.require_pruned_defaults)


def _rules(declared: OpenAPISchema, options: ValidationOptions) -> CostScope:
    """Return the scope of the rules to compile; rules that are not in the old CRD use the environment of new rules."""
    if not declared.has_rules:
        return NO_RULES
    from pytest_crd.engine.rules import environments, tree  # noqa: PLC0415 - only rules need CEL

    profile = declared.profile
    new, stored = environments.new(profile), environments.stored(profile)
    root = tree.build(
        declared.structural,
        profile,
        lambda text: stored if text in options.preexisting_rules else new,
        lambda text: stored if text in options.preexisting_message_expressions else new,
        is_resource=True,
        looks_everywhere=True,
    )
    return CostScope(root)


def _root(schema: Schema, path: FieldPath, profile: Profile) -> Iterator[FieldError]:
    """Yield the first error that prevents extracting the schema of `status` from the root."""
    kind = internaltypes.schema(profile)
    for keyword, field in kind.fields.items():
        value = schema.get(keyword)
        if value is None or value == field.zero:
            continue  # an empty list is not a zero value in Go
        if keyword == "type" and value != "object":
            detail = (
                'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
            )
            yield fielderror.invalid(path.child("type"), value, detail)
            return
        if keyword not in _WITH_STATUS:
            names = " ".join(name for keyword, name in _WITH_STATUS.items() if keyword in kind.fields)
            detail = f"only [{names}] fields are allowed at the root of the schema if the status subresource is enabled"
            yield badvalues.invalid_of_type(path, schema, kind, detail, profile)
            return

"""
Internal Go types of CustomResourceDefinitions, to which both API versions are converted before validation.

Only data: error messages print values of these types, and versions are compared by them.
"""

from __future__ import annotations

import functools
from typing import Final, TypeAlias

from pytest_crd.engine.golang import gotypes
from pytest_crd.engine.golang.gotypes import (
    BOOL,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    List,
    Map,
    Pointer,
    Raw,
    Struct,
    StructReference,
    Union,
)
from pytest_crd.engine.profile import Profile

_Fields: TypeAlias = dict[str, gotypes.GoType]

STRINGS: Final = List(STRING)
STRING_POINTER: Final = Pointer(STRING)

_PRINTER_COLUMN: Final = Struct(
    "apiextensions.CustomResourceColumnDefinition",
    {
        "name": STRING,
        "type": STRING,
        "format": STRING,
        "description": STRING,
        "priority": INT32,
        "jsonPath": STRING,
    },
)
_SELECTABLE_FIELD: Final = Struct("apiextensions.SelectableField", {"jsonPath": STRING})
_SCALE: Final = Struct(
    "apiextensions.CustomResourceSubresourceScale",
    {"specReplicasPath": STRING, "statusReplicasPath": STRING, "labelSelectorPath": STRING_POINTER},
)
PRINTER_COLUMNS: Final = List(_PRINTER_COLUMN)
SELECTABLE_FIELDS: Final = List(_SELECTABLE_FIELD)
SUBRESOURCES: Final = Pointer(
    Struct(
        "apiextensions.CustomResourceSubresources",
        {"status": Pointer(Struct("apiextensions.CustomResourceSubresourceStatus", {})), "scale": Pointer(_SCALE)},
    )
)
RULE: Final = Struct(
    "apiextensions.ValidationRule",
    {
        "rule": STRING,
        "message": STRING,
        "messageExpression": STRING,
        "reason": Pointer(gotypes.string("apiextensions.FieldValueErrorReason")),
        "fieldPath": STRING,
        "optionalOldSelf": Pointer(BOOL),
    },
)


@functools.cache
def versions(profile: Profile) -> List:
    """
    Return the type of `spec.versions`.

    Reference:
        apiextensions-apiserver apis/apiextensions/types.go, CustomResourceDefinitionVersion.
    """
    return List(version(profile))


@functools.cache
def version(profile: Profile) -> Struct:
    """Return the type of the entries of `spec.versions`."""
    fields: _Fields = {
        "name": STRING,
        "served": BOOL,
        "storage": BOOL,
        "deprecated": BOOL,
        "deprecationWarning": STRING_POINTER,
        "schema": validation(profile),
        "subresources": SUBRESOURCES,
        "additionalPrinterColumns": PRINTER_COLUMNS,
    }
    if profile.selectable_fields:
        fields["selectableFields"] = SELECTABLE_FIELDS
    return Struct("apiextensions.CustomResourceDefinitionVersion", fields)


@functools.cache
def validation(profile: Profile) -> Pointer:
    """Return the type of `spec.validation`, and of a version's `schema`."""
    fields = {"openAPIV3Schema": Pointer(schema(profile))}
    return Pointer(Struct("apiextensions.CustomResourceValidation", fields))


@functools.cache
def schema(profile: Profile) -> Struct:
    """
    Return the type of `openAPIV3Schema`, with its fields in Go's order.

    Reference:
        apiextensions-apiserver apis/apiextensions/types_jsonschema.go, JSONSchemaProps.
    """
    json = Raw("apiextensions.JSON")
    docs = Struct("apiextensions.ExternalDocumentation", {"description": STRING, "url": STRING})
    fields: _Fields = {
        **_keywords(json),
        **_nested(StructReference(functools.partial(schema, profile))),
        "externalDocs": Pointer(docs),
        "example": Pointer(json),
        **_extensions(profile),
    }
    return Struct("apiextensions.JSONSchemaProps", fields)


def _keywords(json: gotypes.GoType) -> _Fields:
    """Return the keywords without nested schemas."""
    number, size = Pointer(FLOAT64), Pointer(INT64)
    return {
        "id": STRING,
        "$schema": gotypes.string("apiextensions.JSONSchemaURL"),
        "$ref": STRING_POINTER,
        **dict.fromkeys(("description", "type"), STRING),
        "nullable": BOOL,
        **dict.fromkeys(("format", "title"), STRING),
        "default": Pointer(json),
        "maximum": number,
        "exclusiveMaximum": BOOL,
        "minimum": number,
        "exclusiveMinimum": BOOL,
        **dict.fromkeys(("maxLength", "minLength"), size),
        "pattern": STRING,
        **dict.fromkeys(("maxItems", "minItems"), size),
        "uniqueItems": BOOL,
        "multipleOf": number,
        "enum": List(json),
        **dict.fromkeys(("maxProperties", "minProperties"), size),
        "required": STRINGS,
    }


def _nested(this: gotypes.GoType) -> _Fields:
    """Return the keywords with nested schemas."""
    or_bool = Union("apiextensions.JSONSchemaPropsOrBool", this, bools=True)
    or_array = Union("apiextensions.JSONSchemaPropsOrArray", this, array=List(this))
    or_strings = Union("apiextensions.JSONSchemaPropsOrStringArray", this, array=STRINGS)
    return {
        "items": Pointer(or_array),
        **dict.fromkeys(("allOf", "oneOf", "anyOf"), List(this)),
        "not": Pointer(this),
        "properties": Map(this),
        "additionalProperties": Pointer(or_bool),
        "patternProperties": Map(this),
        "dependencies": Map(or_strings, "apiextensions.JSONSchemaDependencies"),
        "additionalItems": Pointer(or_bool),
        "definitions": Map(this, "apiextensions.JSONSchemaDefinitions"),
    }


def _extensions(profile: Profile) -> _Fields:
    extensions: _Fields = {
        "x-kubernetes-preserve-unknown-fields": Pointer(BOOL),
        "x-kubernetes-embedded-resource": BOOL,
        "x-kubernetes-int-or-string": BOOL,
        "x-kubernetes-list-map-keys": STRINGS,
        "x-kubernetes-list-type": STRING_POINTER,
        "x-kubernetes-map-type": STRING_POINTER,
    }
    if profile.validation_rules:
        extensions["x-kubernetes-validations"] = List(RULE, "apiextensions.ValidationRules")
    return extensions

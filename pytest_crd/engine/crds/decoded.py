"""
Go types of CustomResourceDefinitions of apiextensions v1 and v1beta1, and decoding of manifests into them.

Decoding decides which parts of a manifest the server sees. The result is not validated here.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.engine.golang import decoding, gotypes
from pytest_crd.engine.golang.gotypes import (
    BOOL,
    BYTES,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    TIME,
    List,
    Map,
    Pointer,
    Raw,
    Struct,
    StructReference,
    Union,
)
from pytest_crd.engine.metadata import metav1types, typemeta

GROUP: Final = "apiextensions.k8s.io"
_Fields: TypeAlias = dict[str, gotypes.GoType]


def decode_crd(manifest: Mapping[str, Any], *, sort_keys: bool = True, whole_paths: bool = True) -> decoding.Decoded:
    """
    Return a CustomResourceDefinition as the server holds it after decoding *manifest*.

    Args:
        manifest: The whole object as JSON; not modified. Decoded as v1beta1 if its apiVersion says so, else as v1.
        sort_keys: False if the manifest is sent as JSON with its keys in their own order.
        whole_paths: Whether errors below `items`, `additionalProperties` and similar keywords have the whole path.

    Returns:
        The manifest in its own JSON shape without unknown fields and nulls: empty values stay, absent ones stay absent,
        and `metadata` is written as ObjectMeta, except that empty managed fields stay. A value of `items` that is
        neither schema nor list becomes `[]`, which has the same meaning. Unknown fields are spelled as in the server's
        warnings; those below `items`, `additionalProperties`, `additionalItems` and `dependencies` are dropped without
        report, as on the server.

    Raises:
        DecodeError: A value does not fit its type; the message is that of the server's 400.

    Reference:
        apiextensions-apiserver pkg/apis/apiextensions/v1 and v1beta1: types.go, types_jsonschema.go, marshal.go. The
        messages are those of a 1.37 server; a 1.21 server decodes with another library and has other messages.
    """
    ordered = dict(sorted(manifest.items())) if sort_keys else manifest
    if problem := typemeta.problem_of_variants(ordered, kind="CustomResourceDefinition"):
        raise decoding.DecodeError(problem)
    version = "v1beta1" if manifest.get("apiVersion") == f"{GROUP}/v1beta1" else "v1"
    value = manifest if type(manifest) is dict else dict(manifest)
    decoded = decoding.decode(value, custom_resource_definition(version), sort_keys=sort_keys, whole_paths=whole_paths)
    metadata = manifest.get("metadata")
    if isinstance(metadata, dict) and metadata.get("managedFields") == []:
        # Go distinguishes an empty list from a missing one: an empty one clears the managed fields.
        decoded = decoded._replace(
            value={**decoded.value, "metadata": {**decoded.value["metadata"], "managedFields": []}}
        )
    return decoded


# The fields of JSONSchemaProps in the order of the Go type, in which messages about patches show them.
_SCHEMA_FIELDS: Final = (
    *("id", "$schema", "$ref", "description", "type", "format", "title", "default"),
    *("maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern"),
    *("maxItems", "minItems", "uniqueItems", "multipleOf", "enum", "maxProperties", "minProperties", "required"),
    *("items", "allOf", "oneOf", "anyOf", "not", "properties", "additionalProperties", "patternProperties"),
    *("dependencies", "additionalItems", "definitions", "externalDocs", "example", "nullable"),
)


@functools.cache
def custom_resource_definition(version: str) -> Struct:
    """
    Return the type CustomResourceDefinition of API version *version*, `v1` or `v1beta1`.

    Reference:
        pkg/apis/apiextensions/v1/types.go and v1beta1/types.go, CustomResourceDefinition.
    """
    spec = _spec_v1beta1() if version == "v1beta1" else _spec_v1()
    fields: _Fields = {"metadata": metav1types.OBJECT_META, "spec": spec, "status": _status(version)}
    return Struct(f"{version}.CustomResourceDefinition", {**metav1types.TYPE_META, **fields})


def _spec_v1() -> Struct:
    webhook = Struct(
        "v1.WebhookConversion",
        {"clientConfig": Pointer(_client_config("v1")), "conversionReviewVersions": List(STRING)},
    )
    conversion: _Fields = {"strategy": gotypes.string("v1.ConversionStrategyType"), "webhook": Pointer(webhook)}
    return Struct(
        "v1.CustomResourceDefinitionSpec",
        {
            "group": STRING,
            "names": _names("v1"),
            "scope": gotypes.string("v1.ResourceScope"),
            "versions": List(_version("v1")),
            "conversion": Pointer(Struct("v1.CustomResourceConversion", conversion)),
            "preserveUnknownFields": BOOL,
        },
    )


def _spec_v1beta1() -> Struct:
    conversion: _Fields = {
        "strategy": gotypes.string("v1beta1.ConversionStrategyType"),
        "webhookClientConfig": Pointer(_client_config("v1beta1")),
        "conversionReviewVersions": List(STRING),
    }
    return Struct(
        "v1beta1.CustomResourceDefinitionSpec",
        {
            "group": STRING,
            "version": STRING,
            "names": _names("v1beta1"),
            "scope": gotypes.string("v1beta1.ResourceScope"),
            "validation": Pointer(_validation("v1beta1")),
            "subresources": Pointer(_subresources("v1beta1")),
            "versions": List(_version("v1beta1")),
            "additionalPrinterColumns": List(_column("v1beta1")),
            "selectableFields": List(_selectable_field("v1beta1")),
            "conversion": Pointer(Struct("v1beta1.CustomResourceConversion", conversion)),
            "preserveUnknownFields": Pointer(BOOL),
        },
    )


def _version(package: str) -> Struct:
    return Struct(
        f"{package}.CustomResourceDefinitionVersion",
        {
            "name": STRING,
            "served": BOOL,
            "storage": BOOL,
            "deprecated": BOOL,
            "deprecationWarning": Pointer(STRING),
            "schema": Pointer(_validation(package)),
            "subresources": Pointer(_subresources(package)),
            "additionalPrinterColumns": List(_column(package)),
            "selectableFields": List(_selectable_field(package)),
        },
    )


def _client_config(package: str) -> Struct:
    service: _Fields = {"namespace": STRING, "name": STRING, "path": Pointer(STRING), "port": Pointer(INT32)}
    return Struct(
        f"{package}.WebhookClientConfig",
        {
            "url": Pointer(STRING),
            "service": Pointer(Struct(f"{package}.ServiceReference", service)),
            "caBundle": BYTES,
        },
    )


def _names(package: str) -> Struct:
    return Struct(
        f"{package}.CustomResourceDefinitionNames",
        {
            "plural": STRING,
            "singular": STRING,
            "shortNames": List(STRING),
            "kind": STRING,
            "listKind": STRING,
            "categories": List(STRING),
        },
    )


def _validation(package: str) -> Struct:
    return Struct(f"{package}.CustomResourceValidation", {"openAPIV3Schema": Pointer(json_schema_props(package))})


def _subresources(package: str) -> Struct:
    scale: _Fields = {"specReplicasPath": STRING, "statusReplicasPath": STRING, "labelSelectorPath": Pointer(STRING)}
    return Struct(
        f"{package}.CustomResourceSubresources",
        {
            "status": Pointer(Struct(f"{package}.CustomResourceSubresourceStatus", {})),
            "scale": Pointer(Struct(f"{package}.CustomResourceSubresourceScale", scale)),
        },
    )


def _column(package: str) -> Struct:
    return Struct(
        f"{package}.CustomResourceColumnDefinition",
        {
            "name": STRING,
            "type": STRING,
            "format": STRING,
            "description": STRING,
            "priority": INT32,
            "jsonPath" if package == "v1" else "JSONPath": STRING,
        },
    )


def _selectable_field(package: str) -> Struct:
    return Struct(f"{package}.SelectableField", {"jsonPath": STRING})


def _status(package: str) -> Struct:
    condition: _Fields = {
        "type": gotypes.string(f"{package}.CustomResourceDefinitionConditionType"),
        "status": gotypes.string(f"{package}.ConditionStatus"),
        "lastTransitionTime": TIME,
        "reason": STRING,
        "message": STRING,
        "observedGeneration": INT64,
    }
    return Struct(
        f"{package}.CustomResourceDefinitionStatus",
        {
            "conditions": List(Struct(f"{package}.CustomResourceDefinitionCondition", condition)),
            "acceptedNames": _names(package),
            "storedVersions": List(STRING),
            "observedGeneration": INT64,
        },
    )


@functools.cache
def json_schema_props(package: str) -> Struct:
    """
    Return the type JSONSchemaProps of API version *package*, which refers to itself.

    Reference:
        pkg/apis/apiextensions/v1/types_jsonschema.go, JSONSchemaProps; the same in v1beta1.
    """
    schema = StructReference(functools.partial(json_schema_props, package))
    json = Raw(f"{package}.JSON")
    or_bool = Union(f"{package}.JSONSchemaPropsOrBool", schema, bools=True, refusal="boolean or JSON schema expected")
    or_array = Union(f"{package}.JSONSchemaPropsOrArray", schema, array=List(schema), empty=[])
    or_strings = Union(f"{package}.JSONSchemaPropsOrStringArray", schema, array=List(STRING))
    docs = Struct(f"{package}.ExternalDocumentation", {"description": STRING, "url": STRING})
    strings = dict.fromkeys(("id", "description", "type", "format", "title", "pattern"), STRING)
    bools = dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "uniqueItems", "nullable"), BOOL)
    numbers = dict.fromkeys(("maximum", "minimum", "multipleOf"), Pointer(FLOAT64))
    sizes = ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties")
    fields: _Fields = {
        **strings,
        **bools,
        **numbers,
        **dict.fromkeys(sizes, Pointer(INT64)),
        **dict.fromkeys(("allOf", "oneOf", "anyOf"), List(schema)),
        **dict.fromkeys(("properties", "patternProperties"), Map(schema)),
        **dict.fromkeys(("additionalProperties", "additionalItems"), Pointer(or_bool)),
        "$schema": gotypes.string(f"{package}.JSONSchemaURL"),
        "$ref": Pointer(STRING),
        "default": Pointer(json),
        "example": Pointer(json),
        "enum": List(json),
        "required": List(STRING),
        "items": Pointer(or_array),
        "not": Pointer(schema),
        "dependencies": Map(or_strings, f"{package}.JSONSchemaDependencies"),
        "definitions": Map(schema, f"{package}.JSONSchemaDefinitions"),
        "externalDocs": Pointer(docs),
    }
    in_order = {name: fields[name] for name in _SCHEMA_FIELDS}
    return Struct(f"{package}.JSONSchemaProps", {**in_order, **_extensions(package)})


def _extensions(package: str) -> _Fields:
    rule = Struct(
        f"{package}.ValidationRule",
        {
            "rule": STRING,
            "message": STRING,
            "messageExpression": STRING,
            "reason": Pointer(gotypes.string(f"{package}.FieldValueErrorReason")),
            "fieldPath": STRING,
            "optionalOldSelf": Pointer(BOOL),
        },
    )
    return {
        "x-kubernetes-preserve-unknown-fields": Pointer(BOOL),
        "x-kubernetes-embedded-resource": BOOL,
        "x-kubernetes-int-or-string": BOOL,
        "x-kubernetes-list-map-keys": List(STRING),
        "x-kubernetes-list-type": Pointer(STRING),
        "x-kubernetes-map-type": Pointer(STRING),
        "x-kubernetes-validations": List(rule, f"{package}.ValidationRules"),
    }

"""Violations of structural schemas as the field errors that the server reports (KEP-2335), and OpenAPI constructs that no CRD may use."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine import fieldpath
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors, FieldError
from pytest_crd.engine.fieldpath import FieldPath, LinkedPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import structural
from pytest_crd.engine.schema.structural import NO_VALIDATION, NestedValueValidation, Structural, ValueValidation

if TYPE_CHECKING:
    from pytest_crd.engine.golang.regexp import patterns
else:
    patterns = lazyimport.module("pytest_crd.engine.golang.regexp.patterns")


_TYPE_MISSING: Final = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}
# Keywords and their required state inside junctors; the order does not matter, because errors are sorted.
_FORBIDDEN_WHEN_NESTED: Final = {
    "type": "empty",
    "default": "undefined",
    "title": "empty",
    "description": "empty",
    "nullable": "false",
    "x-kubernetes-preserve-unknown-fields": "false",
    "x-kubernetes-embedded-resource": "false",
    "x-kubernetes-int-or-string": "false",
    "x-kubernetes-list-map-keys": "empty",
    "x-kubernetes-list-type": "undefined",
    "x-kubernetes-map-type": "undefined",
}
_METADATA: Final = "must not specify anything other than name and generateName, but metadata is implicitly specified"
_EMPTY: Final = Structural()
LISTED_ITEMS: Final = "items must be a schema object and not an array"
NOT_PRESERVING: Final = "must be true or undefined"
# Keywords, and whether an empty value counts, in the order in which the server checks them.
UNSUPPORTED: Final = {
    "id": False,
    "additionalItems": True,
    "patternProperties": False,
    "definitions": False,
    "dependencies": True,
    "$ref": True,
}
_BY_NAME: Final = ("properties", "definitions", "dependencies")


def find_violations(schema: Structural, path: FieldPath, profile: Profile) -> tuple[FieldError, ...]:
    """
    Return every violation that keeps *schema* from being structural.

    Args:
        schema: The schema of a whole resource.
        path: The path of the schema in the CRD, as errors spell it.
        profile: The Kubernetes version, which decides the syntax of patterns.

    Errors:
        Required, Invalid and Forbidden, sorted by their text as the server sorts them.

    Reference:
        KEP-2335; apiextensions-apiserver schema/validation.go, ValidateStructural, and complete.go.
    """
    errors: list[FieldError] = []
    _visit(schema, "root", path, profile, errors)
    errors += _completeness(schema.validation, schema, path, path)
    return tuple(sorted(errors, key=str))


def _visit(schema: Structural, level: str, place: LinkedPath, profile: Profile, errors: list[FieldError]) -> None:
    """Append the errors of a node and its nested nodes; *level* is `root`, `item` or `field`."""
    if schema.items is not None:
        _visit(schema.items, "item", (place, "items", None), profile, errors)
    for name, child in schema.properties.items():
        if not _is_plain(child, profile):
            _visit(child, "field", (place, "properties", name), profile, errors)
    if (values := schema.value_schema) is not None:
        _visit(values, "field", (place, "additionalProperties", None), profile, errors)
    lacks_items = schema.type == "array" and schema.items is None
    is_loose = schema.x_preserve_unknown_fields if schema.x_int_or_string else not schema.type
    if level == "root" or lacks_items or is_loose or schema.x_embedded_resource:
        errors += _structure(schema, level, fieldpath.resolve(place))
    if schema.validation is not NO_VALIDATION and not _is_sound(schema.validation, profile):
        errors += _validation(schema.validation, fieldpath.resolve(place), profile)


def _is_plain(schema: Structural, profile: Profile) -> bool:
    """Return True only if the *schema* of a field surely has no error: a type, no nested schemas, no wrong pattern."""
    return bool(
        schema.type
        and schema.type != "array"
        and not schema.properties
        and schema.items is None
        and schema.additional_properties is None
        and not schema.x_embedded_resource
        and not schema.x_int_or_string
        and (schema.validation is NO_VALIDATION or _is_sound(schema.validation, profile))
    )


def _is_sound(validation: ValueValidation, profile: Profile) -> bool:
    """Return True only if value validations surely have no error: no junctors except of `int-or-string`, and valid patterns."""
    if validation.all_of or validation.one_of or validation.not_:
        return False
    if validation.any_of and not structural.is_int_or_string_any_of(validation):
        return False
    keywords = validation.keywords
    return "pattern" not in keywords or not patterns.find_problem(keywords["pattern"], profile.go)


def _structure(schema: Structural, level: str, path: FieldPath) -> Errors:
    """Yield the errors of the structure of one node."""
    if schema.type == "array" and schema.items is None:
        yield fielderror.required(path.child("items"), "must be specified")
    yield from _type(schema, level, path)
    yield from _extensions(schema, level, path)
    yield from _metadata(schema, level, path)


def _validation(validation: ValueValidation, path: FieldPath, profile: Profile) -> Errors:
    """Yield the errors of the value validations of one node."""
    yield from _junctors(
        validation,
        path,
        profile,
        skip_any_of=structural.is_int_or_string_any_of(validation),
        skip_first_all_of=structural.is_int_or_string_all_of(validation),
    )


def _type(schema: Structural, level: str, path: FieldPath) -> Errors:
    type_path = path.child("type")
    if schema.x_embedded_resource and schema.type != "object":
        detail = "must be object if x-kubernetes-embedded-resource is true"
        if schema.type:
            yield fielderror.invalid(type_path, schema.type, detail)
        else:
            yield fielderror.required(type_path, detail)
    elif not (schema.type or schema.x_int_or_string or schema.x_preserve_unknown_fields):
        yield fielderror.required(type_path, _TYPE_MISSING[level])
    if level == "root" and schema.type not in {"", "object"}:
        yield fielderror.invalid(type_path, schema.type, "must be object at the root")


def _extensions(schema: Structural, level: str, path: FieldPath) -> Errors:
    if schema.x_int_or_string:
        for keyword, value in (
            ("x-kubernetes-preserve-unknown-fields", schema.x_preserve_unknown_fields),
            ("x-kubernetes-embedded-resource", schema.x_embedded_resource),
        ):
            if value:
                yield fielderror.invalid(
                    path.child(keyword), value, "must be false if x-kubernetes-int-or-string is true"
                )
    if schema.additional_properties is not None:
        if level == "root":
            yield fielderror.forbidden(path.child("additionalProperties"), "must not be used at the root")
        if schema.x_embedded_resource:
            detail = "must not be used if x-kubernetes-embedded-resource is set"
            yield fielderror.forbidden(path.child("additionalProperties"), detail)
    if schema.x_embedded_resource and not (schema.x_preserve_unknown_fields or schema.properties):
        detail = (
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        )
        yield fielderror.required(path.child("properties"), detail)


def _metadata(schema: Structural, level: str, path: FieldPath) -> Errors:
    """Yield the errors of the schemas of kind, apiVersion and metadata of a resource."""
    is_resource = level == "root" or schema.x_embedded_resource
    properties = path.child("properties")
    for name, type_ in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
        child = schema.properties.get(name)
        if is_resource and child is not None and child.type != type_:
            yield fielderror.invalid(properties.key(name).child("type"), child.type, f"must be {type_}")
    metadata = schema.properties.get("metadata")
    if level == "root" and metadata is not None and not _only_restricts_names(metadata):
        yield fielderror.forbidden(properties.key("metadata"), _METADATA)


def _only_restricts_names(metadata: Structural) -> bool:
    properties = {} if metadata.properties.keys() <= {"name", "generateName"} else metadata.properties
    return dataclasses.replace(metadata, properties=properties, type="", default=None) == _EMPTY


def _junctors(
    validation: ValueValidation, path: FieldPath, profile: Profile, *, skip_any_of: bool, skip_first_all_of: bool
) -> Errors:
    if not skip_any_of:
        for index, nested in enumerate(validation.any_of):
            yield from _nested(nested, path.child("anyOf").index(index), profile)
    for index, nested in enumerate(validation.all_of):
        skip = skip_first_all_of and index == 0
        yield from _nested(nested, path.child("allOf").index(index), profile, skip_any_of=skip)
    for index, nested in enumerate(validation.one_of):
        yield from _nested(nested, path.child("oneOf").index(index), profile)
    if validation.not_ is not None:
        yield from _nested(validation.not_, path.child("not"), profile)
    pattern = validation.keywords.get("pattern")
    if pattern is not None and (problem := patterns.find_problem(pattern, profile.go)):
        detail = f"must be a valid regular expression, but isn't: {problem}"
        yield fielderror.invalid(path.child("pattern"), pattern, detail)


def _nested(nested: NestedValueValidation, path: FieldPath, profile: Profile, *, skip_any_of: bool = False) -> Errors:
    yield from _junctors(nested.validation, path, profile, skip_any_of=skip_any_of, skip_first_all_of=False)
    if nested.items is not None:
        yield from _nested(nested.items, path.child("items"), profile)
    for name, child in (nested.properties or {}).items():
        yield from _nested(child, path.child("properties").key(name), profile)
    for keyword, required_state in _FORBIDDEN_WHEN_NESTED.items():
        # `[]` counts as set, except for the map keys, where the server checks the length.
        value = nested.forbidden.get(keyword)
        if value is not None and (value != [] or keyword != "x-kubernetes-list-map-keys"):
            yield fielderror.forbidden(path.child(keyword), f"must be {required_state} to be structural")
    if nested.additional_properties is not None:
        yield fielderror.forbidden(path.child("additionalProperties"), "must be undefined to be structural")
    if nested.x_validations:
        yield fielderror.forbidden(path.child("x-kubernetes-validations"), "must be empty to be structural")
    if nested.properties and "metadata" in nested.properties:
        metadata = path.child("properties").key("metadata")
        yield fielderror.forbidden(metadata, "must not be specified in a nested context")


def _completeness(
    validation: ValueValidation, schema: Structural, structure_path: FieldPath, nested_at: FieldPath
) -> Errors:
    """Yield an error for each field in value validations that the structure lacks; *structure_path* is the path in the structure."""
    if validation.not_ is not None:
        yield from _nested_completeness(validation.not_, schema, structure_path, nested_at.child("not"))
    for junctor, branches in (
        ("allOf", validation.all_of),
        ("anyOf", validation.any_of),
        ("oneOf", validation.one_of),
    ):
        for index, nested in enumerate(branches):
            yield from _nested_completeness(nested, schema, structure_path, nested_at.child(junctor).index(index))


def _nested_completeness(
    nested: NestedValueValidation, schema: Structural, structure_path: FieldPath, nested_at: FieldPath
) -> Errors:
    yield from _completeness(nested.validation, schema, structure_path, nested_at)
    pairs = (
        [(nested.items, schema.items, structure_path.child("items"), nested_at.child("items"))] if nested.items else []
    )
    for name, child in (nested.properties or {}).items():
        counterpart = schema.properties.get(name)
        pairs.append(
            (child, counterpart, structure_path.child("properties").key(name), nested_at.child("properties").key(name))
        )
    for child, counterpart, child_path, child_nested_at in pairs:
        if counterpart is None:
            yield fielderror.required(child_path, f"because it is defined in {child_nested_at}")
        else:
            yield from _nested_completeness(child, counterpart, child_path, child_nested_at)


def refuse_unsupported(schema: Mapping[str, JSONValue], path: FieldPath) -> tuple[FieldError, ...]:
    """
    Return an error for every construct in *schema* that no CRD may use.

    Args:
        schema: `openAPIV3Schema` as the server decodes it.
        path: The path of the schema in the CRD, as errors spell it.

    Errors:
        Forbidden and Invalid, sorted by their text, because the server visits properties in random order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema.
    """
    return tuple(sorted(_node(schema, path), key=str))


def find_unsupported(schema: Mapping[str, JSONValue]) -> Iterator[str]:
    """Yield the forbidden keywords of *schema* itself, in the server's order."""
    for keyword in UNSUPPORTED:
        if keyword in schema and (schema[keyword] or (UNSUPPORTED[keyword] and schema[keyword] is not None)):
            yield keyword


def _node(schema: JSONValue, path: FieldPath) -> Iterator[FieldError]:
    if not isinstance(schema, Mapping):
        return
    for keyword in find_unsupported(schema):
        yield fielderror.forbidden(path.child(keyword), f"{keyword} is not supported")
    if schema.get("items") and isinstance(schema["items"], list):  # an empty list counts as nothing
        yield fielderror.forbidden(path.child("items"), LISTED_ITEMS)
    preserve = schema.get("x-kubernetes-preserve-unknown-fields")
    if preserve is False:
        path_of_preserve = path.child("x-kubernetes-preserve-unknown-fields")
        yield fielderror.invalid(path_of_preserve, preserve, NOT_PRESERVING)
    for child, child_path in _children(schema, path):
        yield from _node(child, child_path)


def _children(schema: Mapping[str, JSONValue], path: FieldPath) -> Iterator[tuple[JSONValue, FieldPath]]:
    for keyword in _BY_NAME:
        for name, child in (schema.get(keyword) or {}).items():
            yield child, path.child(keyword).key(name)
    for keyword in ("additionalProperties", "not", "items"):
        yield schema.get(keyword), path.child(keyword)
    for keyword in ("allOf", "oneOf", "anyOf", "items"):
        branches = schema.get(keyword)
        if isinstance(branches, list):
            yield from ((branch, path.child(keyword).index(index)) for index, branch in enumerate(branches))

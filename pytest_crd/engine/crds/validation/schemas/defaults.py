"""Validation of the defaults (`default:`) of a schema when the CRD is written: pruned, and valid under their schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Final

from pytest_crd.engine import fieldpath
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath, LinkedPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import objectmetavalidation
from pytest_crd.engine.passes import objectmeta, pruning, rewriting
from pytest_crd.engine.passes.objectmeta import EmbeddedError
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.engine.schema.structural import META_FIELDS, Structural
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.engine.values import valuevalidation
from pytest_crd.records import NamedTuple

_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
# The keywords under which a schema may have it; inside `allOf` and similar keywords it is not structural.
_PARTS: Final = frozenset({"items", "properties", "additionalProperties"})
# Keywords without effect on values, or that `_is_sound` checks itself.
_SIMPLE_KEYWORDS: Final = frozenset({"description", "title", "default", "type", "nullable", "enum"})
_OF_INTEGERS: Final = _SIMPLE_KEYWORDS | {"minimum", "maximum"}
_OF_EMPTY_OBJECTS: Final = _SIMPLE_KEYWORDS - {"enum"} | {"properties"}
_OF_INT_OR_STRING: Final = frozenset({"description", "title", "default", _INT_OR_STRING})
# The server compares numbers as float64, which is exact below this one.
_EXACT: Final = 2**53
_OF_TYPES: Final = frozenset({("string", str), ("boolean", bool), ("integer", int), ("number", int), ("number", float)})
_TYPE_META: Final = {"kind": "Validation", "apiVersion": "validation/v1"}


def validate(declared: OpenAPISchema, path: FieldPath, *, require_pruned: bool) -> list[FieldError]:
    """
    Return the errors of the defaults in a schema; defaults in maps are not checked.

    Args:
        declared: The schema of a whole resource, structural without errors.
        path: The path of the schema in the CRD, as errors spell it.
        require_pruned: Whether defaults may contain only fields of their schema.

    Errors:
        Those of value validation, and Invalid for unknown fields and metadata; parents first, then items, then
        properties by name, which the server visits in random order. Stops when the cost budget of rules is spent.

    Reference:
        apiextensions-apiserver schema/defaulting/validation.go, ValidateDefaults.
    """
    if not declared.has_defaults:
        return []
    walk = _Walk(declared.profile, require_pruned=require_pruned, has_rules=declared.has_rules)
    root = declared.structural
    if not root.x_embedded_resource:
        root = dataclasses.replace(root, x_embedded_resource=True)
    walk.visit(root, declared.value, path, None)
    return walk.errors


class _Inside(NamedTuple):
    """
    Place inside metadata, kind or apiVersion of a resource, where a default is validated with the resource around it.

    Attributes:
        resource: The schema of the resource.
        steps: From the resource to the place: field names, and 0 for the items of a list.
    """

    resource: Structural
    steps: tuple[str | int, ...]

    def below(self, step: str | int) -> _Inside:
        return _Inside(self.resource, (*self.steps, step))

    def resource_with(self, value: JSONValue) -> JSONValue:
        """Return a resource with only its type and *value* at this place."""
        for step in reversed(self.steps):
            value = [value] if step == 0 else {step: value}
        return _TYPE_META | value


class _Walk:
    """One walk over the nodes of a structural schema."""

    def __init__(self, profile: Profile, *, require_pruned: bool, has_rules: bool) -> None:
        self.errors: list[FieldError] = []
        self._profile = profile
        self._has_rules = has_rules
        self._require_pruned = require_pruned
        self._budget: int | None = None  # that of the server

    @property
    def _is_spent(self) -> bool:
        return self._budget is not None and self._budget < 0

    def visit(self, node: Structural, schema: Schema, place: LinkedPath, inside: _Inside | None) -> None:
        if self._budget is not None and self._budget < 0:
            return  # it is spent
        is_resource = node.x_embedded_resource
        if is_resource:
            inside = None
        if node.default is not None and (inside or is_resource or not _is_sound(schema)):
            path = fieldpath.resolve(place).child("default")
            check = self._in_resource(node, schema, path, inside) if inside else self._alone(node, schema, path)
            self.errors += check
        if node.items is not None:
            self.visit(node.items, schema["items"], (place, "items", None), inside and inside.below(0))
        for name, child in node.properties.items():
            if child.default is None and child.items is None and not child.properties:
                continue
            below = inside and inside.below(name)
            if is_resource and name in META_FIELDS:
                below = _Inside(node, (name,))
            self.visit(child, schema["properties"][name], (place, "properties", name), below)

    def _alone(self, node: Structural, schema: Schema, path: FieldPath) -> Iterator[FieldError]:
        """Yield the errors of a default outside metadata."""
        default, problem = node.default, None
        if default and isinstance(default, dict | list):
            default, problem = _coerced(node, default, path, self._profile)
            # The server coerces the default later, but prints the coerced value in this earlier error.
            prune = pruning.compile(node, resource_root=node.x_embedded_resource)
            pruned = rewriting.apply(prune, node.default).value
            if self._require_pruned and pruned is not node.default:
                yield badvalues.invalid(path, default, "must not have unknown fields", profile=self._profile)
        yield from [problem] if problem else self._valid(node, schema, default, path)

    def _valid(self, node: Structural, schema: Schema, default: JSONValue, path: FieldPath) -> list[FieldError]:
        errors = _metadata(node, default, path, self._profile) if isinstance(default, dict | list) else []
        return errors or self._valid_value(node, schema, default, path)

    def _valid_value(self, node: Structural, schema: Schema, default: JSONValue, path: FieldPath) -> list[FieldError]:
        errors = [*valuevalidation.compile(_loosened(schema), self._profile, all_formats=True).create(default, path)]
        return errors or self._hold(node, default, path)

    def _hold(self, node: Structural, default: JSONValue, path: FieldPath) -> list[FieldError]:
        """Return the errors of the rules for a default as an update of itself; without errors there, as a new value."""
        if self._is_spent or not self._has_rules or not self._profile.validation_rules:
            return []
        from pytest_crd.engine.rules import evaluation, tree  # noqa: PLC0415 - only rules need CEL

        root = tree.build_stored(node, self._profile, is_resource=node.x_embedded_resource)
        if root is None:
            return []
        budget = evaluation.BUDGET if self._budget is None else self._budget
        as_update, as_new = (evaluation.RuleSubject(default, old, path) for old in (default, None))
        findings = evaluation.validate(root, as_update, self._profile, budget=budget)
        if not findings.errors:
            create_findings = evaluation.validate(root, as_new, self._profile, budget=budget)
            findings = evaluation.RuleFindings(min(findings.budget, create_findings.budget), create_findings.errors)
        self._budget = findings.budget
        return findings.errors

    def _in_resource(self, node: Structural, schema: Schema, path: FieldPath, inside: _Inside) -> Iterator[FieldError]:
        """Yield the errors of a default inside metadata."""
        problem = _problem(inside.resource, inside.resource_with(node.default), self._profile)
        if problem:
            detail = f"must result in valid metadata: {problem}"
            yield badvalues.invalid(path, node.default, detail, profile=self._profile)
        else:
            yield from self._valid_value(node, schema, node.default, path)


def _is_sound(schema: Schema) -> bool:
    """Return True only if the default of *schema* surely is valid: an empty object, or a text or number that few keywords restrict."""
    default, type_ = schema["default"], schema["type"] if "type" in schema else None  # noqa: SIM401 - save the call
    kind = type(default)
    if kind is dict:
        return not default and type_ == "object" and schema.keys() <= _OF_EMPTY_OBJECTS
    if type_ is None:
        return kind in (int, str) and schema.keys() <= _OF_INT_OR_STRING
    if (type_, kind) not in _OF_TYPES:
        return False
    if kind is int and "enum" not in schema and schema.keys() <= _OF_INTEGERS:
        low, high = schema.get("minimum", default), schema.get("maximum", default)
        return type(low) is type(high) is int and -_EXACT < low <= default <= high < _EXACT
    return schema.keys() <= _SIMPLE_KEYWORDS and ("enum" not in schema or (kind is str and default in schema["enum"]))


def _loosened(schema: Schema) -> Schema:
    """
    Return *schema* as the server validates defaults: `x-kubernetes-int-or-string` checks no type unless on an object.

    Reference:
        apiextensions-apiserver schema/kubeopenapi.go, ToKubeOpenAPI, beside validation/validation.go,
        ConvertJSONSchemaProps.
    """
    changes: dict[str, JSONValue] = {}
    for keyword in _PARTS.intersection(schema):
        value = schema[keyword]
        if keyword == "properties":
            fields = {name: _loosened(child) for name, child in value.items()}
            if any(fields[name] is not child for name, child in value.items()):
                changes[keyword] = fields
        elif isinstance(value, Mapping) and (loosened := _loosened(value)) is not value:
            changes[keyword] = loosened
    if not (changes or schema.get(_INT_OR_STRING)):
        return schema
    return {keyword: changes.get(keyword, value) for keyword, value in schema.items() if keyword != _INT_OR_STRING}


def _coerced(
    node: Structural, default: JSONValue, path: FieldPath, profile: Profile
) -> tuple[JSONValue, FieldError | None]:
    coerce = objectmeta.compile_embedded(node, profile)
    try:
        return (default if coerce is None else coerce(default, path, [])), None
    except EmbeddedError as error:
        return default, error.error


def _problem(schema: Structural, resource: JSONValue, profile: Profile) -> str:
    """Return the error message about the metadata of *resource*; empty if it is valid."""
    coerce = objectmeta.compile_embedded(schema, profile)
    try:
        coerced = resource if coerce is None else coerce(resource, objectmeta.ROOT, [])
    except EmbeddedError as error:
        return str(error.error)
    validate = objectmetavalidation.compile_embedded(schema, profile)
    errors = [] if validate is None else validate(coerced)
    return fielderror.aggregate(errors) if errors else ""


def _metadata(node: Structural, default: JSONValue, path: FieldPath, profile: Profile) -> list[FieldError]:
    """Return the errors of the metadata of embedded resources in *default*."""
    # A wrapper field `default` gives each path the prefix that belongs after the schema's path.
    validate = objectmetavalidation.compile_embedded(Structural(properties={"default": node}), profile)
    schema_path = FieldPath(path.segments[:-1])
    errors = validate({"default": default}) if validate else []
    return [dataclasses.replace(error, field=f"{schema_path}.{error.field}") for error in errors]

"""
Validation of one schema of a CRD on create and update: every rule, in the server's order.

This module has the order, and the keywords: forbidden constructs, and the places of allowed ones. Groups of keywords have their own modules;
`nonstructural` decides whether the schema is structural.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport
from pytest_crd.engine import fieldpath
from pytest_crd.engine.crds import internaltypes
from pytest_crd.engine.crds.validation.options import ValidationOptions
from pytest_crd.engine.crds.validation.schemas import defaults, listtypekeywords
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath, LinkedPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import nonstructural
from pytest_crd.engine.schema.declaredschema import OpenAPISchema
from pytest_crd.engine.schema.structural import META_FIELDS, UnsupportedConstructError
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.crds.validation.schemas import rulekeywords
    from pytest_crd.engine.crds.validation.schemas.rulekeywords import CostScope, Expressions
else:
    rulekeywords = lazyimport.module("pytest_crd.engine.crds.validation.schemas.rulekeywords")

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

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_NO_UNIQUE_ITEMS: Final = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
_RULES: Final = "x-kubernetes-validations"
_JUNCTORS: Final = ("allOf", "oneOf", "anyOf")
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
# Most schemas have no such keyword and are skipped: a type, a description, a format.
_RESTRICTED: Final = frozenset({"uniqueItems", _EMBEDDED, *nonstructural.UNSUPPORTED})
_BRANCHING: Final = frozenset({"not", *_JUNCTORS, "definitions", "dependencies"})
_EXTENSIONS: Final = frozenset({_PRESERVE, *listtypekeywords.KEYWORDS, _RULES})
_REMARKABLE: Final = frozenset({"properties", "items", "additionalProperties"}) | _RESTRICTED | _BRANCHING | _EXTENSIONS
# A default is restricted where defaults are forbidden.
_RESTRICTED_OR_DEFAULT: Final = _RESTRICTED | {"default"}
_REMARKABLE_OR_DEFAULT: Final = _REMARKABLE | {"default"}
_UNUSUAL: Final = _RESTRICTED_OR_DEFAULT | _BRANCHING | _EXTENSIONS


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
    compiled: CostScope | None = None
    unsupported = ""
    if options.require_structural_schema:
        try:
            structure = _structure(declared, path, options)
            compiled = None if structure else _rules(declared, options)
        except UnsupportedConstructError as error:
            unsupported = str(error)
    keywords = validate_keywords(schema, path, options, profile=profile, rules=compiled)
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


def _rules(declared: OpenAPISchema, options: ValidationOptions) -> CostScope | None:
    """Return the scope of the rules to compile, if there are any; rules that are not in the old CRD use the environment of new rules."""
    if not declared.has_rules:
        return None
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
    return rulekeywords.CostScope(root)


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


class _Context(NamedTuple):
    """
    Context of a schema by its place.

    Attributes:
        no_defaults: Why defaults are forbidden, as the end of the message; None if they are allowed.
        inside_meta: Whether the schema describes kind, apiVersion or metadata of a resource, or a part of metadata.
        rules: The scope of its rules; None if they are not compiled.
    """

    no_defaults: str | None
    inside_meta: bool
    rules: CostScope | None = None

    def within(self, rules: CostScope | None) -> _Context:
        """Return the context of a nested schema with the scope *rules*."""
        return self if rules is self.rules else self._replace(rules=rules)


def validate_keywords(
    schema: Schema, path: FieldPath, options: ValidationOptions, *, profile: Profile, rules: CostScope | None = None
) -> list[FieldError]:
    """
    Return all errors of the keywords of *schema* and its nested schemas.

    Args:
        schema: `openAPIV3Schema` as the server decodes it.
        path: The path of the schema in the CRD, as errors spell it.
        options: The options of the validation.
        profile: The Kubernetes version.
        rules: The scope of the compiled rules; None if there are none, or if the schema has errors that prevent compiling.

    Errors:
        Required, Invalid, NotSupported and Forbidden, in the server's order, those of expressions last; sorted by name
        where the server's order is random.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema and
        specStandardValidatorV3.
    """
    no_defaults = None if options.allow_defaults else options.disallow_defaults_reason
    walk = _Walk(options, profile)
    walk.visit(schema, path, _Context(no_defaults, inside_meta=False, rules=rules), is_root=True)
    expressions = walk.expressions
    return [*walk.errors, *walk.rule_errors, *(expressions.costs.errors(path) if expressions else ())]


class _Walk:
    """One walk over a schema; the errors are in the order of the visit."""

    def __init__(self, options: ValidationOptions, profile: Profile) -> None:
        self.errors: list[FieldError] = []
        self.rule_errors: list[FieldError] = []
        self.expressions: Expressions | None = None
        self._options = options
        self._profile = profile
        self._types = frozenset(TYPES if options.require_valid_property_type else ())

    def visit(self, schema: Schema, place: LinkedPath, context: _Context, *, is_root: bool = False) -> None:
        """Validate the schema's own constructs, then its nested schemas, then the keywords that depend on these."""
        errors_before = len(self.errors) if _RULES in schema else 0
        items = schema["items"] if "items" in schema else None  # noqa: SIM401 - each schema of a CRD: save the call
        restricted = _RESTRICTED if context.no_defaults is None else _RESTRICTED_OR_DEFAULT
        is_unusual = not _UNUSUAL.isdisjoint(schema)
        has_known_type = "type" in schema and schema["type"] in self._types
        if not has_known_type or type(items) is list or (is_unusual and not restricted.isdisjoint(schema)):
            self.errors += _constructs(schema, place, context, check_type=bool(self._types))
        if "additionalProperties" in schema:
            self._additional_properties(schema, place, context)
        if schema.get("properties"):
            self._properties(schema["properties"], schema, place, context, is_root=is_root)
        is_branching = is_unusual and not _BRANCHING.isdisjoint(schema)
        if is_branching:
            self._junctors(schema, place, context)
        if items:
            self._items(items, schema, place, context)
        if is_branching:
            self._dependencies(schema, place, context)
        if is_unusual and not _EXTENSIONS.isdisjoint(schema):
            self._extensions(schema, place)
        if _RULES in schema and context.rules is not None and len(self.errors) == errors_before:
            # Expressions are compiled only if this schema and its nested schemas have no errors.
            if self.expressions is None:
                self.expressions = rulekeywords.Expressions(
                    self._profile, suppress_cost=self._options.suppress_per_expression_cost
                )
            self.rule_errors += self.expressions.find(schema, context.rules, fieldpath.resolve(place))

    def _additional_properties(self, schema: Schema, place: LinkedPath, context: _Context) -> None:
        additional = schema["additionalProperties"]
        if schema.get("properties") and additional is not True:
            detail = "additionalProperties and properties are mutual exclusive"
            self.errors.append(fielderror.forbidden(_child(place, "additionalProperties"), detail))
        if context.inside_meta:
            context = context._replace(no_defaults="inside additionalProperties applying to object metadata")
        if isinstance(additional, dict):
            inner = context.within(context.rules and context.rules.of_values(schema))
            self.visit(additional, (place, "additionalProperties", None), inner)

    def _properties(
        self, properties: Schema, schema: Schema, place: LinkedPath, context: _Context, *, is_root: bool
    ) -> None:
        is_resource = is_root or (_EMBEDDED in schema and schema[_EMBEDDED])
        allows_defaults = context.no_defaults is None and not is_resource
        remarkable = _REMARKABLE if allows_defaults else _REMARKABLE_OR_DEFAULT
        for name in sorted(properties):
            child = properties[name]
            if "type" in child and child["type"] in self._types and remarkable.isdisjoint(child):
                continue
            rules = context.rules
            inner = context if rules is None else context.within(rules.of_property(name, schema))
            if is_resource and name in META_FIELDS:
                reason = f"in top-level {name}" if is_root else context.no_defaults
                inner = inner._replace(no_defaults=reason, inside_meta=True)
            self.visit(child, (place, "properties", name), inner)

    def _junctors(self, schema: Schema, place: LinkedPath, context: _Context) -> None:
        context = context.within(None)
        if (negated := schema.get("not")) is not None:
            self.visit(negated, (place, "not", None), context)
        for keyword in _JUNCTORS:
            for index, branch in enumerate(schema.get(keyword) or ()):
                self.visit(branch, (place, keyword, index), context)
        definitions = schema.get("definitions") or {}
        for name in sorted(definitions):
            self.visit(definitions[name], (place, "definitions", name), context)

    def _items(self, items: JSONValue, schema: Schema, place: LinkedPath, context: _Context) -> None:
        if isinstance(items, dict):
            self.visit(
                items, (place, "items", None), context.within(context.rules and context.rules.of_items(schema, place))
            )
        else:
            for index, item in enumerate(items):
                self.visit(item, (place, "items", index), context)

    def _dependencies(self, schema: Schema, place: LinkedPath, context: _Context) -> None:
        dependencies = schema.get("dependencies") or {}
        context = context.within(None)
        for name in sorted(dependencies):
            if isinstance(dependencies[name], dict):
                self.visit(dependencies[name], (place, "dependencies", name), context)

    def _extensions(self, schema: Schema, place: LinkedPath) -> None:
        if _PRESERVE in schema and schema[_PRESERVE] is False:
            self.errors.append(
                fielderror.invalid(_child(place, _PRESERVE), schema[_PRESERVE], nonstructural.NOT_PRESERVING)
            )
        if not (listtypekeywords.KEYWORDS.isdisjoint(schema) or listtypekeywords.is_sound(schema)):
            self.errors += listtypekeywords.validate(schema, place, self._options, profile=self._profile)
        if schema.get(_RULES):
            self.errors += rulekeywords.validate(schema, fieldpath.resolve(place), profile=self._profile)


def _child(place: LinkedPath, keyword: str) -> FieldPath:
    return fieldpath.resolve(place).child(keyword)


def _constructs(schema: Schema, place: LinkedPath, context: _Context, *, check_type: bool) -> Iterator[FieldError]:
    type_ = schema.get("type")
    if check_type and type_ and type_ not in TYPES:
        yield fielderror.not_supported(_child(place, "type"), type_, TYPES)
    if schema.get("default") is not None and context.no_defaults is not None:
        detail = f"must not be set {context.no_defaults}".rstrip()
        yield fielderror.forbidden(_child(place, "default"), detail)
    for keyword in nonstructural.find_unsupported(schema):
        yield fielderror.forbidden(_child(place, keyword), f"{keyword} is not supported")
    if type_ == "null":
        detail = "type cannot be set to null, use nullable as an alternative"
        yield fielderror.forbidden(_child(place, "type"), detail)
    items = schema.get("items")
    if items and isinstance(items, list):
        yield fielderror.forbidden(_child(place, "items"), nonstructural.LISTED_ITEMS)
    if context.inside_meta and schema.get(_EMBEDDED):
        yield fielderror.forbidden(_child(place, _EMBEDDED), "must not be used inside of resource meta")
    if schema.get("uniqueItems"):
        yield fielderror.forbidden(_child(place, "uniqueItems"), _NO_UNIQUE_ITEMS)

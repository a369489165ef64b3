"""
The keywords of a schema one by one: constructs that no CRD may use, and where those that it may use may stand.

Whether the schema is structural is decided in `nonstructural`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from pytest_crd.engine.crds import listtyperules, rulekeywords, schemaplace
from pytest_crd.engine.crds.schemaplace import Place
from pytest_crd.engine.crds.validationoptions import ValidationOptions
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import unsupported

Schema: TypeAlias = Mapping[str, JSONValue]

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_META_FIELDS: Final = frozenset({"metadata", "kind", "apiVersion"})
_NO_UNIQUE_ITEMS: Final = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
_JUNCTORS: Final = ("allOf", "oneOf", "anyOf")
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
# A schema with none of these is the common case: a type, a description, properties and items.
_REMARKABLE: Final = frozenset(
    {
        *("default", "uniqueItems", "additionalProperties", "not", *_JUNCTORS),
        *unsupported.KEYWORDS,
        *(_PRESERVE, _EMBEDDED, *listtyperules.KEYWORDS, rulekeywords.KEYWORD),
    }
)


@dataclass(frozen=True, slots=True)
class _Context:
    """
    What the place of a schema means for it.

    Attributes:
        no_defaults: Why defaults are forbidden, as the end of the message; None where they are not.
        inside_meta: Whether it describes kind, apiVersion or metadata of a resource, or something inside of metadata.
    """

    no_defaults: str | None
    inside_meta: bool


def find(schema: Schema, path: FieldPath, options: ValidationOptions, *, profile: Profile) -> list[FieldError]:
    """
    Return everything that is wrong with the keywords of *schema* and of the schemas in it.

    Args:
        schema: `openAPIV3Schema` as the server decodes it.
        path: Where it stands in the CRD, as the errors are to spell it.
        options: What is demanded.
        profile: The Kubernetes version whose answers are given.

    Errors:
        Required, Invalid, NotSupported and Forbidden, in the server's order; where it meets names in random order, by name.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema and
        specStandardValidatorV3.
    """
    no_defaults = None if options.allow_defaults else options.disallow_defaults_reason
    walk = _Walk(options, profile)
    walk.visit(schema, path, _Context(no_defaults, inside_meta=False), is_root=True)
    return walk.errors


class _Walk:
    """One walk over a schema; the errors are in the order of the visit."""

    def __init__(self, options: ValidationOptions, profile: Profile) -> None:
        self.errors: list[FieldError] = []
        self._options = options
        self._profile = profile
        self._types = frozenset(TYPES if options.require_valid_property_type else ())

    def visit(self, schema: Schema, place: Place, context: _Context, *, is_root: bool = False) -> None:
        """Take the schema's own constructs, then the schemas in it, then what depends on these."""
        is_plain = _REMARKABLE.isdisjoint(schema)
        if not is_plain or schema.get("type") not in self._types or type(schema.get("items")) is list:
            self.errors += _constructs(schema, place, context, check_type=bool(self._types))
        if not is_plain:
            self._additional_properties(schema, place, context)
        if properties := schema.get("properties"):
            self._properties(properties, schema, place, context, is_root=is_root)
        if not is_plain:
            self._junctors(schema, place, context)
        if items := schema.get("items"):
            self._items(items, place, context)
        if not is_plain:
            self._dependencies(schema, place, context)
            self._extensions(schema, place)

    def _additional_properties(self, schema: Schema, place: Place, context: _Context) -> None:
        additional = schema.get("additionalProperties")
        if additional is None:
            return
        if schema.get("properties") and additional is not True:
            detail = "additionalProperties and properties are mutual exclusive"
            self.errors.append(fielderror.forbidden(_child(place, "additionalProperties"), detail))
        if context.inside_meta:
            context = _Context("inside additionalProperties applying to object metadata", inside_meta=True)
        if isinstance(additional, Mapping):
            self.visit(additional, (place, "additionalProperties", None), context)

    def _properties(
        self, properties: Schema, schema: Schema, place: Place, context: _Context, *, is_root: bool
    ) -> None:
        is_resource = is_root or schema.get(_EMBEDDED)
        for name in sorted(properties):
            inner = context
            if is_resource and name in _META_FIELDS:
                reason = f"in top-level {name}" if is_root else context.no_defaults
                inner = _Context(reason, inside_meta=True)
            self.visit(properties[name], (place, "properties", name), inner)

    def _junctors(self, schema: Schema, place: Place, context: _Context) -> None:
        if (negated := schema.get("not")) is not None:
            self.visit(negated, (place, "not", None), context)
        for keyword in _JUNCTORS:
            for index, branch in enumerate(schema.get(keyword) or ()):
                self.visit(branch, (place, keyword, index), context)
        definitions = schema.get("definitions") or {}
        for name in sorted(definitions):
            self.visit(definitions[name], (place, "definitions", name), context)

    def _items(self, items: JSONValue, place: Place, context: _Context) -> None:
        if isinstance(items, Mapping):
            self.visit(items, (place, "items", None), context)
        else:
            for index, item in enumerate(items):
                self.visit(item, (place, "items", index), context)

    def _dependencies(self, schema: Schema, place: Place, context: _Context) -> None:
        dependencies = schema.get("dependencies") or {}
        for name in sorted(dependencies):
            if isinstance(dependencies[name], Mapping):
                self.visit(dependencies[name], (place, "dependencies", name), context)

    def _extensions(self, schema: Schema, place: Place) -> None:
        if schema.get(_PRESERVE) is False:
            self.errors.append(
                fielderror.invalid(_child(place, _PRESERVE), schema[_PRESERVE], unsupported.NOT_PRESERVING)
            )
        if not listtyperules.KEYWORDS.isdisjoint(schema):
            self.errors += listtyperules.find(schema, place, self._options, profile=self._profile)
        if schema.get(rulekeywords.KEYWORD):
            # Expressions are compiled only where nothing is wrong with the schema here or below.
            self.errors += rulekeywords.find(schema, schemaplace.path(place), profile=self._profile)


def _child(place: Place, keyword: str) -> FieldPath:
    return schemaplace.path(place).child(keyword)


def _constructs(schema: Schema, place: Place, context: _Context, *, check_type: bool) -> Iterator[FieldError]:
    type_ = schema.get("type")
    if check_type and type_ and type_ not in TYPES:
        yield fielderror.not_supported(_child(place, "type"), type_, TYPES)
    if schema.get("default") is not None and context.no_defaults is not None:
        detail = f"must not be set {context.no_defaults}".rstrip()
        yield fielderror.forbidden(_child(place, "default"), detail)
    for keyword in unsupported.used(schema):
        yield fielderror.forbidden(_child(place, keyword), f"{keyword} is not supported")
    if type_ == "null":
        detail = "type cannot be set to null, use nullable as an alternative"
        yield fielderror.forbidden(_child(place, "type"), detail)
    items = schema.get("items")
    if items and isinstance(items, list):
        yield fielderror.forbidden(_child(place, "items"), unsupported.LISTED_ITEMS)
    if context.inside_meta and schema.get(_EMBEDDED):
        yield fielderror.forbidden(_child(place, _EMBEDDED), "must not be used inside of resource meta")
    if schema.get("uniqueItems"):
        yield fielderror.forbidden(_child(place, "uniqueItems"), _NO_UNIQUE_ITEMS)

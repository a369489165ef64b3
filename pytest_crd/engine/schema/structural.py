"""
Structural schemas: OpenAPI v3 schemas split into structure and value validations (KEP-2335).

Every schema without unsupported constructs has this form; `nonstructural` decides whether it is a valid structural
schema.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_crd.engine.jsonvalue import JSONValue

# Go omits these keywords if they are empty; every other keyword that is not null counts as set, even `[]` or `0`.
_OMITTED_WHEN_FALSY: Final = frozenset(
    {
        *("type", "format", "pattern", "title", "description", "id", "$schema", "$ref"),
        *("nullable", "uniqueItems", "exclusiveMaximum", "exclusiveMinimum"),
        *("x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"),
        *("enum", "patternProperties", "definitions"),
    }
)
_UNSUPPORTED: Final = ("id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions")
_UNSUPPORTED_AT_ALL: Final = frozenset(_UNSUPPORTED)
_NOT_PRESERVING: Final = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
_PLAIN: Final = frozenset({"type", "description"})
_ANNOTATIONS: Final = frozenset({"title", "description", "externalDocs", "example"})
_GENERICS: Final = _ANNOTATIONS | {"type", "default", "nullable"}
_EXTENSIONS: Final = frozenset(
    {
        *("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"),
        *("x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"),
    }
)
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
# The attributes of keywords: with unchanged values, and with lists as tuples.
_ATTRIBUTES: Final = {
    "type": "type",
    "nullable": "nullable",
    "default": "default",
    _PRESERVE: "x_preserve_unknown_fields",
    "x-kubernetes-embedded-resource": "x_embedded_resource",
    "x-kubernetes-int-or-string": "x_int_or_string",
    "x-kubernetes-list-type": "x_list_type",
}
_TUPLES: Final = {"x-kubernetes-list-map-keys": "x_list_map_keys", "x-kubernetes-validations": "x_validations"}
_VALUE_KEYWORDS: Final = frozenset(
    {
        *("format", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern"),
        *("maxItems", "minItems", "uniqueItems", "multipleOf", "enum", "maxProperties", "minProperties", "required"),
    }
)


_JUNCTORS: Final = frozenset({"allOf", "anyOf", "oneOf", "not"})
# Shared by all nodes without properties or value validations, which are most nodes.
_NOTHING: Final[Mapping[str, JSONValue]] = {}
TYPE_META: Final = ("apiVersion", "kind")
# In the order in which the server reads them.
META_FIELDS: Final = (*TYPE_META, "metadata")


class UnsupportedConstructError(ValueError):
    """A construct that no structural schema can express; the message is the server's."""


# The classes below are immutable but not frozen: creating a frozen instance takes six times as long, and a CRD
# has thousands of nodes.
@dataclass(slots=True)
class ValueValidation:
    """
    Value validations of a schema, which specify no structure; not to be changed.

    Attributes:
        keywords: `format`, `minimum`, `pattern`, `required` … if they are set.
        all_of: Nested validations of `allOf`, in order.
        any_of: Nested validations of `anyOf`, in order.
        one_of: Nested validations of `oneOf`, in order.
        not_: The nested validation of `not`.
    """

    keywords: Mapping[str, JSONValue] = field(default_factory=dict)
    all_of: tuple[NestedValueValidation, ...] = ()
    any_of: tuple[NestedValueValidation, ...] = ()
    one_of: tuple[NestedValueValidation, ...] = ()
    not_: NestedValueValidation | None = None


NO_VALIDATION: Final = ValueValidation(_NOTHING)


@dataclass(slots=True)
class NestedValueValidation:
    """
    Value validation under `allOf`, `anyOf`, `oneOf` or `not`; not to be changed.

    Attributes:
        validation: Its keywords and junctors.
        items: The validation of `items`.
        properties: The validations of `properties` by name; None if the keyword is absent.
        additional_properties: The validation of `additionalProperties`; an empty one for `true`, None for `false`.
        x_validations: The declared CEL rules; None if the keyword is absent.
        forbidden: Generic keywords and extensions, which make the schema non-structural here, by keyword.
    """

    validation: ValueValidation = field(default_factory=ValueValidation)
    items: NestedValueValidation | None = None
    properties: Mapping[str, NestedValueValidation] | None = None
    additional_properties: NestedValueValidation | None = None
    x_validations: tuple[JSONValue, ...] | None = None
    forbidden: Mapping[str, JSONValue] = field(default_factory=dict)


# The parts of schemas that whole walks look for.
RULES, EMBEDDED_RESOURCES, DEFAULTS, LIST_TYPES = 1, 2, 4, 8
_KEYED_LISTS: Final = frozenset({"set", "map"})


@dataclass(slots=True)
class Structural:
    """
    Node of a structural schema, not to be changed; attributes are named as the OpenAPI keywords.

    Attributes:
        type: `object`, `array`, …; empty if it is not specified.
        nullable: Whether null is a value.
        default: A JSON value; None if there is no default (a null default counts as none).
        properties: Schemas of the fields by name; empty if there are none.
        additional_properties: The schema of map values, or a boolean; None if absent.
        items: The schema of list items.
        is_annotated: Whether any of `title`, `description`, `externalDocs` and `example` is set.
        x_validations: The declared CEL rules; None if the keyword is absent.
        validation: The value validations.
        value_schema: The schema of map values; None if `additionalProperties` is absent or a boolean.
        parts: The sum of RULES, EMBEDDED_RESOURCES, DEFAULTS and LIST_TYPES: which of them the node or a nested schema has. Walks leave
            out the branches without their part.
    """

    type: str = ""
    nullable: bool = False
    default: JSONValue = None
    properties: Mapping[str, Structural] = field(default_factory=dict)
    additional_properties: Structural | bool | None = None
    items: Structural | None = None
    is_annotated: bool = False
    x_preserve_unknown_fields: bool = False
    x_embedded_resource: bool = False
    x_int_or_string: bool = False
    x_list_type: str | None = None
    x_list_map_keys: tuple[str, ...] | None = None
    x_validations: tuple[JSONValue, ...] | None = None
    validation: ValueValidation = field(default_factory=ValueValidation)
    value_schema: Structural | None = field(init=False, repr=False, compare=False)
    parts: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        additional = self.additional_properties
        self.value_schema = additional if additional and additional is not True else None
        parts = RULES if self.x_validations else 0
        if self.x_embedded_resource:
            parts |= EMBEDDED_RESOURCES
        if self.default is not None:
            parts |= DEFAULTS
        if self.x_list_type in _KEYED_LISTS:
            parts |= LIST_TYPES
        if self.properties:
            for child in self.properties.values():
                parts |= child.parts
        if self.items is not None:
            parts |= self.items.parts
        if self.value_schema is not None:
            parts |= self.value_schema.parts
        self.parts = parts


INT_OR_STRING: Final = (
    NestedValueValidation(forbidden={"type": "integer"}),
    NestedValueValidation(forbidden={"type": "string"}),
)


def from_schema(schema: Mapping[str, JSONValue]) -> Structural:
    """
    Return the structural form of an OpenAPI v3 schema.

    Args:
        schema: `openAPIV3Schema` as the server decodes it: known keywords only, with values of the right type.

    Raises:
        UnsupportedConstructError: The schema has `$ref`, `patternProperties`, `items` as a list, …

    Reference:
        KEP-2335; apiextensions-apiserver schema/convert.go, NewStructural. Go visits properties in random order; here
        the first unsupported construct is that of the first property by name.
    """
    if schema.keys() <= _PLAIN:
        type_ = schema["type"] if "type" in schema else ""  # noqa: SIM401 - half of all schemas: save the call
        return _plain(type_ or "", bool(schema.get("description")))
    set_keywords = schema if all(schema.values()) else _without_unset(schema)
    attributes = _read_attributes(set_keywords)
    if "items" in set_keywords:
        attributes["items"] = from_schema(_single(set_keywords["items"]))
    properties = _NOTHING
    if "properties" in set_keywords:
        children = set_keywords["properties"]
        properties = {name: from_schema(children[name]) for name in sorted(children)} or _NOTHING
    if "additionalProperties" in set_keywords:
        additional = set_keywords["additionalProperties"]
        is_schema = isinstance(additional, Mapping)
        attributes["additional_properties"] = from_schema(additional) if is_schema else additional
    return Structural(properties=properties, **attributes)


def _read_attributes(set_keywords: Mapping[str, JSONValue]) -> dict[str, Any]:
    """Return the attributes of a node besides nested schemas; raise as `from_schema`."""
    attributes: dict[str, Any] = {}
    keywords: dict[str, JSONValue] = {}
    has_junctors = False
    for keyword in set_keywords:  # a schema has few of the known keywords
        if keyword in _ATTRIBUTES:
            attributes[_ATTRIBUTES[keyword]] = set_keywords[keyword]
        elif keyword in _VALUE_KEYWORDS:
            keywords[keyword] = set_keywords[keyword]
        elif keyword in _ANNOTATIONS:
            attributes["is_annotated"] = True
        elif keyword in _JUNCTORS:
            has_junctors = True
        elif keyword in _TUPLES:
            attributes[_TUPLES[keyword]] = tuple(set_keywords[keyword])
        elif keyword in _UNSUPPORTED_AT_ALL:
            _refuse_unsupported(set_keywords)
    if has_junctors:
        attributes["validation"] = _value_validation(set_keywords, keywords)
    else:
        attributes["validation"] = ValueValidation(keywords) if keywords else NO_VALIDATION
    if _PRESERVE in set_keywords and set_keywords[_PRESERVE] is False:
        raise UnsupportedConstructError(_NOT_PRESERVING)
    return attributes


@functools.lru_cache
def _plain(type_: str, is_annotated: bool) -> Structural:  # noqa: FBT001 - positional arguments make the cache faster
    """Return the form of a schema with at most a type and a description, as every second schema is."""
    return Structural(type=type_, is_annotated=is_annotated)


def is_int_or_string_any_of(validation: ValueValidation) -> bool:
    """Return whether `anyOf` is exactly `[{type: integer}, {type: string}]`, the first permitted pattern."""
    return validation.any_of == INT_OR_STRING


def is_int_or_string_all_of(validation: ValueValidation) -> bool:
    """Return whether the first branch of `allOf` has exactly that `anyOf`, the second permitted pattern."""
    return bool(validation.all_of) and is_int_or_string_any_of(validation.all_of[0].validation)


def nodes(schema: Structural, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Structural]]:
    """
    Yield every node of *schema* with the path of its values, parents first.

    Args:
        schema: The root.
        path: The path of the root.

    Returns:
        Pairs of path and node; in the path, `[]` is any list item, `*` any map key.
    """
    yield path, schema
    if schema.items is not None:
        yield from nodes(schema.items, (*path, "[]"))
    if schema.value_schema is not None:
        yield from nodes(schema.value_schema, (*path, "*"))
    for name, child in schema.properties.items():
        yield from nodes(child, (*path, name))


def _without_unset(schema: Mapping[str, JSONValue]) -> Mapping[str, JSONValue]:
    """Return the keywords that Go sees as set."""
    return {
        keyword: value
        for keyword, value in schema.items()
        if value or not (value is None or keyword in _OMITTED_WHEN_FALSY or (keyword == "items" and value == []))
    }


def _refuse_unsupported(set_keywords: Mapping[str, JSONValue]) -> None:
    """Raise UnsupportedConstructError for the first unsupported keyword; an empty `dependencies` is supported."""
    for keyword in _UNSUPPORTED:
        if keyword in set_keywords and (keyword != "dependencies" or set_keywords[keyword]):
            raise UnsupportedConstructError(
                f"OpenAPIV3Schema '{keyword.removeprefix('$') if keyword == '$schema' else keyword}' is not supported"
            )


def _value_validation(set_keywords: Mapping[str, JSONValue], keywords: Mapping[str, JSONValue]) -> ValueValidation:
    """Return the value validations of a schema, given those without nested schemas."""
    return ValueValidation(
        not_=_nested(set_keywords["not"]) if "not" in set_keywords else None,
        keywords=keywords,
        all_of=tuple(map(_nested, set_keywords.get("allOf", ()))),
        any_of=tuple(map(_nested, set_keywords.get("anyOf", ()))),
        one_of=tuple(map(_nested, set_keywords.get("oneOf", ()))),
    )


def _nested(schema: Mapping[str, JSONValue]) -> NestedValueValidation:
    set_keywords = _without_unset(schema)
    _refuse_unsupported(set_keywords)
    keywords = {keyword: value for keyword, value in set_keywords.items() if keyword in _VALUE_KEYWORDS}
    validation = _value_validation(set_keywords, keywords)
    if set_keywords.get("x-kubernetes-preserve-unknown-fields") is False:
        raise UnsupportedConstructError(_NOT_PRESERVING)
    items = set_keywords.get("items")
    properties = set_keywords.get("properties")
    rules = set_keywords.get("x-kubernetes-validations")
    return NestedValueValidation(
        validation=validation,
        items=None if items is None else _nested(_single(items)),
        properties=None if properties is None else {name: _nested(properties[name]) for name in sorted(properties)},
        additional_properties=_nested_additional(set_keywords.get("additionalProperties")),
        x_validations=None if rules is None else tuple(rules),
        forbidden={
            keyword: value for keyword, value in set_keywords.items() if keyword in _GENERICS or keyword in _EXTENSIONS
        },
    )


def _nested_additional(schema: JSONValue) -> NestedValueValidation | None:
    if isinstance(schema, Mapping):
        return _nested(schema)
    return NestedValueValidation() if schema is True else None


def _single(items: JSONValue) -> Mapping[str, JSONValue]:
    if isinstance(items, dict):
        return items
    raise UnsupportedConstructError("OpenAPIV3Schema 'items' must be a schema, but is an array")


def has_rules(schema: Structural) -> bool:
    """Return whether *schema* or a nested schema has rules."""
    return bool(schema.parts & RULES)


def ids_with_rules(schema: Structural) -> frozenset[int]:
    """Return the ids of *schema* and its nested schemas that have rules in them or below."""
    return frozenset(id(node) for _, node in nodes(schema) if node.parts & RULES)

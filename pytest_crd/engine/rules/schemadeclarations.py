"""
Type declarations of structural schemas for the CEL checker, with the maximal sizes of values.

Expressions cannot use values without a declaration: those of any type, and lists and maps of them.

Reference:
    apiserver pkg/cel/common/schemas.go, SchemaDeclType; pkg/cel/types.go, DeclType.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules.escaping import RESERVED, escape
from pytest_crd.engine.schema.structural import Structural, ValueValidation

# The limit of request bodies, 3 MiB, which bounds all values that the schema does not bound; quotes count.
MAX_REQUEST_SIZE: Final = 3 * 1024 * 1024
_LONGEST_TEXT: Final = MAX_REQUEST_SIZE - 2
_BYTES_PER_CHARACTER: Final = 4
# An empty key with its quotes, colon and comma.
_ENTRY_SIZE: Final = 6
_FORMATTED: Final = {
    # The maximal and the minimal length of the format in JSON.
    "duration": (celtypes.DURATION, 32, 3),
    "date": (celtypes.TIMESTAMP, 12, 12),
    "date-time": (celtypes.TIMESTAMP, 32, 21),
}
_LONGEST_NAME: Final = 253
# A server appends at least one character to a generateName.
_LONGEST_GENERATE_NAME: Final = _LONGEST_NAME - 1
_STRING: Final = Structural(type="string")


@dataclass(frozen=True, slots=True)
class Declaration:
    """
    Declaration of the values of a schema.

    Attributes:
        type: Their type.
        max_elements: The maximal number of characters, bytes, items or entries; 0 for other types.
        min_size: The size of the smallest value as JSON, in bytes.
        fields: The declarations of an object's properties by their identifiers; None for other types.
        element: The declaration of the items of a list, or of the values of a map.
    """

    type: Type
    max_elements: int = 0
    min_size: int = 1
    fields: Mapping[str, Declaration] | None = None
    element: Declaration | None = None


_BOOL: Final = Declaration(celtypes.BOOL, min_size=4)
_DOUBLE: Final = Declaration(celtypes.DOUBLE)
_INT: Final = Declaration(celtypes.INT)
_KEY: Final = Declaration(celtypes.STRING, min_size=2)


def declare(schema: Structural, profile: Profile, name: str, *, is_resource: bool = False) -> Declaration | None:
    """
    Return the declaration of a schema.

    Args:
        schema: The schema.
        profile: The Kubernetes version.
        name: The type name if it is an object; type names of nested objects begin with it.
        is_resource: Whether it is a whole resource, which always declares kind, apiVersion and name.

    Returns:
        None if expressions cannot use its values.
    """
    if schema.x_int_or_string:
        return _int_or_string(schema.validation, profile)
    if is_resource:
        schema = with_type_and_object_meta(schema, profile)
    if schema.type == "array":
        return _list(schema, profile, name)
    if schema.type == "object":
        return _map(schema, profile, name) if schema.value_schema is not None else _object(schema, profile, name)
    if schema.type == "string":
        return _text(schema.validation)
    return {"boolean": _BOOL, "number": _DOUBLE, "integer": _INT}.get(schema.type)


def with_type_and_object_meta(schema: Structural, profile: Profile) -> Structural:
    """
    Return *schema* with the properties that every resource has.

    Reference:
        apiextensions-apiserver schema/cel/model/schemas.go, WithTypeAndObjectMeta.
    """
    properties = schema.properties
    metadata = properties.get("metadata", Structural())
    declared = (properties.get("kind"), properties.get("apiVersion"), *map(metadata.properties.get, _NAMES))
    if metadata.type == "object" and all(child is not None and child.type == "string" for child in declared):
        return schema
    names = {
        name: _capped(metadata.properties.get(name, _STRING), longest) if profile.bounds_names_in_rules else _STRING
        for name, longest in _NAMES.items()
    }
    common = {"kind": _STRING, "apiVersion": _STRING, "metadata": Structural(type="object", properties=names)}
    return replace(schema, properties={**properties, **common})


_NAMES: Final = {"name": _LONGEST_NAME, "generateName": _LONGEST_GENERATE_NAME}


def _capped(schema: Structural, longest: int) -> Structural:
    declared = schema.validation.keywords.get("maxLength")
    keywords = {"maxLength": longest if declared is None else min(declared, longest)}
    return Structural(type="string", validation=ValueValidation(keywords=keywords))


def _int_or_string(validation: ValueValidation, profile: Profile) -> Declaration:
    longest = validation.keywords.get("maxLength") if profile.bounds_int_or_string_in_rules else None
    return Declaration(celtypes.DYN, _LONGEST_TEXT if longest is None else _bytes(longest))


def _list(schema: Structural, profile: Profile, name: str) -> Declaration | None:
    if schema.items is None:
        return None
    items = declare(schema.items, profile, f"{name}.@idx", is_resource=schema.items.x_embedded_resource)
    if items is None:
        return None
    most = schema.validation.keywords.get("maxItems")
    bound = (MAX_REQUEST_SIZE - 2) // (items.min_size + 1) if most is None else max(most, 0)
    return Declaration(celtypes.list_of(items.type), bound, min_size=2, element=items)


def _map(schema: Structural, profile: Profile, name: str) -> Declaration | None:
    value_schema = schema.value_schema or Structural()
    values = declare(value_schema, profile, f"{name}.@elem", is_resource=value_schema.x_embedded_resource)
    if values is None:
        return None
    most = schema.validation.keywords.get("maxProperties")
    bound = (MAX_REQUEST_SIZE - 2) // (values.min_size + _ENTRY_SIZE) if most is None else max(most, 0)
    return Declaration(celtypes.map_of(celtypes.STRING, values.type), bound, min_size=2, element=values)


def _object(schema: Structural, profile: Profile, name: str) -> Declaration:
    required = schema.validation.keywords.get("required") or ()
    fields: dict[str, Declaration] = {}
    min_size = 2
    for property_name, child in schema.properties.items():
        identifier = escape(property_name)
        inner_name = f"{name}.{identifier}"
        declared = declare(child, profile, inner_name, is_resource=child.x_embedded_resource)
        if declared is None:
            continue
        if identifier is not None:
            fields[identifier] = declared
        if property_name in required and child.default is None:
            # Quotes, colon and comma count.
            min_size += len(property_name.encode()) + declared.min_size + 4
    return Declaration(celtypes.struct(name), min_size=min_size, fields=fields)


def _text(validation: ValueValidation) -> Declaration:
    keywords = validation.keywords
    format_, longest = keywords.get("format", ""), keywords.get("maxLength")
    if format_ in _FORMATTED:
        type_, most, least = _FORMATTED[format_]
        return Declaration(type_, most, min_size=least)
    if format_ == "byte":
        return Declaration(celtypes.BYTES, _LONGEST_TEXT if longest is None else max(longest, 0), min_size=2)
    if longest is not None:
        return Declaration(celtypes.STRING, _bytes(longest), min_size=2)
    if keywords.get("enum"):
        texts = [value for value in keywords["enum"] if isinstance(value, str)]
        return Declaration(celtypes.STRING, max((len(text.encode()) for text in texts), default=0), min_size=2)
    return Declaration(celtypes.STRING, _LONGEST_TEXT, min_size=2)


def _bytes(characters: int) -> int:
    return max(characters, 0) * _BYTES_PER_CHARACTER


class SchemaDeclarations:
    """
    Types for the checker, and sizes for cost estimates.

    Attributes:
        root: The declaration of `self`.
    """

    def __init__(self, root: Declaration, structs: Mapping[str, Declaration]) -> None:
        self.root = root
        self._structs = structs

    def find_struct(self, name: str) -> Type | None:
        """Return the type called *name*: an object, or a named CEL type such as `duration`; None if it is unknown."""
        declaration = self._structs.get(name)
        return _NAMED.get(name) if declaration is None else declaration.type

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        """Return the type of a property; a name that is a reserved word matches without its escape."""
        struct = self._structs.get(struct_name)
        if struct is None or struct.fields is None:
            return None
        declared = struct.fields.get(field_name)
        if declared is None and field_name in RESERVED:
            declared = struct.fields.get(f"__{field_name}__")
        return None if declared is None else declared.type

    def max_elements(self, path: tuple[str, ...]) -> int | None:
        """Return the maximal number of elements of the part of `self` at *path*; None if it is not declared."""
        declaration: Declaration | None = self.root
        for name in path[1:]:
            if declaration is None:
                return None
            if name in {"@items", "@values"}:
                declaration = declaration.element
            elif name == "@keys":
                declaration = _KEY if declaration.type.kind is celtypes.TypeKind.MAP else None
            else:
                declaration = (declaration.fields or {}).get(name)
        return None if declaration is None else declaration.max_elements


_NAMED: Final = {
    "bool": celtypes.BOOL,
    "bytes": celtypes.BYTES,
    "double": celtypes.DOUBLE,
    "duration": celtypes.DURATION,
    "int": celtypes.INT,
    "list": celtypes.list_of(celtypes.DYN),
    "map": celtypes.map_of(celtypes.DYN, celtypes.DYN),
    "null_type": celtypes.NULL,
    "string": celtypes.STRING,
    "timestamp": celtypes.TIMESTAMP,
    "uint": celtypes.UINT,
}


def structs(declaration: Declaration) -> dict[str, Declaration]:
    """Return the declarations of all objects in *declaration* and below, by the names of their types."""
    declarations: dict[str, Declaration] = {}
    pending = [declaration]
    while pending:
        current = pending.pop()
        if current.fields is not None:
            declarations[current.type.name] = current
            pending += current.fields.values()
        if current.element is not None:
            pending.append(current.element)
    return declarations

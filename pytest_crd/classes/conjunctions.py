"""
Conjunctions of JSON Schemas: one schema for the values that two schemas allow, for keywords beside `$ref` and for `allOf`.

Reference:
    JSON Schema 2020-12, sections 8.2.3.1 and 10.2.1.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue

JSONSchema: TypeAlias = Mapping[str, Any]

ANNOTATIONS: Final = frozenset(
    {
        *("$comment", "$defs", "$id", "$schema", "contentEncoding", "contentMediaType", "definitions", "deprecated"),
        *("discriminator", "example", "examples", "readOnly", "title", "writeOnly"),
    }
)
_OVERRIDABLE: Final = ANNOTATIONS | {"default", "description", "nullable"}
_LOWER: Final = ("exclusiveMinimum", "minItems", "minLength", "minProperties", "minimum")
_UPPER: Final = ("exclusiveMaximum", "maxItems", "maxLength", "maxProperties", "maximum")
_ADDITIONAL: Final = "additionalProperties"
_JUNCTION: Final = "allOf"
_VALIDATIONS: Final = "x-kubernetes-validations"


class Conjunction(NamedTuple):
    """
    The conjunction of two schemas.

    Attributes:
        schema: The schema.
        conflicts: The keywords with values that no schema can have at once.
    """

    schema: JSONSchema
    conflicts: tuple[str, ...]


def conjoin(part: JSONSchema, beside: JSONSchema) -> Conjunction:
    """Return the conjunction of a part of a schema and of the keywords *beside* it, which override descriptions and defaults."""
    schema, conflicts = {**part, **beside}, []
    for keyword in part.keys() & beside.keys() - _OVERRIDABLE:
        values = (part[keyword], beside[keyword])
        if not jsonvalue.equal(*values):
            if (value := _conjoin_values(keyword, *values)) is None:
                conflicts.append(keyword)
            else:
                schema[keyword] = value
    if _is_closed_to(part, beside) or _is_closed_to(beside, part):
        conflicts.append(_ADDITIONAL)
    return Conjunction(schema, tuple(sorted(conflicts)))


def _conjoin_values(keyword: str, part: Any, beside: Any) -> Any:
    """Return the value of a keyword for both schemas; None if they have no common value."""
    if keyword in (*_LOWER, *_UPPER):
        is_number = not isinstance(part, bool) and not isinstance(beside, bool)
        return (max if keyword in _LOWER else min)(part, beside) if is_number else None
    converter = _CONVERTERS.get(keyword)
    return None if converter is None else converter(part, beside)


def _types(part: Any, beside: Any) -> Any:
    first, second = (value if isinstance(value, list) else [value] for value in (part, beside))
    return [name for name in first if name in second] or None


def _enum(part: list[Any], beside: list[Any]) -> Any:
    return [value for value in part if any(jsonvalue.equal(value, value_beside) for value_beside in beside)] or None


def _properties(part: JSONSchema, beside: JSONSchema) -> JSONSchema:
    both = {name: _both(part[name], beside[name]) for name in part if name in beside}
    return {**part, **beside, **both}


def _additional(part: Any, beside: Any) -> Any:
    if False in (part, beside):
        return False
    return (
        next((value for value in (part, beside) if value is not True), None)
        if True in (part, beside)
        else _both(part, beside)
    )


def _both(part: Any, beside: Any) -> JSONSchema:
    return {_JUNCTION: [part, beside]}


_CONVERTERS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    _ADDITIONAL: _additional,
    "enum": _enum,
    "items": _both,
    "properties": _properties,
    "required": lambda part, beside: list(dict.fromkeys((*part, *beside))),
    "type": _types,
    "uniqueItems": lambda *_: True,
    _VALIDATIONS: lambda part, beside: [*beside, *part],
}


def _is_closed_to(schema: JSONSchema, other: JSONSchema) -> bool:
    """Return whether a schema restricts, by its additional properties, fields that only the *other* one has."""
    fields = other.get("properties", {}).keys() - schema.get("properties", {}).keys()
    return bool(fields) and schema.get(_ADDITIONAL, True) is not True

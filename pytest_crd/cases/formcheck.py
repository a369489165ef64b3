"""
Quick check of the form of case files, so that only files with a mistake load jsonschema, which is slow to import.

It knows the keywords of one schema, that of case files. A keyword that it does not know makes a value doubtful, and jsonschema decides.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue

_Schema: TypeAlias = Mapping[str, Any]
_SCHEMA: Final = Path(__file__).with_name("case-file.schema.json")
_TYPES: Final = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
# The keywords inside `not` and `if`, where a doubtful value must not count as invalid.
_PLAIN: Final = frozenset({"required", "not", "type", "pattern", "properties", "enum"})


def has_form(document: JSONValue) -> bool:
    """Return whether a document of a case file is valid under the schema that ships with the package; False if it is doubtful."""
    schema = _load()
    return is_valid(schema, document, schema["$defs"])


@functools.cache
def _load() -> _Schema:
    """Return the schema: its text is read in less time than `caseformat` makes it."""
    schema: _Schema = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    return schema


def is_valid(schema: _Schema, value: JSONValue, definitions: _Schema) -> bool:
    """
    Return True if *value* is valid; False if it is invalid or doubtful.

    Args:
        schema: A part of the schema.
        value: The value.
        definitions: The `$defs` of the schema.
    """
    for keyword, argument in schema.items():
        check = _CHECKS.get(keyword)
        if check is not None and not check(argument, value, schema, definitions):
            return False
        if check is None and keyword not in _WITHOUT_EFFECT:
            return False
    return True


def _any_of(options: list[_Schema], value: JSONValue, _: _Schema, definitions: _Schema) -> bool:
    return any(is_valid(option, value, definitions) for option in options)


def _all_of(parts: list[_Schema], value: JSONValue, _: _Schema, definitions: _Schema) -> bool:
    return all(is_valid(part, value, definitions) for part in parts)


def _conditional(condition: _Schema, value: JSONValue, schema: _Schema, definitions: _Schema) -> bool:
    if not _is_plain(condition):
        return False
    return not is_valid(condition, value, definitions) or is_valid(schema["then"], value, definitions)


def _negated(schema: _Schema, value: JSONValue, _: _Schema, definitions: _Schema) -> bool:
    return _is_plain(schema) and not is_valid(schema, value, definitions)


def _is_plain(schema: _Schema) -> bool:
    is_known = schema.keys() <= _PLAIN and schema.get("type", "string") == "string"
    return is_known and all(map(_is_plain, schema.get("properties", {}).values()))


def _dependent(schemas: _Schema, value: JSONValue, _: _Schema, definitions: _Schema) -> bool:
    present = schemas.keys() & value.keys() if isinstance(value, dict) else ()
    return all(is_valid(schemas[key], value, definitions) for key in present)


def _properties(schemas: _Schema, value: JSONValue, _: _Schema, definitions: _Schema) -> bool:
    present = schemas.keys() & value.keys() if isinstance(value, dict) else ()
    return all(is_valid(schemas[key], value[key], definitions) for key in present)


def _additional(allowed: Any, value: JSONValue, schema: _Schema, definitions: _Schema) -> bool:
    if not isinstance(value, dict) or allowed is True:
        return True
    patterns = schema.get("patternProperties", {})
    others = [
        key
        for key in value.keys() - schema.get("properties", {}).keys()
        if not any(re.search(pattern, key) for pattern in patterns)
    ]
    return not others if allowed is False else all(is_valid(allowed, value[key], definitions) for key in others)


def _items(schema: _Schema, value: JSONValue, _: _Schema, definitions: _Schema) -> bool:
    return not isinstance(value, list) or all(is_valid(schema, item, definitions) for item in value)


def _is_one_of(values: list[JSONValue], value: JSONValue) -> bool:
    return any(type(value) is type(item) and value == item for item in values)


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


_CHECKS: Final[Mapping[str, Callable[[Any, JSONValue, _Schema, _Schema], bool]]] = {
    "$ref": lambda name, value, _, definitions: is_valid(definitions[name.rpartition("/")[2]], value, definitions),
    "type": lambda names, value, *_: any(type(value) is _TYPES.get(name) for name in _listed(names)),
    "const": lambda wanted, value, *_: _is_one_of([wanted], value),
    "enum": lambda wanted, value, *_: _is_one_of(wanted, value),
    "required": lambda keys, value, *_: not isinstance(value, dict) or all(key in value for key in keys),
    "minProperties": lambda least, value, *_: not isinstance(value, dict) or len(value) >= least,
    "minItems": lambda least, value, *_: not isinstance(value, list) or len(value) >= least,
    "minimum": lambda least, value, *_: type(value) is not int or value >= least,
    "pattern": lambda pattern, value, *_: not isinstance(value, str) or re.search(pattern, value) is not None,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any_of,
    "allOf": _all_of,
    "if": _conditional,
    "not": _negated,
    "dependentSchemas": _dependent,
}
# Annotations, and keywords that others read; patterns of properties have no schema of their own.
_WITHOUT_EFFECT: Final = frozenset({"$schema", "$id", "$defs", "title", "description", "then", "patternProperties"})

"""Validators of JSON Schemas in files, with the patterns and formats of a server; nothing is fetched."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import jsonschema
from jsonschema import ValidationError
from jsonschema.protocols import Validator

from pytest_crd.engine import ManifestError, Mistake, profile
from pytest_crd.engine.formats import stringformats
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.yaml.manifest import ManifestFile
from pytest_crd.wording import escape

_LONGEST: Final = 80
_NUMBER: Final = (int, float)
# The types of the values of keywords; keywords that only other programs read are left out.
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    **dict.fromkeys(("properties", "definitions", "$defs"), (dict,)),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "required", "enum"), (list,)),
    **dict.fromkeys(("pattern", "format", "$ref", "$schema"), (str,)),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _NUMBER),
    "type": (str, list),
    "items": (dict, bool, list),
    **dict.fromkeys(("additionalProperties", "not"), (dict, bool)),
}
_OF_FIELDS: Final = frozenset({"properties", "definitions", "$defs"})
_OF_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "items"})
_OF_ONE: Final = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"})
# Keywords that no CRD has: the patterns of the first one are not of Go.
_UNSUPPORTED: Final = ("patternProperties", "$dynamicRef", "$recursiveRef")
_JSON_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def read(file: ManifestFile, kubernetes_version: str) -> Validator:
    """
    Return the validator of a schema.

    Raises:
        ManifestError: It is no schema, or has keywords that are not supported.
    """
    content = file.read()
    try:
        schema = json.loads(content)
        problem = _find_problem(schema, "", schema) if isinstance(schema, dict) else "no JSON object"
        if not problem and isinstance(schema.get("kind"), str):
            problem = f"an object of kind {schema['kind']}"
    except (ValueError, RecursionError) as error:
        problem = f"not readable as JSON: {error}"
    find_draft: Callable[..., Any] = jsonschema.validators.validator_for
    draft = None if problem else find_draft(schema, default=None)
    if not problem and draft is None and "$schema" in schema:
        problem = f"the draft {schema['$schema']} is not known"
    if problem:
        raise ManifestError([Mistake(file.name, 0, f"no usable JSON Schema: {escape(problem)}")])
    formats = profile.named(kubernetes_version)

    def check_format(_: object, name: str, value: Any, __: object) -> Iterator[ValidationError]:
        is_valid = stringformats.check(name, formats) if isinstance(value, str) else None
        if is_valid is not None and not is_valid(value):
            yield ValidationError(f"{value!r} is not a {name!r}")

    def check_pattern(_: object, pattern: str, value: Any, __: object) -> Iterator[ValidationError]:
        if isinstance(value, str) and not patterns.compile(pattern)(value):
            yield ValidationError(f"{value!r} does not match {pattern!r}")

    checks: Mapping[str, Callable[..., Any]] = {"format": check_format, "pattern": check_pattern}
    # A server takes 1.0 for an integer, unlike the types of draft 4.
    types = jsonschema.Draft7Validator.TYPE_CHECKER
    base = draft or jsonschema.Draft4Validator
    validator: Validator = jsonschema.validators.extend(base, checks, type_checker=types)(schema)  # type: ignore[no-untyped-call]
    return validator


def _find_problem(schema: Any, place: str, root: Mapping[str, Any]) -> str:
    """Return the reason why a schema, or a part of *root*, cannot be used; empty if it can."""
    if not isinstance(schema, dict):
        return "" if isinstance(schema, bool) else f"{place or 'the root'} is no schema"
    for keyword, value in schema.items():
        here = f"{place}.{keyword}" if place else keyword
        if keyword in _UNSUPPORTED:
            return f"{here} is not supported"
        named = {value} if isinstance(value, str) else {*map(str, value)} if isinstance(value, list) else set()
        is_wrong_type = keyword == "type" and not named <= _JSON_TYPES
        if is_wrong_type or not isinstance(value, _TYPES.get(keyword, object)):
            return f"{here} is {json.dumps(value)[:_LONGEST]}"
        if keyword == "$ref" and not _has_target(root, str(value)):
            return f"{here} leads to {value}, which is not in the file; nothing is fetched"
        problems = (_find_problem(inner, inner_place, root) for inner_place, inner in _find_inner(keyword, value, here))
        if problem := next(filter(None, problems), ""):
            return problem
    return ""


def _has_target(root: Mapping[str, Any], reference: str) -> bool:
    """Return whether a reference, a JSON Pointer, leads to a part of a schema."""
    target: Any = root
    for name in reference.removeprefix("#").split("/")[1:]:
        target = target.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
    return target is not None and (reference == "#" or reference.startswith("#/"))


def _find_inner(keyword: str, value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield the schemas inside of a keyword, with their places."""
    if keyword in _OF_FIELDS:
        yield from ((f"{place}.{name}", item) for name, item in value.items())
    elif keyword in _OF_LISTS and isinstance(value, list):
        yield from ((f"{place}[{index}]", item) for index, item in enumerate(value))
    elif keyword in _OF_ONE:
        yield place, value

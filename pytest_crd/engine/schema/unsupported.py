"""OpenAPI constructs that no CRD may use, with the server's errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue

LISTED_ITEMS: Final = "items must be a schema object and not an array"
NOT_PRESERVING: Final = "must be true or undefined"
# Keywords, and whether an empty value counts, in the order in which the server checks them.
KEYWORDS: Final = {
    "id": False,
    "additionalItems": True,
    "patternProperties": False,
    "definitions": False,
    "dependencies": True,
    "$ref": True,
}
_BY_NAME: Final = ("properties", "definitions", "dependencies")


def find_errors(schema: Mapping[str, JSONValue], path: FieldPath) -> tuple[FieldError, ...]:
    """
    Return an error for every construct in *schema* that prevents a structural form.

    Args:
        schema: `openAPIV3Schema` as the server decodes it.
        path: The path of the schema in the CRD, as errors spell it.

    Errors:
        Forbidden and Invalid, sorted by their text, because the server visits properties in random order.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema.
    """
    return tuple(sorted(_node(schema, path), key=str))


def find_used(schema: Mapping[str, JSONValue]) -> Iterator[str]:
    """Yield the forbidden keywords of *schema* itself, in the server's order."""
    for keyword, empty_counts in KEYWORDS.items():
        value = schema.get(keyword)
        if value or (empty_counts and value is not None):
            yield keyword


def _node(schema: JSONValue, path: FieldPath) -> Iterator[FieldError]:
    if not isinstance(schema, Mapping):
        return
    for keyword in find_used(schema):
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

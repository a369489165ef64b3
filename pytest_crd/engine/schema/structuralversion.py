"""Structural form of a schema for each Kubernetes version: older versions ignore some keywords, and forbid others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import structural
from pytest_crd.engine.schema.structural import Structural
from pytest_crd.engine.schema.subschemas import Schema

_IGNORED: Final = ("example", "externalDocs")
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
_ALL: Final = frozenset((*_IGNORED, *_JUNCTORS))


def from_schema(
    schema: Schema, profile: Profile, keywords: Callable[[], AbstractSet[str]] = lambda: _ALL
) -> Structural:
    """
    Return the structural form of an OpenAPI v3 schema.

    Args:
        schema: `openAPIV3Schema` as the server decodes it.
        profile: The Kubernetes version.
        keywords: Returns the keywords that may occur in it; called only if the version ignores some.

    Raises:
        UnsupportedConstructError: As for `structural.from_schema`.

    Reference:
        apiextensions-apiserver schema/convert.go, newGenerics.
    """
    affected_keywords = {
        *(() if profile.structure_has_examples else _IGNORED),
        *(() if profile.allows_false_in_junctors else _JUNCTORS),
    }
    if not affected_keywords or affected_keywords.isdisjoint(keywords()):
        return structural.from_schema(schema)
    return structural.from_schema(_without_ignored(schema, profile, nested=False))


def _without_ignored(schema: JSONValue, profile: Profile, *, nested: bool) -> JSONValue:
    """Return *schema* without the keywords that *profile* ignores; *nested* is True inside junctors."""
    if not isinstance(schema, Mapping):
        # Inside junctors, true is any schema, and false is no schema unless false is forbidden too.
        return schema or (nested and not profile.allows_false_in_junctors)
    return {
        key: _below(key, value, profile, nested=nested)
        for key, value in schema.items()
        if profile.structure_has_examples or key not in _IGNORED
    }


def _below(keyword: str, value: JSONValue, profile: Profile, *, nested: bool) -> JSONValue:
    if keyword == "properties":
        return {name: _without_ignored(child, profile, nested=nested) for name, child in value.items()}
    if keyword in ("allOf", "anyOf", "oneOf"):
        return [_without_ignored(branch, profile, nested=True) for branch in value]
    if keyword == "additionalProperties" or (keyword in ("items", "not") and isinstance(value, Mapping)):
        return _without_ignored(value, profile, nested=nested or keyword == "not")
    return value

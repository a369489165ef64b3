"""The structural form of a schema as each Kubernetes version sees it: older ones overlook some keywords, and forbid others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import structural
from pytest_crd.engine.schema.structural import Structural
from pytest_crd.engine.schema.subschemas import Schema

_OVERLOOKED: Final = ("example", "externalDocs")
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
_ALL: Final = frozenset((*_OVERLOOKED, *_JUNCTORS))


def from_schema(
    schema: Schema, profile: Profile, keywords: Callable[[], AbstractSet[str]] = lambda: _ALL
) -> Structural:
    """
    Return the structural form of an OpenAPI v3 schema.

    Args:
        schema: `openAPIV3Schema` as the server decodes it.
        profile: The Kubernetes version.
        keywords: Finds the keywords that may stand anywhere in it; asked where some of them may be overlooked.

    Raises:
        UnsupportedConstructError: As `structural.from_schema`.

    Reference:
        apiextensions-apiserver schema/convert.go, newGenerics.
    """
    seen_otherwise = {
        *(() if profile.structure_has_examples else _OVERLOOKED),
        *(() if profile.allows_false_in_junctors else _JUNCTORS),
    }
    if not seen_otherwise or seen_otherwise.isdisjoint(keywords()):
        return structural.from_schema(schema)
    return structural.from_schema(_seen(schema, profile, nested=False))


def _seen(schema: JSONValue, profile: Profile, *, nested: bool) -> JSONValue:
    """Return *schema* as a server of *profile* sees it; *nested* inside of allOf and the like."""
    if not isinstance(schema, Mapping):
        # Inside of junctors true stands for any schema, and false for none, unless that is forbidden too.
        return schema or (nested and not profile.allows_false_in_junctors)
    return {
        key: _below(key, value, profile, nested=nested)
        for key, value in schema.items()
        if profile.structure_has_examples or key not in _OVERLOOKED
    }


def _below(keyword: str, value: JSONValue, profile: Profile, *, nested: bool) -> JSONValue:
    if keyword == "properties":
        return {name: _seen(child, profile, nested=nested) for name, child in value.items()}
    if keyword in ("allOf", "anyOf", "oneOf"):
        return [_seen(branch, profile, nested=True) for branch in value]
    if keyword == "additionalProperties" or (keyword in ("items", "not") and isinstance(value, Mapping)):
        return _seen(value, profile, nested=nested or keyword == "not")
    return value

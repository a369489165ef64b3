"""Declared schema of a CRD with cached facts about it, and its structural form, in which older versions ignore some keywords and forbid others."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import structural, subschemas
from pytest_crd.engine.schema.structural import Structural
from pytest_crd.engine.schema.subschemas import Schema

_IGNORED: Final = ("example", "externalDocs")
_JUNCTORS: Final = ("allOf", "anyOf", "oneOf", "not")
_ALL: Final = frozenset((*_IGNORED, *_JUNCTORS))


class OpenAPISchema:
    """
    One `openAPIV3Schema`.

    Attributes:
        value: The schema as the server decodes it: known keywords only, no nulls; not to be changed.
        profile: The Kubernetes version.
        accepted: The conditions under which a validation of the schema has found no error.
    """

    def __init__(self, value: Schema, profile: Profile) -> None:
        """Create from a decoded schema; all facts are computed on first use."""
        self.value = value
        self.profile = profile
        self.accepted: set[Hashable] = set()

    def take_facts(self, other: OpenAPISchema) -> None:
        """Take over the known facts about *other*, which is of the same Kubernetes version, if it is the same schema with the same order of keys."""
        if self.value == other.value and json.dumps(self.value) == json.dumps(other.value):
            self.__dict__.update({**other.__dict__, "value": self.value})

    @cached_property
    def nodes(self) -> Sequence[Schema]:
        """The schema and all nested schemas, in the server's order."""
        return subschemas.walk(self.value)

    @cached_property
    def keywords(self) -> frozenset[str]:
        """The keywords that occur anywhere in the schema, to skip searches for other keywords."""
        return frozenset().union(*self.nodes)

    @cached_property
    def has_defaults(self) -> bool:
        """Whether the schema or a nested one has a default."""
        return "default" in self.keywords and subschemas.have_defaults(self.nodes)

    @property
    def has_rules(self) -> bool:
        """Whether the schema or a nested one may have a rule."""
        return "x-kubernetes-validations" in self.keywords

    @cached_property
    def structural(self) -> Structural:
        """
        The structural form of the schema.

        Raises:
            UnsupportedConstructError: The schema has a construct that no structural schema can express.
        """
        return to_structural(self.value, self.profile, lambda: self.keywords)

    def __getstate__(self) -> dict[str, object]:
        """Return the picklable attributes, without cached facts."""
        return {"value": self.value, "profile": self.profile, "accepted": set()}


def to_structural(
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

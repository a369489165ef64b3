"""Declared schema of a CRD with cached facts about it."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from functools import cached_property

from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import structuralversion, subschemas
from pytest_crd.engine.schema.structural import Structural
from pytest_crd.engine.schema.subschemas import Schema


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
        return structuralversion.from_schema(self.value, self.profile, lambda: self.keywords)

    def __getstate__(self) -> dict[str, object]:
        """Return the picklable attributes, without cached facts."""
        return {"value": self.value, "profile": self.profile, "accepted": set()}

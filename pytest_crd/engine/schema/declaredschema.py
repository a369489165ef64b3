"""A schema as a CRD declares it, with what is found out about it: once, whoever asks."""

from __future__ import annotations

from collections.abc import Sequence
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
    """

    def __init__(self, value: Schema, profile: Profile) -> None:
        """Take a decoded schema; nothing is found out yet."""
        self.value = value
        self.profile = profile

    @cached_property
    def nodes(self) -> Sequence[Schema]:
        """The schema and all schemas in it, in the server's order."""
        return subschemas.walk(self.value)

    @cached_property
    def keywords(self) -> frozenset[str]:
        """The keywords that stand anywhere in it: what none of its schemas has need not be looked for in each of them."""
        return frozenset().union(*self.nodes)

    @cached_property
    def has_defaults(self) -> bool:
        """Whether there is a default anywhere in it."""
        return "default" in self.keywords and subschemas.have_defaults(self.nodes)

    @property
    def has_rules(self) -> bool:
        """Whether there may be a rule in it."""
        return "x-kubernetes-validations" in self.keywords

    @cached_property
    def structural(self) -> Structural:
        """
        Its structural form.

        Raises:
            UnsupportedConstructError: It has a construct that no structural schema can express.
        """
        return structuralversion.from_schema(self.value, self.profile, lambda: self.keywords)

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs: nothing that was found out since."""
        return {"value": self.value, "profile": self.profile}

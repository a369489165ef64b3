"""The schema of a version: whether it is structural, which rules it has, and what its passes do to an object."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from weakref import WeakMethod

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.api import keptanswers
from pytest_crd.engine.crds.declared import CrdSpec, VersionSpec
from pytest_crd.engine.crds.rule import Rule
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.failedrule import Locate, Steps
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.passes.versionpasses import Passes
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import subresources
from pytest_crd.engine.registry.served import Served
from pytest_crd.engine.registry.subresources import Subresources
from pytest_crd.engine.schema import nonstructural, subschemas, unsupported
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.engine.schema.structural import Structural, UnsupportedConstructError


class VersionSchema:
    """
    The schema of one version of a CRD.

    Attributes:
        spec: What the CRD declares of the version.
    """

    def __init__(self, crd_spec: CrdSpec, spec: VersionSpec, profile: Profile, locate: Locate | None) -> None:
        """
        Take what the CRD declares.

        Args:
            crd_spec: The CRD.
            spec: The version.
            profile: Whose behaviour and words.
            locate: Says where in a file stands what is at a path in the schema; None where the CRD was not read from one.
        """
        self.spec = spec
        self._locate = locate
        self._crd_spec = crd_spec
        self._profile = profile

    @cached_property
    def structural_errors(self) -> tuple[FieldError, ...]:
        """
        Every violation that keeps the schema from being structural, as POSTing the CRD as v1 reports it.

        Errors:
            Required, Invalid and Forbidden, in the server's order; empty for a structural schema, and where there is none:
            that v1 demands a schema is a rule about the CRD, not about its structure.

        Reference:
            KEP-2335; apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionValidation.
        """
        spec = self.spec
        if spec.schema is None:
            return ()
        try:
            return nonstructural.find(spec.schema.structural, spec.schema_path, self._profile)
        except UnsupportedConstructError as error:
            found = unsupported.find(spec.schema.value, spec.schema_path)
            return found or (fielderror.invalid(spec.schema_path, "", str(error)),)

    @property
    def published_schema(self) -> dict[str, JSONValue] | None:
        """The schema that the server publishes, before it does so: a copy; None where it publishes none, as it is not structural."""
        published = self.as_published
        return None if published is None else jsonvalue.copy(published)

    @property
    def as_published(self) -> Mapping[str, JSONValue] | None:
        """
        The same, not to be changed.

        Reference:
            apiextensions-apiserver controller/openapi/builder, generateBuilder.
        """
        declared = self.spec.schema
        if declared is None or subschemas.have_invalid_types(declared.nodes) or self.structural_errors:
            return None
        return declared.value

    @cached_property
    def schema_map(self) -> SchemaNode:
        """The schema as it is declared, to be asked what it says of which values; an empty one where there is none."""
        return SchemaNode({} if self.spec.schema is None else self.spec.schema.value)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """
        The CEL rules (`x-kubernetes-validations`) of the schema, with what they may cost; those of a value before those inside it.

        Raises:
            UnsupportedConstructError: The schema has a construct that no structural schema can express.
            UnsupportedExpressionError: A rule uses what the server knows and this engine does not.
        """
        from pytest_crd.engine.crds.validation.schemas import declaredrules  # noqa: PLC0415 - much that only CEL needs

        return () if self.spec.schema is None else declaredrules.find(self.spec.schema)

    @property
    def has_status(self) -> bool:
        """Whether the status is a subresource, written through `/status` alone."""
        return self.subresources.has_status

    @cached_property
    def subresources(self) -> Subresources:
        """The subresources."""
        return subresources.from_declared(self.spec.subresources)

    @property
    def preserves_unknown_fields(self) -> bool:
        """Whether nothing is pruned, as a CRD of v1beta1 can have it."""
        return self._crd_spec.preserve_unknown_fields

    @cached_property
    def passes(self) -> Passes:
        """The passes one by one, over JSON values that are copied for nobody."""
        place_of = WeakMethod(self.place_of)  # the passes may outlive the version, and do not keep it

        def locate(steps: Steps, offset: int | None) -> str:
            known = place_of()
            return "" if known is None else known(steps, offset)

        preserves = self._crd_spec.preserve_unknown_fields
        return Passes(self.schema, self._profile, preserve_unknown_fields=preserves, locate=locate)

    def place_of(self, steps: Steps, offset: int | None) -> str:
        """Return where in a file what *steps* lead to in the schema stands; empty where the CRD was not read from a file."""
        return "" if self._locate is None else self._locate(steps, offset)

    @cached_property
    def schema(self) -> Structural | None:
        """
        The schema in structural form; None where there is none.

        Raises:
            UnsupportedConstructError: It has a construct under which the server serves no custom resources.
        """
        if self.spec.schema is None:
            return None
        try:
            return self.spec.schema.structural
        except UnsupportedConstructError:
            if self._crd_spec.preserve_unknown_fields:
                return None  # such a CRD is served all the same, as one without a schema
            raise

    @cached_property
    def as_served(self) -> Served:
        """
        What requests are answered from; always the same object, by which the storage version is known.

        Raises:
            UnsupportedConstructError: As for `schema`.
        """
        return Served(self.spec, self.schema, self.passes, lambda: self.as_published)

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs to say the same: nothing that was found out since, and no file."""
        return {**keptanswers.without(self), "_locate": None}

"""Schema of a version: its structural form, its rules and its passes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakMethod

from pytest_crd import lazyimport
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds.declared import CrdSpec, VersionSpec
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.origin import Locate, Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

if TYPE_CHECKING:
    from pytest_crd.engine.api import pickling
    from pytest_crd.engine.crds.rule import Rule
    from pytest_crd.engine.passes import versionpasses
    from pytest_crd.engine.passes.versionpasses import Passes
    from pytest_crd.engine.registry import conversion, subresources
    from pytest_crd.engine.registry.conversion import Served
    from pytest_crd.engine.registry.subresources import Subresources
    from pytest_crd.engine.schema import nonstructural, schemamap, structural, subschemas
    from pytest_crd.engine.schema.schemamap import SchemaNode
    from pytest_crd.engine.schema.structural import Structural
else:
    conversion = lazyimport.module("pytest_crd.engine.registry.conversion")
    pickling = lazyimport.module("pytest_crd.engine.api.pickling")
    schemamap = lazyimport.module("pytest_crd.engine.schema.schemamap")
    subresources = lazyimport.module("pytest_crd.engine.registry.subresources")
    versionpasses = lazyimport.module("pytest_crd.engine.passes.versionpasses")
    nonstructural = lazyimport.module("pytest_crd.engine.schema.nonstructural")
    structural = lazyimport.module("pytest_crd.engine.schema.structural")
    subschemas = lazyimport.module("pytest_crd.engine.schema.subschemas")


class VersionSchema:
    """
    Schema of one version of a CRD.

    Attributes:
        spec: The CRD's declarations about the version.
    """

    def __init__(self, crd_spec: CrdSpec, spec: VersionSpec, profile: Profile, locate: Locate | None) -> None:
        """
        Create from the declarations of a CRD.

        Args:
            crd_spec: The CRD.
            spec: The version.
            profile: The Kubernetes version.
            locate: Returns the place of a path in the schema; None if the CRD was not read from a file.
        """
        self.spec = spec
        self._locate = locate
        self._crd_spec = crd_spec
        self._profile = profile

    @cached_property
    def structural_errors(self) -> tuple[FieldError, ...]:
        """
        Every violation that keeps the schema from being structural, as a POST of the CRD as v1 reports it.

        Errors:
            Required, Invalid and Forbidden, in the server's order. Empty for a structural schema, and for a missing
            one: v1 requires a schema by a rule about the CRD, not about its structure.

        Reference:
            KEP-2335; apiextensions-apiserver apis/apiextensions/validation, validateCustomResourceDefinitionValidation.
        """
        spec = self.spec
        if spec.schema is None:
            return ()
        try:
            return nonstructural.find_violations(spec.schema.structural, spec.schema_path, self._profile)
        except structural.UnsupportedConstructError as error:
            errors = nonstructural.refuse_unsupported(spec.schema.value, spec.schema_path)
            return errors or (fielderror.invalid(spec.schema_path, "", str(error)),)

    @property
    def published_schema(self) -> dict[str, JSONValue] | None:
        """A copy of the published schema, before the server adds to it; None if the schema is not structural."""
        published = self.as_published
        return None if published is None else jsonvalue.copy(published)

    @property
    def as_published(self) -> Mapping[str, JSONValue] | None:
        """
        The schema of `published_schema` without the copy; callers must not change it.

        Reference:
            apiextensions-apiserver controller/openapi/builder, generateBuilder.
        """
        declared = self.spec.schema
        if declared is None or subschemas.have_invalid_types(declared.nodes) or self.structural_errors:
            return None
        return declared.value

    @cached_property
    def schema_map(self) -> SchemaNode:
        """The places of the declared schema, to look up the schemas of a value; empty if there is no schema."""
        return schemamap.SchemaNode({} if self.spec.schema is None else self.spec.schema.value)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """
        The CEL rules (`x-kubernetes-validations`) of the schema with estimated costs, outer values first.

        Raises:
            UnsupportedConstructError: The schema has a construct that no structural schema can express.
            UnsupportedExpressionError: A rule uses a feature that the server has and this engine has not.
        """
        from pytest_crd.engine.crds.validation.schemas import declaredrules  # noqa: PLC0415 - slow to import, and only CEL needs it

        return () if self.spec.schema is None else declaredrules.find_rules(self.spec.schema)

    @property
    def has_status(self) -> bool:
        """Whether status is a subresource, which only requests to `/status` write."""
        return self.subresources.has_status

    @cached_property
    def subresources(self) -> Subresources:
        """The subresources."""
        return subresources.from_declared(self.spec.subresources)

    @property
    def preserves_unknown_fields(self) -> bool:
        """Whether nothing is pruned, which a CRD of v1beta1 can declare."""
        return self._crd_spec.preserve_unknown_fields

    @cached_property
    def passes(self) -> Passes:
        """The single passes over JSON values; they do not copy their input."""
        place_of = WeakMethod(self.place_of)  # the passes may outlive the version and must not keep it alive

        def locate(steps: Steps, offset: int | None) -> str:
            find_place = place_of()
            return "" if find_place is None else find_place(steps, offset)

        preserves = self._crd_spec.preserve_unknown_fields
        return versionpasses.Passes(self.schema, self._profile, preserve_unknown_fields=preserves, locate=locate)

    def place_of(self, steps: Steps, offset: int | None) -> str:
        """Return `file:line` of a path in the schema; empty if the CRD was not read from a file."""
        return "" if self._locate is None else self._locate(steps, offset)

    @cached_property
    def schema(self) -> Structural | None:
        """
        The structural schema; None if there is no schema.

        Raises:
            UnsupportedConstructError: The server serves no custom resources under this schema.
        """
        if self.spec.schema is None:
            return None
        try:
            return self.spec.schema.structural
        except structural.UnsupportedConstructError:
            if self._crd_spec.preserve_unknown_fields:
                return None  # the server serves such a CRD as if it had no schema
            raise

    @cached_property
    def as_served(self) -> Served:
        """
        The version for request strategies; always the same object, as the storage version is compared by identity.

        Raises:
            UnsupportedConstructError: As for `schema`.
        """
        return conversion.Served(self.spec, self.schema, self.passes, lambda: self.as_published)

    def __getstate__(self) -> dict[str, object]:
        """Return the picklable attributes: no cached answers and no file."""
        return {**pickling.get_state(self), "_locate": None}

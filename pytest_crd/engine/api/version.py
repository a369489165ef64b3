"""Versions of a CRD: their schemas, and the server's answers to requests for custom resources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from pytest_crd import lazyimport
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.api.versionschema import VersionSchema
from pytest_crd.engine.client.resourceclient import ResourceClient
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.origin import Locate, Steps
from pytest_crd.engine.inputerror import WrongValueError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import ObservedRequest, Observer

if TYPE_CHECKING:
    from pytest_crd.engine.api import pickling
    from pytest_crd.engine.client import completion
    from pytest_crd.engine.crds.rule import Rule
    from pytest_crd.engine.openapi.commontypes import OpenAPIVersion
    from pytest_crd.engine.passes.versionpasses import Defaulted, Passes, Pruned
    from pytest_crd.engine.registry import deprecation
    from pytest_crd.engine.registry.admission import Admission
    from pytest_crd.engine.registry.conversion import Served, VersionConverter
    from pytest_crd.engine.registry.customresource import (
        CustomResourceStrategy,  # slow to import, and only requests need it
    )
    from pytest_crd.engine.registry.subresources import Subresources
    from pytest_crd.engine.schema.schemamap import SchemaNode
    from pytest_crd.engine.schema.structural import Structural
else:
    pickling = lazyimport.module("pytest_crd.engine.api.pickling")
    completion = lazyimport.module("pytest_crd.engine.client.completion")
    deprecation = lazyimport.module("pytest_crd.engine.registry.deprecation")


class NotStructuralError(AssertionError):
    """
    A schema that is not structural; the message lists every violation as the server words it.

    Attributes:
        errors: The violations.
    """

    def __init__(self, message: str, errors: tuple[FieldError, ...]) -> None:
        """Create from the message and the violations that it lists."""
        super().__init__(message)
        self.errors = errors


CrdT = TypeVar("CrdT")


class CrdVersion(ResourceClient, Generic[CrdT]):
    """One version of a CRD."""

    def __init__(self, crd: CrdT, schema: VersionSchema, answers: CrdAnswers, context: CrdContext) -> None:
        """Private to `CustomResourceDefinition`; *schema* is one of those of *answers*."""
        self._crd = crd
        self._schema = schema
        self._answers = answers
        self._context = context

    @property
    def crd(self) -> CrdT:
        """The CRD."""
        return self._crd

    @property
    def name(self) -> str:
        """The name, such as `v1`."""
        return self._schema.spec.name

    @property
    def served(self) -> bool:
        """Whether the server answers requests for this version."""
        return self._schema.spec.served

    @property
    def storage(self) -> bool:
        """Whether objects are stored in this version."""
        return self._schema.spec.storage

    @property
    def deprecation_warnings(self) -> tuple[str, ...]:
        """The deprecation warnings that each answer carries; empty if the version is not deprecated."""
        return deprecation.warnings(self._answers.spec, self._schema.spec)

    @property
    def unknown_when_stored(self) -> str:
        """Why the stored form of objects is unknown, because a webhook converts them; empty if no webhook does."""
        return "" if self.converter is not None else self._answers.unknown_when_stored(self.name)

    @property
    def structural_errors(self) -> tuple[FieldError, ...]:
        """Every violation that keeps the schema from being structural, in the order of a POST of the CRD as v1."""
        return self._schema.structural_errors

    @property
    def is_structural(self) -> bool:
        """Whether the schema is structural."""
        return not self.structural_errors

    def assert_structural(self) -> None:
        """
        Assert that the schema is structural.

        Raises:
            NotStructuralError: It is not; the message lists every violation.
        """
        __tracebackhide__ = True
        if self.structural_errors:
            errors = "\n".join(f"  {error}" for error in self.structural_errors)
            source = f" ({self._context.source})" if self._context.source else ""
            message = f"{self._answers.spec.name} {self.name} is not structural{source}:\n{errors}"
            raise NotStructuralError(message, self.structural_errors)

    @property
    def published_schema(self) -> dict[str, JSONValue] | None:
        """A copy of the published schema, before the server adds to it; None if the schema is not structural."""
        return self._schema.published_schema

    @property
    def schema_map(self) -> SchemaNode:
        """The places of the declared schema, to look up the schemas of a value; empty if there is no schema."""
        return self._schema.schema_map

    @property
    def rules(self) -> tuple[Rule, ...]:
        """
        The CEL rules (`x-kubernetes-validations`) of the schema with estimated costs, outer values first.

        Raises:
            UnsupportedConstructError: The schema has a construct that no structural schema can express.
            UnsupportedExpressionError: A rule uses a feature that the server has and this engine has not.
        """
        return self._schema.rules

    @property
    def has_status(self) -> bool:
        """Whether status is a subresource, which only requests to `/status` write."""
        return self._schema.has_status

    @property
    def subresources(self) -> Subresources:
        """The subresources of this version."""
        return self._schema.subresources

    @property
    def preserves_unknown_fields(self) -> bool:
        """Whether nothing is pruned, which a CRD of v1beta1 can declare."""
        return self._schema.preserves_unknown_fields

    @property
    def passes(self) -> Passes:
        """The single passes over JSON values; they do not copy their input."""
        return self._schema.passes

    @property
    def schema(self) -> Structural | None:
        """The structural schema; None if there is no schema. Raises UnsupportedConstructError as requests do."""
        return self._schema.schema

    @property
    def as_served(self) -> Served:
        """The version as request strategies use it. Raises UnsupportedConstructError as requests do."""
        return self._schema.as_served

    @cached_property
    def unobserved(self) -> CrdVersion[CrdT]:
        """The same version without listeners, for internal requests that no report may count."""
        return self.observed_by(Observer())

    def observed_by(self, observer: Observer) -> CrdVersion[CrdT]:
        """Return the same version with *observer* as its only observer; compiled schemas and rules are shared."""
        return CrdVersion(self._crd, self._schema, self._answers, self._context._replace(observer=observer))

    @property
    def strategy(self) -> CustomResourceStrategy:
        """The strategy of the custom resources."""
        self._demand()
        return self._answers.strategy(self._schema, self.converter)

    def over_objects_of(self, old: CrdVersion[CrdT]) -> CrdVersion[CrdT]:
        """
        Return the same version for old objects in the storage version of another CRD.

        If this CRD does not have that version, the objects were migrated to its own storage version.

        Args:
            old: A version of the CRD under which the objects were stored.
        """
        storage = old.storage_name if old.storage_name in {schema.spec.name for schema in self._answers.schemas} else ""
        if storage in {"", self.storage_name}:
            return self
        return CrdVersion(self._crd, self._schema, self._answers, self._context._replace(storage_before=storage))

    @cached_property
    def storage_name(self) -> str:
        """The name of the storage version of the CRD."""
        return next((schema.spec.name for schema in self._answers.schemas if schema.spec.storage), self.name)

    @cached_property
    def stored_as(self) -> str:
        """The apiVersion in which objects given as `old` are stored; empty if a webhook converts them, so that they state it."""
        if self.converter is not None:
            return ""
        return declared.api_version(self._answers.spec.group, self._context.storage_before or self.storage_name)

    @cached_property
    def converter(self) -> VersionConverter | None:
        """The conversion webhook; None without one, or without an endpoint."""
        return self._answers.converter(self._context.webhooks)

    @cached_property
    def admission(self) -> Admission | None:
        """The admission plugins; None if there are none."""
        webhooks = self._context.webhooks
        return None if webhooks is None else webhooks.admission(self._answers.profile)

    @property
    def observer(self) -> Observer:
        """The listeners that requests are reported to."""
        return self._context.observer

    @property
    def locate(self) -> Locate:
        """Returns `file:line` of a path in the schema; empty if the CRD was not read from a file."""
        return self._schema.place_of

    def source_of(self, steps: Steps) -> str:
        """Return `file:line` of a path in the schema; empty if the CRD was not read from a file."""
        return self.locate(steps, None)

    def prune(self, resource: Mapping[str, object] | str) -> Pruned:
        """
        Return *resource* without the fields that the schema does not specify, with its metadata coerced.

        Args:
            resource: A whole custom resource, or the text of one YAML or JSON document.

        Raises:
            DecodeError: Metadata has a wrong type; the server answers with a 400 and this message.
            ManifestError: The server cannot read the text.
            TypeError: The resource is not a mapping, or holds a value that is not JSON.
            UnsupportedConstructError: The server serves no custom resources under this schema.
        """
        self._demand()
        sent = completion.resource(resource)
        pruned = self.passes.prune(sent)
        self._report(ObservedRequest("", sent, pruned.value))
        return pruned

    def default(self, resource: Mapping[str, object] | str) -> Defaulted:
        """
        Return *resource* with its defaults and without the nulls that the schema does not allow; nothing is pruned.

        Args:
            resource: As for `prune`.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError: As for `prune`.
        """
        self._demand()
        sent = completion.resource(resource)
        defaulted = self.passes.default(sent)
        self._report(ObservedRequest("", sent, defaulted.value))
        return defaulted

    def openapi(self, openapi: OpenAPIVersion) -> dict[str, JSONValue] | None:
        """
        Return the OpenAPI document that a server with only this CRD publishes for the version.

        Args:
            openapi: The major version of OpenAPI. For 3, the document of `/openapi/v3/apis/GROUP/VERSION`. For 2, the
                parts of `/openapi/v2` that belong to the version: its `paths`, the `definitions` that these refer to,
                and the `parameters` that operations share.

        Returns:
            A new document, which the caller may change. None if the version is not served, the names of the CRD are
            taken, or the Kubernetes version has no v3. The document of a schema that is not structural has objects
            without properties.

        Raises:
            ValueError: *openapi* is neither 2 nor 3.

        Reference:
            KEP-2335; apiextensions-apiserver controller/openapi and controller/openapiv3.
        """
        from pytest_crd.engine.openapi import openapidocuments  # noqa: PLC0415 - slow to import, and only this answer needs it

        if openapi not in (2, 3):
            raise WrongValueError(f"there is OpenAPI 2 and 3, not {openapi!r}")
        self._demand()
        answers, schema = self._answers, self._schema
        if not answers.is_established(self._context.naming):
            return None
        return openapidocuments.document(answers.spec, schema.spec, schema.as_published, answers.profile, openapi)

    def json_schema(self) -> dict[str, JSONValue] | None:
        """
        Return the JSON Schema of the custom resources for editors and validators, with all schemas that it refers to.

        Returns:
            The OpenAPI v3 schema as draft 7 of JSON Schema, in a new document. It also fixes apiVersion and kind, and
            forbids the fields that the server would drop. None if `openapi(3)` returns None.
        """
        from pytest_crd.engine.openapi import jsonschemas, openapidocuments  # noqa: PLC0415 - slow to import, and only this answer needs it

        document = self.openapi(3)
        if document is None:
            return None
        resource = openapidocuments.resource(self._answers.spec, self._schema.spec)
        return jsonschemas.from_document(
            document, resource.type, api_version=f"{resource.group}/{resource.version}", kind=resource.kind
        )

    def _demand(self) -> None:
        """Call the guard of the CRD, which raises if the CRD cannot answer."""
        if self._context.guard is not None:
            self._context.guard(self._crd)

    def _report(self, request: ObservedRequest) -> None:
        if (hear := self.observer.request) is not None:
            hear(self, request)

    def __getstate__(self) -> dict[str, object]:
        return pickling.get_state(self)

    def __repr__(self) -> str:
        return f"<CrdVersion {self.name} of {self._answers.spec.name}>"

"""A version of a CRD: what its schema says, and what a server answers to requests for its custom resources."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from pytest_crd.engine.api import keptanswers
from pytest_crd.engine.api.context import CrdContext
from pytest_crd.engine.api.crdanswers import CrdAnswers
from pytest_crd.engine.api.versionschema import VersionSchema
from pytest_crd.engine.crds.rule import Rule
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import ObservedRequest, Observer
from pytest_crd.engine.passes.versionpasses import Defaulted, Passes, Pruned
from pytest_crd.engine.registry import completion, deprecation
from pytest_crd.engine.registry.request import Subresource
from pytest_crd.engine.registry.requestbody import FieldValidation
from pytest_crd.engine.registry.response import Response
from pytest_crd.engine.registry.served import Served
from pytest_crd.engine.registry.subresources import Subresources
from pytest_crd.engine.schema.schemamap import SchemaNode
from pytest_crd.engine.schema.structural import Structural

if TYPE_CHECKING:
    from pytest_crd.engine.jsonvalue import JSONObject as Resource
    from pytest_crd.engine.openapi.commontypes import OpenAPIVersion
    from pytest_crd.engine.registry.clientrequests import Requests  # much that only requests need
    from pytest_crd.engine.registry.request import Making, Request, RequestOutcome

# A user's mistake is shown where the user's code asks; any other exception with all its frames.
HIDE_MISTAKES: Final = operator.methodcaller("errisinstance", InputError)


class NotStructuralError(AssertionError):
    """
    A schema that is not structural; the message lists every violation as the server words it.

    Attributes:
        errors: The violations.
    """

    def __init__(self, message: str, errors: tuple[FieldError, ...]) -> None:
        """Take the words, and what they are made of."""
        super().__init__(message)
        self.errors = errors


CrdT = TypeVar("CrdT")


class CrdVersion(Generic[CrdT]):
    """One version of a CRD."""

    def __init__(self, crd: CrdT, index: int, answers: CrdAnswers, context: CrdContext) -> None:
        """For `CustomResourceDefinition`, which has the versions; *index* is among those of the manifest."""
        self._crd = crd
        self._index = index
        self._answers = answers
        self._context = context

    @property
    def _schema(self) -> VersionSchema:
        return self._answers.schemas[self._index]

    @property
    def crd(self) -> CrdT:
        """The CRD."""
        return self._crd

    @property
    def name(self) -> str:
        """`v1`."""
        return self._schema.spec.name

    @property
    def served(self) -> bool:
        """Whether the server answers requests for it."""
        return self._schema.spec.served

    @property
    def storage(self) -> bool:
        """Whether objects are stored in it."""
        return self._schema.spec.storage

    @property
    def deprecation_warnings(self) -> tuple[str, ...]:
        """What each answer warns of, as the version is deprecated."""
        return deprecation.warnings(self._answers.spec, self._schema.spec)

    @property
    def unknown_when_stored(self) -> str:
        """Why nobody knows here what becomes of objects once they are stored, as a webhook converts them; empty where it is known."""
        return self._answers.unknown_when_stored(self.name)

    @property
    def structural_errors(self) -> tuple[FieldError, ...]:
        """Every violation that keeps the schema from being structural, as POSTing the CRD as v1 reports it, in that order."""
        return self._schema.structural_errors

    @property
    def is_structural(self) -> bool:
        """Whether the schema is structural."""
        return not self.structural_errors

    def assert_structural(self) -> None:
        """
        Pass when the schema is structural.

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
        """The schema that the server publishes, before it does so: a copy; None where it publishes none, as it is not structural."""
        return self._schema.published_schema

    @property
    def schema_map(self) -> SchemaNode:
        """The schema as it is declared, to be asked what it says of which values; an empty one where there is none."""
        return self._schema.schema_map

    @property
    def rules(self) -> tuple[Rule, ...]:
        """
        The CEL rules (`x-kubernetes-validations`) of the schema, with what they may cost; those of a value before those inside it.

        Raises:
            UnsupportedConstructError: The schema has a construct that no structural schema can express.
            UnsupportedExpressionError: A rule uses what the server knows and this engine does not.
        """
        return self._schema.rules

    @property
    def has_status(self) -> bool:
        """Whether the status is a subresource, written through `/status` alone."""
        return self._schema.has_status

    @property
    def subresources(self) -> Subresources:
        """The subresources."""
        return self._schema.subresources

    @property
    def preserves_unknown_fields(self) -> bool:
        """Whether nothing is pruned, as a CRD of v1beta1 can have it."""
        return self._schema.preserves_unknown_fields

    @property
    def passes(self) -> Passes:
        """The passes one by one, over JSON values that are copied for nobody."""
        return self._schema.passes

    @property
    def schema(self) -> Structural | None:
        """The schema in structural form; None where there is none. UnsupportedConstructError is raised as by requests."""
        return self._schema.schema

    @property
    def as_served(self) -> Served:
        """What requests are answered from. UnsupportedConstructError is raised as by requests."""
        return self._schema.as_served

    @cached_property
    def unobserved(self) -> CrdVersion[CrdT]:
        """The same version, which tells nobody of its requests: of what only looks for an object, nobody knows the answers."""
        return self.observed_by(Observer())

    def observed_by(self, observer: Observer) -> CrdVersion[CrdT]:
        """Return the same version, which tells *observer* alone of its requests; what is compiled is shared."""
        return CrdVersion(self._crd, self._index, self._answers, self._context._replace(observer=observer))

    def source_of(self, steps: Steps) -> str:
        """Return `file:line` of what *steps* lead to in the schema; empty where the CRD was not read from a file."""
        return self._schema.place_of(steps, None)

    def prune(self, resource: Mapping[str, object] | str) -> Pruned:
        """
        Return *resource* without the fields that the schema does not know, metadata coerced.

        Args:
            resource: A whole custom resource, or the text of one YAML or JSON document.

        Raises:
            DecodeError: Metadata of a wrong type, which the server answers with a 400 in these words.
            ManifestError: A text that the server could not read.
            TypeError: Something that is not JSON, or no mapping.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.
        """
        __tracebackhide__ = HIDE_MISTAKES
        self._demand()
        sent = completion.resource(resource)
        pruned = self.passes.prune(sent)
        self._tell(ObservedRequest("", sent, pruned.value))
        return pruned

    def default(self, resource: Mapping[str, object] | str) -> Defaulted:
        """
        Return *resource* without the nulls that the schema does not allow, and with its defaults; nothing is pruned.

        Args:
            resource: As for `prune`.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError: As for `prune`.
        """
        __tracebackhide__ = HIDE_MISTAKES
        self._demand()
        sent = completion.resource(resource)
        defaulted = self.passes.default(sent)
        self._tell(ObservedRequest("", sent, defaulted.value))
        return defaulted

    def create(
        self,
        resource: Mapping[str, object] | str,
        *,
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a POST of *resource*.

        Args:
            resource: A custom resource, of which apiVersion, kind and, without a `generateName`, the name may be left out; or
                the text of one YAML or JSON document, which is sent as it is.
            namespace: The namespace of the URL; None for the one that the object states, as kubectl takes it, else
                `default`. Of no account where the CRD's scope is Cluster.
            field_validation: What unknown and duplicate fields do: `Strict`, `Warn` or `Ignore`.

        Raises:
            ManifestError: A text that the server could not read.
            TypeError: Something that is not JSON; an old object, or metadata of one, that is no mapping.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.

        Errors:
            Those of the response, in the server's order; where the server's is random, by field.

        Reference:
            apiextensions-apiserver registry/customresource/strategy.go.
        """
        __tracebackhide__ = HIDE_MISTAKES
        requests = self.requests
        return requests.create(completion.read(resource), namespace=namespace, field_validation=field_validation)

    def update(
        self,
        resource: Mapping[str, object] | str,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a PUT of *resource* over *old*.

        Args:
            resource: As for `create`; of its metadata name, namespace and resourceVersion may be left out, too.
            old: The object as it is stored, status included.
            namespace: The namespace of the URL where *old* states none; None for the one that the object states, else
                `default`.
            field_validation: What unknown and duplicate fields do.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError: As for `create`.

        Reference:
            KEP-4008 on what is kept though it is not valid; apiextensions-apiserver registry/customresource/strategy.go.
        """
        __tracebackhide__ = HIDE_MISTAKES
        requests, body = self.requests, completion.read(resource)
        return requests.update(body, old=old, namespace=namespace, field_validation=field_validation)

    def update_status(
        self,
        resource: Mapping[str, object] | str,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a PUT of *resource* to the `/status` of *old*; a 404 without that subresource.

        Args:
            resource: As for `update`; only its status counts.
            old: The object as it is stored, status included.
            namespace: As for `update`.
            field_validation: What unknown and duplicate fields do.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError: As for `create`.

        Reference:
            apiextensions-apiserver registry/customresource/status_strategy.go.
        """
        __tracebackhide__ = HIDE_MISTAKES
        requests, body = self.requests, completion.read(resource)
        return requests.update_status(body, old=old, namespace=namespace, field_validation=field_validation)

    def patch(  # noqa: PLR0913 - what a URL and its headers say
        self,
        patch: Mapping[str, object] | Sequence[object] | str,
        *,
        old: Mapping[str, object] | Response | None,
        subresource: Subresource = "",
        media_type: str = "",
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a PATCH of *old*.

        Args:
            patch: A mapping, which is a merge patch; a list of operations, which is a JSON Patch; or the text of one of them.
            old: The object as it is stored, status included; it need not have what only a server makes. None where nothing is
                stored, which is a 404.
            subresource: `status` or `scale`, to whose URL it is sent; a 404 where there is none.
            media_type: What the patch is said to be, where it is not what it looks like: a text is sent as it is then.
            namespace: As for `update`.
            field_validation: What unknown and duplicate fields do, in the patch and in what comes of it.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError: As for `create`.
            NotImplementedError: The media type is that of a server-side apply.

        Reference:
            RFC 6902, RFC 7386; apiserver endpoints/handlers/patch.go.
        """
        __tracebackhide__ = HIDE_MISTAKES
        requests = self.requests
        body, found = completion.patch(patch, media_type)
        return requests.patch(
            body,
            old=old,
            media_type=found,
            subresource=subresource,
            namespace=namespace,
            field_validation=field_validation,
        )

    def scale(
        self,
        old: Mapping[str, object],
        wanted: int | Mapping[str, object] | str,
        *,
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a PUT to the `/scale` of *old*; a 404 without that subresource.

        Args:
            old: The object as it is stored, status included.
            wanted: How many replicas are wanted; or a Scale, of which all may be left out that `update` completes, or its text.
            namespace: As for `update`.
            field_validation: What unknown and duplicate fields of the Scale do.

        Returns:
            What is stored is the object; the Scale that is answered with is `scale`.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError: As for `create`.

        Reference:
            apiextensions-apiserver registry/customresource/etcd.go, ScaleREST.
        """
        __tracebackhide__ = HIDE_MISTAKES
        requests, sent = self.requests, wanted if isinstance(wanted, int) else completion.read(wanted)
        return requests.scale(sent, old=old, namespace=namespace, field_validation=field_validation)

    def apply(  # noqa: PLR0913 - what a URL says
        self,
        resource: Mapping[str, object] | str,
        *,
        manager: str,
        old: Mapping[str, object] | Response | None = None,
        force: bool = False,
        subresource: Subresource = "",
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return what the server answers to a server-side apply of *resource*.

        Args:
            resource: What is applied: as for `create`, but nothing of what others own needs to be there.
            manager: Who applies it, the field manager.
            old: The object as it is stored, status included; without managed fields it belongs to `before-first-apply`. Or the
                answer to the request before, which knows who owns what. None where nothing is stored: then it is created.
            force: Whether what others own is taken from them; else it is a conflict.
            subresource: Through which subresource, `status` or `scale`; empty for the object itself.
            namespace: As for `create`.
            field_validation: What duplicate fields do; an unknown one is refused whatever it says.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError: As for `create`.
            ValueError: There is no such subresource of any resource.

        Reference:
            apiserver endpoints/handlers/patch.go; apimachinery util/managedfields; structured-merge-diff.
        """
        __tracebackhide__ = HIDE_MISTAKES
        return self.requests.apply(
            completion.read_applied(resource),
            old=old,
            manager=manager,
            force=force,
            subresource=subresource,
            namespace=namespace,
            field_validation=field_validation,
        )

    def openapi(self, openapi: OpenAPIVersion) -> dict[str, JSONValue] | None:
        """
        Return what a server publishes of the version, where it has this CRD alone.

        Args:
            openapi: In which form of OpenAPI. In 3 the document of `/openapi/v3/apis/GROUP/VERSION`; in 2 what belongs to the
                version in that of `/openapi/v2`: `paths`, the `definitions` that these lead to, and the `parameters` that
                operations share.

        Returns:
            A document of the caller's own. None where there is none: the version is not served, the names of the CRD are
            taken, or the Kubernetes version has no v3. A schema that is not structural is not published: then the document
            says that its objects are objects.

        Raises:
            ValueError: There is no such form.

        Reference:
            KEP-2335; apiextensions-apiserver controller/openapi and controller/openapiv3.
        """
        __tracebackhide__ = HIDE_MISTAKES
        from pytest_crd.engine.openapi import openapidocuments  # noqa: PLC0415 - much that only this answer needs

        if openapi not in (2, 3):
            raise ValueError(f"there is OpenAPI 2 and 3, not {openapi!r}")
        self._demand()
        of, schema = self._answers, self._schema
        if not of.is_established(self._context.naming):
            return None
        return openapidocuments.document(of.spec, schema.spec, schema.as_published, of.profile, openapi)

    def json_schema(self) -> dict[str, JSONValue] | None:
        """
        Return the JSON Schema of the custom resources for editors and validators, with all that it refers to.

        Returns:
            What is published in OpenAPI v3, in the words of draft 7 of JSON Schema, of the caller's own. Beside this it says
            which apiVersion and kind they have, and that they have no fields that the server would drop. None where nothing
            is published in v3.
        """
        __tracebackhide__ = HIDE_MISTAKES
        from pytest_crd.engine.openapi import jsonschemas, openapidocuments  # noqa: PLC0415 - much that only this answer needs

        document = self.openapi(3)
        if document is None:
            return None
        of = openapidocuments.resource(self._answers.spec, self._schema.spec)
        return jsonschemas.of_document(document, of.type, api_version=f"{of.group}/{of.version}", kind=of.kind)

    @property
    def requests(self) -> Requests:
        """
        The requests, for bodies that were read before.

        Raises:
            InputError: There are no answers to give.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.
        """
        __tracebackhide__ = HIDE_MISTAKES
        self._demand()
        return self._requests

    @cached_property
    def _requests(self) -> Requests:
        from pytest_crd.engine.registry.clientrequests import Requests  # noqa: PLC0415 - much that only requests need

        return Requests(self._answers.strategy(self._schema), self._schema.place_of, self._context.observer, self)

    def answer(self, stored: Resource | None, asked: Request, making: Making) -> RequestOutcome:
        """
        Return what comes of a request as a server gets it, for whoever keeps what is stored.

        Args:
            stored: What is stored under its name, in the storage version; None where nothing is.
            asked: The request.
            making: What is made up.

        Raises:
            InputError, UnsupportedConstructError: As for `requests`.
        """
        return self.requests.send(stored, asked, making)

    def read(self, stored: Resource) -> dict[str, JSONValue]:
        """Return a stored object as it is read in this version, with all its metadata. The errors are those of `requests`."""
        return self.requests.read(stored)

    def _demand(self) -> None:
        """Raise where there are no answers to give."""
        __tracebackhide__ = HIDE_MISTAKES
        if self._context.guard is not None:
            self._context.guard(self._crd)

    def _tell(self, request: ObservedRequest) -> None:
        if (hear := self._context.observer.request) is not None:
            hear(self, request)

    def __getstate__(self) -> dict[str, object]:
        return keptanswers.without(self)

    def __repr__(self) -> str:
        return f"<CrdVersion {self.name} of {self._answers.spec.name}>"

"""What a version of a CRD answers about its custom resources: passes one by one, and whole requests."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pytest_crd.engine import keptanswers, observation
from pytest_crd.engine.errors.response import Response
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observation import Exchange
from pytest_crd.engine.passes.versionpasses import Defaulted, Pruned
from pytest_crd.engine.resources import completion
from pytest_crd.engine.resources.requestbody import FieldValidation
from pytest_crd.engine.versionschema import VersionSchema

if TYPE_CHECKING:
    from pytest_crd.engine.publishing.types import OpenAPIVersion
    from pytest_crd.engine.resources.requests import Requests  # much that only requests need

# A mistake of the user's is shown where the user's code asks; any other exception with all its frames.
HIDE_MISTAKES: Final = operator.methodcaller("errisinstance", InputError)


class VersionAnswers(VersionSchema, ABC):
    """A version of a CRD that is asked about its custom resources."""

    @abstractmethod
    def _demand(self) -> None:
        """Raise where there are no answers to give."""

    @property
    @abstractmethod
    def _is_established(self) -> bool:
        """Whether the server serves the CRD at all."""

    @property
    @abstractmethod
    def _all_versions(self) -> Sequence[VersionSchema]:
        """All versions of the CRD."""

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
        self._tell(Exchange("", sent, pruned.value))
        return pruned

    def default(self, resource: Mapping[str, object] | str) -> Defaulted:
        """
        Return *resource* without the nulls that the schema does not allow, and with its defaults; nothing is pruned.

        Args:
            resource: A whole custom resource, or the text of one YAML or JSON document.

        Raises:
            ManifestError: A text that the server could not read.
            TypeError: Something that is not JSON, or no mapping.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.
        """
        __tracebackhide__ = HIDE_MISTAKES
        self._demand()
        sent = completion.resource(resource)
        defaulted = self.passes.default(sent)
        self._tell(Exchange("", sent, defaulted.value))
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
            ManifestError: A text that the server could not read.
            TypeError: Something that is not JSON; an old object, or metadata of one, that is no mapping.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.

        Errors:
            Those of the response, in the server's order.

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
            namespace: The namespace of the URL where *old* states none; None for the one that the object states, else
                `default`.
            field_validation: What unknown and duplicate fields do.

        Raises:
            ManifestError: A text that the server could not read.
            TypeError: Something that is not JSON; an old object, or metadata of one, that is no mapping.
            UnsupportedConstructError: The schema has a construct under which the server serves no custom resources.

        Errors:
            Those of the response, in the server's order.

        Reference:
            apiextensions-apiserver registry/customresource/status_strategy.go.
        """
        __tracebackhide__ = HIDE_MISTAKES
        requests, body = self.requests, completion.read(resource)
        return requests.update_status(body, old=old, namespace=namespace, field_validation=field_validation)

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
        from pytest_crd.engine.publishing import documents  # noqa: PLC0415 - much that only this answer needs

        if openapi not in (2, 3):
            raise ValueError(f"there is OpenAPI 2 and 3, not {openapi!r}")
        self._demand()
        if not self._is_established:
            return None
        return documents.document(self._crd_spec, self._spec, self._published_schema, self._profile, openapi)

    def json_schema(self) -> dict[str, JSONValue] | None:
        """
        Return the JSON Schema of the custom resources for editors and validators, with all that it refers to.

        Returns:
            What is published in OpenAPI v3, in the words of draft 7 of JSON Schema, of the caller's own. Beside this it says
            which apiVersion and kind they have, and that they have no fields that the server would drop. None where nothing
            is published in v3.
        """
        __tracebackhide__ = HIDE_MISTAKES
        from pytest_crd.engine.publishing import documents, jsonschemas  # noqa: PLC0415 - much that only this answer needs

        document = self.openapi(3)
        if document is None:
            return None
        resource = documents.resource(self._crd_spec, self._spec)
        api_version = f"{resource.group}/{resource.version}"
        return jsonschemas.of_document(document, resource.type, api_version=api_version, kind=resource.kind)

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
        from pytest_crd.engine.resources.requests import Requests  # noqa: PLC0415 - much that only requests need

        versions = [version.as_served for version in self._all_versions]
        return Requests(self._crd_spec, self.as_served, versions, self._profile, self._place_of, tell=self._tell)

    def _tell(self, exchange: Exchange) -> None:
        if observation.current is not None:
            observation.current(self, exchange)

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs to give the same answers: nothing that was found out since."""
        return keptanswers.without(self)

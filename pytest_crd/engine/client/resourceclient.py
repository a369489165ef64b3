"""Requests of a client for the custom resources of one version."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_crd import lazyimport
from pytest_crd.engine.errors.origin import Locate
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import ObservedRequest, Observer
from pytest_crd.engine.registry.request import (
    FIXED_VALUES,
    GeneratedValues,
    OrderDependentError,
    Request,
    RequestOutcome,
    Subresource,
    check_subresource,
)

if TYPE_CHECKING:
    from pytest_crd.engine.client import completion
    from pytest_crd.engine.registry import requestbody, requestoptions, subresources
    from pytest_crd.engine.registry.admission import Admission
    from pytest_crd.engine.registry.requestbody import Body, FieldValidation
    from pytest_crd.engine.registry.response import Response
    from pytest_crd.engine.registry.strategy import Strategy  # slow to import, and only requests need it
else:
    subresources = lazyimport.module("pytest_crd.engine.registry.subresources")
    requestbody = lazyimport.module("pytest_crd.engine.registry.requestbody")
    requestoptions = lazyimport.module("pytest_crd.engine.registry.requestoptions")
    completion = lazyimport.module("pytest_crd.engine.client.completion")


class ResourceClient(ABC):
    """Client that sends requests for custom resources and fills in their omitted parts."""

    @property
    @abstractmethod
    def strategy(self) -> Strategy:
        """
        The strategy of the custom resources.

        Raises:
            InputError: The guard refuses to answer.
            UnsupportedConstructError: The server serves no custom resources under this schema.
        """

    @property
    @abstractmethod
    def stored_as(self) -> str:
        """The apiVersion in which objects given as `old` are stored; empty if they state it themselves."""

    @property
    @abstractmethod
    def observer(self) -> Observer:
        """The listeners that requests are reported to."""

    @property
    @abstractmethod
    def admission(self) -> Admission | None:
        """The admission plugins; None if there are none."""

    @property
    @abstractmethod
    def locate(self) -> Locate:
        """Returns `file:line` of a path in the schema; empty if the CRD was not read from a file."""

    def create(
        self,
        resource: Mapping[str, object] | str | Body,
        *,
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return the server's answer to a POST of *resource*.

        Args:
            resource: A custom resource, or the text of one YAML or JSON document, which is sent unchanged. An object
                may omit apiVersion, kind and, without a `generateName`, the name. Callers inside this package may pass
                a `Body`, which is already read.
            namespace: The namespace of the URL; None for the namespace of the object, as kubectl chooses it, else
                `default`. Ignored if the scope of the CRD is Cluster.
            field_validation: How unknown and duplicate fields are treated: `Strict`, `Warn` or `Ignore`.

        Raises:
            ManifestError: The server cannot read the text.
            TypeError: The resource holds a value that is not JSON; or an old object, or its metadata, is not a mapping.
            UnsupportedConstructError: The server serves no custom resources under this schema.
            OrderDependentError: The answer depends on the random order of mutating policies.

        Errors:
            Those of the response, in the server's order; sorted by field where the server's order is random.

        Reference:
            apiextensions-apiserver registry/customresource/strategy.go.
        """
        strategy = self.strategy
        sent = completion.with_default_name(completion.typed(completion.read(resource), strategy.type_meta))
        return self._send(None, Request("create", sent), namespace, field_validation)

    def update(
        self,
        resource: Mapping[str, object] | str | Body,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return the server's answer to a PUT of *resource* over *old*.

        Args:
            resource: As for `create`; its metadata may also omit namespace and resourceVersion.
            old: The stored object, with its status.
            namespace: The namespace of the URL if *old* has none; None for the namespace of the object, else `default`.
            field_validation: How unknown and duplicate fields are treated.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError, OrderDependentError: As for `create`.

        Reference:
            KEP-4008 on ratcheting; apiextensions-apiserver registry/customresource/strategy.go.
        """
        strategy = self.strategy
        sent, stored = completion.over(
            completion.read(resource), old, strategy.type_meta, self._stored_as(strategy, old)
        )
        return self._send(stored, Request("update", sent), namespace, field_validation)

    def update_status(
        self,
        resource: Mapping[str, object] | str | Body,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return the server's answer to a PUT of *resource* to the `/status` of *old*; a 404 without that subresource.

        Args:
            resource: As for `update`; only its status counts.
            old: The stored object, with its status.
            namespace: As for `update`.
            field_validation: How unknown and duplicate fields are treated.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError, OrderDependentError: As for `create`.

        Reference:
            apiextensions-apiserver registry/customresource/status_strategy.go.
        """
        strategy = self.strategy
        sent, stored = completion.over(
            completion.read(resource), old, strategy.type_meta, self._stored_as(strategy, old)
        )
        request = Request("update", sent, subresource="status")
        return self._send(stored, request, namespace, field_validation)

    def patch(  # noqa: PLR0913 - the parameters of a request
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
        Return the server's answer to a PATCH of *old*.

        Args:
            patch: A mapping (a merge patch), a list of operations (a JSON Patch), or the text of either.
            old: The stored object, with its status; fields that only a server sets may be missing. None if no object is
                stored, which is a 404.
            subresource: The subresource whose URL gets the patch, `status` or `scale`; a 404 if the version does not
                have it.
            media_type: The media type of the patch, if it is not the default for the type of *patch*. A text is then
                sent unchanged. The media type of an apply is refused, because an apply needs a field manager: call
                `apply`.
            namespace: As for `update`.
            field_validation: How unknown and duplicate fields are treated, in the patch and in the patched object.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError, OrderDependentError: As for `create`.

        Reference:
            RFC 6902, RFC 7386; apiserver endpoints/handlers/patch.go.
        """
        strategy = self.strategy
        sent, detected_type = completion.patch(patch, media_type)
        stored = completion.patched(old, self._stored_as(strategy, old))
        request = Request(
            "patch",
            sent,
            completion.MADE_UP_NAME,
            subresource=check_subresource(subresource),
            media_type=detected_type,
        )
        return self._send(stored, request, namespace, field_validation)

    def scale(
        self,
        old: Mapping[str, object],
        wanted: int | Mapping[str, object] | str,
        *,
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return the server's answer to a PUT to the `/scale` of *old*; a 404 without that subresource.

        Args:
            old: The stored object, with its status.
            wanted: The number of replicas, a Scale, or the text of a Scale. A Scale may omit the same fields as for
                `update`.
            namespace: As for `update`.
            field_validation: How unknown and duplicate fields of the Scale are treated.

        Returns:
            The answer with the object to store; the attribute `scale` is the Scale of the response body.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError, OrderDependentError: As for `create`.

        Reference:
            apiextensions-apiserver registry/customresource/etcd.go, ScaleREST.
        """
        strategy = self.strategy
        scale = completion.read({"spec": {"replicas": wanted}} if isinstance(wanted, int) else wanted)
        sent, stored = completion.over(scale, old, subresources.SCALE_TYPE_META, self._stored_as(strategy, old))
        request = Request("update", sent, subresource="scale")
        return self._send(stored, request, namespace, field_validation)

    def apply(  # noqa: PLR0913 - the parameters of a request
        self,
        resource: Mapping[str, object] | str | Body,
        *,
        manager: str,
        old: Mapping[str, object] | Response | None = None,
        force: bool = False,
        subresource: Subresource = "",
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """
        Return the server's answer to a server-side apply of *resource*.

        Args:
            resource: The applied configuration: as for `create`, but fields of other managers may be missing.
            manager: The field manager.
            old: The stored object, with its status; without managed fields, its fields belong to `before-first-apply`.
                Or the answer to the previous request, which has managed fields. None if no object is stored: then it is
                created.
            force: Whether fields of other managers are taken over; otherwise they are a conflict.
            subresource: The subresource of the URL, `status` or `scale`; empty for the object itself.
            namespace: As for `create`.
            field_validation: How duplicate fields are treated; unknown fields are always refused.

        Raises:
            ManifestError, TypeError, UnsupportedConstructError, OrderDependentError: As for `create`.
            ValueError: *subresource* is not the name of a subresource.

        Reference:
            apiserver endpoints/handlers/patch.go; apimachinery util/managedfields; structured-merge-diff.
        """
        strategy = self.strategy
        stored = completion.patched(old, self._stored_as(strategy, old))
        type_meta = subresources.SCALE_TYPE_META if subresource == "scale" else strategy.type_meta
        sent = completion.applied(completion.read_applied(resource), stored, type_meta)
        request = Request(
            "patch",
            sent,
            completion.name(sent if stored is None else requestbody.Body(stored)),
            subresource=check_subresource(subresource),
            media_type=requestoptions.APPLY,
            field_manager=manager,
            force=force,
        )
        return self._send(stored, request, namespace, field_validation)

    def answer(
        self,
        stored: Resource | None,
        request: Request,
        generated: GeneratedValues,
        admission: Admission | None = None,
    ) -> RequestOutcome:
        """
        Handle a complete request and return its outcome; its `report` calls the observer.

        Args:
            stored: The stored object of that name, in the storage version; None if there is none.
            request: The request.
            generated: The generated values: time, uid and name suffix.
            admission: The admission plugins; None without any.

        Raises:
            InputError, UnsupportedConstructError: As for `strategy`.
        """
        from pytest_crd.engine.registry import handlers  # noqa: PLC0415 - slow to import, and only requests need it

        outcome = handlers.handle(stored, request, self.strategy, generated, observe=self.observe, admission=admission)
        outcome.response = outcome.response.located(self.locate)
        return outcome

    @property
    def observe(self) -> Callable[[ObservedRequest], None] | None:
        """The callback that reports a request; None without an observer."""
        listener = self.observer.request
        return None if listener is None else functools.partial(listener, self)

    def read(self, stored: Resource) -> dict[str, JSONValue]:
        """Return a stored object as a GET of this version returns it, with all metadata. Raises as `strategy` does."""
        return self.strategy.read(stored, stored["metadata"].get("namespace", ""))

    def _stored_as(self, strategy: Strategy, old: object) -> dict[str, JSONValue]:
        """Return apiVersion and kind of a stored object."""
        own_version = old.get("apiVersion") if isinstance(old, Mapping) else None
        api_version = self.stored_as or own_version or strategy.type_meta["apiVersion"]
        return {**strategy.type_meta, "apiVersion": api_version}

    def _send(
        self,
        stored: Resource | None,
        request: Request,
        namespace: str | None,
        field_validation: FieldValidation,
    ) -> Response:
        """Return the response to a request, after its namespace and field validation are set, and report it."""
        completed = request._replace(
            namespace=completion.namespace(namespace, request.body),
            field_validation=requestbody.check_field_validation(field_validation),
        )
        outcome = self.answer(stored, completed, FIXED_VALUES, self.admission)
        outcome.report()
        if outcome.order_dependence:
            raise OrderDependentError(outcome.order_dependence)
        return outcome.response

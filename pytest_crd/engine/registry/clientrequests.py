"""Requests of clients for the custom resources of a version; omitted parts are filled in."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from pytest_crd.engine.errors.failedrule import Locate
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import ObservedRequest, Observer
from pytest_crd.engine.registry import completion, handlers, requestbody, subresources
from pytest_crd.engine.registry.handlers import Observe
from pytest_crd.engine.registry.patching import mediatypes
from pytest_crd.engine.registry.request import SUBRESOURCES, GeneratedValues, Request, RequestOutcome, Subresource
from pytest_crd.engine.registry.requestbody import Body, FieldValidation
from pytest_crd.engine.registry.response import Response
from pytest_crd.engine.registry.strategy import Strategy


class Requests:
    """Sender of requests to one version of a CRD; the methods of `CrdVersion` document the arguments."""

    def __init__(self, strategy: Strategy, place_of: Locate, observer: Observer, version: Any) -> None:
        """
        Create for a version.

        Args:
            strategy: The strategy of its objects.
            place_of: Returns `file:line` of steps in the schema of the version.
            observer: The observer of the requests.
            version: The version that the observer is called with.
        """
        self._strategy = strategy
        self._type_meta = strategy.type_meta
        self._place_of = place_of
        self._observer = observer
        self._version = version

    @property
    def _observe(self) -> Observe | None:
        callback = self._observer.request
        return None if callback is None else functools.partial(callback, self._version)

    def create(
        self, body: Body, *, namespace: str | None = None, field_validation: FieldValidation = "Warn"
    ) -> Response:
        """Return the response to a POST of *body*."""
        sent = completion.with_default_name(completion.typed(body, self._type_meta))
        return self._answer(None, Request("create", sent), namespace, field_validation)

    def update(
        self,
        body: Body,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """Return the response to a PUT of *body* over *old*."""
        sent, stored = completion.over(body, old, self._type_meta)
        return self._answer(stored, Request("update", sent), namespace, field_validation)

    def update_status(
        self,
        body: Body,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """Return the response to a PUT of *body* to the `/status` of *old*."""
        sent, stored = completion.over(body, old, self._type_meta)
        return self._answer(stored, Request("update", sent, subresource="status"), namespace, field_validation)

    def patch(  # noqa: PLR0913 - the parameters of a PATCH
        self,
        body: Body,
        *,
        old: Mapping[str, object] | Response | None,
        media_type: str,
        subresource: Subresource = "",
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """Return the response to a PATCH of *old* or a subresource."""
        if subresource not in SUBRESOURCES:
            raise ValueError(f"subresource {subresource!r}: one of {', '.join(filter(None, SUBRESOURCES))}, or none")
        stored = completion.patched(old, self._type_meta)
        request = Request("patch", body, completion.MADE_UP_NAME, subresource=subresource, media_type=media_type)
        return self._answer(stored, request, namespace, field_validation)

    def apply(  # noqa: PLR0913 - the parameters of an apply
        self,
        body: Body,
        *,
        old: Mapping[str, object] | Response | None,
        manager: str,
        force: bool = False,
        subresource: Subresource = "",
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """Return the response to an apply of *body* to *old* or a subresource."""
        if subresource not in SUBRESOURCES:
            raise ValueError(f"subresource {subresource!r}: one of {', '.join(filter(None, SUBRESOURCES))}, or none")
        stored = completion.patched(old, self._type_meta)
        type_meta = subresources.SCALE_TYPE_META if subresource == "scale" else self._type_meta
        sent = completion.applied(body, stored, type_meta)
        name = (stored or sent.value)["metadata"].get("name") or completion.MADE_UP_NAME
        request = Request("patch", sent, name, subresource=subresource, media_type=mediatypes.APPLY)
        with_manager = request._replace(field_manager=manager, force=force)
        return self._answer(stored, with_manager, namespace, field_validation)

    def scale(
        self,
        scale: Body | int,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """Return the response to a PUT of a Scale, or of a number of replicas, to the `/scale` of *old*."""
        sent = Body({"spec": {"replicas": scale}}) if isinstance(scale, int) else scale
        body, stored = completion.over(sent, old, subresources.SCALE_TYPE_META, stored_as=self._type_meta)
        return self._answer(stored, Request("update", body, subresource="scale"), namespace, field_validation)

    def send(self, stored: Resource | None, request: Request, generated: GeneratedValues) -> RequestOutcome:
        """Return the outcome of a complete request; its `report` tells the observer."""
        observe, observed = self._observe, list[ObservedRequest]()
        outcome = handlers.handle(
            stored, request, self._strategy, generated, observe=None if observe is None else observed.append
        )
        outcome.response = outcome.response.located(self._place_of)
        if observe is not None and observed:
            outcome.report = functools.partial(observe, *observed)
        return outcome

    def read(self, stored: Resource) -> dict[str, JSONValue]:
        """Return a stored object in this version."""
        return self._strategy.read(stored, stored["metadata"].get("namespace", ""))

    def _answer(
        self, stored: Resource | None, request: Request, namespace: str | None, field_validation: FieldValidation
    ) -> Response:
        """Return the response to a request, after its namespace and field validation are set."""
        resolved = completion.namespace(namespace, request.body)
        completed = request._replace(
            namespace=resolved, field_validation=requestbody.check_field_validation(field_validation)
        )
        outcome = handlers.handle(stored, completed, self._strategy, observe=self._observe)
        return outcome.response.located(self._place_of)

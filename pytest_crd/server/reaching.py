"""Access of a test to a server: in the same process without a socket, or over the network."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Sequence
from typing import Final, Protocol, TypeAlias

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.api import Api
from pytest_crd.server.customresources import CustomResourceType
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.simulatedworkloads import Hold, NotSimulatedError
from pytest_crd.server.store.store import ObjectKey
from pytest_crd.server.watching import Stream, Watch

_NOT_FOUND: Final = 404
_NOTHING_SIMULATED: Final = (
    "there is nothing to hold back, as no statuses are simulated: set crd_server_workloads = true, or write "
    "@pytest.mark.crd_server(workloads=True)"
)
# The object after each change; None after its deletion.
States: TypeAlias = "Generator[Resource | None, None, None]"


class ReachedServer(Protocol):
    """Interface to a server from a test."""

    def find_by_name(self, resource: str) -> ResourceType:
        """
        Return the resource with a name.

        Raises:
            CrdLookupError: The server has no such resource, or several.
        """

    def watched_resources(self) -> Sequence[str] | None:
        """Return the custom resources that operators watch, as `plural.group`; None if the requests of clients are not seen."""

    def answer(self, request: HTTPRequest) -> HTTPAnswer:
        """Return the response to a request other than a watch."""

    def hold(self, key: ObjectKey) -> Hold:
        """
        Hold back the simulated status of a workload.

        Raises:
            NotSimulatedError: Nothing is simulated, or not this resource.
        """

    def states(self, type_: ResourceType, request: HTTPRequest, timeout: float, /) -> States:
        """
        Yield the current state of an object, then its state after each change.

        Args:
            type_: The resource.
            request: The watch request for the object.
            timeout: The seconds until the iteration ends.

        Raises:
            ApiError: The server refuses the watch.
        """


class InProcess:
    """Access to a server in the process of the test."""

    def __init__(self, api: Api) -> None:
        """Create for an API."""
        self._api = api

    def find_by_name(self, resource: str) -> ResourceType:
        """Return the resource with a name, as in `ReachedServer`."""
        return self._api.catalog.find_by_name(resource)

    def watched_resources(self) -> Sequence[str]:
        """Return the custom resources of the server."""
        types = self._api.catalog.types()
        return [*dict.fromkeys(type_.resource for type_ in types if isinstance(type_, CustomResourceType))]

    def answer(self, request: HTTPRequest) -> HTTPAnswer:
        """Return the response to a request."""
        answer = self._api.answer(self._allowed(request))
        assert isinstance(answer, HTTPAnswer)  # noqa: S101 - the request is no watch
        return answer

    def hold(self, key: ObjectKey) -> Hold:
        """Hold back a workload, as in `ReachedServer`."""
        if self._api.workloads is None:
            raise NotSimulatedError(_NOTHING_SIMULATED)
        return self._api.workloads.hold(key, self._api.settle)

    def states(self, _: ResourceType, request: HTTPRequest, timeout: float) -> States:
        """Yield the states of an object, as in `ReachedServer`."""
        watch = self._watch(request)
        news = threading.Event()
        unsubscribe = self._api.store.listen(news.set)
        deadline = time.monotonic() + timeout
        try:
            while True:
                if watch is None or watch.is_over:  # the CRD has changed, or has gone and may come back
                    watch = self._watch(request)
                if watch is not None:
                    for event in watch.take():
                        if event.entry is not None:
                            yield None if event.type == "DELETED" else watch.type.read(event.entry)
                    if watch.is_over:
                        continue
                if not news.wait(max(0.0, deadline - time.monotonic())):
                    return
                news.clear()
        finally:
            unsubscribe()

    def _watch(self, request: HTTPRequest) -> Watch | None:
        """
        Return a watch, or None if the resource does not exist.

        Raises:
            ApiError: The server refuses the watch.
        """
        reply = self._api.answer(self._allowed(request))
        if isinstance(reply, Stream):
            return reply.watch
        if reply.code != _NOT_FOUND:
            raise ApiError(reply.value)
        return None

    def _allowed(self, request: HTTPRequest) -> HTTPRequest:
        token = {"authorization": f"Bearer {self._api.token}"} if self._api.token else {}
        return request._replace(headers={**request.headers, **token})

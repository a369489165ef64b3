"""How a test reaches a server: one in its process without a socket between, or any that answers the same requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from typing import Final, Protocol, TypeAlias

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.watching import Stream, Watch

_NOT_FOUND: Final = 404
# An object each time that it changes; None when it goes.
States: TypeAlias = "Generator[Resource | None, None, None]"


class ReachedServer(Protocol):
    """A server that requests reach, whoever sends them."""

    def named(self, resource: str) -> ResourceType:
        """
        Return what is served under a name.

        Raises:
            LookupError: Nothing is, or several things are.
        """

    def answer(self, request: HTTPRequest) -> HTTPAnswer:
        """Return the answer to a request, which is no watch."""

    def states(self, type_: ResourceType, request: HTTPRequest, timeout: float, /) -> States:
        """
        Yield what one object is, as soon as it changes, and first as it is.

        Args:
            type_: Its type.
            request: The watch of it.
            timeout: After how many seconds nothing is waited for any longer.

        Raises:
            ApiError: The server refuses to tell.
        """


class InProcess:
    """The server of a test's process."""

    def __init__(self, api: Api) -> None:
        """Take it."""
        self._api = api

    def named(self, resource: str) -> ResourceType:
        """Return what is served under a name, as `ReachedServer` says."""
        return self._api.catalog.named(resource)

    def answer(self, request: HTTPRequest) -> HTTPAnswer:
        """Return the answer to a request."""
        answer = self._api.answer(self._allowed(request))
        assert isinstance(answer, HTTPAnswer)  # noqa: S101 - no watch was asked for
        return answer

    def states(self, _: ResourceType, request: HTTPRequest, timeout: float) -> States:
        """Yield what an object is, as `ReachedServer` says."""
        watch = self._watch(request)
        news = threading.Event()
        end = self._api.store.listen(news.set)
        deadline = time.monotonic() + timeout
        try:
            while True:
                if watch is None or watch.is_over:  # as the CRD has changed, or has gone and may come back
                    watch = self._watch(request)
                if watch is not None:
                    for event in watch.take():
                        if event.entry is not None:
                            yield None if event.type == "DELETED" else watch.type.shown(event.entry)
                    if watch.is_over:
                        continue
                if not news.wait(max(0.0, deadline - time.monotonic())):
                    return
                news.clear()
        finally:
            end()

    def _watch(self, request: HTTPRequest) -> Watch | None:
        """
        Return a watch; None where its resource is not there.

        Raises:
            ApiError: It cannot be watched.
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

"""Log of the requests to a server and its responses, for tests and reports."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.errors import changedfield
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest

# The number of requests kept.
_MOST: Final = 10_000


@dataclass(frozen=True, slots=True, repr=False)
class LoggedRequest:
    """
    A request and its response.

    Attributes:
        user_agent: The User-Agent of the client.
        method: `GET`, `POST` …
        path: The path, with its query.
        verb: The verb, `create`, `list` …; empty if the path names no resource.
        resource: The plural and group of the resource; empty if the path names none.
        namespace: The namespace; empty if the path has none.
        name: The name of the object; empty for several.
        body: The body of the request.
        code: The HTTP code of the response.
        answer: The response as JSON; None for other responses and for watches.
        warnings: The warnings of the response.
        dropped: The fields of the request that were dropped, as in warnings.
    """

    user_agent: str
    method: str
    path: str
    verb: str
    resource: str
    namespace: str
    name: str
    body: bytes
    code: int
    answer: JSONValue = None
    warnings: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the request on one line, as in reports."""
        message = self.answer.get("message", "") if isinstance(self.answer, dict) and self.code >= 400 else ""
        suffix = f" {message}" if message else ""
        return f"{self.user_agent or 'a client'}: {self.method} {self.path} {self.code}{suffix}"

    def __repr__(self) -> str:
        """Return the request on one line."""
        return f"<LoggedRequest {self}>"


class RequestLog:
    """The last requests to a server; safe to use from several threads."""

    def __init__(self) -> None:
        """Create an empty log."""
        self._exchanges: deque[LoggedRequest] = deque(maxlen=_MOST)
        self._dropped: dict[str, str] = {}
        self._unvalidated: Counter[str] = Counter()
        self._unserved: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def exchanges(self) -> tuple[LoggedRequest, ...]:
        """The requests, oldest first."""
        with self._lock:
            return tuple(self._exchanges)

    @property
    def dropped(self) -> Mapping[str, str]:
        """The dropped fields of requests: a description of each, with `file:line` of the responsible schema or an empty text."""
        with self._lock:
            return dict(self._dropped)

    @property
    def unvalidated(self) -> Mapping[str, int]:
        """The number of written objects that are neither validated nor defaulted, by kind."""
        with self._lock:
            return dict(self._unvalidated)

    @property
    def unserved(self) -> Mapping[str, int]:
        """The number of requests for built-in kinds answered with 404 because only a full cluster serves them, by kind."""
        with self._lock:
            return dict(self._unserved)

    def note(self, request: HTTPRequest, answer: HTTPAnswer | None) -> None:
        """Add a request with its response; None for a watch that begins."""
        exchange = _exchange(request, answer)
        with self._lock:
            self._exchanges.append(exchange)
            if answer is None:
                return
            for path in answer.dropped:
                context = f"{exchange.verb} of {exchange.resource} {exchange.name or '(new)'} by {exchange.user_agent or 'a client'}"
                self._dropped.setdefault(f'unknown field "{path}": {context}', changedfield.source_of(path))
            if answer.unvalidated:
                self._unvalidated[answer.unvalidated] += 1
            if answer.unserved:
                self._unserved[answer.unserved] += 1


def _exchange(request: HTTPRequest, answer: HTTPAnswer | None) -> LoggedRequest:
    info = request.info
    resource = ""
    if info is not None:
        resource = f"{info.resource}.{info.group}" if info.group else info.resource
    return LoggedRequest(
        request.headers.get("user-agent", ""),
        request.method,
        request.target,
        "" if info is None else "watch" if answer is None else info.verb,
        resource,
        "" if info is None else info.namespace,
        "" if info is None else info.name,
        request.body,
        200 if answer is None else answer.code,
        None if answer is None else answer.value,
        () if answer is None else answer.warnings,
        () if answer is None else answer.dropped,
    )

"""What was asked of a server, and what it answered: for tests to look at, and for reports."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.errors import changedfield
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest

# How many requests are remembered.
_MOST: Final = 10_000


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """
    A request, and its answer.

    Attributes:
        user_agent: What the client calls itself.
        method: `GET`, `POST` …
        path: The path, with its query.
        verb: What that asks for, `create`, `list` …; empty where it is about no resource.
        resource: The plural and the group of what it asks for; empty likewise.
        namespace: The namespace; empty where it has none.
        name: The name of the object; empty where it is about several.
        body: What is sent.
        code: The HTTP code of the answer.
        answer: What the answer says, as JSON; None where it is none, and of a watch.
        warnings: What it warns of.
        dropped: The fields that were dropped of what was sent, as warnings spell them.
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
        """Return it on one line, as reports show it."""
        message = self.answer.get("message", "") if isinstance(self.answer, dict) and self.code >= 400 else ""
        told = f" {message}" if message else ""
        return f"{self.user_agent or 'a client'}: {self.method} {self.path} {self.code}{told}"


class RequestLog:
    """The last requests to a server; written by its thread, read by others."""

    def __init__(self) -> None:
        """Begin with none."""
        self._exchanges: deque[LoggedRequest] = deque(maxlen=_MOST)
        self._dropped: dict[str, str] = {}
        self._unvalidated: Counter[str] = Counter()
        self._unserved: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def exchanges(self) -> tuple[LoggedRequest, ...]:
        """The requests that are remembered, oldest first."""
        with self._lock:
            return tuple(self._exchanges)

    @property
    def dropped(self) -> Mapping[str, str]:
        """What was dropped of what clients sent: in words, with `file:line` of what decided, which may be empty."""
        with self._lock:
            return dict(self._dropped)

    @property
    def unvalidated(self) -> Mapping[str, int]:
        """How often objects were written that are neither validated nor defaulted, by kind."""
        with self._lock:
            return dict(self._unvalidated)

    @property
    def unserved(self) -> Mapping[str, int]:
        """How often requests for a built-in kind were answered with 404, as only a cluster serves it, by kind."""
        with self._lock:
            return dict(self._unserved)

    def note(self, request: HTTPRequest, answer: HTTPAnswer | None) -> None:
        """Take a request and its answer; None of a watch that begins."""
        exchange = _exchange(request, answer)
        with self._lock:
            self._exchanges.append(exchange)
            if answer is None:
                return
            for path in answer.dropped:
                where = f"{exchange.verb} of {exchange.resource} {exchange.name or '(new)'} by {exchange.user_agent or 'a client'}"
                self._dropped.setdefault(f'unknown field "{path}": {where}', changedfield.source_of(path))
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

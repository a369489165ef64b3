"""Log of the requests to a server and its responses, for tests and reports."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Self

from pytest_crd.engine.errors import origin
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.server.http import requestinfo, requestnames
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest

# The number of requests kept.
_MOST: Final = 10_000
# The longest wait for requests that are being decided, in seconds.
_PATIENCE: Final = 1.0


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
        subresource: `status`, `scale` …; empty for the object.
        fault: The fault that the request met; empty without one.
        user: The name of the user; empty if the request was not authenticated.
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
    subresource: str = ""
    fault: str = ""
    user: str = ""

    @property
    def resource_names(self) -> tuple[str, str]:
        """The names of its resource without and with the group, followed by `/` and the subresource if it has one."""
        resource, _, group = self.resource.partition(".")
        return requestinfo.resource_names(resource, group, self.subresource)

    def __str__(self) -> str:
        """Return the request on one line, as in reports."""
        message = self.answer.get("message", "") if isinstance(self.answer, dict) and self.code >= 400 else ""
        suffix = (f" {message}" if message else "") + (f" (fault: {self.fault})" if self.fault else "")
        return f"{self.user_agent or 'a client'}: {self.method} {self.path} {self.code}{suffix}"

    def __repr__(self) -> str:
        """Return the request on one line."""
        return f"<LoggedRequest {self}>"


class Requests(tuple[LoggedRequest, ...]):  # noqa: SLOT001 - a tuple with slots has no attributes
    """Requests, oldest first."""

    _demand_resource: Callable[[str], None]

    def __new__(
        cls, requests: Iterable[LoggedRequest] = (), demand_resource: Callable[[str], None] = lambda _: None
    ) -> Self:
        """
        Create.

        Args:
            requests: The requests.
            demand_resource: Called with the resource of each selection; it raises UnknownNameError for an unknown one.
        """
        self = super().__new__(cls, requests)
        self._demand_resource = demand_resource
        return self

    def find(  # noqa: PLR0913 - each selects by a property
        self, *, verb: str = "", resource: str = "", by: str = "", name: str = "", namespace: str = "", code: int = 0
    ) -> Requests:
        """
        Return the requests with some properties; an empty argument selects all.

        Args:
            verb: The verb, such as `patch`.
            resource: The plural, optionally with group and subresource: `backups`, `backups.example.com`, `backups/status`.
            by: The user, or the beginning of the User-Agent.
            name: The name of the object in the URL.
            namespace: The namespace.
            code: The HTTP code of the response.

        Raises:
            UnknownNameError: No request has the verb, or no served kind has the resource.
        """
        if verb:
            requestnames.demand_verb(verb)
        if resource:
            self._demand_resource(resource)
        chosen = (
            request
            for request in self
            if verb in ("", request.verb)
            and (not resource or resource in request.resource_names)
            and (request.user_agent.startswith(by) or request.user == by)
            and name in ("", request.name)
            and namespace in ("", request.namespace)
            and code in (0, request.code)
        )
        return Requests(chosen, self._demand_resource)


class RequestLog:
    """
    The last requests to a server; safe to use from several threads.

    Attributes:
        count: The number of requests since the start of the server.
    """

    def __init__(self, served: Callable[[], Collection[str]] | None = None) -> None:
        """
        Create an empty log.

        Args:
            served: Returns the names of the served resources, which selections of requests may have; None for any names.
        """
        self.count = 0
        self._served = served
        self._exchanges: deque[LoggedRequest] = deque(maxlen=_MOST)
        self._dropped: dict[str, str] = {}
        self._unvalidated: Counter[str] = Counter()
        self._unenforced: Counter[str] = Counter()
        self._unserved: Counter[str] = Counter()
        self._forbidden: Counter[str] = Counter()
        self._order_dependences: dict[str, None] = {}
        self._users: set[str] = set()
        self._failures: list[str] = []
        self._decisions: set[object] = set()
        self._lock = threading.Condition()

    @property
    def exchanges(self) -> Requests:
        """The requests, oldest first. It waits for requests that are being decided."""
        with self._lock:
            decided = {*self._decisions}
            self._lock.wait_for(lambda: not decided & self._decisions, _PATIENCE)
            return Requests(self._exchanges, self._demand_resource)

    def _demand_resource(self, resource: str) -> None:
        """
        Check the resource of a selection.

        Raises:
            UnknownNameError: The resource is not served, and no request is for it.
        """
        if self._served is None or resource in (served := self._served()):
            return
        with self._lock:
            requested = {name for request in self._exchanges for name in request.resource_names if request.resource}
        requestnames.demand_resource(resource, {*served, *requested})

    @contextlib.contextmanager
    def deciding(self) -> Iterator[None]:
        """Let `exchanges` wait for the end of the `with` block, in which a request is decided and noted."""
        decision = object()
        with self._lock:
            self._decisions.add(decision)
        try:
            yield
        finally:
            with self._lock:
                self._decisions.remove(decision)
                self._lock.notify_all()

    def since(self, count: int) -> Requests:
        """Return the requests after the first *count* ones, as far as they are kept."""
        with self._lock:
            later = self.count - count
            return Requests(itertools.islice(self._exchanges, max(0, len(self._exchanges) - later), None))

    def clear(self) -> None:
        """Forget all requests and all counts of fields and kinds."""
        with self._lock:
            counters = (self._unvalidated, self._unenforced, self._unserved, self._forbidden)
            for collection in (self._exchanges, self._dropped, self._users, self._order_dependences, *counters):
                collection.clear()

    @property
    def faults(self) -> Mapping[str, int]:
        """The number of requests that met a fault, by fault."""
        return Counter(exchange.fault for exchange in self.exchanges if exchange.fault)

    @property
    def dropped(self) -> Mapping[str, str]:
        """The dropped fields of requests: a description of each, with `file:line` of the responsible schema or an empty text."""
        with self._lock:
            return dict(self._dropped)

    @property
    def unvalidated(self) -> Mapping[str, int]:
        """The number of written objects that are not validated, by kind."""
        with self._lock:
            return dict(self._unvalidated)

    @property
    def unenforced(self) -> Mapping[str, int]:
        """The number of written objects without effect that change the answers of a full cluster, by kind."""
        with self._lock:
            return dict(self._unenforced)

    @property
    def unserved(self) -> Mapping[str, int]:
        """The number of requests for built-in kinds answered with 404 because only a full cluster serves them, by kind."""
        with self._lock:
            return dict(self._unserved)

    @property
    def forbidden(self) -> Mapping[str, int]:
        """The number of requests that were not authorized, by user, verb, resource and namespace."""
        with self._lock:
            return dict(self._forbidden)

    def take_failures(self) -> list[str]:
        """Return the requests that met an error of pytest-crd, each with its error, and forget them."""
        with self._lock:
            failures, self._failures = self._failures, []
        return failures

    @property
    def order_dependences(self) -> tuple[str, ...]:
        """The answers that depend on the order of mutating policies: two orders with their answers."""
        with self._lock:
            return tuple(self._order_dependences)

    def note_order(self, words: str) -> None:
        """Add an answer that depends on the order of mutating policies."""
        with self._lock:
            self._order_dependences[words] = None

    @property
    def users(self) -> frozenset[str]:
        """The names of the users in the log."""
        with self._lock:
            return frozenset(self._users)

    def note(self, request: HTTPRequest, answer: HTTPAnswer | None) -> None:
        """Add a request with its response; None for a watch that begins."""
        exchange = _exchange(request, answer)
        with self._lock:
            self._exchanges.append(exchange)
            self.count += 1
            self._users |= {exchange.user} - {""}
            if answer is None:
                return
            for path in answer.dropped:
                context = f"{exchange.verb} of {exchange.resource} {exchange.name or '(new)'} by {exchange.user_agent or 'a client'}"
                self._dropped.setdefault(f'unknown field "{path}": {context}', origin.source_of(path))
            if answer.unvalidated:
                self._unvalidated[answer.unvalidated] += 1
            if answer.unenforced:
                self._unenforced[answer.unenforced] += 1
            if answer.unserved:
                self._unserved[answer.unserved] += 1
            if answer.forbidden:
                self._forbidden[answer.forbidden] += 1
            if answer.failure:
                self._failures.append(answer.failure)


def _exchange(request: HTTPRequest, answer: HTTPAnswer | None) -> LoggedRequest:
    info = request.info
    resource = ""
    if info is not None:
        resource = f"{info.resource}.{info.group}" if info.group else info.resource
    return LoggedRequest(
        request.headers.get("user-agent", ""),
        request.method,
        request.target,
        request.verb,
        resource,
        "" if info is None else info.namespace,
        "" if info is None else info.name,
        request.body,
        200 if answer is None else answer.code,
        None if answer is None else answer.value,
        () if answer is None else answer.warnings,
        () if answer is None else answer.dropped,
        "" if info is None else info.subresource,
        request.fault,
        request.user.username,
    )

"""
An API server that is asked: answers with code, JSON body and warnings.

It knows the API's URLs and headers, and nothing of cases.
"""

from __future__ import annotations

import json
import re
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_crd.live.transport import HTTP, PATIENCE, NoAnswerError, Reply, Transport
from pytest_crd.live.workerlock import WorkerLock

JSONValue = Any

_WARNING: Final = re.compile(r'\d{3} \S+ "((?:[^"\\]|\\.)*)"', re.DOTALL)

# What a server answers that has too much to do, or has no storage for a CRD yet: ask again.
_BUSY: Final = (429, 503, 504)
_BUSY_TIMES: Final = 100
_BREATH: Final = 0.2
_SHORTEST_BREATH: Final = 0.02
# Before each time that a server is asked anew which may not know yet what it was told: all of six seconds.
PAUSES: tuple[float, ...] = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
# The longest that a server may send a client away for.
_LONGEST_BREATH: Final = 30.0


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What the server said: the HTTP code, the decoded body, the texts of the `Warning` headers in order."""

    code: int
    body: JSONValue
    warnings: tuple[str, ...]

    @property
    def message(self) -> str:
        """What a Status says; else the body."""
        stated = self.body.get("message") if isinstance(self.body, dict) else self.body
        return str(stated)


class Server:
    """
    An API server; it is asked again where it is too busy.

    Attributes:
        address: What a person calls it.
        is_trusted_blindly: Whether its certificate is not looked at.
        worker_lock: What a thread gives up while it waits for the server.
    """

    def __init__(self, transport: Transport | str, *, busy_times: int = _BUSY_TIMES) -> None:
        """Take who sends the requests, or a URL, and how often the server may be busy; nothing is sent yet."""
        self._busy_times = busy_times
        self._transport = HTTP(transport) if isinstance(transport, str) else transport
        self.address = self._transport.address
        self.is_trusted_blindly = self._transport.is_trusted_blindly
        self.worker_lock = WorkerLock()

    def ask(
        self,
        method: str,
        path: str,
        body: JSONValue = None,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ServerAnswer:
        """
        Send one request.

        Args:
            method: HTTP method.
            path: URL path.
            body: A JSON value, or the text of a document, sent as it is: JSON where it begins with a brace, else YAML.
            query: Parameters of the URL.
            headers: Headers that take the place of the usual ones.

        Raises:
            NoAnswerError: There is no connection, or the server stays too busy to answer.
        """
        url = f"{path}?{urllib.parse.urlencode(query)}" if query else path
        data = None if body is None else (body if isinstance(body, str) else _encoded(body)).encode()
        sent = {"Accept": "application/json"}
        if data is not None:
            plain = not isinstance(body, str) or body.lstrip().startswith("{")
            sent["Content-Type"] = "application/json" if plain else "application/yaml"
        sent |= headers or {}
        for times in range(self._busy_times):
            with self.worker_lock.released():
                reply = self._transport.send(method, url, data, sent)
            if reply.code not in _BUSY:
                return ServerAnswer(reply.code, _decoded(reply.content), tuple(_warnings(reply)))
            if times + 1 < self._busy_times:
                self.rest(_breath(reply))
        text = reply.content.decode(errors="replace").strip()
        raise NoAnswerError(f"{method} {self.address}{url}: {reply.code} {text}")

    def rest(self, seconds: float) -> None:
        """Let some time pass."""
        with self.worker_lock.released():
            time.sleep(seconds)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def version(self) -> str:
        """Return the Kubernetes version that the server states, `1.37`; the bare reference of 1.21 states none."""
        stated = self.ask("GET", "/version").body
        return f"{stated.get('major', '')}.{stated.get('minor', '').rstrip('+')}"

    def wait(
        self,
        path: str,
        done: Callable[[ServerAnswer], bool],
        what: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ServerAnswer:
        """
        GET *path* until *done* holds of the answer.

        Raises:
            NoAnswerError: It did not within a minute; the message names *what* was waited for.
        """
        end, breath = time.monotonic() + PATIENCE, _SHORTEST_BREATH
        while time.monotonic() < end:
            answer = self.ask("GET", path, query=query, headers=headers)
            if done(answer):
                return answer
            self.rest(breath)
            breath = min(breath * 1.5, _BREATH)  # many may wait at a time
        raise NoAnswerError(f"waited in vain for {what}: {answer.code} {answer.message}")


def _breath(reply: Reply) -> float:
    """Return how many seconds to wait before asking again: as many as the server says."""
    stated = next((value for name, value in reply.headers if name.lower() == "retry-after"), "")
    return min(float(stated), _LONGEST_BREATH) if stated.isdecimal() else _BREATH


def _encoded(body: JSONValue) -> str:
    """Write JSON as Go and kubectl do, for the server quotes it in some of its messages."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _decoded(text: bytes) -> JSONValue:
    try:
        return json.loads(text, parse_int=integer)
    except ValueError:
        return text.decode(errors="replace")


def integer(digits: str) -> int | float:
    """Return the number of *digits*; keep `-0`, which Go prints for the float64 negative zero, apart from the integer 0."""
    return -0.0 if digits == "-0" else int(digits)


def _warnings(reply: Reply) -> Iterator[str]:
    for name, header in reply.headers:
        for match in _WARNING.finditer(header) if name.lower() == "warning" else ():
            text = re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)
            yield text.encode("latin-1").decode(errors="replace")


def crd_path(api_version: str, name: str = "") -> str:
    """Return the URL path of the CustomResourceDefinitions, or of the one called *name*."""
    return f"/apis/{api_version}/customresourcedefinitions" + (f"/{name}" if name else "")


def resource_path(crd: JSONValue, version: str, name: str = "", *, namespace: str = "default") -> str:
    """Return the URL path of the custom resources of *crd* in one version, or of the one called *name*."""
    spec = crd["spec"]
    scope = f"/namespaces/{namespace}" if spec.get("scope") == "Namespaced" else ""
    return f"/apis/{spec['group']}/{version}{scope}/{spec['names']['plural']}" + (f"/{name}" if name else "")

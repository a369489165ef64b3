"""
Client of an API server, which returns the code, JSON body and warnings of each answer.

It knows the API's URLs and headers, but no cases.
"""

from __future__ import annotations

import json
import re
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live.transport import HTTP, PATIENCE, NoAnswerError, Transport
from pytest_crd.live.workerlock import WorkerLock
from pytest_crd.webhooks.httptransport import Reply

_WARNING: Final = re.compile(r'\d{3} \S+ "((?:[^"\\]|\\.)*)"', re.DOTALL)

# Codes of a busy server, or of one without storage for a new CRD yet: the request is repeated.
_BUSY: Final = (429, 503, 504)
_BUSY_TIMES: Final = 100
_BREATH: Final = 0.2
_SHORTEST_BREATH: Final = 0.02
# The pauses before repeated requests to a server that may not know a change yet: six seconds in all.
PAUSES: tuple[float, ...] = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
# The longest pause, whatever the server asks for.
_LONGEST_BREATH: Final = 30.0


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """Answer of a server: HTTP code, decoded body, and the texts of the `Warning` headers in order."""

    code: int
    body: JSONValue
    warnings: tuple[str, ...]

    @property
    def message(self) -> str:
        """The message of a Status; of another body, the body itself."""
        message = self.body.get("message") if isinstance(self.body, dict) else self.body
        return str(message)


class Server:
    """
    Client of one API server; a request is repeated while the server is busy.

    Attributes:
        address: The address for messages.
        is_trusted_blindly: Whether its certificate is not verified.
        worker_lock: A lock that a thread releases while it waits for the server.
    """

    def __init__(self, transport: Transport | str, *, busy_times: int = _BUSY_TIMES) -> None:
        """Create it with a transport or a URL, and the number of tries if the server is busy; send nothing."""
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
        Send one request and return the answer.

        Args:
            method: HTTP method.
            path: URL path.
            body: A JSON value, or the text of a document, sent as it is: JSON if it begins with a brace, else YAML.
            query: Parameters of the URL.
            headers: Headers that replace the defaults.

        Raises:
            NoAnswerError: There is no connection, or the server stays busy.
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
        """Sleep, with the worker lock released."""
        with self.worker_lock.released():
            time.sleep(seconds)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def version(self) -> str:
        """Return the Kubernetes version of the server, `1.37`; the bare reference of 1.21 has none, so that it is `.`."""
        info = self.ask("GET", "/version").body
        return f"{info.get('major', '')}.{info.get('minor', '').rstrip('+')}"

    def wait(
        self,
        path: str,
        done: Callable[[ServerAnswer], bool],
        goal: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ServerAnswer:
        """
        GET *path* until *done* returns true for the answer, and return that answer.

        Raises:
            NoAnswerError: It did not within a minute; the message names the *goal*.
        """
        end, breath = time.monotonic() + PATIENCE, _SHORTEST_BREATH
        while time.monotonic() < end:
            answer = self.ask("GET", path, query=query, headers=headers)
            if done(answer):
                return answer
            self.rest(breath)
            breath = min(breath * 1.5, _BREATH)  # many threads may wait at a time
        raise NoAnswerError(f"waited in vain for {goal}: {answer.code} {answer.message}")


def _breath(reply: Reply) -> float:
    """Return the pause before the next try in seconds: as long as the server asks for."""
    retry_after = next((value for name, value in reply.headers if name.lower() == "retry-after"), "")
    return min(float(retry_after), _LONGEST_BREATH) if retry_after.isdecimal() else _BREATH


def _encoded(body: JSONValue) -> str:
    """Return JSON as Go and kubectl write it, because the server quotes bodies in some messages."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _decoded(text: bytes) -> JSONValue:
    try:
        return json.loads(text, parse_int=integer)
    except ValueError:
        return text.decode(errors="replace")


def integer(digits: str) -> int | float:
    """Return the number of *digits*; `-0`, which Go prints for the negative zero of float64, becomes -0.0."""
    return -0.0 if digits == "-0" else int(digits)


def _warnings(reply: Reply) -> Iterator[str]:
    for name, header in reply.headers:
        for match in _WARNING.finditer(header) if name.lower() == "warning" else ():
            text = re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)
            yield text.encode("latin-1").decode(errors="replace")


def crd_path(api_version: str, name: str = "") -> str:
    """Return the URL path of the CustomResourceDefinitions, or of the CRD *name*."""
    return f"/apis/{api_version}/customresourcedefinitions" + (f"/{name}" if name else "")


def resource_path(crd: JSONValue, version: str, name: str = "", *, namespace: str = "default") -> str:
    """Return the URL path of the custom resources of *crd* in one version, or of the resource *name*."""
    spec = crd["spec"]
    scope = f"/namespaces/{namespace}" if spec.get("scope") == "Namespaced" else ""
    return f"/apis/{spec['group']}/{version}{scope}/{spec['names']['plural']}" + (f"/{name}" if name else "")

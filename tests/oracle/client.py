"""
One connection to an API server: plain requests over HTTP keep-alive, answers with code, JSON body and warnings.

It knows the API's URLs and headers, and nothing of cases.
"""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

JSONValue = Any

_WARNING: Final = re.compile(r'\d{3} \S+ "((?:[^"\\]|\\.)*)"', re.DOTALL)
_PATIENCE: Final = 60.0

# What a server answers that has too much to do, or has no storage for a CRD yet: ask again.
_BUSY: Final = (429, 503, 504)
_BUSY_TIMES: Final = 100


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said: the HTTP code, the decoded body, the texts of the `Warning` headers in order."""

    code: int
    body: JSONValue
    warnings: tuple[str, ...]


class Server:
    """An API server by its URL; one connection that is kept open."""

    def __init__(self, url: str, *, busy_times: int = _BUSY_TIMES) -> None:
        """Take the URL of a server that answers without credentials, and how often it may be busy; nothing is sent yet."""
        self._busy_times = busy_times
        parts = urllib.parse.urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname or "", parts.port, timeout=_PATIENCE)

    def ask(self, method: str, path: str, body: JSONValue = None, *, query: Mapping[str, str] | None = None) -> Answer:
        """
        Send one request.

        Args:
            method: HTTP method.
            path: URL path.
            body: A JSON value, or the text of a document, sent as it is: JSON where it begins with a brace, else YAML.
            query: Parameters of the URL.

        Raises:
            TimeoutError: The server stays too busy to answer.
        """
        url = f"{path}?{urllib.parse.urlencode(query)}" if query else path
        data = None if body is None else (body if isinstance(body, str) else _encoded(body)).encode()
        headers = {"Accept": "application/json"}
        if data is not None:
            plain = not isinstance(body, str) or body.lstrip().startswith("{")
            headers["Content-Type"] = "application/json" if plain else "application/yaml"
        for _ in range(self._busy_times):
            answer = self._asked(method, url, data, headers)
            if answer.code not in _BUSY:
                return answer
            time.sleep(0.2)
        raise TimeoutError(f"{method} {url}: {answer.code} {answer.body}")

    def _asked(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Answer:
        try:
            self._connection.request(method, url, data, headers)
            response = self._connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            # The server closes an idle connection whenever it likes; the request was not read then.
            self._connection.close()
            self._connection.request(method, url, data, headers)
            response = self._connection.getresponse()
        text = response.read()
        return Answer(response.status, _decoded(text), tuple(_warnings(response)))

    def version(self) -> str:
        """Return the Kubernetes version that the server states, `1.37`; the bare reference of 1.21 states none."""
        stated = self.ask("GET", "/version").body
        return f"{stated.get('major', '')}.{stated.get('minor', '').rstrip('+')}"

    def wait(self, path: str, done: Any, what: str) -> Answer:
        """
        GET *path* until *done* holds of the answer.

        Raises:
            TimeoutError: It did not within a minute; the message names *what* was waited for.
        """
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            answer = self.ask("GET", path)
            if done(answer):
                return answer
            time.sleep(0.02)
        raise TimeoutError(f"waited in vain for {what}: {answer}")


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


def _warnings(response: http.client.HTTPResponse) -> Iterator[str]:
    for header in response.msg.get_all("Warning") or ():
        for match in _WARNING.finditer(header):
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

"""Conversations with a whole kube-apiserver or a server for CRDs: requests, and watches that run beside them."""

from __future__ import annotations

import contextlib
import http.client
import json
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterable, Mapping, Sequence
from email.message import Message
from typing import Any, Final

from conformance import protobufanswers, serverside
from conformance.exchanges import Raw, Request

# How long events of the last request may take to arrive at watches, in seconds.
_SETTLE_SECONDS: Final = 0.4
_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# How long a new resource takes to be served everywhere, in seconds.
_INSTALL_SECONDS: Final = 4.0


class Cluster:
    """
    A client of one API server.

    Attributes:
        url: The URL of the server.
    """

    def __init__(self, url: str, token: str) -> None:
        """Create a client for a URL and an administrator's token, which is empty if the server needs none."""
        self.url = url
        self._token = token
        self._context = ssl._create_unverified_context()  # noqa: S323 - it runs on loopback, with a certificate of its own

    def install(self, crds: Sequence[Any]) -> None:
        """
        Create the CRDs that are missing, and wait until they are served.

        Raises:
            RuntimeError: A CRD is rejected.
        """
        missing = [crd for crd in crds if self.request("GET", f"{_CRDS}/{crd['metadata']['name']}")[0] == 404]
        for crd in missing:
            code, text = self.request("POST", _CRDS, crd)
            if code != 201:
                raise RuntimeError(text)
        time.sleep(_INSTALL_SECONDS if missing else 0)

    def request(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Send a request; return code and text of the response."""
        all_headers = {"content-type": "application/json", **(headers or {})}
        sent = b"" if body is None else json.dumps(body).encode()
        raw = self._raw(self._send(method, path, all_headers.items(), sent))
        return raw.code, raw.text

    def sender(self) -> Callable[[Request], Any]:
        """
        Return a function that sends a request of one conversation.

        The function returns a `Raw` response. For a watch, it returns a second function, which returns the events so far.
        """
        until = [time.monotonic()]

        def send(request: Request) -> Any:
            time.sleep(request.get("pause", 0))  # for work that a cluster does asynchronously
            message = serverside.to_http(request)
            headers = (*message.headers.items(), *message.impersonation)
            response = self._send(message.method, message.target, headers, message.body)
            until[0] = time.monotonic() + _SETTLE_SECONDS
            if not request.get("watch") or response.status != 200:
                raw = self._raw(response)
                return (lambda: raw) if request.get("watch") else raw
            return _Events(response, until).take

        return send

    def _send(
        self, method: str, path: str, headers: Iterable[tuple[str, str]], body: bytes
    ) -> http.client.HTTPResponse:
        address = urllib.parse.urlsplit(self.url)
        connection = (
            http.client.HTTPSConnection(address.hostname or "", address.port, context=self._context, timeout=30)
            if address.scheme == "https"
            else http.client.HTTPConnection(address.hostname or "", address.port, timeout=30)
        )
        whole = Message()  # a name may repeat
        for name, value in headers:
            whole[name] = value
        if self._token:
            whole["Authorization"] = f"Bearer {self._token}"
        connection.request(method, path, body=body or None, headers=whole)  # type: ignore[arg-type]
        return connection.getresponse()

    def _raw(self, response: http.client.HTTPResponse) -> Raw:
        return Raw(response.status, _headers(response), _text(response, response.read()))


class _Events:
    """The events of a watch, read in a thread."""

    def __init__(self, response: http.client.HTTPResponse, until: Sequence[float]) -> None:
        self._response = response
        self._until = until
        self._read_so_far: list[bytes] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(
            OSError, ValueError, http.client.HTTPException
        ):  # the conversation is over, and the server has closed the connection
            while part := self._response.read1():
                self._read_so_far.append(part)

    def take(self) -> Raw:
        self._thread.join(max(0.0, self._until[0] - time.monotonic()))
        body = b"".join(self._read_so_far)
        is_in_lines = not self._response.getheader("content-type", "").startswith(protobufanswers.MEDIA_TYPE)
        text = _text(self._response, body[: body.rfind(b"\n") + 1] if is_in_lines else body)
        has_ended = not self._thread.is_alive() and '"type":"ERROR"' not in text
        return Raw(200, _headers(self._response), text, has_ended)


def _text(response: http.client.HTTPResponse, body: bytes) -> str:
    return protobufanswers.text_of(body, response.getheader("content-type", ""))


def _headers(response: http.client.HTTPResponse) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in response.getheaders():
        headers.setdefault(name.lower(), []).append(value)
    return headers

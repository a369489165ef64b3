"""Conversations with a server, a whole kube-apiserver or one for CRDs alone: requests, and watches that go on beside them."""

from __future__ import annotations

import contextlib
import http.client
import json
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from conformance import protobufanswers, serverside
from conformance.exchanges import Raw, Request

# How long after the last request what it does may still come through watches, in seconds.
_SETTLES: Final = 0.4
_CRDS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# How long a new resource is not served everywhere yet, in seconds.
_INSTALLS: Final = 4.0


class Cluster:
    """
    A server.

    Attributes:
        url: Where it is.
    """

    def __init__(self, url: str, token: str) -> None:
        """Take where it is, and the token of who may do everything; empty where everybody may."""
        self.url = url
        self._token = token
        self._context = ssl._create_unverified_context()  # noqa: S323 - it runs on loopback, with a certificate of its own

    def install(self, crds: Sequence[Any]) -> None:
        """Have CRDs served that are not yet."""
        missing = [crd for crd in crds if self.ask("GET", f"{_CRDS}/{crd['metadata']['name']}")[0] == 404]
        for crd in missing:
            code, text = self.ask("POST", _CRDS, crd)
            if code != 201:
                raise RuntimeError(text)
        time.sleep(_INSTALLS if missing else 0)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Return code and text of an answer."""
        sent = {"content-type": "application/json", **(headers or {})}
        raw = self._raw(self._sent(method, path, sent, b"" if body is None else json.dumps(body).encode()))
        return raw.code, raw.text

    def sender(self) -> Callable[[Request], Any]:
        """Return what sends the requests of one conversation."""
        until = [time.monotonic()]

        def send(asked: Request) -> Any:
            time.sleep(asked.get("pause", 0))  # for what a cluster does in its own time
            message = serverside.to_http(asked)
            response = self._sent(message.method, message.target, message.headers, message.body)
            until[0] = time.monotonic() + _SETTLES
            if not asked.get("watch") or response.status != 200:
                raw = self._raw(response)
                return (lambda: raw) if asked.get("watch") else raw
            return _Events(response, until).take

        return send

    def _sent(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> http.client.HTTPResponse:
        at = urllib.parse.urlsplit(self.url)
        connection = (
            http.client.HTTPSConnection(at.hostname or "", at.port, context=self._context, timeout=30)
            if at.scheme == "https"
            else http.client.HTTPConnection(at.hostname or "", at.port, timeout=30)
        )
        known = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        connection.request(method, path, body=body or None, headers={**headers, **known})
        return connection.getresponse()

    def _raw(self, response: http.client.HTTPResponse) -> Raw:
        return Raw(response.status, _headers(response), _text(response, response.read()))


class _Events:
    """The events of a watch, read as they come."""

    def __init__(self, response: http.client.HTTPResponse, until: Sequence[float]) -> None:
        self._response = response
        self._until = until
        self._read_so_far: list[bytes] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(
            OSError, ValueError, http.client.HTTPException
        ):  # nobody reads on, and the server has gone
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
    found: dict[str, list[str]] = {}
    for name, value in response.getheaders():
        found.setdefault(name.lower(), []).append(value)
    return found

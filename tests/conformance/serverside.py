"""Our server in conversations, without a socket."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from conformance import protobufanswers
from conformance.exchanges import Raw, Request
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.protobuf import protowriting
from pytest_crd.server.watching import Stream


def sender(crds: Sequence[Any], kubernetes_version: str, namespaces: Sequence[str]) -> Callable[[Request], Any]:
    """Return a function that sends requests to a new server of *crds*."""
    return sender_of(server(crds, kubernetes_version, namespaces))


def server(crds: Sequence[Any], kubernetes_version: str, namespaces: Sequence[str]) -> Api:
    """Return a server of *crds* with some namespaces."""
    definitions = [CustomResourceDefinition.from_manifest(crd, kubernetes_version=kubernetes_version) for crd in crds]
    api = Api(definitions, kubernetes_version=kubernetes_version)
    for namespace in namespaces:
        api.catalog.namespaces.create(namespace)
    return api


def sender_of(api: Api) -> Callable[[Request], Any]:
    """Return a function that sends requests to *api*."""

    def send(request: Request) -> Any:
        reply = api.answer(to_http(request))
        if isinstance(reply, HTTPAnswer):
            return to_raw(reply)
        return lambda: _events(reply)

    return send


def to_http(request: Request) -> HTTPRequest:
    """Return a request of a conversation as an HTTP message."""
    headers = {"user-agent": request.get("agent", "probe/1"), **request.get("headers", {})}
    body = request.get("body")
    if body is not None:
        headers["content-type"] = request.get("mediaType", "application/json")
    if "accept" in request:
        headers["accept"] = request["accept"]
    impersonation = tuple((name, value) for name, value in request.get("impersonation", ()))
    sent = _sent(body, headers.get("content-type", ""))
    return HTTPRequest(request["method"], request["path"], headers, sent, impersonation)


def _sent(body: Any, media_type: str) -> bytes:
    if media_type == protobufanswers.MEDIA_TYPE and isinstance(body, dict):
        return protowriting.write(body)
    text = body if isinstance(body, str) else "" if body is None else json.dumps(body)
    return text.encode()


def to_raw(answer: HTTPAnswer) -> Raw:
    """Return a response of our server in the form of recordings."""
    headers: dict[str, list[str]] = {"content-type": [answer.media_type]} if answer.media_type else {}
    for name, value in answer.headers:
        # Servers send UTF-8, and the client of the recorder decodes another charset.
        headers.setdefault(name.lower(), []).append(value.encode().decode("latin-1"))
    return Raw(answer.code, headers, protobufanswers.text_of(answer.body, answer.media_type))


def _events(stream: Stream) -> Raw:
    lines = b"".join(stream.line(event) for event in stream.watch.take())
    headers = {"content-type": [stream.media_type], "warning": [f'299 - "{text}"' for text in stream.warnings]}
    has_ended = stream.watch.is_over and b'"type":"ERROR"' not in lines
    return Raw(200, headers, protobufanswers.text_of(lines, stream.media_type), has_ended)

"""Requests and responses of aiohttp as data, and their transport."""

from __future__ import annotations

import asyncio
from typing import Final

from aiohttp import web

from pytest_crd.server.http.httpmessages import IMPERSONATE, HTTPAnswer, HTTPRequest

# More than the API's limit, so that the API refuses larger bodies.
MOST_BYTES: Final = 4 << 20
# Seconds for the body of a request.
_BODY: Final = 60.0


async def expect(request: web.Request) -> web.StreamResponse | None:
    """Send `100 Continue` if the client expects it; return 417 for other expectations, as Go does."""
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # the response begins after it
        return None
    return web.Response(status=417)


def head_of(request: web.Request) -> HTTPRequest:
    """Return a request without its body."""
    # For a repeated header, Go takes the first.
    headers = {name.lower(): value for name, value in reversed([*request.headers.items()])}
    own = [(name.lower(), value) for name, value in request.headers.items()]
    impersonation = tuple(header for header in own if header[0].startswith(IMPERSONATE))
    return HTTPRequest(request.method, request.raw_path, headers, b"", impersonation)


async def read_body(request: web.Request) -> bytes:
    """
    Return the body of a request, or its beginning above the limit, which the API refuses.

    Raises:
        TimeoutError: The client sends it too slowly.
        ConnectionError: The client disconnected.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY):
            while len(body) < MOST_BYTES and (part := await request.content.readany()):
                body += part
        return bytes(body)
    finally:
        body.clear()  # an error keeps this frame


def make_response(answer: HTTPAnswer) -> web.Response:
    """Return a complete response."""
    response = web.Response(status=answer.code, body=answer.body)
    if answer.media_type:
        response.headers["Content-Type"] = answer.media_type
    for name, value in answer.headers:
        response.headers.add(name, value)
    return response


async def send_half(request: web.Request, answer: HTTPAnswer) -> web.StreamResponse:
    """Send the first half of a body, and close the connection."""
    whole = make_response(answer)
    response = web.StreamResponse(status=whole.status, headers=whole.headers)
    response.content_length = len(answer.body)
    await response.prepare(request)
    await response.write(answer.body[: len(answer.body) // 2])
    close(request)
    return response


def close(request: web.Request) -> None:
    """Close the connection of a request after the start of its response."""
    assert request.transport is not None  # noqa: S101 - otherwise the write before has failed
    request.transport.close()

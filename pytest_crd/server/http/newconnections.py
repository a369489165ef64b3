"""
Connections before the first request of a known user.

The parser keeps all headers of a request. So a new connection may send little, and only for some seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

MOST_BYTES: Final = 1 << 20
"""The bytes that a new connection may send: those of a request line with its headers, as in Go's servers."""
# Seconds for the headers of the first request, as in kube-apiserver.
_SECONDS: Final = 32.0
_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Connection: close\r\n\r\n431 Request Header Fields Too Large"
)


class NewConnection(asyncio.Protocol):
    """
    The protocol of a connection until a known user sends a request; from then on, its inner protocol is alone.

    Until then only small responses are written, so it need not pass a full buffer on.
    """

    _transport: asyncio.Transport

    def __init__(self, inner: asyncio.Protocol) -> None:
        """
        Create for one connection.

        Args:
            inner: The protocol that parses and answers the requests.
        """
        self._inner = inner
        self._remaining = MOST_BYTES
        self._is_over = asyncio.Event()
        self._is_refused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to count."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - a connection with TLS
        self._transport = transport
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Pass *data* on, or end a connection that has sent too much."""
        self._remaining -= len(data)
        if self._remaining >= 0:
            self._inner.data_received(data)
        elif not self._is_refused:
            self._is_refused = True
            self._transport.write(_TOO_LARGE)
            self._transport.close()

    def eof_received(self) -> bool | None:
        """Pass the end of the client's data on."""
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass the end of the connection on."""
        self._is_over.set()
        self._inner.connection_lost(exc)

    def admit(self) -> None:
        """Give the connection to the inner protocol."""
        if not self._is_refused:
            self._transport.set_protocol(self._inner)
            self._is_over.set()

    async def wait(self) -> None:
        """Wait until the connection is admitted or lost; cut it after some seconds, or if the task is cancelled."""
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_over.wait(), _SECONDS)
        finally:
            if not self._is_over.is_set():
                self._transport.abort()


def admit(transport: asyncio.BaseTransport | None) -> None:
    """Lift the limits of a connection, the first time; None is a connection that is lost."""
    protocol = None if transport is None else transport.get_protocol()
    if isinstance(protocol, NewConnection):
        protocol.admit()

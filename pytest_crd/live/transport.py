"""Transport of requests to an API server: plain HTTP with a persistent connection for each thread."""

from __future__ import annotations

import http.client
import ssl
import threading
import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

PATIENCE: Final = 60.0
# The timeout for a server that has failed to answer before, so that not every test waits that long.
_IMPATIENCE: Final = 5.0


class Reply(NamedTuple):
    """
    Reply of a server.

    Attributes:
        code: The HTTP code.
        headers: The headers, in order.
        content: The body.
    """

    code: int
    headers: Sequence[tuple[str, str]]
    content: bytes


class NoAnswerError(Exception):
    """The server gives no usable answer: it is unreachable, too slow, too busy, or denies access."""


class Transport(Protocol):
    """
    Sender of requests.

    Attributes:
        address: The address of the server, for messages.
        is_trusted_blindly: Whether its certificate is not verified, so that anybody could answer in its place.
    """

    address: str
    is_trusted_blindly: bool

    def send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        """
        Send one request and return the reply; *url* is a path with its query.

        Raises:
            NoAnswerError: There is no connection, or no reply in time.
        """

    def close(self) -> None:
        """Close the connections."""


class HTTP:
    """A server at a URL that needs no credentials, as `kubectl proxy` provides it."""

    is_trusted_blindly = False

    def __init__(self, url: str, *, patience: float = PATIENCE) -> None:
        """Create it with the URL and the timeout in seconds; send nothing."""
        self.address = url.rstrip("/")
        self._patience = patience
        parts = urllib.parse.urlsplit(self.address)
        self._prefix = parts.path
        self._host, self._port = parts.hostname or "", parts.port
        self._kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._local = threading.local()
        self._opened: list[http.client.HTTPConnection] = []

    def send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        """Send one request; see `Transport.send`."""
        connection = self._connection
        try:
            try:
                return self._send_once(connection, method, url, data, headers)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # A server may close an idle connection at any time; it has not read the request then.
                connection.close()
                return self._send_once(connection, method, url, data, headers)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            connection.timeout = min(self._patience, _IMPATIENCE)
            words = f"no answer within {self._patience:.0f} seconds" if isinstance(error, TimeoutError) else str(error)
            hint = "; name a kubeconfig, which knows whom to trust" if isinstance(error, ssl.SSLError) else ""
            raise NoAnswerError(f"{method} {self.address}{url}: {words or type(error).__name__}{hint}") from None

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in self._opened:
            connection.close()

    @property
    def _connection(self) -> http.client.HTTPConnection:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._kind(self._host, self._port, timeout=self._patience)
            self._opened.append(self._local.connection)
        connection: http.client.HTTPConnection = self._local.connection
        return connection

    def _send_once(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        url: str,
        data: bytes | None,
        headers: Mapping[str, str],
    ) -> Reply:
        connection.request(method, f"{self._prefix}{url}", data, dict(headers))
        response = connection.getresponse()
        return Reply(response.status, response.getheaders(), response.read())

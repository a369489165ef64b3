"""How requests reach an API server: plain HTTP with connections that are kept open, one for each thread."""

from __future__ import annotations

import http.client
import ssl
import threading
import urllib.parse
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

PATIENCE: Final = 60.0
# For a server that has given no answer before, lest every test waits as long.
_IMPATIENCE: Final = 5.0


class Reply(NamedTuple):
    """
    What came back.

    Attributes:
        code: The HTTP code.
        headers: The headers, in order.
        content: The body.
    """

    code: int
    headers: Sequence[tuple[str, str]]
    content: bytes


class NoAnswerError(Exception):
    """The server says nothing that is an answer: it is not there, too slow, too busy, or forbids to ask."""


class Transport(Protocol):
    """
    Who sends requests.

    Attributes:
        address: What a person calls the server.
        is_trusted_blindly: Whether anybody could answer in its place, as its certificate is not looked at.
    """

    address: str
    is_trusted_blindly: bool

    def send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        """
        Send one request; *url* is a path with its query.

        Raises:
            NoAnswerError: There is no connection, or no reply in time.
        """

    def close(self) -> None:
        """Close the connections."""


class HTTP:
    """A server by its URL, which answers without credentials, as `kubectl proxy` does."""

    is_trusted_blindly = False

    def __init__(self, url: str, *, patience: float = PATIENCE) -> None:
        """Take the URL, and how many seconds an answer may take; nothing is sent yet."""
        self.address = url.rstrip("/")
        self._patience = patience
        parts = urllib.parse.urlsplit(self.address)
        self._prefix = parts.path
        self._host, self._port = parts.hostname or "", parts.port
        self._kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._of_thread = threading.local()
        self._opened: list[http.client.HTTPConnection] = []

    def send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        """Send one request, as `Transport.send` says."""
        connection = self._connection
        try:
            try:
                return self._sent(connection, method, url, data, headers)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The server closes an idle connection whenever it likes; the request was not read then.
                connection.close()
                return self._sent(connection, method, url, data, headers)
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
        if not hasattr(self._of_thread, "connection"):
            self._of_thread.connection = self._kind(self._host, self._port, timeout=self._patience)
            self._opened.append(self._of_thread.connection)
        connection: http.client.HTTPConnection = self._of_thread.connection
        return connection

    def _sent(
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

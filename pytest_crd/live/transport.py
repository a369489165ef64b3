"""Transport of requests to an API server: HTTP with persistent connections, without credentials."""

from __future__ import annotations

import ssl
import urllib.parse
from collections.abc import Mapping
from typing import Final, Protocol

from pytest_crd.webhooks.httptransport import HttpTransport, Reply
from pytest_crd.webhooks.transport import TransportError

PATIENCE: Final = 60.0
# The timeout for a server that has failed to answer before, so that not every test waits that long.
_IMPATIENCE: Final = 5.0


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
        self._patience = self._limit = patience
        self._prefix = urllib.parse.urlsplit(self.address).path
        self._transport = HttpTransport(self.address)

    def send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Reply:
        """Send one request; see `Transport.send`."""
        request = (method, f"{self._prefix}{url}", data, headers)
        try:
            try:
                return self._transport.send(*request, self._limit)
            except TransportError as error:
                if not isinstance(error.cause, ConnectionResetError):
                    raise
                # A server may close an idle connection at any time; it has not read the request then.
                return self._transport.send(*request, self._limit)
        except TransportError as error:
            self._limit = min(self._patience, _IMPATIENCE)
            is_late = isinstance(error.cause, TimeoutError)
            words = f"no answer within {self._patience:.0f} seconds" if is_late else str(error.cause or error)
            hint = "; name a kubeconfig, which knows whom to trust" if isinstance(error.cause, ssl.SSLError) else ""
            raise NoAnswerError(f"{method} {self.address}{url}: {words or type(error.cause).__name__}{hint}") from None

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

"""The check of the addresses that clients are about to use."""

from __future__ import annotations

import threading
import urllib.parse
from typing import Final

_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}
# The certificate of an in-process server names both.
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
# kopf reads the service account of a pod whatever the environment says. Its login continues with the kubeconfig after an error.
_POD_ADDRESS: Final = ("kubernetes.default.svc", 443)


class OtherServerError(Exception):
    """A client is about to use another server than `crd_server`; the message names both, and the call to write instead."""


class UnknownClientError(Exception):
    """A client has no function of a name that isolation needs; the message names the client and the function."""


class Guard:
    """
    Refusal of all addresses but one.

    Refusals are recorded: a test fails even if it catches the exception.

    Attributes:
        is_active: False once the server is closed.
    """

    def __init__(self, url: str) -> None:
        """Accept only the server at *url*."""
        self.is_active = True
        self._url = url
        self._endpoint = _endpoint(url)
        self._refusals: dict[str, None] = {}
        self._lock = threading.Lock()

    def check(self, client: str, address: str, advice: str) -> None:
        """
        Check an address.

        Args:
            client: Name of the client, for the message.
            address: URL that the client is about to use.
            advice: The way to reach the server of the test, for the message.

        Raises:
            OtherServerError: The address is not the server's.
        """
        endpoint = _endpoint(address)
        if endpoint == self._endpoint or not self.is_active:
            return
        message = f"{client} must not use {_redact(address)} while crd_server is open at {self._url}: {advice}"
        if endpoint != _POD_ADDRESS:
            with self._lock:
                self._refusals[message] = None
        raise OtherServerError(message)

    def take_refusals(self) -> list[str]:
        """Return the messages of all refusals since the last call."""
        with self._lock:
            messages = [*self._refusals]
            self._refusals.clear()
        return messages


def _endpoint(address: str) -> tuple[str, int]:
    """Return host and port of a URL; for a malformed URL, a pair that matches no server."""
    try:
        url = urllib.parse.urlsplit(address)
        host, port = url.hostname or "", url.port or _PORTS.get(url.scheme, 0)
    except ValueError:  # no port, or no IPv6 address
        return address, 0
    return ("127.0.0.1" if host in _LOOPBACK else host), port


def _redact(address: str) -> str:
    """Return the address without credentials, path and query, which may hold secrets."""
    scheme, separator, rest = address.partition("://")
    authority = (rest if separator else scheme).partition("/")[0].partition("?")[0].rpartition("@")[2]
    return f"{scheme}{separator}{authority}" if separator else authority

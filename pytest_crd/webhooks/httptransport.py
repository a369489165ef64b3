"""Transport to a server over HTTPS or HTTP: to a webhook, with the words of Go for its errors, or to an API server."""

from __future__ import annotations

import contextlib
import http.client
import select
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

from pytest_crd.engine.golang import urls
from pytest_crd.webhooks import gowords, webhookurls
from pytest_crd.webhooks.transport import (
    BodyTransportError,
    TransportError,
    UnreachableWebhookError,
    WebhookError,
    WebhookReply,
)

_HEADERS: Final = {
    "Accept": "application/json, */*",
    "Content-Type": "application/json",
    "User-Agent": "kube-apiserver-admission",
}
_PORTS: Final = {"https": 443, "http": 80}
# The characters of a path and query that Go does not escape, and the percent sign of escaped ones.
_SAFE: Final = "/?&=:@!$'()*+,;~%"
_MOST_PORT: Final = 65535
_CHUNK: Final = 1 << 16
_LEAST: Final = 0.001
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_NO_NAME: Final = "tls: failed to verify certificate: x509: certificate is not valid for {name}"
_REDIRECTED: Final = (
    "{url} answers with a redirect ({status}) to {location}; an API server follows it to any host, "
    "and pytest-crd follows none: write the final URL"
)


class _NameMismatchError(UnreachableWebhookError):
    """A certificate for other names."""


class _Connection(NamedTuple):
    """
    An open connection.

    Attributes:
        http: The connection.
        sock: Its socket, also after the server has ended the connection with a response.
        route: Its addresses.
    """

    http: http.client.HTTPConnection
    sock: socket.socket
    route: str


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


class HttpTransport:
    """
    Transport to the server of a URL.

    No other host is ever contacted: a review has the host of its `clientConfig` in the header `Host` alone. Connections stay open for the
    next request. Several threads can use a transport.
    """

    def __init__(self, url: str, *, authority: str = "", source: str = "") -> None:
        """
        Create the transport.

        Args:
            url: The URL of the server: `https` or `http`. Without a path, the path of each review's URL is used.
            authority: The certificates that are trusted, PEM; empty for the certificates of the system.
            source: The place of the setting, for errors.
        """
        scheme, (host, path, query) = url.partition("://")[0].lower(), webhookurls.split(url)
        self._url, self._source = url, source
        name, port = urls.split_host(host)
        self._host, self._port = name.lower(), int(port or _PORTS[scheme])
        self._path = f"{path}{f'?{query}' if query else ''}"
        self._context = _make_context(authority) if scheme == "https" else None
        self._idle: list[_Connection] = []

    def post(self, url: str, body: bytes, timeout: float) -> WebhookReply:
        """
        Send a review and return the response.

        Args:
            url: As for `WebhookTransport`.
            body: The review.
            timeout: The time limit in seconds.

        Raises:
            TransportError: There is no response.
            WebhookError: The response is a redirect.
        """
        host, own_path, query = webhookurls.split(url)
        path = self._path or own_path or "/"
        target = quote(f"{path}{'&' if '?' in path else '?'}{query}" if query else path, safe=_SAFE)
        headers = {"Host": host.encode().decode("latin-1"), **_HEADERS}
        reply = self.send("POST", target, body, headers, timeout, other_name=urls.split_host(host)[0])
        fields = {name.lower(): value for name, value in reversed(reply.headers)}
        if reply.code in _REDIRECTS:
            words = _REDIRECTED.format(url=self._url, status=reply.code, location=fields.get("location", ""))
            raise WebhookError.at(self._source, words)
        return WebhookReply(reply.code, reply.content, fields.get("content-type", ""))

    def send(  # noqa: PLR0913 - the parts of a request
        self,
        method: str,
        target: str,
        body: bytes | None,
        headers: Mapping[str, str],
        timeout: float,
        *,
        other_name: str = "",
    ) -> Reply:
        """
        Send a request and return the reply, also a redirect.

        Args:
            method: The method.
            target: The path, below that of the URL, and the query.
            body: The body; None without one.
            headers: The headers.
            timeout: The time limit in seconds.
            other_name: Another host for which the certificate may be valid; empty for that of the URL alone.

        Raises:
            TransportError: There is no reply.
        """
        deadline = time.monotonic() + timeout
        connection = self._take_idle() or self._connect(deadline, other_name)
        try:
            reply = self._exchange(connection, method, target, body, headers, deadline)
        except BaseException:
            _close(connection)
            raise
        if connection.http.sock is not None:
            self._idle.append(connection)
        return reply

    def check(self, timeout: float) -> None:
        """
        Open a connection and close it.

        Raises:
            TransportError: The server accepts no connection, or its certificate is wrong.
        """
        _close(self._connect(time.monotonic() + timeout, ""))

    def close(self) -> None:
        """Close the open connections."""
        while self._idle:
            _close(self._idle.pop())

    def _take_idle(self) -> _Connection | None:
        """Return an open connection of an earlier review; None without an open connection."""
        with contextlib.suppress(IndexError):  # another thread may take the last one at any time
            while True:
                connection = self._idle.pop()
                poll = select.poll()
                poll.register(connection.sock, select.POLLIN)
                if not poll.poll(0):
                    return connection
                _close(connection)
        return None

    def _exchange(  # noqa: PLR0913, PLR0917 - the parts of a request
        self,
        connection: _Connection,
        method: str,
        target: str,
        body: bytes | None,
        headers: Mapping[str, str],
        deadline: float,
    ) -> Reply:
        try:
            connection.sock.settimeout(_remaining(deadline))
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                # A server may answer before it has read the body.
                connection.http.request(method, target, body, dict(headers))
            response = connection.http.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise TransportError(gowords.describe(error, connection.route, self._host), error) from None
        with response:
            try:
                content = _read_body(response, connection.sock, deadline)
            except BodyTransportError:
                if response.status not in _REDIRECTS:
                    raise
                # A redirect is an error of the project, whatever its body; the rest may come later.
                connection.http.close()
                content = b""
            return Reply(response.status, response.getheaders(), content)

    def _connect(self, deadline: float, other_name: str) -> _Connection:
        """
        Return a new connection.

        Args:
            deadline: The end of the time limit.
            other_name: The host of the `clientConfig`, for which the certificate may be valid, too.

        Raises:
            TransportError: There is no connection.
        """
        try:
            return self._open(deadline, self._host)
        except _NameMismatchError:
            if not other_name:
                raise
        return self._open(deadline, other_name)

    def _open(self, deadline: float, name: str) -> _Connection:
        """
        Return a new connection, with TLS if the certificate is valid for *name*.

        Raises:
            TransportError: There is no connection.
        """
        sock = self._dial(deadline)
        route = gowords.name_route(sock)
        if self._context is not None:
            if not _is_name(name):
                sock.close()
                raise UnreachableWebhookError(_NO_NAME.format(name=name))
            try:
                sock = self._context.wrap_socket(sock, server_hostname=name)
            except OSError as error:
                sock.close()
                is_mismatch = getattr(error, "verify_code", 0) in gowords.NAME_MISMATCHES
                error_class = _NameMismatchError if is_mismatch else UnreachableWebhookError
                raise error_class(gowords.describe(error, route, name), error) from None
        connection = http.client.HTTPConnection(self._host, self._port)
        connection.sock, connection.auto_open = sock, 0
        return _Connection(connection, sock, route)

    def _dial(self, deadline: float) -> socket.socket:
        """
        Return a connected socket.

        Raises:
            TransportError: There is no such host or port, or none of its addresses accepts a connection.
        """
        if self._port > _MOST_PORT:
            raise TransportError(f"dial tcp: address {self._port}: invalid port")
        try:
            addresses = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        except (socket.gaierror, UnicodeError) as error:
            raise UnreachableWebhookError(gowords.describe_lookup(self._host), error) from None
        errors: list[UnreachableWebhookError] = []
        for family, kind, protocol, _, address in addresses:
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(_remaining(deadline))
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError as error:
                sock.close()
                name = gowords.join_address(str(address[0]), self._port)
                is_late = isinstance(error, TimeoutError)
                words = gowords.DEADLINE if is_late else gowords.describe_dial(name, error)
                errors.append(UnreachableWebhookError(words, error))
            else:
                return sock
        raise errors[0]


def _is_name(host: str) -> bool:
    """Return whether a certificate can be valid for a host."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


def _make_context(authority: str) -> ssl.SSLContext:
    """Return the TLS context of a client that trusts *authority*; as in Go, any certificate there ends a chain."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if authority:
        context.load_verify_locations(cadata=authority)
    else:
        context.load_default_certs()
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


def _read_body(response: http.client.HTTPResponse, sock: socket.socket, deadline: float) -> bytes:
    """
    Return the body of a response.

    Raises:
        BodyTransportError: It ends early, or comes too late.
    """
    chunks: list[bytes] = []
    try:
        while chunk := response.read1(_CHUNK):
            chunks.append(chunk)
            sock.settimeout(_remaining(deadline))
    except TimeoutError as error:
        raise BodyTransportError(gowords.BODY.format(gowords.DEADLINE), error) from None
    except (OSError, http.client.HTTPException) as error:
        raise BodyTransportError(gowords.BODY.format(gowords.UNEXPECTED_EOF), error) from None
    if response.length:
        raise BodyTransportError(gowords.BODY.format(gowords.UNEXPECTED_EOF))
    return b"".join(chunks)


def _remaining(deadline: float) -> float:
    """Return the seconds until *deadline*, more than zero, which would mean a socket that does not wait."""
    return max(deadline - time.monotonic(), _LEAST)


def _close(connection: _Connection) -> None:
    connection.http.close()
    connection.sock.close()

"""Errors of connections in the words of Go's HTTP client."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from typing import Final

DEADLINE: Final = "context deadline exceeded"
EOF: Final = "EOF"
UNEXPECTED_EOF: Final = "unexpected EOF"
BODY: Final = "unexpected error when reading response body. Please retry. Original error: {}"
_BROKEN: Final = "net/http: HTTP/1.x transport connection broken: {}"
_CERTIFICATE: Final = "tls: failed to verify certificate: x509: {}"
# The codes X509_V_ERR of OpenSSL.
_UNKNOWN_AUTHORITY: Final = frozenset({2, 18, 19, 20, 21})
_NOT_IN_TIME: Final = frozenset({9, 10})
NAME_MISMATCHES: Final = frozenset({62, 64})
_NO_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"})


def describe_dial(address: str, error: OSError) -> str:
    """
    Return the words for a failed connect.

    Reference:
        Go net/dial.go and net/net.go, OpError.
    """
    return f"dial tcp {address}: connect: {_errno_words(error)}"


def describe_lookup(host: str) -> str:
    """Return the words for a host name without an address."""
    return f"dial tcp: lookup {host}: no such host"


def describe(error: Exception, route: str, host: str) -> str:
    """
    Return the words for an error of an open connection.

    Args:
        error: The error of Python.
        route: Both addresses of the connection, as `name_route` returns them.
        host: The name that the certificate must have.

    Reference:
        Go net/http/transport.go and crypto/tls; words of our own if Go's depend on values that Python does not have.
    """
    if isinstance(error, TimeoutError):
        return DEADLINE
    if isinstance(error, ssl.SSLError):
        return _describe_tls(error, host)
    if isinstance(error, http.client.RemoteDisconnected):
        return EOF
    if isinstance(error, http.client.BadStatusLine):
        return _BROKEN.format(f"malformed HTTP response {_quote(error)}")
    if isinstance(error, OSError):
        verb = "write" if isinstance(error, BrokenPipeError) else "read"
        return f"{verb} tcp {route}: {verb}: {_errno_words(error)}"
    return _BROKEN.format(str(error) or type(error).__name__)


def _describe_tls(error: ssl.SSLError, host: str) -> str:
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return EOF
    if isinstance(error, ssl.SSLCertVerificationError):
        return _CERTIFICATE.format(_describe_certificate(error, host))
    if error.reason in _NO_TLS:
        return "http: server gave HTTP response to HTTPS client"
    return f"tls: handshake failure: {(error.reason or str(error)).lower().replace('_', ' ')}"


def _describe_certificate(error: ssl.SSLCertVerificationError, host: str) -> str:
    if error.verify_code in _UNKNOWN_AUTHORITY:
        return "certificate signed by unknown authority"
    if error.verify_code in _NOT_IN_TIME:
        return "certificate has expired or is not yet valid"
    if error.verify_code in NAME_MISMATCHES:
        return f"certificate is not valid for {host}"
    return error.verify_message


def _errno_words(error: OSError) -> str:
    """Return the text of the error number, which Go writes in lower case."""
    return (error.strerror or str(error)).lower()


def _quote(error: http.client.BadStatusLine) -> str:
    return json.dumps(str(error.args[0]).rstrip(), ensure_ascii=False)


def name_route(sock: socket.socket) -> str:
    """Return both addresses of a connected socket: `127.0.0.1:50312->127.0.0.1:9443`."""
    return "->".join(join_address(address[0], address[1]) for address in (sock.getsockname(), sock.getpeername()))


def join_address(host: str, port: int) -> str:
    """Return `host:port`, with brackets around an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

"""HTTPS server for the webhooks of conversations, which misbehaves as their scripts say."""

from __future__ import annotations

import base64
import contextlib
import http.server
import ssl
import threading
import time
import urllib.parse
from collections.abc import Iterator
from typing import Final

import trustme
from conformance.webhookscripts import Reply, Script

# Announced, but not sent, when a connection ends inside a response.
_MISSING_BYTES: Final = 100


class WebhookServer(http.server.ThreadingHTTPServer):
    """
    The server. The first part of a path is the namespace of a conversation, the rest is the name of a hook.

    Attributes:
        scripts: The scripts by namespace.
        authority: The certificate of the authority, as a `caBundle`.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        """Listen on a free port of loopback with a certificate of a new authority."""
        super().__init__(("127.0.0.1", 0), _Handler)
        authority = trustme.CA()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.scripts: dict[str, Script] = {}
        self.authority = base64.b64encode(authority.cert_pem.bytes()).decode()

    def handle_error(self, *_: object) -> None:
        """Be silent about clients that refuse the certificate."""

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"https://127.0.0.1:{self.server_port}"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: WebhookServer

    def do_POST(self) -> None:
        address = urllib.parse.urlsplit(self.path)
        _, namespace, hook = address.path.split("/", 2)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        reply = self.server.scripts[namespace].reply(hook, address.query, body)
        time.sleep(reply.delay)
        with contextlib.suppress(OSError):  # the server has given up
            self._write(reply)

    def _write(self, reply: Reply) -> None:
        if reply.cut == "before":
            self.close_connection = True
            return
        self.send_response(reply.status)
        if reply.content_type:
            self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body) + (_MISSING_BYTES if reply.cut else 0)))
        self.end_headers()
        self.wfile.write(reply.body)
        self.close_connection = bool(reply.cut)

    def log_message(self, *_: object) -> None:
        """Log nothing: the calls are recorded."""


@contextlib.contextmanager
def serving() -> Iterator[WebhookServer]:
    """Serve webhooks until the end of the `with` block."""
    with WebhookServer() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()

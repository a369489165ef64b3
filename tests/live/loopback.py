"""A server on loopback with scripted answers."""

from __future__ import annotations

import contextlib
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple


class Reply(NamedTuple):
    """A reply of the server; without a code the connection is closed."""

    code: int = 200
    content: str = "{}"
    headers: tuple[tuple[str, str], ...] = ()


# Takes method, path with query, headers and body.
Answering = Callable[[str, str, dict[str, str], str], Reply]


class _Server(ThreadingHTTPServer):
    """Server that collects the errors of its handlers, except for clients that have disconnected, which is their right."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.mistakes: list[Exception] = []

    def handle_error(self, *_: object) -> None:
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, ConnectionError):
            self.mistakes.append(error)


@contextlib.contextmanager
def serving(answering: Answering, *, certificate: Path | None = None) -> Iterator[str]:
    """
    Yield the URL of a server that is there until the end of the `with` block.

    Args:
        answering: What it answers.
        certificate: Its key and certificate, where it speaks TLS.

    Raises:
        ExceptionGroup: What *answering* has raised, which its clients know as a lost connection.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # a reply in two parts would wait 40 ms for the acknowledgement of the first

        def _answer(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            reply = answering(self.command, self.path, dict(self.headers), text)
            self.close_connection = not reply.code
            if not reply.code:
                return
            self.send_response(reply.code)
            for name, value in reply.headers:
                self.send_header(name, value)
            content = reply.content.encode()
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - as the base class calls them

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = _Server(Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http{'s' if certificate else ''}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        if server.mistakes:
            raise ExceptionGroup("a server that a test has started could not answer", server.mistakes)

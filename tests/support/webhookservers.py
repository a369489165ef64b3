"""Small servers on loopback that answer as a test says."""

from __future__ import annotations

import contextlib
import shlex
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import trustme

AUTHORITY: Final = trustme.CA()
AUTHORITY_PEM: Final = AUTHORITY.cert_pem.bytes().decode()
ANSWER: Final = b'{"response": {}}'


def answer(
    body: bytes = ANSWER, *, status: str = "200 OK", headers: str = "Content-Type: application/json\r\n"
) -> bytes:
    """Return an HTTP response."""
    return f"HTTP/1.1 {status}\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


def read_request(sock: socket.socket) -> bytes:
    """Return the next request of a connection; empty at its end."""
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = sock.recv(65536)
        if not chunk:
            return data
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    while len(body) < length:
        body += sock.recv(65536)
    return head + b"\r\n\r\n" + body


class Conversation:
    """The requests and connections that a server has had."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self.port = 0


def tls(*names: str, authority: trustme.CA = AUTHORITY) -> ssl.SSLContext:
    """Return the TLS context of a server with a certificate for *names*."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


@contextlib.contextmanager
def scripted(
    serve: Callable[[socket.socket, Conversation], None], *, context: ssl.SSLContext | None = None
) -> Iterator[Conversation]:
    """Serve each connection with *serve*, in its own thread."""
    conversation = Conversation()

    def handle(sock: socket.socket) -> None:
        conversation.connections += 1
        with contextlib.suppress(OSError), sock:
            secured = sock if context is None else context.wrap_socket(sock, server_side=True)
            with secured:
                serve(secured, conversation)

    def accept() -> None:
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=handle, args=(sock,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        conversation.port = listener.getsockname()[1]
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield conversation
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def always(*answers: bytes) -> Callable[[socket.socket, Conversation], None]:
    """Return a function that answers the requests of a connection in turn, and then ends the connection."""

    def serve(sock: socket.socket, conversation: Conversation) -> None:
        for response in answers:
            request = read_request(sock)
            if not request:
                return
            conversation.requests.append(request)
            sock.sendall(response)

    return serve


# A program that serves reviews with TLS: a response for each request, until it is asked to end.
PROGRAM: Final = """\
import os, socket, ssl, sys

port, folder = int(sys.argv[1]), sys.argv[2]
assert (sys.argv[1], folder) == (os.environ["CRD_WEBHOOK_PORT"], os.environ["CRD_WEBHOOK_CERT_DIR"])
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{folder}/tls.crt", f"{folder}/tls.key")
print("serving", os.getcwd(), flush=True)
listener = socket.create_server(("127.0.0.1", port))
while True:
    sock = listener.accept()[0]
    try:
        with context.wrap_socket(sock, server_side=True) as secured:
            data = b""
            while chunk := secured.recv(65536):
                data += chunk
                if not data.endswith(b"{}"):
                    continue
                if b"/die" in data:
                    print("dying", flush=True)
                    os._exit(3)
                if b"/end" in data:
                    break
                if b"/hang" not in data:
                    secured.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}")
                data = b""
    except OSError:
        pass
"""
COMMAND: Final = f"{shlex.quote(sys.executable)} -I -S server.py {{port}} {{cert_dir}}"


def is_running(pid: int) -> bool:
    """Return whether a process runs, and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

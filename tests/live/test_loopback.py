"""The test server itself: disconnected clients, and errors in its handlers."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import urllib.parse

import pytest
from live.loopback import Reply, serving

from pytest_crd.live import client
from pytest_crd.live.transport import NoAnswerError


def _fail(*_: object) -> Reply:
    raise LookupError("which answer?")


def test_errors_of_handlers_are_raised_at_the_end() -> None:
    with (
        pytest.raises(ExceptionGroup) as raised,
        serving(_fail) as url,
        contextlib.closing(client.Server(url)) as server,
        pytest.raises(NoAnswerError),
    ):
        server.ask("GET", "/")

    assert [str(error) for error in raised.value.exceptions] == [
        "which answer?"
    ] * 2  # the client sends the request a second time


def test_a_client_that_is_gone_is_no_mistake(capfd: pytest.CaptureFixture[str]) -> None:
    is_gone, is_answered = threading.Event(), threading.Event()
    others = {*threading.enumerate()}

    def answering(*_: object) -> Reply:
        is_gone.wait()
        is_answered.set()
        return Reply(200, "a" * 10_000_000)

    with serving(answering) as url:
        with socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(url).port)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
            # Closing with unsent data resets the connection, so that the other side notices.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        is_gone.set()
        is_answered.wait()
    for thread in {*threading.enumerate()} - others:
        thread.join()

    assert capfd.readouterr() == ("", "")

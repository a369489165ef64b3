"""Reviews over HTTP: requests, kept connections, and errors in Go's words."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from typing import Final

import pytest
import trustme
from support.webhookservers import ANSWER, AUTHORITY_PEM, Conversation, always, answer, read_request, scripted, tls

from pytest_crd.webhooks.httptransport import HttpTransport
from pytest_crd.webhooks.transport import BodyTransportError, TransportError, WebhookError

URL: Final = "https://webhook.system.svc:443/validate?timeout=10s"
LOCAL: Final = ("127.0.0.1", "localhost")


@contextlib.contextmanager
def _opened(url: str, authority: str = AUTHORITY_PEM) -> Iterator[HttpTransport]:
    transport = HttpTransport(url, authority=authority, source="pytest.ini:2")
    try:
        yield transport
    finally:
        transport.close()


def _refusal(url: str, *, timeout: float = 5, body: bytes = b"{}", authority: str = AUTHORITY_PEM) -> str:
    with _opened(url, authority) as transport, pytest.raises(TransportError) as raised:
        transport.post(URL, body, timeout)
    return str(raised.value)


def test_a_review_is_sent_as_an_api_server_sends_it() -> None:
    with scripted(always(answer())) as server, _opened(f"http://127.0.0.1:{server.port}") as transport:
        reply = transport.post(URL, b'{"a": 1}', 5)

    assert reply == (200, ANSWER, "application/json")
    head, _, body = server.requests[0].decode().partition("\r\n\r\n")
    assert head.splitlines()[0] == "POST /validate?timeout=10s HTTP/1.1"
    assert {
        "Host: webhook.system.svc:443",
        "Content-Type: application/json",
        "Accept: application/json, */*",
        "User-Agent: kube-apiserver-admission",
    } <= {*head.splitlines()}
    assert body == '{"a": 1}'


@pytest.mark.parametrize(
    ("path", "url", "target"),
    [
        ("/hook", URL, "/hook?timeout=10s"),
        ("/hook?a=b", URL, "/hook?a=b&timeout=10s"),
        ("", "https://host", "/"),
        ("", "https://host/a b/\u00fc%20?c=d", "/a%20b/%C3%BC%20?c=d"),
        ("/", "https://host/x", "/"),
    ],
)
def test_the_path_of_the_setting_replaces_the_path_of_the_review(path: str, url: str, target: str) -> None:
    with scripted(always(answer())) as server, _opened(f"http://127.0.0.1:{server.port}{path}") as transport:
        transport.post(url, b"{}", 5)

    assert server.requests[0].startswith(f"POST {target} HTTP".encode())


def test_any_status_is_a_reply_with_the_type_of_its_body() -> None:
    response = answer(b"no", status="500 Internal Server Error", headers="")

    with scripted(always(response)) as server, _opened(f"http://127.0.0.1:{server.port}") as transport:
        assert transport.post(URL, b"{}", 5) == (500, b"no", "")


@pytest.mark.parametrize("name", LOCAL)
def test_tls_is_verified_with_the_authority(name: str) -> None:
    with (
        scripted(always(answer()), context=tls(*LOCAL)) as server,
        _opened(f"https://{name}:{server.port}") as transport,
    ):
        assert transport.post(URL, b"{}", 5).status == 200


def test_a_scheme_in_capital_letters_has_tls_and_a_port() -> None:
    with (
        scripted(always(answer()), context=tls(*LOCAL)) as server,
        _opened(f"HTTPS://127.0.0.1:{server.port}") as transport,
    ):
        assert transport.post(URL, b"{}", 5).status == 200

    with _opened("HTTP://127.0.0.1") as transport:
        assert transport._port == 80


def test_a_certificate_may_be_for_the_service() -> None:
    with (
        scripted(always(answer()), context=tls("webhook.system.svc")) as server,
        _opened(f"https://127.0.0.1:{server.port}") as transport,
    ):
        assert transport.post(URL, b"{}", 5).status == 200


def test_a_self_signed_certificate_may_be_the_authority() -> None:
    authority = trustme.CA()
    leaf = authority.issue_cert(*LOCAL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    leaf.configure_cert(context)
    own = leaf.cert_chain_pems[0].bytes().decode()

    with (
        scripted(always(answer()), context=context) as server,
        _opened(f"https://127.0.0.1:{server.port}", own) as trusting,
    ):
        assert trusting.post(URL, b"{}", 5).status == 200


def test_a_connection_is_kept_for_the_next_review() -> None:
    with (
        scripted(always(*[answer()] * 3), context=tls(*LOCAL)) as server,
        _opened(f"https://127.0.0.1:{server.port}") as transport,
    ):
        for _ in range(3):
            transport.post(URL, b"{}", 5)

    assert (len(server.requests), server.connections) == (3, 1)


def test_a_connection_that_another_thread_takes_is_replaced() -> None:
    class Taken(list[object]):
        def __len__(self) -> int:
            return 1

    with scripted(always(answer())) as server:
        transport = HttpTransport(f"http://127.0.0.1:{server.port}")
        transport._idle = Taken()  # type: ignore[assignment]

        assert transport.post(URL, b"{}", 5).status == 200

        transport._idle.pop().sock.close()


def test_a_connection_that_the_server_has_ended_is_replaced() -> None:
    with scripted(always(answer())) as server, _opened(f"http://127.0.0.1:{server.port}") as transport:
        for _ in range(2):
            transport.post(URL, b"{}", 5)
            select.select([transport._idle[0].sock], [], [], 5)  # until the server has ended the connection

    assert server.connections == 2


def test_a_connection_that_the_response_ends_is_not_kept() -> None:
    response = answer(headers="Connection: close\r\n")

    with scripted(always(response)) as server, _opened(f"http://127.0.0.1:{server.port}") as transport:
        replies = [transport.post(URL, b"{}", 5) for _ in range(2)]

    assert [reply.body for reply in replies] == [ANSWER, ANSWER]


def test_threads_share_a_transport() -> None:
    barrier = threading.Barrier(2)

    def serve(sock: socket.socket, seen: Conversation) -> None:
        seen.requests.append(read_request(sock))
        barrier.wait(5)  # both requests are open
        sock.sendall(answer())

    with scripted(serve) as server, _opened(f"http://127.0.0.1:{server.port}") as transport:
        threads = [threading.Thread(target=transport.post, args=(URL, b"{}", 5)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(server.requests) == 2


def test_a_chunked_body_is_read_whole() -> None:
    response = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"

    with scripted(always(response)) as server, _opened(f"http://127.0.0.1:{server.port}") as transport:
        assert transport.post(URL, b"{}", 5).body == b"abc"


def test_a_reply_before_the_end_of_the_review_counts() -> None:
    def serve(sock: socket.socket, _: Conversation) -> None:
        sock.recv(10)
        sock.sendall(answer(status="413 Request Entity Too Large", headers="Connection: close\r\n"))
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(1 << 20):
            pass

    with scripted(serve) as server, _opened(f"http://127.0.0.1:{server.port}") as transport:
        assert transport.post(URL, bytes(1 << 22), 5).status == 413


@pytest.mark.parametrize("missing", [0, 5])
def test_a_redirect_is_an_error_of_the_project(missing: int) -> None:
    whole = answer(status="307 Temporary Redirect", headers="Location: https://other/\r\n")
    response = whole[: len(whole) - missing]

    with scripted(always(response)) as server, _opened(f"http://127.0.0.1:{server.port}") as transport:
        with pytest.raises(WebhookError) as raised:
            transport.post(URL, b"{}", 5)
        assert len(transport._idle) == (not missing)

    assert str(raised.value) == (
        f"pytest.ini:2: http://127.0.0.1:{server.port} answers with a redirect (307) to https://other/; an API server "
        "follows it to any host, and pytest-crd follows none: write the final URL"
    )


def test_a_closed_port_refuses_the_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    assert _refusal(f"https://127.0.0.1:{port}") == f"dial tcp 127.0.0.1:{port}: connect: connection refused"


def test_the_first_address_of_a_name_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    addresses = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port)) for host in ("127.0.0.2", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses)

    assert _refusal(f"https://localhost:{port}") == f"dial tcp 127.0.0.2:{port}: connect: connection refused"


def test_an_unknown_host_has_no_address() -> None:
    assert _refusal("https://hooks.invalid") == "dial tcp: lookup hooks.invalid: no such host"
    assert _refusal("http://hooks..invalid") == "dial tcp: lookup hooks..invalid: no such host"


def test_a_connect_that_takes_too_long_exceeds_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(socket.socket, "connect", connect)

    assert _refusal("http://127.0.0.1:1") == "context deadline exceeded"


@pytest.mark.parametrize("context", [None, tls(*LOCAL)])
def test_a_response_that_takes_too_long_exceeds_the_deadline(context: ssl.SSLContext | None) -> None:
    def serve(sock: socket.socket, _: Conversation) -> None:
        while sock.recv(1000):
            pass

    with scripted(serve, context=context) as server:
        scheme = "https" if context else "http"
        assert _refusal(f"{scheme}://127.0.0.1:{server.port}", timeout=0.05) == "context deadline exceeded"


def _read_and_end(sock: socket.socket, _: Conversation) -> None:
    read_request(sock)


def _receive_and_end(sock: socket.socket, _: Conversation) -> None:
    sock.recv(1000)


def test_a_connection_that_ends_without_response_is_at_its_end() -> None:
    with scripted(_read_and_end) as server:
        assert _refusal(f"http://127.0.0.1:{server.port}") == "EOF"


def test_a_connection_that_ends_in_the_tls_handshake_is_at_its_end() -> None:
    with scripted(_receive_and_end) as server:
        assert _refusal(f"https://127.0.0.1:{server.port}") == "EOF"


def test_a_reset_connection_names_both_addresses() -> None:
    def serve(sock: socket.socket, _: Conversation) -> None:
        read_request(sock)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with scripted(serve) as server:
        words = _refusal(f"http://127.0.0.1:{server.port}")

    expected = rf"read tcp 127\.0\.0\.1:\d+->127\.0\.0\.1:{server.port}: read: connection reset by peer"
    assert re.fullmatch(expected, words)


def test_a_response_that_is_not_http_is_malformed() -> None:
    with scripted(always(b'say "no"\r\n')) as server:
        assert _refusal(f"http://127.0.0.1:{server.port}") == (
            'net/http: HTTP/1.x transport connection broken: malformed HTTP response "say \\"no\\""'
        )


def test_a_response_with_a_header_without_end_is_broken() -> None:
    with scripted(always(b"HTTP/1.1 200 OK\r\na: " + b"a" * 70000)) as server:
        words = _refusal(f"http://127.0.0.1:{server.port}")

    assert words.startswith("net/http: HTTP/1.x transport connection broken: got more than 65536 bytes")


def test_a_server_without_tls_gives_an_http_response() -> None:
    def serve(sock: socket.socket, _: Conversation) -> None:
        sock.recv(1000)
        sock.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")

    with scripted(serve) as server:
        assert _refusal(f"https://127.0.0.1:{server.port}") == "http: server gave HTTP response to HTTPS client"


def test_a_handshake_without_a_common_version_fails() -> None:
    context = tls(*LOCAL)
    context.set_ciphers("ECDHE-RSA-AES128-SHA")
    context.maximum_version = ssl.TLSVersion.TLSv1_2

    with scripted(always(answer()), context=context) as server:
        words = _refusal(f"https://127.0.0.1:{server.port}")

    assert words.startswith("tls: handshake failure: ")


def test_a_certificate_of_another_authority_is_refused() -> None:
    with scripted(always(answer()), context=tls(*LOCAL, authority=trustme.CA())) as server:
        words = {_refusal(f"https://127.0.0.1:{server.port}", authority=pem) for pem in (AUTHORITY_PEM, "")}

    assert words == {"tls: failed to verify certificate: x509: certificate signed by unknown authority"}


def test_a_certificate_for_other_names_is_refused() -> None:
    with scripted(always(answer()), context=tls("other.system.svc")) as server:
        url = f"https://127.0.0.1:{server.port}"
        with _opened(url) as transport, pytest.raises(TransportError) as raised:
            transport.check(5)
        words = [str(raised.value), _refusal(url)]

    expected = "tls: failed to verify certificate: x509: certificate is not valid for {}"
    assert words == [expected.format("127.0.0.1"), expected.format("webhook.system.svc")]


@pytest.mark.parametrize("host", ["a\u2100b", ".example.com", "[::1%]x]"])
def test_no_certificate_is_valid_for_a_host_that_cannot_be(host: str) -> None:
    with scripted(always(answer()), context=tls("other.system.svc")) as server:
        url = f"https://127.0.0.1:{server.port}"
        with _opened(url) as transport, pytest.raises(TransportError, match="certificate is not valid for "):
            transport.post(f"https://{host}/a?timeout=5s", b"{}", 5)


def test_a_review_has_any_host_that_go_accepts() -> None:
    with scripted(always(answer())) as server, _opened(f"http://127.0.0.1:{server.port}") as transport:
        assert transport.post("https://a\u2100b/a?timeout=5s", b"{}", 5).status == 200
    assert b"Host: a\xe2\x84\x80b\r\n" in server.requests[0]


def test_an_expired_certificate_is_refused() -> None:
    authority = trustme.CA()
    past = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*LOCAL, not_before=past, not_after=past).configure_cert(context)

    with scripted(always(answer()), context=context) as server:
        words = _refusal(f"https://127.0.0.1:{server.port}", authority=authority.cert_pem.bytes().decode())

    assert words == "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc",
    ],
)
def test_a_body_that_breaks_off_is_unexpected(response: bytes) -> None:
    with (
        scripted(always(response)) as server,
        _opened(f"http://127.0.0.1:{server.port}") as transport,
        pytest.raises(BodyTransportError) as raised,
    ):
        transport.post(URL, b"{}", 5)

    assert str(raised.value) == (
        "unexpected error when reading response body. Please retry. Original error: unexpected EOF"
    )


def test_a_body_that_takes_too_long_exceeds_the_deadline() -> None:
    def serve(sock: socket.socket, _: Conversation) -> None:
        read_request(sock)
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            sock.sendall(b"a")
            time.sleep(0.01)

    with (
        scripted(serve) as server,
        _opened(f"http://127.0.0.1:{server.port}") as transport,
        pytest.raises(BodyTransportError) as raised,
    ):
        transport.post(URL, b"{}", 0.2)

    assert str(raised.value).endswith("Original error: context deadline exceeded")

"""HTTPS server: TLS, watches, disconnecting clients, and shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import ssl
import threading
import time
import tracemalloc
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
import yaml
from support import servers

from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.server import httpserver
from pytest_crd.server.faults import Faults
from pytest_crd.server.http import kubeconfigfile, newconnections, webmessages
from pytest_crd.server.http.certificates import Certificates
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.http.requestlog import RequestLog
from pytest_crd.server.httpserver import HTTPServer, new_token
from pytest_crd.server.watching import Stream

CERTIFICATES = Certificates()


class _Client:
    """A client that has only the kubeconfig."""

    def __init__(self, server: HTTPServer) -> None:
        config = yaml.safe_load(kubeconfigfile.text(server.url, CERTIFICATES.authority, server.token))
        self._token = config["users"][0]["user"]["token"]
        self._at = urlsplit(config["clusters"][0]["cluster"]["server"])
        self._context = ssl.create_default_context(cadata=CERTIFICATES.authority)
        self._connections: list[http.client.HTTPSConnection] = []

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def send(self, method: str, path: str, body: object = None, **more: str) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(
            self._at.hostname or "", self._at.port, context=self._context, timeout=10
        )
        self._connections.append(connection)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **more}
        connection.request(
            method, path, body=body if isinstance(body, bytes | None) else json.dumps(body), headers=headers
        )
        return connection

    def open(self, method: str, path: str, body: object = None, **more: str) -> http.client.HTTPResponse:
        return self.send(method, path, body, **more).getresponse()

    def request_json(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, object]]:
        with self.open(method, path, body) as response:
            return response.status, json.loads(response.read())


@pytest.fixture
def reported() -> list[tuple[HTTPRequest, HTTPAnswer | None]]:
    return []


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
def server(reported: list[tuple[HTTPRequest, HTTPAnswer | None]], faults: Faults) -> Iterator[HTTPServer]:
    token = new_token()
    api = servers.api(token=token, history=50)
    created = HTTPServer(api, CERTIFICATES, token=token, on_request=lambda *pair: reported.append(pair), faults=faults)
    created.start()
    yield created
    created.stop()


@pytest.fixture
def client(server: HTTPServer) -> Iterator[_Client]:
    created = _Client(server)
    yield created
    created.close()


def test_requests_are_answered_and_reported(
    server: HTTPServer, client: _Client, reported: list[tuple[HTTPRequest, HTTPAnswer | None]]
) -> None:
    code, value = client.request_json("POST", f"{servers.JOBS}?fieldManager=m", {**servers.job("a"), "spec": {"x": 1}})
    assert (code, value["kind"]) == (201, "Job")
    response = client.open("POST", servers.JOBS, {**servers.job("b"), "spec": {"x": 1}})
    response.read()
    assert response.getheader("Warning") == '299 - "unknown field \\"spec.x\\""'
    assert response.getheader("Cache-Control") == "no-cache, private"
    assert [request.target for request, _ in reported] == [f"{servers.JOBS}?fieldManager=m", servers.JOBS]
    assert client.request_json("GET", "/api")[1]["serverAddressByClientCIDRs"] == [
        {"clientCIDR": "0.0.0.0/0", "serverAddress": server.url.removeprefix("https://")}
    ]


@pytest.mark.parametrize(
    ("target", "code", "verb"),
    [
        pytest.param(f"{servers.JOBS}?watch=1", 200, "watch", id="watch=1"),
        pytest.param(f"{servers.JOBS}?watch=true", 200, "watch", id="watch=true"),
        pytest.param("/apis/fuzz.example.com/v1/watch/namespaces/default/jobs", 200, "watch", id="the path of a watch"),
        pytest.param(f"{servers.JOBS}?watch=1&resourceVersion=x", 500, "watch", id="a refused watch"),
        pytest.param(
            "/apis/fuzz.example.com/v1/watch/namespaces/default/jobs?resourceVersion=x",
            500,
            "watch",
            id="a refused path",
        ),
        pytest.param(f"{servers.JOBS}?watch=False", 200, "list", id="a list"),
        pytest.param(f"{servers.JOBS}/a?watch=1", 404, "get", id="an object"),
        pytest.param("/api/v1/watch", 500, "", id="no resource"),
    ],
)
def test_a_request_has_the_same_verb_in_the_log_if_it_is_refused(  # noqa: PLR0917 - a row and the parts of a server
    target: str,
    code: int,
    verb: str,
    client: _Client,
    faults: Faults,
    reported: list[tuple[HTTPRequest, HTTPAnswer | None]],
) -> None:
    log = RequestLog()
    client.open("GET", target)
    log.note(*reported[0])
    assert [(request.verb, request.code) for request in log.exchanges] == [(verb, code)]
    faults.status(503)
    client.open("GET", target)
    log.note(*reported[1])
    assert [(request.verb, request.code) for request in log.exchanges[1:]] == [(verb, 503 if verb else code)]


def test_requests_without_the_token_are_unauthorized(client: _Client) -> None:
    client._token = "other"  # noqa: S105
    assert client.request_json("GET", servers.JOBS)[0] == 401


def test_a_body_above_the_limit_is_refused(client: _Client) -> None:
    code, value = client.request_json("POST", servers.JOBS, b"{" + b" " * (5 << 20))
    assert (code, value["reason"]) == (413, "RequestEntityTooLarge")


def test_a_watch_ends_after_its_timeout(client: _Client) -> None:
    path = "/apis/fuzz.example.com/v1beta1/namespaces/default/jobs"
    response = client.open("GET", f"{path}?watch=1&timeoutSeconds=1&allowWatchBookmarks=1")
    assert "deprecated" in str(response.getheader("Warning"))
    begun = json.loads(response.readline())
    client.request_json("POST", servers.JOBS, servers.job("a"))
    first = json.loads(response.readline())
    client.request_json("DELETE", f"{servers.JOBS}/a")

    events = [begun, first, *(json.loads(line) for line in response)]
    assert [item["type"] for item in events] == ["BOOKMARK", "ADDED", "DELETED", "BOOKMARK"]


def test_a_watch_sends_bookmarks_periodically_if_it_asks_for_them(
    client: _Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(httpserver, "_BOOKMARKS_EVERY", 0.1)
    path = f"{servers.JOBS}?watch=1&timeoutSeconds=1"
    with client.open("GET", path) as silent, client.open("GET", f"{path}&allowWatchBookmarks=true") as response:
        result = [json.loads(line)["type"] for line in response.read().splitlines()]
        assert silent.read() == b""

    assert 4 <= result.count("BOOKMARK") == len(result) <= 20


def test_events_in_protobuf_have_a_length_prefix(client: _Client) -> None:
    accept = "application/vnd.kubernetes.protobuf;stream=watch"
    with client.open("GET", "/api/v1/namespaces?watch=1&timeoutSeconds=1", Accept=accept) as response:
        assert response.getheader("Content-Type") == accept
        length = int.from_bytes(response.read(4))
        assert response.read(length).startswith(b"\n\x05ADDED")


def test_a_response_without_a_body_needs_no_content_type(client: _Client) -> None:
    with client.open("GET", "/openapi/v2", Accept="text/html") as response:
        assert (response.status, response.read()) == (406, b"")


def test_an_expired_watch_ends(client: _Client) -> None:
    for number in range(60):
        client.request_json("POST", servers.JOBS, servers.job(f"a{number}"))
    response = client.open("GET", f"{servers.JOBS}?watch=1&resourceVersion=2")
    (line,) = response.read().splitlines()
    assert json.loads(line)["object"]["code"] == 410


def test_disconnecting_clients_do_not_affect_others(client: _Client) -> None:
    responses = [client.open("GET", f"{servers.JOBS}?watch=1") for _ in range(3)]
    for response in responses:
        response.fp.raw._sock.shutdown(socket.SHUT_RDWR)  # type: ignore[attr-defined]
        response.close()
    for number in range(20):
        assert client.request_json("POST", servers.JOBS, servers.job(f"a{number}"))[0] == 201


def test_stopping_a_server_ends_its_watches() -> None:
    api = servers.api()
    server = HTTPServer(api, CERTIFICATES)
    server.start()
    client = _Client(server)
    response = client.open("GET", f"{servers.JOBS}?watch=1")
    server.stop()

    assert response.read() == b""
    client.close()
    server.stop()
    servers.ask(api, "POST", servers.JOBS, servers.job("a"))
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("crd_server")]
    with pytest.raises(OSError, match="refused"):
        client.request_json("GET", "/healthz")
    client.close()


def test_a_port_in_use_is_an_error(server: HTTPServer) -> None:
    port = urlsplit(server.url).port
    assert port is not None
    with pytest.raises(OSError, match="in use"):
        HTTPServer(servers.api(), CERTIFICATES, port=port)


def test_the_first_of_repeated_headers_counts(server: HTTPServer, client: _Client) -> None:
    lines = [
        f"GET {servers.JOBS} HTTP/1.1", f"Host: {client._at.netloc}", f"Authorization: Bearer {server.token}",
        "Accept: application/yaml", "accept: application/json", "Connection: close",
    ]  # fmt: skip
    assert b"content-type: application/yaml" in _exchange(client, lines).lower()


@pytest.mark.parametrize(("expect", "code"), [("100-continue", b"201"), ("202-nope", b"417")])
def test_only_100_continue_can_be_expected(server: HTTPServer, client: _Client, expect: str, code: bytes) -> None:
    body = json.dumps(servers.job("a"))
    lines = [
        f"POST {servers.JOBS} HTTP/1.1", f"Host: {client._at.netloc}", f"Authorization: Bearer {server.token}",
        "Content-Type: application/json", f"Content-Length: {len(body)}", f"Expect: {expect}", "Connection: close",
    ]  # fmt: skip
    assert b"HTTP/1.1 " + code in _exchange(client, lines, body)


def _exchange(client: _Client, lines: list[str], body: str = "") -> bytes:
    """Return the raw response to a request with these header lines."""
    with (
        socket.create_connection((client._at.hostname, client._at.port or 0), timeout=10) as plain,
        client._context.wrap_socket(plain, server_hostname=client._at.hostname) as connection,
    ):
        connection.sendall(("\r\n".join([*lines, "", ""]) + body).encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


@contextlib.contextmanager
def _connected(client: _Client) -> Iterator[ssl.SSLSocket]:
    """Yield a connection after its handshake, which sends nothing by itself."""
    with (
        socket.create_connection((client._at.hostname, client._at.port or 0), timeout=10) as plain,
        client._context.wrap_socket(plain, server_hostname=client._at.hostname) as connection,
    ):
        yield connection


def _read_response(connection: ssl.SSLSocket) -> http.client.HTTPResponse:
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response


def _received(connection: ssl.SSLSocket) -> bytes:
    """Return everything up to the end of a connection, however it ends."""
    received = b""
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        while part := connection.recv(65536):
            received += part
    return received


_UNKNOWN = f"POST {servers.JOBS} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n"


@pytest.mark.parametrize("header", ["", "Authorization: Bearer wrong\r\n"])
def test_a_request_without_the_token_is_answered_before_its_body(client: _Client, header: str) -> None:
    with _connected(client) as connection:
        connection.sendall(f"{_UNKNOWN}{header}\r\n".encode())
        response = _read_response(connection)
    assert (response.status, response.getheader("Connection")) == (401, "close")


def test_bodies_without_the_token_take_no_memory(client: _Client) -> None:
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                connection = stack.enter_context(_connected(client))
                with contextlib.suppress(OSError):
                    connection.sendall(_UNKNOWN.encode() + b"\r\n" + bytes(900_000))
            assert client.request_json("GET", servers.JOBS)[0] == 200
            after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 10 << 20


def test_the_headers_of_a_new_connection_are_limited_in_total(client: _Client) -> None:
    with _connected(client) as connection:
        lines = "".join(f"h{number}: {'x' * 100_000}\r\n" for number in range(11))
        with contextlib.suppress(OSError):
            connection.sendall(f"GET /api HTTP/1.1\r\n{lines}".encode())
            connection.sendall(b"later: x\r\n")
        received = _received(connection)
    assert received.endswith(b"431 Request Header Fields Too Large")


def test_a_known_user_may_send_more_than_a_new_connection(client: _Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newconnections, "MOST_BYTES", 1000)
    assert client.request_json("GET", servers.JOBS)[0] == 200
    connection = client._connections[0]
    for name in "ab":
        large = json.dumps({**servers.job(name), "spec": {"text": "x" * 10_000}})
        headers = {"Authorization": f"Bearer {client._token}", "Content-Type": "application/json"}
        connection.request("POST", servers.JOBS, large, headers)
        with connection.getresponse() as response:
            assert (response.status, bool(response.read())) == (201, True)


@pytest.mark.parametrize("sent", [b"", b"GET /api HTTP/1.1\r\nHost: a\r\n"])
def test_a_new_connection_without_a_whole_request_ends(
    client: _Client, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(newconnections, "_SECONDS", 0.05)
    with _connected(client) as connection:
        connection.sendall(sent)
        assert _received(connection) == b""


def test_a_body_that_stalls_ends_with_504(client: _Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webmessages, "_BODY", 0.05)
    with _connected(client) as connection:
        connection.sendall(f"{_UNKNOWN}Authorization: Bearer {client._token}\r\n\r\n{{".encode())
        response = _read_response(connection)
        status = json.loads(response.read())
    assert (response.status, response.getheader("Connection")) == (504, "close")
    assert status["message"] == "Timeout: request did not complete within the allotted timeout"


def test_new_connections_are_limited_and_those_of_known_users_stay(
    client: _Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(httpserver, "_MOST_NEW", 2)
    with contextlib.ExitStack() as stack:
        assert client.request_json("GET", servers.JOBS)[0] == 200
        stalled = [stack.enter_context(_connected(client)) for _ in range(4)]
        assert _received(stalled[0]) == b""
        user = client._connections[0]
        user.request("GET", servers.JOBS, headers={"Authorization": f"Bearer {client._token}"})
        assert user.getresponse().status == 200


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("x"), "pytest-crd has a bug: KeyError: 'x'"),
        (UnsupportedExpressionError("mutations"), "pytest-crd does not support mutations"),
    ],
)
def test_an_unexpected_error_is_a_status_and_reported(  # noqa: PLR0917 - the parts of a server, and a case
    server: HTTPServer,
    client: _Client,
    monkeypatch: pytest.MonkeyPatch,
    reported: list[tuple[HTTPRequest, HTTPAnswer | None]],
    error: Exception,
    message: str,
) -> None:
    def fail(_request: HTTPRequest) -> HTTPAnswer:
        raise error

    monkeypatch.setattr(server._api, "answer", fail)
    code, value = client.request_json("GET", "/api?x=1")
    assert (code, value["kind"], value["reason"]) == (500, "Status", "InternalError")
    assert value["message"] == f"Internal error occurred: {message}"
    ((request, answer),) = reported
    assert (request.target, request.user.username) == ("/api?x=1", "kubernetes-admin")
    assert answer is not None
    assert answer.failure.startswith(f"GET /api?x=1: {message.partition(': ')[0]}")
    assert ("Traceback" in answer.failure) == isinstance(error, KeyError)


def test_an_unexpected_error_is_printed_without_a_listener(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api = servers.api()
    monkeypatch.setattr(api, "answer", lambda _: 1 // 0)
    server = HTTPServer(api, CERTIFICATES)
    server.start()
    client = _Client(server)
    assert client.request_json("GET", "/api")[0] == 500
    client.close()
    server.stop()
    printed = capsys.readouterr().err
    assert printed.startswith("GET /api: pytest-crd has a bug:\nTraceback")
    assert "ZeroDivisionError" in printed


def test_malformed_requests_of_clients_are_not_logged(client: _Client, caplog: pytest.LogCaptureFixture) -> None:
    with _connected(client) as connection:
        connection.sendall(b"GET /api HTTP/1.1\r\nA: \x00\r\n\r\n")
        assert _read_response(connection).status == 400
    assert not caplog.records


def test_a_response_that_cannot_be_written_is_an_unexpected_error(
    server: HTTPServer,
    client: _Client,
    monkeypatch: pytest.MonkeyPatch,
    reported: list[tuple[HTTPRequest, HTTPAnswer | None]],
) -> None:
    wrong = HTTPAnswer(200, b"", headers=(("Warning", "a\r\nb"),))
    monkeypatch.setattr(server._api, "answer", lambda _: wrong)
    assert client.request_json("GET", "/api")[0] == 500
    assert [answer.failure[:34] for _, answer in reported if answer] == ["", "GET /api: pytest-crd has a bug:\nTr"]


def test_an_error_in_a_watch_ends_it_and_is_reported(
    client: _Client, monkeypatch: pytest.MonkeyPatch, reported: list[tuple[HTTPRequest, HTTPAnswer | None]]
) -> None:
    client.request_json("POST", servers.JOBS, servers.job("a"))
    monkeypatch.setattr(Stream, "line", lambda *_: 1 // 0)
    response = client.open("GET", f"{servers.JOBS}?watch=1")
    with pytest.raises(http.client.IncompleteRead):
        response.read()
    _, answer = reported[-1]
    assert answer is not None
    assert "ZeroDivisionError" in answer.failure


def test_the_oldest_idle_connections_are_closed_for_new_ones(
    server: HTTPServer, client: _Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(httpserver, "_MOST_IDLE", 2)
    monkeypatch.setattr(httpserver, "_MOST_NEW", 2)
    watch = client.open("GET", f"{servers.JOBS}?watch=1&timeoutSeconds=2")
    for _ in range(4):
        client.open("GET", servers.JOBS).read()
    silent = [socket.create_connection((client._at.hostname, client._at.port or 0), timeout=10) for _ in range(4)]
    with contextlib.suppress(ConnectionError):
        assert silent[0].recv(1) == b""
    assert client.request_json("POST", servers.JOBS, servers.job("a"))[0] == 201

    assert json.loads(watch.readline())["type"] == "ADDED"  # a connection with a request stays
    idle = [item for item in client._connections[1:5] if item.sock is not None]
    assert idle
    assert idle[0].sock.recv(1) == b""
    for item in silent:
        item.close()


def test_the_server_recovers_from_too_many_open_files(
    server: HTTPServer, client: _Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept = server._loop.sock_accept
    failures = iter([OSError(24, "Too many open files")])

    async def accept_later(listener: socket.socket) -> Any:
        for failure in failures:
            raise failure
        return await accept(listener)

    monkeypatch.setattr(server._loop, "sock_accept", accept_later)
    assert [client.open("GET", "/version").status for _ in range(3)] == [200, 200, 200]


def test_a_large_request_does_not_delay_others(client: _Client, server: HTTPServer) -> None:
    second = _Client(server)
    large = {**servers.job("large"), "spec": {"list": [{"a": [number]} for number in range(60_000)]}}
    thread = threading.Thread(target=client.request_json, args=("POST", servers.JOBS, large))
    thread.start()
    rounds = 0
    while thread.is_alive():
        assert second.request_json("GET", "/version")[0] == 200
        rounds += 1
    assert rounds > 1
    second.close()


def test_the_end_of_a_server_ends_its_handshakes(server: HTTPServer, client: _Client) -> None:
    with socket.create_connection((client._at.hostname, client._at.port or 0), timeout=10) as silent:
        assert client.request_json("GET", "/version")[0] == 200
        server.stop()
        with contextlib.suppress(ConnectionError):
            assert silent.recv(1) == b""


def test_nothing_is_written_after_the_end_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    api = servers.api()
    server = HTTPServer(api, CERTIFICATES)
    server.start()
    client = _Client(server)
    is_deciding, answer = threading.Event(), api.answer

    def answer_late(request: HTTPRequest) -> Any:
        is_deciding.set()
        time.sleep(0.1)
        return answer(request)

    monkeypatch.setattr(api, "answer", answer_late)

    def create() -> None:
        with contextlib.suppress(http.client.HTTPException, OSError):
            client.request_json("POST", servers.JOBS, servers.job("late"))

    thread = threading.Thread(target=create)
    thread.start()
    is_deciding.wait()
    server.stop()
    revision = api.store.revision
    time.sleep(0.2)
    thread.join()

    assert api.store.revision == revision
    client.close()


def test_a_request_is_delayed(faults: Faults, client: _Client) -> None:
    faults.delay(0.05)
    begun = time.monotonic()
    assert client.request_json("GET", servers.JOBS)[0] == 200
    assert time.monotonic() - begun >= 0.05


def test_a_delayed_request_does_not_delay_the_end_of_a_server() -> None:
    faults = Faults()
    fault = faults.delay(60)
    server = HTTPServer(servers.api(), CERTIFICATES, faults=faults)
    server.start()
    client = _Client(server)

    def send() -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            client.request_json("GET", servers.JOBS)

    thread = threading.Thread(target=send)
    thread.start()
    while not fault.hits:
        time.sleep(0.001)
    begun = time.monotonic()
    server.stop()
    thread.join()
    client.close()
    assert time.monotonic() - begun < 10


def test_a_refused_request_is_not_answered_and_reported_with_its_fault(
    faults: Faults, client: _Client, reported: list[tuple[HTTPRequest, HTTPAnswer | None]]
) -> None:
    faults.status(503, verb="create")
    code, value = client.request_json("POST", servers.JOBS, servers.job("a"))
    assert (code, value["reason"]) == (503, "ServiceUnavailable")
    assert client.request_json("POST", servers.JOBS, servers.job("a"))[0] == 201
    assert [request.fault for request, _ in reported] == ["status 503", ""]


def test_a_cut_response_ends_in_the_middle_of_its_body(faults: Faults, client: _Client) -> None:
    faults.cut(verb="create")
    with client.open("POST", servers.JOBS, servers.job("a")) as response, pytest.raises(http.client.IncompleteRead):
        response.read()
    assert client.request_json("POST", servers.JOBS, servers.job("a"))[0] == 409


def test_a_write_of_another_client_makes_a_true_conflict(faults: Faults, client: _Client) -> None:
    _, created = client.request_json("POST", servers.JOBS, servers.job("a"))
    faults.overtake()
    code, value = client.request_json("PUT", f"{servers.JOBS}/a", created)
    assert (code, value["reason"]) == (409, "Conflict")
    _, stored = client.request_json("GET", f"{servers.JOBS}/a")
    assert stored["metadata"]["annotations"] == {"pytest-crd/overtaken": "true"}  # type: ignore[index] # an object


@pytest.mark.parametrize(
    ("fault", "types"),
    [
        ({"end_watch": True, "after": 1}, ["ADDED"]),
        ({"end_watch": True}, []),
        ({"expire_watch": True}, ["ERROR"]),
        ({"lag_watch": 0.05}, ["ADDED", "ADDED"]),
    ],
)
def test_a_watch_is_disturbed(faults: Faults, client: _Client, fault: dict[str, object], types: list[str]) -> None:
    for name in "ab":
        client.request_json("POST", servers.JOBS, servers.job(name))
    faults.add(fault)
    with client.open("GET", f"{servers.JOBS}?watch=1&timeoutSeconds=1") as response:
        assert [json.loads(line)["type"] for line in response] == types


def test_a_cut_watch_ends_inside_an_event(faults: Faults, client: _Client) -> None:
    client.request_json("POST", servers.JOBS, servers.job("a"))
    faults.cut()
    with client.open("GET", f"{servers.JOBS}?watch=1") as response, pytest.raises(http.client.IncompleteRead) as cut:
        response.read()
    assert cut.value.partial == b'{"type":"ADDED","obj'


def test_a_watch_ends_when_the_clock_passes_its_timeout(server: HTTPServer, client: _Client) -> None:
    clock = server._api.store.clock
    clock.freeze()
    with client.open("GET", f"{servers.JOBS}?watch=1&timeoutSeconds=600") as response:
        clock.advance(599)
        client.request_json("POST", servers.JOBS, servers.job("a"))
        assert json.loads(response.readline())["type"] == "ADDED"
        clock.advance(1)
        assert response.read() == b""


def test_a_refused_connection_stays_refused() -> None:
    written: list[bytes] = []
    transport = cast(
        "asyncio.Transport", SimpleNamespace(write=written.append, close=lambda: None, set_protocol=written.append)
    )
    inner = cast("asyncio.Protocol", SimpleNamespace(connection_made=lambda _: None, data_received=written.append))
    connection = newconnections.NewConnection(inner)
    connection._transport = transport

    for _ in range(2):
        connection.data_received(b"x" * (newconnections.MOST_BYTES + 1))
    connection.admit()

    (answer,) = written
    assert answer.startswith(b"HTTP/1.1 431 ")


def test_an_error_of_a_connection_of_pytest_crd_is_reported(client: _Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ConnectionResetError("of a webhook")

    monkeypatch.setattr(HTTPServer, "_answer", fail)

    code, status = client.request_json("GET", servers.JOBS)

    assert (code, status["reason"]) == (500, "InternalError")
    assert "of a webhook" in str(status["message"])


def test_a_client_that_leaves_before_the_headers_of_a_watch_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    api = servers.api()
    server = HTTPServer(api, CERTIFICATES)
    server.start()
    is_deciding, has_left, answer = threading.Event(), threading.Event(), api.answer

    def answer_late(request: HTTPRequest) -> Any:
        is_deciding.set()
        has_left.wait(10)
        time.sleep(0.05)  # until the server notices
        return answer(request)

    monkeypatch.setattr(api, "answer", answer_late)
    client = _Client(server)
    client.send("GET", f"{servers.JOBS}?watch=1")
    assert is_deciding.wait(10)
    client.close()
    has_left.set()
    time.sleep(0.1)
    server.stop()

    assert capfd.readouterr().err == ""

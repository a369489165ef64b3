"""Requests over HTTP: their form, their answers, and failures to answer."""

from __future__ import annotations

import contextlib
import itertools
import socket
import time
from collections.abc import Callable, Iterator

import pytest
from live.loopback import Reply, serving

from pytest_crd.live import client
from pytest_crd.live.transport import HTTP, NoAnswerError

Connect = Callable[..., client.Server]


@pytest.fixture
def connected() -> Iterator[Connect]:
    """Return a function that creates servers; their connections are closed at the end."""
    with contextlib.ExitStack() as stack:

        def connect(transport: str | HTTP, **options: int) -> client.Server:
            return stack.enter_context(contextlib.closing(client.Server(transport, **options)))

        yield connect


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Record pauses instead of sleeping."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


def test_json_is_written_as_kubectl_writes_it_and_texts_are_sent_as_they_are(connected: Connect) -> None:
    requests = []

    def answering(method: str, path: str, headers: dict[str, str], text: str) -> Reply:
        requests.append((method, path, headers.get("Content-Type"), text))
        return Reply()

    with serving(answering) as url:
        server = connected(url)
        server.ask("POST", "/a", {"b": "é", "c": [1]}, query={"dryRun": "All"})
        server.ask("PUT", "/a", '{"b": 1.0}')
        server.ask("PUT", "/a", "b: 1.0")
        server.ask("PATCH", "/a", {}, headers={"Content-Type": "application/merge-patch+json"})
        server.ask("GET", "/a")

    assert requests == [
        ("POST", "/a?dryRun=All", "application/json", '{"b":"é","c":[1]}'),
        ("PUT", "/a", "application/json", '{"b": 1.0}'),
        ("PUT", "/a", "application/yaml", "b: 1.0"),
        ("PATCH", "/a", "application/merge-patch+json", "{}"),
        ("GET", "/a", None, ""),
    ]


def test_an_answer_has_code_body_and_warnings(connected: Connect) -> None:
    warning = '299 - "unknown field \\"spec.a\\"", 299 - "say \\\\ \xe4"'.encode().decode("latin-1")

    with serving(lambda *_: Reply(201, '{"a": -0, "b": 12}', (("Warning", warning), ("Other", warning)))) as url:
        answer = connected(url).ask("GET", "/")

    assert answer.code == 201
    assert (str(answer.body["a"]), answer.body["b"]) == ("-0.0", 12)
    assert answer.warnings == ('unknown field "spec.a"', "say \\ ä")


def test_the_message_of_an_answer_is_its_status_message_or_its_text() -> None:
    assert client.ServerAnswer(422, {"message": "no"}, ()).message == "no"
    assert client.ServerAnswer(404, "404 page not found", ()).message == "404 page not found"


def test_a_prefix_of_the_url_stays(connected: Connect) -> None:
    with serving(lambda _, path, *__: Reply(200, f'"{path}"')) as url:
        server = connected(f"{url}/k8s/clusters/c-1/")

        assert server.ask("GET", "/version").body == "/k8s/clusters/c-1/version"
        assert server.address == f"{url}/k8s/clusters/c-1"


def test_a_request_to_a_busy_server_is_repeated_after_its_retry_time(naps: list[float], connected: Connect) -> None:
    replies = [
        Reply(429, "", (("Retry-After", "2"),)),
        Reply(503, "", (("Retry-After", "900"),)),
        Reply(504, "", (("Retry-After", "soon"),)),
        Reply(200, '"done"'),
    ]

    with serving(lambda *_: replies.pop(0)) as url:
        assert connected(url).ask("GET", "/").body == "done"

    assert naps == [2.0, 30.0, 0.2]


def test_a_server_that_stays_busy_gives_no_answer(naps: list[float], connected: Connect) -> None:
    with serving(lambda *_: Reply(503, "not now")) as url, pytest.raises(NoAnswerError, match=r"/x: 503 not now$"):
        connected(url, busy_times=2).ask("GET", "/x")

    assert naps == [0.2]


def test_a_connection_that_was_closed_is_opened_again(connected: Connect) -> None:
    replies = [Reply(200, "1"), Reply(0), Reply(200, "2")]

    with serving(lambda *_: replies.pop(0)) as url:
        server = connected(url)

        assert [server.ask("GET", "/").body, server.ask("GET", "/").body] == [1, 2]


def test_no_connection_is_no_answer(connected: Connect) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    with pytest.raises(NoAnswerError, match=rf"^GET {url}/version: \[Errno 111\] Connection refused$"):
        connected(url).ask("GET", "/version")


def test_a_name_outside_of_ascii_is_written_as_dns_has_it(connected: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts: list[str] = []

    def answering(_method: str, _url: str, headers: dict[str, str], _text: str) -> Reply:
        hosts.append(headers["Host"])
        return Reply(200, "1")

    with serving(answering) as url:
        port = url.rpartition(":")[2]
        addresses = socket.getaddrinfo("127.0.0.1", port, type=socket.SOCK_STREAM)
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses)
        connected(f"http://\u4f8b\u3048.test:{port}").ask("GET", "/")

    assert hosts == [f"xn--r8jz45g.test:{port}"]


def test_a_server_that_closes_every_connection_gives_no_answer(connected: Connect) -> None:
    with serving(lambda *_: Reply(0)) as url, pytest.raises(NoAnswerError, match="closed connection without response"):
        connected(url).ask("GET", "/")


def test_a_server_that_is_too_slow_gives_no_answer(connected: Connect) -> None:
    def answering(*_: object) -> Reply:
        time.sleep(0.3)
        return Reply()

    with serving(answering) as url, pytest.raises(NoAnswerError, match=r"no answer within 0 seconds$"):
        connected(HTTP(url, patience=0.05)).ask("GET", "/")


def test_an_untrusted_certificate_has_a_hint_about_kubeconfigs(connected: Connect) -> None:
    with serving(lambda *_: Reply()) as url, pytest.raises(NoAnswerError, match="; name a kubeconfig, which knows"):
        connected(url.replace("http:", "https:")).ask("GET", "/")


@pytest.mark.parametrize(("stated", "version"), [({"major": "1", "minor": "32+"}, "1.32"), ({}, ".")])
def test_the_version_is_read_from_the_server(stated: dict[str, str], version: str, connected: Connect) -> None:
    with serving(lambda *_: Reply(200, str(stated).replace("'", '"'))) as url:
        assert connected(url).version() == version


def test_waiting_ends_after_a_minute(naps: list[float], monkeypatch: pytest.MonkeyPatch, connected: Connect) -> None:
    monkeypatch.setattr(time, "monotonic", itertools.count(0, 2).__next__)  # also for the deadlines of requests

    with (
        serving(lambda *_: Reply(404, '{"message": "not there"}')) as url,
        pytest.raises(NoAnswerError, match=r"^waited in vain for a thing: 404 not there$"),
    ):
        connected(url).wait("/", lambda answer: answer.code == 200, "a thing")

    assert 2 <= len(naps) <= 10


def test_urls_of_the_api_are_built() -> None:
    crd = {"spec": {"group": "g.example.com", "scope": "Namespaced", "names": {"plural": "things"}}}

    assert client.crd_path("apiextensions.k8s.io/v1") == "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    assert client.crd_path("v1", "a") == "/apis/v1/customresourcedefinitions/a"
    assert client.resource_path(crd, "v1", "a", namespace="n") == "/apis/g.example.com/v1/namespaces/n/things/a"
    assert client.resource_path({"spec": {**crd["spec"], "scope": "Cluster"}}, "v1") == "/apis/g.example.com/v1/things"

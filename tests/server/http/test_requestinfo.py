"""Paths, methods and parameters, as kube-apiserver 1.37 reads them."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.http.httpmessages import Query

GROUP = "/apis/fuzz.example.com"
NAMESPACE = f"{GROUP}/v1/namespaces"
PAGE = "404 page not found\n"


def _send(path: str, method: str = "GET", **rest: Any) -> tuple[int, str]:
    server = servers.api()
    servers.ask(server, "POST", servers.JOBS, servers.job("a"))
    answer = servers.ask(server, method, path, **rest)
    return answer.code, answer.body.decode() if answer.value is None else answer.value.get("message", "")


@pytest.mark.parametrize(
    ("path", "code", "text"),
    [
        pytest.param(f"/{servers.JOBS}/a", 404, PAGE, id="two slashes first"),
        pytest.param(f"{servers.JOBS}//a", 404, 'jobs.fuzz.example.com "" not found', id="an empty name"),
        pytest.param(f"{NAMESPACE}//jobs", 200, "", id="an empty namespace"),
        pytest.param(f"{servers.JOBS}/a/status/x", 200, "", id="more behind a subresource"),
        pytest.param(f"{servers.JOBS}/%zz", 400, "400 Bad Request", id="a malformed escape"),
        pytest.param(
            f"{GROUP}/v1/proxy/namespaces/default/jobs/a",
            405,
            'proxy is not supported on resources of kind "jobs.fuzz.example.com"',
            id="a proxy",
        ),
        pytest.param(
            f"{GROUP}/v1/watch",
            500,
            f'Internal Server Error: "{GROUP}/v1/watch": failed to create RequestInfo: unable to determine kind and namespace '
            f"from url, {GROUP}/v1/watch\n",
            id="a watch of nothing",
        ),
        pytest.param(
            "/api/v1/namespaces/default/things",
            404,
            "the server could not find the requested resource",
            id="no built-in kind",
        ),
        pytest.param(
            "/api/v1/namespaces/default/status/x",
            404,
            "the server could not find the requested resource",
            id="more of a kind",
        ),
        pytest.param("/healthz/nope", 404, PAGE, id="no check"),
        pytest.param("/healthz/ping", 200, "ok", id="a check"),
    ],
)
def test_paths_are_answered(path: str, code: int, text: str) -> None:
    assert _send(path) == (code, text)


@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS"])
def test_discovery_of_custom_groups_ignores_the_method(method: str) -> None:
    assert _send(f"{GROUP}/v1", method)[0] == _send(GROUP, method)[0] == 200
    assert _send("/apis/apps/v1", method)[0] == 404


@pytest.mark.parametrize(
    ("timeout", "problem"),
    [
        ("abc", 'invalid duration "abc"'),
        ("5", 'missing unit in duration "5"'),
        ("1x", 'unknown unit "x" in duration "1x"'),
        (".", 'invalid duration "."'),
        ("1s.", 'invalid duration "1s."'),
        ("--1s", 'invalid duration "--1s"'),
        ("9223372036854775808ns", 'invalid duration "9223372036854775808ns"'),
    ],
)
def test_a_malformed_timeout_is_refused(timeout: str, problem: str) -> None:
    message = f"invalid timeout specified in the request URL - time: {problem}"

    assert _send(f"{servers.JOBS}/a?timeout={timeout}") == (400, message)
    assert _send(f"{servers.JOBS}/zz?timeout={timeout}", "DELETE") == (400, message)


@pytest.mark.parametrize("query", ["timeout=5s", "timeout=", "timeout=-1h1.5m", "timeout=0"])
def test_valid_timeouts_are_accepted(query: str) -> None:
    assert _send(f"{servers.JOBS}/a?{query}")[0] == 200


def test_the_timeout_of_a_watch_is_not_checked() -> None:
    servers.watch(servers.api(), f"{servers.JOBS}?watch=1&timeout=abc")


def test_parameters_that_go_cannot_parse_are_dropped() -> None:
    query = Query("a=1&b=%zz&c;d=2&&e=f%20g+h&e=i&j")

    assert [query.all(name) for name in "abcdej"] == [["1"], [], [], [], ["f g h", "i"], [""]]


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("99999999999999999999", 'strconv.ParseUint: parsing "99999999999999999999": value out of range'),
        ("abc", 'strconv.ParseUint: parsing "abc": invalid syntax'),
    ],
)
def test_a_malformed_resource_version_is_refused(version: str, message: str) -> None:
    problem = f'resourceVersion: Invalid value: "{version}": {message}'

    assert _send(f"{servers.JOBS}?resourceVersion={version}") == (400, f"invalid resource version: {problem}")
    assert _send(f"{servers.JOBS}/a?resourceVersion={version}") == (500, problem)
    assert _send(f"{servers.JOBS}?watch=1&resourceVersion={version}") == (500, problem)


@pytest.mark.parametrize(
    ("selector", "names"),
    [("x in ()", ["empty"]), ("x notin ()", ["none", "one"]), ("x>0", ["one"]), ("x<9223372036854775807", ["one"])],
)
def test_an_empty_set_in_a_selector_contains_the_empty_text(selector: str, names: list[str]) -> None:
    server = servers.api()
    labels = {"empty": {"x": ""}, "none": {}, "one": {"x": "1"}, "large": {"x": "9223372036854775808"}}
    for name, own in labels.items():
        servers.ask(server, "POST", servers.JOBS, servers.job(name, labels=own))

    answer = servers.ask(
        server, "GET", f"{servers.JOBS}?labelSelector={selector.replace(' ', '%20').replace('>', '%3E')}"
    )

    names_of = [item["metadata"]["name"] for item in answer.value["items"] if item["metadata"]["name"] != "large"]
    assert names_of == names


def test_a_bound_beyond_int64_is_refused() -> None:
    assert _send(f"{servers.JOBS}?labelSelector=x%3E9223372036854775808")[0] == 400


@pytest.mark.parametrize(
    ("content_type", "code"),
    [
        ("application/json", 201),
        ("Application/JSON; charset=utf-8", 201),
        ("application/json;", 201),
        ("application/json;;", 415),
        ("application/json; q", 415),
        ('application/json; a="b; c"', 201),
    ],
)
def test_a_malformed_media_type_is_unsupported(content_type: str, code: int) -> None:
    assert _send(servers.JOBS, "POST", body=servers.job("b"), mediaType=content_type)[0] == code


def test_media_types_of_patches_and_responses_are_case_sensitive() -> None:
    assert _send(f"{servers.JOBS}/a", "PATCH", body={}, mediaType="application/Merge-Patch+json")[0] == 415
    assert _send(f"{servers.JOBS}/a", accept="APPLICATION/JSON")[0] == 406


YAML = "apiVersion: fuzz.example.com/v1\nkind: Job\nmetadata: {name: b}\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(f"{YAML}---\n{YAML.replace('b', 'c')}", 201, id="two documents"),
        pytest.param(f"---\n{YAML}---\n]", 201, id="a second that cannot be read"),
        pytest.param(f"# a comment\n---\n{YAML}", 201, id="a comment first"),
        pytest.param(f"---\n---\n{YAML}", 400, id="an empty document first"),
    ],
)
def test_the_first_document_of_a_body_counts(text: str, code: int) -> None:
    assert _send(servers.JOBS, "POST", body=text, mediaType="application/yaml")[0] == code
    applied = f"{servers.JOBS}/b?fieldManager=m"
    assert _send(applied, "PATCH", body=text, mediaType="application/apply-patch+yaml")[0] == code

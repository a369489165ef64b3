"""Requests for OpenAPI documents: forms and caching headers, as answered by a 1.37 server."""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
from typing import Any

import pytest
from support import servers

from pytest_crd.server import openapiendpoints
from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.protobuf import openapiwriting

V2 = "/openapi/v2"
V3 = "/openapi/v3/apis/fuzz.example.com/v1"
PROTOBUF_2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
PROTOBUF_3 = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
NEVER_KEPT = ("Cache-Control", "no-cache, private")
VARY = ("Vary", "Accept")


_shared = functools.cache(servers.api)


@functools.cache
def _tag(path: str) -> str:
    """Return the hash of a document: of its JSON."""
    return hashlib.sha512(_get(path).body).hexdigest().upper()


@functools.cache
def _in_json(path: str) -> bytes:
    """Return a document in JSON, which is the same value."""
    answer = _get(path)
    assert json.loads(answer.body) == answer.value
    return answer.body


@functools.cache
def _in_protobuf(path: str) -> bytes:
    """Return a document in protobuf, written once more."""
    return openapiwriting.write(_get(path).value, "v2" if path == V2 else "v3")


def _get(path: str, method: str = "GET", server: Any = None, **headers: str) -> HTTPAnswer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = (server or _shared()).answer(HTTPRequest(method, path, named))
    assert isinstance(answer, HTTPAnswer)
    return answer


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("*", "application/json"),
        ("application/*", "application/json"),
        (PROTOBUF_2, PROTOBUF_2),
        ("application/com.github.proto-openapi.spec.v2@v1.0+protobuf", PROTOBUF_2),
        (f"{PROTOBUF_2},application/json", PROTOBUF_2),
        (f"application/json;q=0.5,{PROTOBUF_2}", PROTOBUF_2),
        (f"{PROTOBUF_2};q=0.1,*/*", "application/json"),
        (f"*/*,{PROTOBUF_2}", PROTOBUF_2),
        (f"*/*;q=0.9,{PROTOBUF_2};q=0.8", PROTOBUF_2),
        (f"application/*,{PROTOBUF_2}", PROTOBUF_2),
        ("text/html,application/json", "application/json"),
    ],
)
def test_documents_have_a_json_and_a_protobuf_form(accept: str, form: str) -> None:
    answer = _get(V2, accept=accept)
    tag = _tag(V2)
    headers = (NEVER_KEPT, ("Etag", f'"{tag}"'), ("Vary", "Accept-Encoding"), VARY)
    assert (answer.code, answer.media_type, answer.headers) == (200, form, headers)
    assert answer.body == (_in_json if form == "application/json" else _in_protobuf)(V2)


def test_each_group_has_its_own_document_in_version_3() -> None:
    answer = _get(V3, accept=PROTOBUF_3)
    headers = (NEVER_KEPT, ("Etag", f'"{_tag(V3)}"'), VARY)
    assert (answer.code, answer.media_type, answer.headers) == (200, PROTOBUF_3, headers)
    assert answer.body == _in_protobuf(V3)
    second = _get(V3, accept="application/com.github.proto-openapi.spec.v3@v1.0+protobuf")
    assert (second.media_type, second.body) == (PROTOBUF_3, answer.body)


@pytest.mark.parametrize(
    ("path", "accept"), [(V2, "text/html"), (V2, "application/yaml"), (V2, "json"), (V2, PROTOBUF_3), (V3, PROTOBUF_2)]
)
def test_other_forms_are_not_acceptable(path: str, accept: str) -> None:
    answer = _get(path, accept=accept)
    vary = (("Vary", "Accept-Encoding"), VARY) if path == V2 else (VARY,)
    assert (answer.code, answer.body, answer.media_type, answer.headers) == (406, b"", "", (NEVER_KEPT, *vary))


def test_the_index_is_json_with_the_content_type_of_a_text() -> None:
    answer = _get("/openapi/v3", accept=PROTOBUF_3)
    assert (answer.code, answer.media_type, answer.headers) == (200, "text/plain; charset=utf-8", (NEVER_KEPT,))
    at = json.loads(answer.body)["paths"]["apis/fuzz.example.com/v1"]["serverRelativeURL"]
    assert at == f"{V3}?hash={_tag(V3)}"


def test_each_document_is_made_once_until_a_crd_changes() -> None:
    server = servers.api()
    for path in (V2, V3, "/openapi/v3"):
        assert _get(path, server=server).value is _get(path, server=server).value
    core = _get("/openapi/v3/api/v1", server=server).value
    servers.ask(server, "POST", servers.CRDS, servers.crd("Gadget"))
    assert "com.example.v1.Gadget" in _get(V2, server=server).value["definitions"]
    # Documents of built-in kinds do not depend on CRDs: servers share them.
    assert _get("/openapi/v3/api/v1", server=server).value is core
    assert _get("/openapi/v3/api/v1", server=servers.api()).value is core


@pytest.mark.parametrize("path", ["/openapi/v3/apis/nope/v1", "/openapi/v3/nope", "/openapi/v3/"])
def test_a_missing_document_has_an_empty_response(path: str) -> None:
    answer = _get(path)
    assert (answer.code, answer.body, answer.media_type, answer.headers) == (404, b"", "", (NEVER_KEPT,))


@pytest.mark.parametrize("path", ["/openapi", "/openapi/v4", "/openapi/v2/", "/openapi/v2/x"])
def test_other_paths_have_the_not_found_page(path: str) -> None:
    assert (_get(path).code, _get(path).body) == (404, b"404 page not found\n")


@pytest.mark.parametrize("method", ["HEAD", "POST", "DELETE"])
def test_the_method_is_ignored(method: str) -> None:
    for path in (V2, V3, "/openapi/v3"):
        assert _get(path, method).body == _get(path).body


@pytest.mark.parametrize(
    ("value", "code"),
    [('"{}"', 304), ('W/"{}"', 304), ('"a", "{}"', 304), ("*", 304), ("{}", 200), ('"{}x"', 200), ("", 200)],
)
@pytest.mark.parametrize("path", [V2, V3])
def test_a_client_with_the_current_document_gets_not_modified(path: str, value: str, code: int) -> None:
    whole = _get(path)
    answer = _get(path, if_none_match=value.format(_tag(path)))
    assert (answer.code, answer.headers) == (code, whole.headers)
    assert (answer.body, answer.media_type) == ((b"", "") if code == 304 else (whole.body, whole.media_type))


def test_a_document_requested_by_its_hash_is_immutable() -> None:
    tag = _tag(V3)
    answer = _get(f"{V3}?hash={tag}", accept=PROTOBUF_3)
    remaining, (expires, until), *rest = answer.headers
    assert (answer.code, remaining, rest) == (200, ("Cache-Control", "public, immutable"), [("Etag", f'"{tag}"'), VARY])
    assert (expires, until[-4:], len(until)) == ("Expires", " UTC", len("Thu, 25 Nov 2027 07:48:52 UTC"))
    assert _get(f"{V3}?hash=").headers[0] == NEVER_KEPT


def test_an_outdated_hash_is_redirected_to_the_current_document() -> None:
    tag = _tag(V3)
    answer = _get(f"{V3}?hash=X", accept=PROTOBUF_3)
    assert (answer.code, answer.body, answer.media_type) == (301, b"", PROTOBUF_3)
    assert answer.headers == (NEVER_KEPT, ("Etag", f'"{tag}"'), VARY, ("Location", f"{V3}?hash={tag}"))


@pytest.mark.parametrize(
    ("encoding", "is_compressed"),
    [
        ("gzip", True),
        ("deflate, gzip;q=0.5", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0", False),
        ("*", False),
        ("", False),
    ],
)
def test_version_2_is_compressed_if_accepted(encoding: str, is_compressed: bool) -> None:  # noqa: FBT001 - parametrized
    answer = _get(V2, accept=PROTOBUF_2, accept_encoding=encoding)
    assert (("Content-Encoding", "gzip") in answer.headers) is is_compressed
    assert (gzip.decompress(answer.body) if is_compressed else answer.body) == _get(V2, accept=PROTOBUF_2).body
    assert _get(V3, accept_encoding=encoding).body == _get(V3).body


def test_a_document_without_a_protobuf_form_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left out of a document that a client takes for whole."""
    broken = openapiendpoints.PublishedDocument({"swagger": "2.0", "definitions": {"a": {"nullable": True}}}, 2)
    monkeypatch.setattr(openapiendpoints.Documents, "find", lambda *_: broken)
    server = servers.api()
    answer = _get(V2, server=server, accept=PROTOBUF_2)
    assert (answer.code, answer.value["message"]) == (
        500,
        "Internal error occurred: the object cannot be written in protobuf: definitions.a.nullable has no place in OpenAPI",
    )
    assert _get(V2, server=server).code == 200

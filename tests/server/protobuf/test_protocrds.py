"""CRDs in protobuf requests: messages without a JSON equivalent, with the errors of a 1.37 server."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from support import servers

from pytest_crd.server.http.httpmessages import HTTPAnswer, HTTPRequest
from pytest_crd.server.protobuf import protofields, protoreading, protowriting
from pytest_crd.server.protobuf.protofields import ProtobufError

PROTOBUF = "application/vnd.kubernetes.protobuf"
PANS = "pans.example.com"
V1 = "apiextensions.k8s.io/v1"
# The numbers of fields of a schema.
TYPE, FORMAT, DEFAULT, MAXIMUM, PATTERN, ENUM, ITEMS = 5, 6, 8, 9, 15, 20, 24
NOT, PROPERTIES, ADDITIONAL, DEPENDENCIES = 28, 29, 30, 32


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + _varint(number >> 7)


def _part(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _flag(number: int) -> bytes:
    return _varint(number << 3) + b"\x01"


def _real(number: int, value: float) -> bytes:
    return _varint(number << 3 | 1) + struct.pack("<d", value)


def _any(number: int, text: bytes) -> bytes:
    return _part(number, _part(1, text))


def _type(name: str) -> bytes:
    return _part(TYPE, name.encode())


def _property(name: str, schema: bytes) -> bytes:
    return _part(PROPERTIES, _part(1, name.encode()) + _part(2, schema))


def _crd(schema: bytes, name: str = PANS) -> bytes:
    version = _part(1, b"v1") + _flag(2) + _flag(3) + _part(4, _part(1, schema))
    spec = _part(1, b"example.com") + _part(3, _part(1, b"pans") + _part(4, b"Pan")) + _part(4, b"Cluster")
    return _part(1, _part(1, name.encode())) + _part(2, spec + _part(7, version))


def _sent(raw: bytes, kind: str = "CustomResourceDefinition", api_version: str = V1) -> bytes:
    type_meta = _part(1, api_version.encode()) + _part(2, kind.encode())
    return protofields.PREFIX + _part(1, type_meta) + _part(2, raw) + _part(3, b"") + _part(4, b"")


def _posted(body: bytes, query: str = "", media_type: str = PROTOBUF) -> HTTPAnswer:
    headers = {"content-type": media_type, "user-agent": "probe/1"}
    answer = servers.api().answer(HTTPRequest("POST", f"{servers.CRDS}{query}", headers, body))
    assert isinstance(answer, HTTPAnswer)
    return answer


def _of_property(schema: bytes, query: str = "") -> HTTPAnswer:
    """Return the answer about a CRD of an object with a property of this schema."""
    return _posted(_sent(_crd(_type("object") + _property("x", schema))), query)


def _stored(answer: HTTPAnswer) -> Any:
    assert answer.code == 201, answer.value
    return answer.value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["x"]


def test_a_crd_in_protobuf_is_stored_as_its_json_form() -> None:
    schema = _type("object") + _part(FORMAT, b"odd") + _property("size", _type("integer") + _real(MAXIMUM, 9))
    raw = _crd(_type("object") + _property("x", schema))
    as_json = {
        "kind": "CustomResourceDefinition",
        "apiVersion": V1,
        **protoreading.read(raw, V1, "CustomResourceDefinition"),
    }
    answers = [_posted(_sent(raw)), _posted(json.dumps(as_json).encode(), media_type="application/json")]
    stored = [json.loads(item.body) for item in answers]
    for crd in stored:
        for key in ("uid", "creationTimestamp"):
            del crd["metadata"][key]
        del crd["metadata"]["managedFields"][0]["time"]
    assert stored[0] == stored[1]
    assert answers[0].warnings == answers[1].warnings == ('unrecognized format "odd"',)


def test_unknown_protobuf_fields_are_ignored_under_strict_validation() -> None:
    result = _stored(_of_property(_type("string") + _part(99, b"x"), "?fieldValidation=Strict"))
    assert result == {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "stored"),
    [
        (_type("object") + _part(ADDITIONAL, _part(2, _type("string"))), {"additionalProperties": {"type": "string"}}),
        (_type("object") + _part(ADDITIONAL, b""), {"additionalProperties": False}),
        (_type("object") + _part(ADDITIONAL, _flag(1)), {"additionalProperties": True}),
        (_type("object") + _part(ITEMS, b""), {}),
        (_type("string") + _part(DEFAULT, b""), {}),
        (_type("string") + _any(DEFAULT, b""), {}),
        (_type("string") + _any(DEFAULT, b" null "), {}),
        (_type("string") + _any(DEFAULT, b'"\xff"'), {"default": "\ufffd"}),
        (_type("integer") + _any(DEFAULT, b"1.0"), {"default": 1}),
        (_type("integer") + _any(ENUM, b" 1") + _part(ENUM, b"") + _any(ENUM, b"null"), {"enum": [1, None, None]}),
        (_type("number") + _real(MAXIMUM, 2.0**63), {"maximum": 9223372036854775808}),
        (_type("number") + _real(MAXIMUM, 5.0), {"maximum": 5}),
        (_type("number") + _real(MAXIMUM, 2.5), {"maximum": 2.5}),
    ],
)
def test_unions_are_stored_in_their_json_form(schema: bytes, stored: Any) -> None:
    result = _stored(_of_property(schema))
    assert {key: value for key, value in result.items() if key != "type"} == stored


def test_zero_keeps_its_sign() -> None:
    result = [_stored(_of_property(_type("number") + _real(MAXIMUM, zero)))["maximum"] for zero in (-0.0, 0.0)]
    assert [str(item) for item in result] == ["-0.0", "0"]


def test_the_last_duplicate_key_of_embedded_json_counts() -> None:
    schema = _type("object") + _property("a", _type("integer")) + _any(DEFAULT, b'{"a":1,"a":2}')
    answer = _of_property(schema, "?fieldValidation=Strict")
    assert (_stored(answer)["default"], answer.warnings) == ({"a": 2}, ())


@pytest.mark.parametrize(
    ("schema", "field", "words"),
    [
        (_type("array") + _part(ITEMS, b""), "items", "Required value: must be specified"),
        (
            _type("array") + _part(ITEMS, _part(1, _type("string")) + _part(2, _type("string"))),
            "items",
            "Forbidden: items must be a schema object and not an array",
        ),
        (
            _type("object") + _property("y", _type("string")) + _part(ADDITIONAL, _part(2, _type("string"))),
            "additionalProperties",
            "Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        (
            _type("object") + _part(DEPENDENCIES, _part(1, b"a") + _part(2, b"")),
            "dependencies",
            "Forbidden: dependencies is not supported",
        ),
    ],
)
def test_unions_are_refused_like_their_json_form(schema: bytes, field: str, words: str) -> None:
    answer = _of_property(schema)
    where = f"spec.validation.openAPIV3Schema.properties[x].{field}"
    assert (answer.code, answer.value["message"].partition(" is invalid: ")[2]) == (422, f"{where}: {words}")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (_any(DEFAULT, b"{"), "unexpected end of JSON input"),
        (_any(DEFAULT, b" "), "unexpected end of JSON input"),
        (_any(DEFAULT, b"nul"), "invalid character ' ' in literal null (expecting 'l')"),
        (_any(DEFAULT, b'"a" x'), "invalid character 'x' after top-level value"),
        (_any(DEFAULT, b"1e400"), "json: cannot unmarshal number 1e400 into Go value of type float64"),
        (_any(ENUM, b"{"), "unexpected end of JSON input"),
        (_flag(MAXIMUM), "proto: wrong wireType = 0 for field Maximum"),
        (_varint(MAXIMUM << 3 | 1) + b"abc", "unexpected EOF"),
        (_any(DEFAULT, b"{") + b"\x07", "proto: JSONSchemaProps: illegal tag 0 (wire type 7)"),
        (_real(MAXIMUM, float("nan")) + b"\x07", "proto: JSONSchemaProps: illegal tag 0 (wire type 7)"),
        (_part(PATTERN, b"a\xffb"), "error parsing regexp: invalid UTF-8"),
        # These two a server reads.
        (_any(DEFAULT, b"[" * 300 + b"]" * 300), "nested more than 256 levels deep"),
        (_any(DEFAULT, b"[" * 250 + b"]" * 250), "nested more than 256 levels deep"),
    ],
)
def test_malformed_bodies_are_refused_in_gos_words(schema: bytes, words: str) -> None:
    answer = _of_property(schema)
    message = f'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: {words}'
    assert (answer.code, answer.value["message"]) == (400, message)


def test_schemas_nested_too_deep_are_refused() -> None:
    schema = b""
    for _ in range(1000):
        schema = _part(NOT, schema)
    assert "nested more than 256 levels deep" in _of_property(schema).value["message"]


@pytest.mark.parametrize(("number", "text"), [("nan", "NaN"), ("inf", "+Inf"), ("-inf", "-Inf")])
def test_infinite_numbers_cannot_be_stored(number: str, text: str) -> None:
    answer = _of_property(_type("number") + _real(MAXIMUM, float(number)))
    assert answer.value == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f"json: unsupported value: {text}",
        "code": 500,
    }


def test_a_crd_in_another_version_than_the_url_is_refused() -> None:
    beta = "apiextensions.k8s.io/v1beta1"
    message = f"the API version in the data ({beta}) does not match the expected API version ({V1})"
    assert _posted(_sent(b"", api_version=beta)).value["message"] == message


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"maximum": "5"}, "schema.maximum is not a number"),
        ({"maximum": True}, "schema.maximum is not a number"),
        ({"additionalProperties": "x"}, "schema.additionalProperties is not an object"),
        ({"items": [{"items": 5}]}, "schema.items[0].items is not an object"),
        ({"dependencies": {"a": ["b", 5]}}, "schema.dependencies[a][1] is not a text"),
        ({"dependencies": {"a": 5}}, "schema.dependencies[a] is not an object"),
    ],
)
def test_malformed_schemas_cannot_be_encoded(schema: Any, words: str) -> None:
    versions = [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    crd = {"apiVersion": V1, "kind": "CustomResourceDefinition", "metadata": {}, "spec": {"versions": versions}}
    with pytest.raises(ProtobufError) as caught:
        protowriting.write(crd)
    assert str(caught.value) == f"spec.versions[0].{words.replace('schema.', 'schema.openAPIV3Schema.', 1)}"


def test_schemas_nested_too_deep_cannot_be_encoded() -> None:
    schema: Any = {}
    for _ in range(250):
        schema = {"additionalProperties": schema}
    with pytest.raises(ProtobufError, match=r"^nested more than 256 levels deep$"):
        protowriting.write(servers.crd(versions=[{"name": "v1", "schema": {"openAPIV3Schema": schema}}]))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": "<&>\u2028"}, '{"a":"\\u003c\\u0026\\u003e\\u2028","b":1}'),
        ([1.0, 2.5, 1e21, 1e-7], "[1,2.5,1e+21,1e-7]"),
        ("Tür", '"Tür"'),
    ],
)
def test_embedded_json_is_marshalled_as_in_go(value: Any, text: str) -> None:
    written = protowriting.write(servers.crd(versions=[{"schema": {"openAPIV3Schema": {"default": value}}}]))
    assert _any(DEFAULT, text.encode()) in written

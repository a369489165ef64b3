"""Conversion by a webhook: the review, the converted object, and the server's words about malformed responses."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from support.webhookreplies import FakeTransport, Reply

from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.conversion import ConversionFailedError
from pytest_crd.webhooks.conversionreview import WebhookConverter
from pytest_crd.webhooks.transport import BodyTransportError, TransportError, WebhookReply

URL = "https://hooks.example.com:443/convert"
OBJECT = {
    "apiVersion": "example.com/v1",
    "kind": "Cron",
    "metadata": {"name": "a", "namespace": "default", "uid": "u", "generation": 2, "labels": {"a": "b"}},
    "spec": {"x": 1},
}
CONVERTED = {**OBJECT, "apiVersion": "example.com/v2", "spec": {"y": 1}}
FOR = "conversion webhook for example.com/v1, Kind=Cron"


def converter(transport: FakeTransport, versions: Sequence[str] = ("v1", "v1beta1")) -> WebhookConverter:
    numbers = itertools.count(1)
    return WebhookConverter(versions, transport, URL, lambda: f"uid-{next(numbers)}", profile.named(profile.DEFAULT))


def answer(**response: JSONValue) -> JSONValue:
    whole = {"uid": "uid-1", "convertedObjects": [CONVERTED], "result": {"status": "Success"}, **response}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": whole}


def convert(reply: Reply, versions: Sequence[str] = ("v1",), resource: JSONObject = OBJECT) -> JSONObject:
    return converter(FakeTransport(reply), versions).convert(resource, "example.com/v2")


def problem(reply: Reply, versions: Sequence[str] = ("v1",), resource: JSONObject = OBJECT) -> str:
    with pytest.raises(ConversionFailedError) as error:
        convert(reply, versions, resource)
    return str(error.value)


def changed(**fields: JSONValue) -> JSONValue:
    return answer(convertedObjects=[{**CONVERTED, **fields}])


def test_a_review_has_the_object_and_the_desired_version() -> None:
    transport = FakeTransport(answer())
    assert converter(transport).convert(OBJECT, "example.com/v2") == CONVERTED
    assert transport.urls == [f"{URL}?timeout=30s"]
    assert transport.timeouts == [30.0]
    assert transport.reviews == [
        {
            "kind": "ConversionReview",
            "apiVersion": "apiextensions.k8s.io/v1",
            "request": {"uid": "uid-1", "desiredAPIVersion": "example.com/v2", "objects": [OBJECT]},
            "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
        }
    ]


def test_each_object_of_another_version_is_a_call() -> None:
    def reply(review: JSONValue) -> JSONValue:
        [sent] = review["request"]["objects"]
        return answer(uid=review["request"]["uid"], convertedObjects=[{**sent, "apiVersion": "example.com/v2"}])

    transport = FakeTransport(reply)
    second = {**OBJECT, "metadata": {"name": "b"}}
    empty = {"apiVersion": "example.com/v1", "kind": "Cron"}
    webhook = converter(transport)
    converted = [webhook.convert(item, "example.com/v2") for item in (OBJECT, CONVERTED, second, empty)]
    assert converted == [
        {**OBJECT, "apiVersion": "example.com/v2"},
        CONVERTED,
        {**second, "apiVersion": "example.com/v2"},
        {**empty, "apiVersion": "example.com/v2"},
    ]
    assert [review["request"]["uid"] for review in transport.reviews] == ["uid-1", "uid-2"]


def test_the_first_known_version_of_reviews_is_used() -> None:
    transport = FakeTransport({"response": {"convertedObjects": [CONVERTED], "result": {"status": "Success"}}})
    assert converter(transport, ("v3", "v1beta1", "v1")).convert(OBJECT, "example.com/v2") == CONVERTED
    assert transport.reviews[0]["apiVersion"] == "apiextensions.k8s.io/v1beta1"
    assert problem(answer(), ("v2",)) == "no supported conversion review versions"


def test_responses_in_yaml_are_read() -> None:
    yaml = b"""
apiVersion: apiextensions.k8s.io/v1
kind: ConversionReview
response:
  uid: uid-1
  result: {status: Success}
  convertedObjects:
  - {apiVersion: example.com/v2, kind: Cron, metadata: {name: a, namespace: default, uid: u}, spec: {z: 1}}
"""
    assert convert(yaml)["spec"] == {"z": 1}


@pytest.mark.parametrize(
    ("before", "sent", "after"),
    [
        ({"name": "a", "generation": 2}, {"name": "a", "generation": 5}, {"name": "a", "generation": 2}),
        ({"labels": {"a": "b"}}, {}, {}),
        ({"labels": {"a": "b"}}, {"labels": None}, {}),
        ({"annotations": {"x": "y"}}, {"annotations": {"x": "z"}}, {"annotations": {"x": "z"}}),
        ({}, {"labels": {}}, {"labels": {}}),
        ({"labels": {"-": "kept"}}, {"labels": {"-": "kept"}}, {"labels": {"-": "kept"}}),
    ],
)
def test_labels_and_annotations_alone_change(before: JSONObject, sent: JSONObject, after: JSONObject) -> None:
    converted = convert(changed(metadata=sent), resource={**OBJECT, "metadata": before})
    assert converted["metadata"] == after


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"labels": []}, "invalid metadata.labels of type []interface {} in converted object"),
        ({"labels": {"b": "c", "a": 1}}, "metadata.labels[a] must be a string, but is int64 in converted object"),
        ({"annotations": "x"}, "invalid metadata.annotations of type string in converted object"),
    ],
)
def test_maps_of_other_types_are_refused(metadata: JSONObject, words: str) -> None:
    sent = {**OBJECT["metadata"], **metadata}  # type: ignore[dict-item]
    assert problem(changed(metadata=sent)) == f"{FOR} returned invalid metadata: {words}"


def test_changed_labels_and_annotations_are_validated() -> None:
    labels = problem(changed(metadata={**CONVERTED["metadata"], "labels": {"a": "b c"}}))  # type: ignore[dict-item]
    assert labels.startswith(f'{FOR} returned invalid metadata: metadata.labels: Invalid value: "b c": a valid label')
    annotations = problem(changed(metadata={**CONVERTED["metadata"], "annotations": {"-": ""}}))  # type: ignore[dict-item]
    assert annotations.startswith(f'{FOR} returned invalid metadata: metadata.annotation: Invalid value: "-": ')


def test_metadata_that_is_missing_or_no_object_is_refused() -> None:
    nameless = {**OBJECT, "metadata": {}}
    without = answer(convertedObjects=[{"apiVersion": "example.com/v2", "kind": "Cron"}])
    assert (
        problem(without, resource=nameless) == f"{FOR} returned invalid metadata: missing metadata in converted object"
    )
    words = "invalid metadata of type []interface {} in converted object"
    assert problem(changed(metadata=[]), resource=nameless) == f"{FOR} returned invalid metadata: {words}"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"apiVersion": "example.com/v1"},
            "object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)",
        ),
        ({"apiVersion": 1}, "object at index 0: invalid groupVersion (expected example.com/v2, received )"),
        ({"kind": "Con"}, "object at index 0: invalid kind (expected Cron, received Con)"),
        ({"metadata": {"name": "b"}}, "object: must have the same name: a != b"),
        ({"metadata": None}, "object: must have the same name: a != "),
        ({"metadata": {"name": "a"}}, "object: must have the same namespace: default != "),
        ({"metadata": {"name": "a", "namespace": "default", "uid": 1}}, "object: must have the same UID: u != "),
    ],
)
def test_converted_objects_with_another_identity_are_refused(fields: dict[str, JSONValue], words: str) -> None:
    assert problem(changed(**fields)) == f"{FOR} returned invalid {words}"


@pytest.mark.parametrize(
    ("converted", "words"),
    [
        (None, "unexpected end of JSON input"),
        ([], "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ("x", "json: cannot unmarshal string into Go value of type map[string]interface {}"),
        ({"kind": "", "apiVersion": "<"}, 'Object \'Kind\' is missing in \'{"kind": "", "apiVersion": "<"}\''),
    ],
)
def test_converted_values_that_are_no_objects_are_refused_without_prefix(converted: JSONValue, words: str) -> None:
    assert problem(answer(convertedObjects=[converted])) == words


@pytest.mark.parametrize("objects", [[], [CONVERTED, CONVERTED], None])
def test_another_number_of_objects_is_refused(objects: list[JSONValue] | None) -> None:
    count = len(objects or ())
    assert problem(answer(convertedObjects=objects)) == f"{FOR} returned {count} objects, expected 1"


EXPECTED = "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview"
INTO = "json: cannot unmarshal object into Go struct field"
REVIEW = '{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"'


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (answer(result={"status": "Failure", "message": "no such field"}), "no such field"),
        (answer(result={"status": "Failed"}), "response.result.status was 'Failed', not 'Success'"),
        (answer(result=None), "response.result.status was '', not 'Success'"),
        (answer(uid="other"), 'expected response.uid="uid-1", got "other"'),
        (f"{REVIEW}}}", "no response provided"),
        (f'{REVIEW},"response":null}}', "no response provided"),
        ("{}", f"{EXPECTED}, got /, Kind="),
        (
            '{"kind":"ConversionReview"}',
            f"{EXPECTED}, got /, Kind=ConversionReview",
        ),
        (
            '{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"ConversionReview"}',
            "converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion",
        ),
        (
            '{"apiVersion":"v1","kind":"Status"}',
            "converting (v1.Status) to (v1.ConversionReview): unknown conversion",
        ),
        (
            '{"apiVersion":"v1","kind":"Pod"}',
            'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
        ),
        (
            '{"apiVersion":"a.b/v1","kind":"X"}',
            'no kind "X" is registered for version "a.b/v1" in scheme "pkg/runtime/scheme.go:111"',
        ),
        ('{"apiVersion":"a/","kind":"X"}', 'Object \'apiVersion\' is missing in \'{"apiVersion":"a/","kind":"X"}\''),
        (
            '{"apiVersion":"apiextensions.k8s.io/","kind":"ConversionReview"}',
            f"{EXPECTED}, got apiextensions.k8s.io/, Kind=ConversionReview",
        ),
        ('{"apiVersion":"a/b/c"}', "unexpected GroupVersion string: a/b/c"),
        (
            f'{REVIEW},"response":[]}}',
            "json: cannot unmarshal array into Go struct field ConversionReview.response of type v1.ConversionResponse",
        ),
        (
            f'{REVIEW},"response":{{"uid":1.0}}}}',
            "json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID",
        ),
        (
            f'{REVIEW},"response":{{"result":{{"code":1.0}}}}}}',
            "json: cannot unmarshal number 1.0 into Go struct field Status.response.result.code of type int32",
        ),
        (
            f'{REVIEW},"response":{{"convertedObjects":{{}}}}}}',
            f"{INTO} ConversionResponse.response.convertedObjects of type []runtime.RawExtension",
        ),
        ("{", "couldn't get version/kind; json parse error: unexpected end of JSON input"),
        ("{}x", "couldn't get version/kind; json parse error: invalid character 'x' after top-level value"),
        ('{"a":1e999}', "json: cannot unmarshal number 1e999 into Go value of type float64"),
        ('{"a":' * 300 + "1" + "}" * 300, "nested more than 256 levels deep"),
        ("a: [", "yaml: line 1: did not find expected node content"),
        ("# nothing", f"{EXPECTED}, got /, Kind="),
        (b"", "0-length response with status code: 200 and content type: application/json"),
        (WebhookReply(206, b"", ""), "0-length response with status code: 206 and content type: application/json"),
        (WebhookReply(200, b"", "text/html"), "0-length response with status code: 200 and content type: text/html"),
        (WebhookReply(200, b"{}", "text html"), "Internal error occurred: mime: expected slash after first token"),
    ],
)
def test_malformed_responses_are_refused_with_the_servers_words(reply: Reply, words: str) -> None:
    assert problem(reply) == f"{FOR} failed: {words}"


@pytest.mark.parametrize("value", ["[]", "1", "1.5", "true", '"x"'])
def test_values_of_all_types_are_no_reviews(value: str) -> None:
    assert problem(value).startswith(
        f"{FOR} failed: couldn't get version/kind; json parse error: json: cannot unmarshal "
    )


def test_repeated_keys_and_odd_numbers_leave_plain_values() -> None:
    text = (
        f'{REVIEW},"response":{{"uid":"other","uid":"uid-1","result":{{"status":"Success"}},"convertedObjects":[{{'
        '"apiVersion":"example.com/v2","kind":"Cron","metadata":{"name":"a","namespace":"default","uid":"u"},'
        '"spec":{"a":1,"a":{"b":1.0,"b":1.50,"c":-0}}}]}}'
    )
    converted = convert(text)
    assert converted["spec"] == {"a": {"b": 1.5, "c": 0}}
    assert type(converted["spec"]["a"]) is dict
    assert type(converted["spec"]["a"]["b"]) is float


def test_a_failing_call_names_the_url() -> None:
    error = TransportError("dial tcp 127.0.0.1:1: connect: connection refused")
    assert (
        problem(error) == f'{FOR} failed: Post "{URL}?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused'
    )


def test_a_body_that_breaks_off_names_no_url() -> None:
    assert problem(BodyTransportError("unexpected error")) == f"{FOR} failed: unexpected error"


STATUS = b'{"kind":"Status","apiVersion":"v1","status":"Failure","message":"sorry"}'


@pytest.mark.parametrize(
    ("code", "body", "content_type", "words"),
    [
        (404, b"404 page not found\n", "text/plain; charset=utf-8", "the server could not find the requested resource"),
        (500, b" boom \n", "text/plain", 'an error on the server ("boom") has prevented the request from succeeding'),
        (500, b'{"a":1}', "", 'an error on the server ("{\\"a\\":1}") has prevented the request from succeeding'),
        (502, b"{", "application/json", 'an error on the server ("unknown") has prevented the request from succeeding'),
        (500, b"x" * 3000, "", f'an error on the server ("{"x" * 2048}") has prevented the request from succeeding'),
        (403, b"not you", "text/plain", "not you"),
        (415, b"not this", "application/json", "unknown"),
        (406, b"", "text/plain", "the server was unable to respond with a content type that the client supports"),
        (406, b"only xml", "text/plain", "only xml"),
        (302, b"", "text/plain", "the server responded with the status code 302 but did not return more information"),
        (500, STATUS, "application/json", "sorry"),
        (500, STATUS.replace(b"Failure", b"Success"), "text/plain", None),
        (500, STATUS.replace(b'"sorry"', b"1"), "text/plain", None),
        (500, STATUS.replace(b'"v1"', b"1"), "text/plain", None),
        (500, STATUS.replace(b'"v1"', b'"a/"'), "text/plain", None),
        (500, STATUS.replace(b'"sorry"', b"1e999"), "text/plain", None),
        (400, STATUS.replace(b',"message":"sorry"', b""), "application/json", ""),
    ],
)
def test_failed_responses_have_the_clients_words(code: int, body: bytes, content_type: str, words: str | None) -> None:
    message = problem(WebhookReply(code, body, content_type)).removeprefix(f"{FOR} failed: ")
    assert message == words if words is not None else message.startswith("an error on the server (")


def test_an_object_without_kind_is_quoted_as_sent() -> None:
    text = '{"b" : [ ], "a": {"kind": 1.50}}'
    sent = f'{REVIEW} , "response":{{ "convertedObjects":[], "result":{{"status":"Success"}},'
    sent += f'"convertedObjects" : [ {text} , {{}}, 1 ] , "uid":"uid-1","convertedObjects":[ {text} ] }} }}'
    assert problem(sent) == f"Object 'Kind' is missing in '{text}'"
    yaml = b"""
apiVersion: apiextensions.k8s.io/v1
kind: ConversionReview
response: {uid: uid-1, result: {status: Success}, convertedObjects: [{b: [], a: <}]}
"""
    assert problem(yaml) == 'Object \'Kind\' is missing in \'{"a":"\\u003c","b":[]}\''

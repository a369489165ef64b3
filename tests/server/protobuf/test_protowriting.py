"""Protobuf responses without a recording, and objects that cannot be encoded."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.api import Api
from pytest_crd.server.protobuf import protoreading, protowriting
from pytest_crd.server.protobuf.protofields import ProtobufError

MAPS = "/api/v1/namespaces/default/configmaps"
PROTOBUF = "application/vnd.kubernetes.protobuf"


def _map(name: str, data: Any) -> Any:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def _put(server: Api, name: str) -> None:
    """Store an object that no request can store."""
    result = server.catalog.find_type("", "v1", "configmaps")
    assert result is not None
    server.store.put(result.key("default", name), _map(name, {"a": 1}))


def _status(body: bytes) -> Any:
    return protoreading.read(protoreading.envelope(body).raw, "v1", "Status")


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("ConfigMap", {"data": {"a": 1}}, "data[a] is not a text"),
        ("ConfigMap", {"data": ["a"]}, "data is not an object"),
        ("ConfigMap", {"binaryData": {"a": "?"}}, "binaryData[a] is not base64"),
        ("ConfigMap", {"immutable": "yes"}, "immutable is not true or false"),
        ("ConfigMap", {"metadata": "a"}, "metadata is not an object"),
        ("ConfigMap", {"metadata": {"finalizers": "a"}}, "metadata.finalizers is not a list"),
        ("ConfigMap", {"metadata": {"finalizers": ["a", 1]}}, "metadata.finalizers[1] is not a text"),
        ("ConfigMap", {"metadata": {"creationTimestamp": "noon"}}, "metadata.creationTimestamp is not a time"),
        ("ConfigMap", {"metadata": {"creationTimestamp": 5}}, "metadata.creationTimestamp is not a time"),
        ("ConfigMap", {"metadata": {"creationTimestamp": "2024-01-02T03:04:05"}}, "metadata.creationTimestamp is not a time"),
        ("ConfigMap", {"metadata": {"generation": True}}, "metadata.generation is not a whole number of 64 bits"),
        ("ConfigMap", {"metadata": {"generation": 1 << 63}}, "metadata.generation is not a whole number of 64 bits"),
        ("ConfigMap", {"metadata": {"generation": -(1 << 63) - 1}}, "metadata.generation is not a whole number of 64 bits"),
        ("Event", {"count": 1 << 31}, "count is not a whole number of 32 bits"),
        ("Event", {"count": 1.5}, "count is not a whole number of 32 bits"),
        ("Service", {"spec": {"ports": [{"targetPort": 1.5}]}}, "spec.ports[0].targetPort is not a whole number of 32 bits"),
        ("Pod", {"spec": {"overhead": {"cpu": []}}}, "spec.overhead[cpu] is not a quantity"),
        ("Pod", {"spec": {"overhead": {"cpu": "much"}}}, "spec.overhead[cpu] is not a quantity"),
    ],
)  # fmt: skip
def test_mistyped_values_cannot_be_encoded(kind: str, value: Any, words: str) -> None:
    with pytest.raises(ProtobufError) as caught:
        protowriting.write({"apiVersion": "v1", "kind": kind, **value})
    assert str(caught.value) == words


def test_unknown_kinds_cannot_be_encoded() -> None:
    with pytest.raises(ProtobufError, match=r"^how Spoon of v1 is written in protobuf is not known$"):
        protowriting.write({"apiVersion": "v1", "kind": "Spoon"})


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (
            "/apis/coordination.k8s.io",
            (
                b"k8s\x00\n\x0e\n\x02v1\x12\x08APIGroup\x12Q\n\x13coordination.k8s.io\x12\x1c\n\x16coordination.k8s.io/v1\x12\x02v1"
                b'\x1a\x1c\n\x16coordination.k8s.io/v1\x12\x02v1\x1a\x00"\x00'
            ),
        ),
        (
            f"{MAPS}/none",
            (
                b'k8s\x00\n\x0c\n\x02v1\x12\x06Status\x12U\n\x06\n\x00\x12\x00\x1a\x00\x12\x07Failure\x1a\x1bconfigmaps "none" not found'
                b'"\x08NotFound*\x18\n\x04none\x12\x00\x1a\nconfigmaps(\x002\x000\x94\x03\x1a\x00"\x00'
            ),
        ),
        ("/api", b'k8s\x00\n\x0f\n\x00\x12\x0bAPIVersions\x12\x1c\n\x02v1\x12\x16\n\t0.0.0.0/0\x12\t127.0.0.1\x1a\x00"\x00'),
    ],
)  # fmt: skip
def test_responses_have_the_bytes_of_a_server(path: str, written: bytes) -> None:
    """All bytes equal except for the address; replayed conversations compare decoded responses only."""
    assert servers.ask(servers.api(), "GET", path, accept=PROTOBUF).body == written


def test_events_have_the_bytes_of_a_server() -> None:
    message = {"resourceVersion": "5808", "annotations": {"k8s.io/initial-events-end": "true"}}
    value = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": message}
    assert protowriting.event("BOOKMARK", protowriting.write(value)) == (
        b'\x00\x00\x00b\n\x08BOOKMARK\x12V\nTk8s\x00\n\x0f\n\x02v1\x12\tConfigMap\x129\n7\n\x00\x12\x00\x1a\x00"\x00*\x002\x0458088\x00B\x00'
        b'b!\n\x19k8s.io/initial-events-end\x12\x04true\x1a\x00"\x00'
    )


def test_an_error_in_no_accepted_form_is_indented_json() -> None:
    answer = servers.ask(servers.api(), "GET", MAPS, accept="text/html")
    assert (answer.code, answer.body[:4]) == (406, b"{\n  ")


def test_an_object_that_cannot_be_encoded_affects_only_itself() -> None:
    server = servers.api()
    _put(server, "a")
    servers.ask(server, "POST", MAPS, _map("b", {"a": "1"}))
    answer = servers.ask(server, "GET", f"{MAPS}/a", accept=PROTOBUF)

    assert (answer.code, answer.media_type) == (500, PROTOBUF)
    assert _status(answer.body)["message"] == (
        "Internal error occurred: the object cannot be written in protobuf: data[a] is not a text"
    )
    assert servers.ask(server, "GET", MAPS, accept=PROTOBUF).code == 500
    assert servers.ask(server, "GET", f"{MAPS}/b", accept=PROTOBUF).code == 200
    assert servers.ask(server, "GET", f"{MAPS}/a").code == 200


def test_a_watch_reports_an_object_that_cannot_be_encoded() -> None:
    server = servers.api()
    stream = servers.watch(server, f"{MAPS}?watch=1", accept=PROTOBUF)
    _put(server, "a")
    (event,) = stream.watch.take()

    line = stream.line(event)
    assert b"ERROR" in line
    assert b"data[a] is not a text" in line


def test_aggregated_discovery_has_a_protobuf_form() -> None:
    accept = f"{PROTOBUF};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    answer = servers.ask(servers.api(), "GET", "/apis", accept=f"text/html,{accept},application/json")

    assert answer.media_type == accept
    result = protoreading.envelope(answer.body)
    assert (
        protoreading.read(result.raw, result.api_version, result.kind)["items"][0]["metadata"]["name"]
        == "apiregistration.k8s.io"
    )


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ({"matchExpressions": [{"key": "b", "operator": "In", "values": ["2", "1"]}], "matchLabels": {"c": "d"}}, "b in (1,2),c=d"),
        ({"matchExpressions": [{"key": "b", "operator": "NotIn", "values": ["2"]}]}, "b notin (2)"),
        ({"matchExpressions": [{"key": key, "operator": op} for key, op in (("b", "Exists"), ("e", "DoesNotExist"))]}, "b,!e"),
    ],
)  # fmt: skip
def test_the_scale_of_a_deployment_has_its_selector(selector: Any, text: str) -> None:
    server = servers.api()
    path = "/apis/apps/v1/namespaces/default/deployments"
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"replicas": 1}}
    template = {"metadata": {"labels": {"b": "1", "c": "d"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}
    servers.ask(server, "POST", path, {**body, "spec": {"selector": selector, "template": template}})

    for answer in (
        servers.ask(server, "GET", f"{path}/a/scale"),
        servers.ask(
            server, "PATCH", f"{path}/a/scale", {"spec": {"replicas": 2}}, mediaType="application/merge-patch+json"
        ),
    ):
        assert answer.value["status"].get("selector") == text

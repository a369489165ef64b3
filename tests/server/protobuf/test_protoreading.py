"""Built-in kinds in protobuf requests, with the errors of a 1.37 server."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.http.httpmessages import HTTPAnswer
from pytest_crd.server.protobuf import protofields, protoreading
from pytest_crd.server.protobuf.protofields import ProtobufError

MAPS = "/api/v1/namespaces/default/configmaps"
PROTOBUF = "application/vnd.kubernetes.protobuf"


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + _varint(number >> 7)


def _part(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _sent(raw: bytes, kind: str = "ConfigMap", api_version: str = "v1") -> bytes:
    type_meta = _part(1, api_version.encode()) + _part(2, kind.encode())
    return protofields.PREFIX + _part(1, type_meta) + _part(2, raw) + _part(3, b"") + _part(4, b"")


def _map(name: str, **data: bytes) -> bytes:
    entries = (_part(2, _part(1, key.encode()) + _part(2, value)) for key, value in data.items())
    return _part(1, _part(1, name.encode())) + b"".join(entries)


def _posted(body: bytes, path: str = MAPS, method: str = "POST", **headers: str) -> HTTPAnswer:
    server = servers.api()
    if method != "POST":
        servers.ask(server, "POST", MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "menu"}})
    return _send(server, method, path, body, **headers)


def _send(server: Any, method: str, path: str, body: bytes, **headers: str) -> HTTPAnswer:
    from pytest_crd.server.http.httpmessages import HTTPRequest

    answer = server.answer(HTTPRequest(method, path, {"content-type": PROTOBUF, **headers}, body))
    assert isinstance(answer, HTTPAnswer)
    return answer


def test_an_object_is_created_from_protobuf() -> None:
    answer = _posted(_sent(_map("menu", monday=b"soup", tuesday=b"\xff")))

    assert answer.code == 201
    assert answer.value["data"] == {"monday": "soup", "tuesday": "\ufffd"}
    assert answer.value["kind"] == "ConfigMap"


def test_the_type_defaults_to_the_url() -> None:
    assert _posted(_sent(_map("menu"), "", "")).code == 201


def test_unknown_protobuf_fields_are_ignored() -> None:
    group = _varint(7 << 3 | 3) + _varint(1 << 3) + b"\x05" + _varint(7 << 3 | 4)
    fixed = _varint(98 << 3 | 1) + bytes(8) + _varint(97 << 3 | 5) + bytes(4)
    answer = _posted(_sent(_map("menu", monday=b"soup") + _part(99, b"x") + group + fixed))

    assert (answer.code, answer.value["data"], answer.dropped) == (201, {"monday": "soup"}, ())


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "the object provided is unrecognized (must be of type ConfigMap): empty data (<empty>)"),
        (b"k8s\x00", "the object provided is unrecognized (must be of type ConfigMap): empty body (6b387300)"),
        (
            b"k8s",
            (
                "the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, "
                "expected prefix [107 56 115 0] (6b3873)"
            ),
        ),
        (
            b'{"metadata":{"name":"x"}}',
            (
                "the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, "
                'expected prefix [107 56 115 0] ({"metadata":{"name":"x"}})'
            ),
        ),
        (
            _sent(_map("menu", monday=b"soup"))[:-12],
            (
                "the object provided is unrecognized (must be of type ConfigMap): unexpected EOF "
                "(6b3873000a0f0a0276311209436f6e6669674d617012180a060a046d656e ...)"
            ),
        ),
        (
            _sent(_map("menu"), "Nope"),
            (
                'Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "v1" in scheme '
                '"pkg/runtime/scheme.go:111"'
            ),
        ),
        (
            _sent(_map("menu"), "ConfigMap", "x/v1"),
            (
                'ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "x/v1" in scheme '
                '"pkg/runtime/scheme.go:111"'
            ),
        ),
        (
            _sent(_map("menu"), "Secret"),
            'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
        ),
        (
            _sent(b"", "ConfigMapList"),
            'ConfigMapList in version "v1" cannot be handled as a ConfigMap: converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion',
        ),
    ],
)
def test_bodies_of_another_kind_are_refused(body: bytes, words: str) -> None:
    answer = _posted(body)
    assert (answer.code, answer.value["message"]) == (400, words)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (_map("menu", monday=b"soup")[:-3], "unexpected EOF"),
        (bytes([1 << 3, 5]), "proto: wrong wireType = 0 for field ObjectMeta"),
        (bytes([0, 5]), "proto: ConfigMap: illegal tag 0 (wire type 0)"),
        (bytes([9 << 3 | 7, 5]), "proto: illegal wireType 7"),
        (bytes([9 << 3 | 4]), "proto: ConfigMap: wiretype end group for non-group"),
        (bytes([1 << 3 | 2]) + b"\xff" * 11, "proto: integer overflow"),
        (bytes([1 << 3 | 2]) + b"\xff" * 9 + b"\x01", "proto: negative length found during unmarshaling"),
        (_part(1, bytes([1 << 3, 1])), "proto: wrong wireType = 0 for field Name"),
        (_part(1, bytes([1 << 3 | 2, 9, 65])), "unexpected EOF"),
        (_part(2, bytes([1 << 3 | 2, 9, 65])), "unexpected EOF"),
        (bytes([7 << 3 | 3, 8, 5]), "unexpected EOF"),
        (bytes([7 << 3 | 3, 8]), "unexpected EOF"),
        (bytes([1 << 3 | 2]) + b"\xff" * 8 + b"\x7f", "proto: negative length found during unmarshaling"),
        (_varint(((1 << 31) + 1) << 3) + b"\x01", "proto: ConfigMap: illegal tag -2147483647 (wire type 17179869192)"),
        (_part(2, bytes([3 << 3 | 4])), "proto: unexpected end of group"),
        (_part(2, bytes([3 << 3, 0x80])) + b"\x01", "unexpected EOF"),
        (_part(1, _part(8, b"\x10\x80")), "unexpected EOF"),
        (_part(1, _part(8, bytes([1 << 3 | 2, 0]))), "proto: wrong wireType = 2 for field Seconds"),
    ],
)
def test_malformed_bodies_are_refused_in_gos_words(raw: bytes, words: str) -> None:
    answer = _posted(_sent(raw))
    assert answer.value["message"] == f'ConfigMap in version "v1" cannot be handled as a ConfigMap: {words}'


def test_a_malformed_envelope_is_refused() -> None:
    words = (
        "the object provided is unrecognized (must be of type ConfigMap): proto: wrong wireType = 0 for field TypeMeta"
    )
    assert _posted(b"k8s\x00\x08\x01").value["message"].startswith(words)


def test_deeply_nested_groups_are_ignored() -> None:
    deep = 5000
    assert _posted(_sent(_map("menu") + b"\x3b" * deep + b"\x3c" * deep)).code == 201


def test_repeated_messages_are_merged() -> None:
    answer = _posted(_sent(_map("menu") + _part(1, _part(11, _part(1, b"for") + _part(2, b"monday")))))
    assert (answer.value["metadata"]["name"], answer.value["metadata"]["labels"]) == ("menu", {"for": "monday"})


def test_map_entries_are_decoded_as_bytes_whatever_their_wire_type() -> None:
    """Go ignores the wire types of key and value, and reads beyond the end of the entry."""
    entry = bytes([1 << 3, 1]) + b"a" + bytes([3 << 3, 7]) + bytes([2 << 3 | 5, 2]) + b"x"
    result = protoreading.read(_part(2, entry) + bytes([4 << 3, 1]), "v1", "ConfigMap")
    assert result == {"metadata": {}, "data": {"a": "x "}, "immutable": True}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (253402300800, "10000-01-01T00:00:00Z"),
        (-62167219201, "-0001-12-31T23:59:59Z"),
        (-62135596800, None),
    ],
)
def test_times_have_gos_format(seconds: int, text: str | None) -> None:
    time = _part(9, _varint(1 << 3) + _varint(seconds % (1 << 64)))
    assert protoreading.read(_part(1, time), "v1", "ConfigMap")["metadata"]["deletionTimestamp"] == text


def test_parts_of_seconds_may_be_negative() -> None:
    nanos = _varint(2 << 3) + _varint((1 << 64) - 1500)
    lease = protoreading.read(_part(2, _part(4, nanos)), "coordination.k8s.io/v1", "Lease")
    assert lease["spec"]["renewTime"] == "1969-12-31T23:59:59.999999Z"
    assert protoreading.read(_part(2, _part(4, b"")), "coordination.k8s.io/v1", "Lease")["spec"] == {"renewTime": None}


def test_managers_with_malformed_fields_are_dropped() -> None:
    entry = _part(1, b"x") + _part(2, b"Update") + _part(3, b"v1") + _part(6, b"FieldsV1") + _part(7, _part(1, b"{"))
    answer = _posted(_sent(_part(1, _part(1, b"menu") + _part(17, entry))))
    assert (answer.code, "managedFields" in answer.value["metadata"]) == (201, False)


def test_a_port_is_a_number_or_a_name() -> None:
    number, name = _varint(2 << 3) + _varint(80), _varint(1 << 3) + _varint(1) + _part(3, b"web")
    ports = b"".join(_part(1, _part(4, port)) for port in (number, name))
    result = protoreading.read(_part(2, ports), "v1", "Service")["spec"]["ports"]
    assert [port["targetPort"] for port in result] == [80, "web"]


def test_an_invalid_int_or_string_is_refused() -> None:
    port = _part(4, _varint(1 << 3) + _varint(2))
    with pytest.raises(ProtobufError, match=r"^impossible IntOrString\.Type$"):
        protoreading.read(_part(2, _part(1, port)), "v1", "Service")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1kk", "unable to parse quantity's suffix"),
        ("", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ],
)
def test_malformed_quantities_are_refused(text: str, words: str) -> None:
    claim = _part(2, _part(2, _part(2, _part(1, b"storage") + _part(2, _part(1, text.encode())))))
    with pytest.raises(ProtobufError) as caught:
        protoreading.read(claim, "v1", "PersistentVolumeClaim")
    assert str(caught.value) == words


def test_packed_numbers_are_decoded() -> None:
    groups = _part(4, _varint(7) + _varint((1 << 64) - 3))  # supplementalGroups of a PodSecurityContext
    pod = protoreading.read(_part(2, _part(14, groups)), "v1", "Pod")
    assert pod["spec"]["securityContext"] == {"supplementalGroups": [7, -3]}


def test_invalid_utf8_in_json_is_replaced() -> None:
    body = b'{"metadata":{"name":"menu"},"data":{"monday":"\xff"}}'
    answer = _posted(body, **{"content-type": "application/json"})
    assert (answer.code, answer.value["data"]) == (201, {"monday": "\ufffd"})


def test_updates_and_scales_are_read_from_protobuf() -> None:
    server = servers.api()
    _send(server, "POST", MAPS, _sent(_map("menu", monday=b"soup")))
    assert _send(server, "PUT", f"{MAPS}/menu", _sent(_map("menu", monday=b"fish"))).value["data"] == {"monday": "fish"}
    cooks = "/apis/apps/v1/namespaces/default/deployments"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    servers.ask(server, "POST", cooks, {"metadata": {"name": "cooks"}, "spec": spec})
    scale = _part(1, _part(1, b"cooks")) + _part(2, _varint(1 << 3) + _varint(3))
    answer = _send(server, "PUT", f"{cooks}/cooks/scale", _sent(scale, "Scale", "autoscaling/v1"))
    assert (answer.code, answer.value["spec"]) == (200, {"replicas": 3})


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (_sent(_part(4, b"Background"), "DeleteOptions", "meta.k8s.io/v1"), 200, ""),
        (_sent(_part(4, b"Sideways"), "", ""), 422, 'Unsupported value: "Sideways"'),
        (_sent(_part(4, b"Sideways"), "DeleteOptions"), 422, 'Unsupported value: "Sideways"'),
        (_sent(b"\x07", "DeleteOptions"), 400, "proto: DeleteOptions: illegal tag 0 (wire type 7)"),
        (_sent(b""), 400, 'no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'),
    ],
)
def test_delete_options_are_read_from_protobuf(body: bytes, code: int, words: str) -> None:
    answer = _posted(body, f"{MAPS}/menu", "DELETE")
    assert answer.code == code
    assert words in answer.value.get("message", "")


@pytest.mark.parametrize(("path", "media_type"), [(MAPS, "application/cbor"), (servers.JOBS, PROTOBUF)])
def test_other_forms_and_kinds_are_not_read(path: str, media_type: str) -> None:
    answer = _posted(b"k8s\x00", path, **{"content-type": media_type})
    assert answer.code == 415

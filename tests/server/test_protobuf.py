"""Protobuf of built-in kinds in requests, and what cannot be read, which is refused in the words of a 1.37 server."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server import protobuf
from pytest_crd.server.messages import HTTPAnswer

MAPS = "/api/v1/namespaces/default/configmaps"
PROTOBUF = "application/vnd.kubernetes.protobuf"


def _varint(number: int) -> bytes:
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + _varint(number >> 7)


def _part(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _sent(raw: bytes, kind: str = "ConfigMap", api_version: str = "v1") -> bytes:
    type_meta = _part(1, api_version.encode()) + _part(2, kind.encode())
    return protobuf.PREFIX + _part(1, type_meta) + _part(2, raw) + _part(3, b"") + _part(4, b"")


def _map(name: str, **data: bytes) -> bytes:
    entries = (_part(2, _part(1, key.encode()) + _part(2, value)) for key, value in data.items())
    return _part(1, _part(1, name.encode())) + b"".join(entries)


def _posted(body: bytes, path: str = MAPS, method: str = "POST", **headers: str) -> HTTPAnswer:
    server = servers.api()
    if method != "POST":
        servers.ask(server, "POST", MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "menu"}})
    return _asked(server, method, path, body, **headers)


def _asked(server: Any, method: str, path: str, body: bytes, **headers: str) -> HTTPAnswer:
    from pytest_crd.server.messages import HTTPRequest

    answer = server.answer(HTTPRequest(method, path, {"content-type": PROTOBUF, **headers}, body))
    assert isinstance(answer, HTTPAnswer)
    return answer


def test_an_object_is_created_of_it() -> None:
    answer = _posted(_sent(_map("menu", monday=b"soup", tuesday=b"\xff")))

    assert answer.code == 201
    assert answer.value["data"] == {"monday": "soup", "tuesday": "\ufffd"}
    assert answer.value["kind"] == "ConfigMap"


def test_what_says_nothing_of_its_type_is_of_the_urls() -> None:
    assert _posted(_sent(_map("menu"), "", "")).code == 201


def test_fields_that_nobody_knows_are_passed_over() -> None:
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
    ],
)
def test_what_is_no_object_of_the_url_is_refused(body: bytes, words: str) -> None:
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
    ],
)
def test_what_cannot_be_read_is_refused_in_gos_words(raw: bytes, words: str) -> None:
    answer = _posted(_sent(raw))
    assert answer.value["message"] == f'ConfigMap in version "v1" cannot be handled as a ConfigMap: {words}'


def test_numbers_that_stand_together_are_read_one_by_one() -> None:
    groups = _part(4, _varint(7) + _varint((1 << 64) - 3))  # supplementalGroups of a PodSecurityContext
    pod = protobuf.read(_part(2, _part(14, groups)), "v1", "Pod")
    assert pod["spec"]["securityContext"] == {"supplementalGroups": [7, -3]}


def test_an_update_and_a_scale_are_read_of_it() -> None:
    server = servers.api()
    _asked(server, "POST", MAPS, _sent(_map("menu", monday=b"soup")))
    assert _asked(server, "PUT", f"{MAPS}/menu", _sent(_map("menu", monday=b"fish"))).value["data"] == {
        "monday": "fish"
    }
    cooks = "/apis/apps/v1/namespaces/default/deployments"
    servers.ask(server, "POST", cooks, {"metadata": {"name": "cooks"}, "spec": {"replicas": 1}})
    scale = _part(1, _part(1, b"cooks")) + _part(2, _varint(1 << 3) + _varint(3))
    answer = _asked(server, "PUT", f"{cooks}/cooks/scale", _sent(scale, "Scale", "autoscaling/v1"))
    assert (answer.code, answer.value["spec"]) == (200, {"replicas": 3})


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (_sent(_part(4, b"Background"), "DeleteOptions", "meta.k8s.io/v1"), 200, ""),
        (_sent(_part(4, b"Sideways"), "DeleteOptions"), 422, 'Unsupported value: "Sideways"'),
        (_sent(b"\x07", "DeleteOptions"), 400, "proto: DeleteOptions: illegal tag 0 (wire type 7)"),
        (_sent(b""), 400, 'no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'),
    ],
)
def test_options_of_a_deletion_are_read_of_it(body: bytes, code: int, words: str) -> None:
    answer = _posted(body, f"{MAPS}/menu", "DELETE")
    assert answer.code == code
    assert words in answer.value.get("message", "")


@pytest.mark.parametrize(
    ("path", "media_type"), [(MAPS, "application/cbor"), (servers.JOBS, PROTOBUF), (servers.CRDS, PROTOBUF)]
)
def test_other_forms_and_kinds_are_not_read(path: str, media_type: str) -> None:
    answer = _posted(b"k8s\x00", path, **{"content-type": media_type})
    assert answer.code == 415

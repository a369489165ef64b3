"""Objects that etcd cannot store; the sizes were found on a kube-apiserver 1.37, byte by byte."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.registry import storage

KEY = "/registry/size.example.com/things/default/a"
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
CRD = CustomResourceDefinition.from_manifest(
    {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Thing", "plural": "things"},
            "scope": "Namespaced",
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": OPEN}},
                {"name": "v2", "served": True, "storage": False, "schema": {"openAPIV3Schema": OPEN}},
            ],
        },
    }
)
V1 = CRD.version("v1")
TOO_LARGE = (500, "etcdserver: request is too large")


def _of_size(size: int) -> dict[str, Any]:
    return {"t": "x" * (size - len('{"t":""}'))}


@pytest.mark.parametrize(
    ("size", "old_revision", "message"),
    [
        pytest.param(1_572_737, None, None, id="the largest that is created"),
        pytest.param(1_572_738, None, TOO_LARGE[1], id="a byte more"),
        pytest.param(1_572_687, 300, None, id="the largest that replaces another"),
        pytest.param(1_572_688, 300, TOO_LARGE[1], id="a byte more of an update"),
        pytest.param(2_097_043, None, TOO_LARGE[1], id="the largest that is sent"),
        pytest.param(
            2_097_044,
            None,
            "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2097153 vs. 2097152)",
            id="a byte more of a message",
        ),
    ],
)
def test_limits_are_exact(size: int, old_revision: int | None, message: str | None) -> None:
    refused = storage.refuse_size(storage.json_size(_of_size(size)), KEY, old_revision=old_revision)

    assert (None if refused is None else refused.message) == message


def test_small_objects_are_never_measured() -> None:
    assert not storage.may_exceed(_of_size(200_000), None)
    assert storage.may_exceed({"t": "\0" * 300_000})


def test_objects_with_few_fields_are_not_measured_below_a_third_of_the_limit() -> None:
    assert not storage.may_exceed({"spec": {f"k{index}": "a text" * 100 for index in range(800)}}, None)


LISTS = {
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    "map": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
        "items": {
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"type": "string"}, "b": {"type": "number"}},
        },
    },
}


@pytest.mark.parametrize("text", ["a", "<&>", '"\\\\', "\0\x1f", "é\u2028😀"])
def test_no_object_is_larger_than_its_bound(text: str) -> None:
    manifest = copy.deepcopy(dict(CRD.manifest))
    for version in manifest["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"] = {"type": "object", "properties": LISTS}
    names = [f"{index}{text}" for index in range(60)]
    sent = {
        "metadata": {"name": "a"},
        "set": names,
        "map": [{"a": name, "b": 1e20} for name in names],
    }

    answer = CustomResourceDefinition.from_manifest(manifest).version("v1").apply(sent, manager="m")

    assert answer.whole is not None, answer.message
    stored = answer.whole.value
    assert "fieldsV1" in str(stored["metadata"]["managedFields"])
    assert storage._most_bytes(sent) + storage._ADDED >= storage.json_size(stored)
    assert storage._most_bytes(sent) >= 0.9 * storage.json_size(stored)


def test_every_write_above_the_limit_is_refused() -> None:
    large = {"metadata": {"name": "a"}, "spec": _of_size(1_700_000)}
    old = V1.create({"metadata": {"name": "a"}, "spec": _of_size(1_000_000)})
    grown = {"spec": {"u": "x" * 900_000}}
    answers = [
        V1.create(large),
        V1.update(large, old=old.stored),
        V1.patch(grown, old=old),
        V1.apply({"metadata": {"name": "a"}, **grown}, old=old, manager="m"),
        CRD.version("v2").create(large),
    ]

    assert old.accepted
    assert [(answer.code, answer.message) for answer in answers] == [TOO_LARGE] * 5


def test_a_large_object_can_stay_unchanged() -> None:
    old = V1.create({"metadata": {"name": "a"}, "spec": _of_size(1_000_000)})

    assert V1.patch({"metadata": {"labels": {"a": "b"}}}, old=old).accepted
    assert V1.patch({}, old=old).accepted


def test_an_object_that_fits_without_managed_fields_is_stored_without_them() -> None:
    """As kube-apiserver 1.37 does, unless the object is applied."""
    many = {f"f{number:04}": 1 for number in range(5000)}
    large = {"metadata": {"name": "a"}, "spec": {**many, "t": "x" * 1_500_000}}
    old = V1.create({"metadata": {"name": "a"}, "spec": many})
    assert old.whole is not None
    answers = [V1.create(large), V1.update(large, old=old.whole.value), V1.patch({"spec": large["spec"]}, old=old)]

    assert old.managers
    assert [(answer.code, dict(answer.managers)) for answer in answers] == [(201, {}), (200, {}), (200, {})]
    assert [V1.apply(large, old=before, manager="m").code for before in (None, old)] == [500, 500]


def test_a_large_crd_is_refused() -> None:
    described = {**OPEN, "description": "x" * 1_700_000}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": described}}
    manifest = {**CRD.manifest, "spec": {**CRD.manifest["spec"], "versions": [version]}}

    answer = CustomResourceDefinition.from_manifest(manifest).response

    assert (answer.code, answer.message) == TOO_LARGE

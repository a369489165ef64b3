"""Changes to decoded objects of built-in kinds."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.server.builtin import builtinconversions


@pytest.mark.parametrize(
    ("plural", "value", "created"),
    [
        ("secrets", {"type": "Opaque"}, {"type": "Opaque"}),
        ("secrets", {"data": {"a": None, "b": "Yg=="}}, {"data": {"a": "", "b": "Yg=="}}),
        ("secrets", {"data": {"a": "YQ=="}, "stringData": {"a": "x"}}, {"data": {"a": "eA=="}}),
        ("configmaps", {"data": {"a": "b"}}, {"data": {"a": "b"}}),
        ("configmaps", {"binaryData": {"a": None}}, {"binaryData": {"a": ""}}),
        ("namespaces", {"metadata": {"generateName": "a-"}}, {"metadata": {"generateName": "a-"}}),
        (
            "namespaces",
            {"metadata": {"name": "a", "labels": {"b": "c"}}},
            {"metadata": {"name": "a", "labels": {"b": "c", "kubernetes.io/metadata.name": "a"}}},
        ),
        ("statefulsets", {"spec": {"replicas": 1}}, {"spec": {"replicas": 1}}),
        (
            "statefulsets",
            {"spec": {"volumeClaimTemplates": [{"kind": "Foo", "spec": {}}]}},
            {"spec": {"volumeClaimTemplates": [{"kind": "PersistentVolumeClaim", "apiVersion": "v1", "spec": {}}]}},
        ),
        ("leases", {"spec": {}}, {"spec": {}}),
    ],
)
def test_decoded_objects_are_converted(plural: str, value: Any, created: Any) -> None:
    assert builtinconversions.converted(plural, value) == created

"""What is made of objects of built-in kinds when they are decoded."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.server.builtin import builtinconversions


@pytest.mark.parametrize(
    ("plural", "value", "made"),
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
def test_an_object_is_made_what_a_server_looks_at(plural: str, value: Any, made: Any) -> None:
    assert builtinconversions.converted(plural, value) == made

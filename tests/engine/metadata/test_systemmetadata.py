"""Metadata that only the server sets, in every module that reads or writes metadata."""

from __future__ import annotations

from typing import Any

from support import crds

from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.metadata import metav1types, systemmetadata
from pytest_crd.engine.metadata.systemmetadata import SERVER_MADE

V1 = CustomResourceDefinition.from_manifest(crds.manifest({"type": "object"})).version("v1")


def test_the_types_of_the_fields_are_those_of_object_meta() -> None:
    assert {name: metav1types.OBJECT_META.fields[name] for name in systemmetadata.TYPES} == systemmetadata.TYPES
    assert set(metav1types.OBJECT_META.fields) >= SERVER_MADE


def test_values_of_clients_are_replaced() -> None:
    sent = {"uid": "mine", "generation": 7, "creationTimestamp": "2024-01-01T00:00:00Z", "selfLink": "/a"}

    created: Any = V1.create({"metadata": {"name": "a", **sent}}).whole

    assert created.value["metadata"] == {
        **systemmetadata.of_created(uid="00000000-0000-0000-0000-000000000000", now="2000-01-01T00:00:00Z"),
        "name": "a",
        "namespace": "default",
    }


def test_an_update_keeps_the_values_and_counts_generations_of_changes() -> None:
    old = {"uid": "a", "generation": 2, "creationTimestamp": "2024-01-01T00:00:00Z", "resourceVersion": "7"}

    kept = systemmetadata.of_updated(old, generates=False)

    assert kept == {key: value for key, value in old.items() if key != "resourceVersion"}
    assert systemmetadata.of_updated(old, generates=True) == {**kept, "generation": 3}
    assert systemmetadata.of_updated({"uid": "a"}, generates=True) == {"uid": "a"}


def test_no_manager_owns_the_fields() -> None:
    response = V1.apply({"metadata": {"name": "a", "labels": {"x": "y"}, "generation": 1}}, manager="m")

    assert response.managers == {"m": ("metadata.labels.x",)}

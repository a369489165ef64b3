"""Requests for CRDs: when they are refused as a whole."""

from __future__ import annotations

from typing import Any

from pytest_crd import engine


def _crd(name: str = "foos", kubernetes: str = "1.37", **changes: Any) -> engine.CustomResourceDefinition:
    names = {"kind": "Foo", "plural": "foos"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{name}.example.com"},
        "spec": {"group": "example.com", "names": names, "scope": "Cluster", "versions": [version]},
    }
    return engine.CustomResourceDefinition.from_manifest(manifest | changes, kubernetes_version=kubernetes)


V1BETA1 = {"apiVersion": "apiextensions.k8s.io/v1beta1"}


def test_a_v1beta1_crd_needs_a_version_that_serves_v1beta1() -> None:
    old, new = _crd(**V1BETA1), _crd(**V1BETA1)
    for answer in (new.response, new.update_from(old)):
        assert (answer.code, answer.message) == (404, "the server could not find the requested resource")
    served = _crd(kubernetes="1.21", **V1BETA1).response
    assert [error.field for error in served.errors] == ["spec.versions"]  # the one schema belongs above the versions


def test_a_crd_cannot_replace_a_crd_with_another_name() -> None:
    answer = _crd("bars", unknown=1).update_from(_crd())
    assert answer.code == 400
    assert answer.message == (
        "the name of the object (bars.example.com) does not match the name on the URL (foos.example.com)"
    )
    assert answer.warnings == ('unknown field "unknown"',)


def test_a_crd_can_be_updated_with_itself() -> None:
    answer = _crd().update_from(_crd())
    assert (answer.code, answer.stored["spec"]["names"]["listKind"]) == (200, "FooList")

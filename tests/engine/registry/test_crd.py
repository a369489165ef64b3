"""Requests for CRDs: when they are refused as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd import engine
from pytest_crd.engine.loading.projectcrds import side_by_side

VERSION = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
NAMES = {"kind": "Foo", "plural": "foos"}
SPEC = {"group": "example.com", "names": NAMES, "scope": "Cluster", "versions": [VERSION]}


def _crd(name: str = "foos", kubernetes: str = "1.37", **changes: Any) -> engine.CustomResourceDefinition:
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{name}.example.com"},
        "spec": SPEC,
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


@pytest.mark.parametrize(
    ("patch", "problem"),
    [
        (
            {"apiVersion": None, "kind": "Foo"},
            'no kind "Foo" is registered for the internal version of group "apiextensions.k8s.io" in scheme',
        ),
        (
            {"apiVersion": "v1", "kind": None},
            'no kind "CustomResourceDefinition" is registered for version "v1" in scheme',
        ),
        (
            {"apiVersion": 1},
            "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type",
        ),
    ],
)
def test_a_patched_crd_keeps_its_type(patch: Any, problem: str) -> None:
    answer = _crd().patch(patch)

    assert answer.code == 422
    assert f'}}": {problem}' in answer.message


def test_a_patched_crd_without_a_kind_keeps_its_kind() -> None:
    assert _crd().patch({"kind": None}).code == 200


def test_unknown_fields_of_a_patched_crd_without_an_api_version_are_named_once() -> None:
    answer = _crd().patch({"apiVersion": None, "more": 1}, field_validation="Strict")

    assert answer.message.endswith(
        'strict decoding error: unknown field "metadata", unknown field "more", unknown field "spec", unknown field "status"'
    )


def test_a_patched_crd_has_the_status_of_the_stored_one() -> None:
    first, second = side_by_side([_crd(), _crd("bars", spec={**SPEC, "names": {"kind": "Foo", "plural": "bars"}})])
    accepted, conflicting = (crd.patch({}).stored["status"] for crd in (first, second))

    assert [condition["type"] for condition in accepted["conditions"]] == ["NamesAccepted", "Established"]
    assert accepted["acceptedNames"]["listKind"] == "FooList"
    assert [condition["status"] for condition in conflicting["conditions"]] == ["False", "False"]
    assert conflicting["acceptedNames"] == {"kind": "", "plural": "bars"}

"""Validation rules in requests: the errors that block them, and the notice about it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd import engine
from pytest_crd.engine.registry import resourcerules

RULE = [{"rule": "self > 1"}]
INTEGER = {"type": "integer", "x-kubernetes-validations": RULE}
SCHEMA = {
    "type": "object",
    "properties": {"a": INTEGER, "b": {"type": "string"}, "c": {"type": "integer", "maximum": 3}},
}
NOT_CHECKED = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


def _crd(schema: Any = SCHEMA, kubernetes: str = "1.37") -> engine.CustomResourceDefinition:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }
    names = {"kind": "Foo", "plural": "foos", "singular": "foo", "listKind": "FooList"}
    return engine.CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "foos.example.com"},
            "spec": {"group": "example.com", "names": names, "scope": "Cluster", "versions": [version]},
        },
        kubernetes_version=kubernetes,
    )


@pytest.mark.parametrize(
    ("kubernetes", "printed"), [pytest.param("1.37", "null", id="JSON"), pytest.param("1.32", '"null"', id="Go")]
)
def test_a_wrong_type_blocks_rules_on_create(kubernetes: str, printed: str) -> None:
    answer = _crd(kubernetes=kubernetes).version("v1").create({"b": 3})
    assert [str(error) for error in answer.errors] == [
        'b: Invalid value: "integer": b in body must be of type string: "integer"',
        f"<nil>: Invalid value: {printed}: {NOT_CHECKED}",
    ]


def test_no_other_error_is_the_notice() -> None:
    *others, notice = _crd().version("v1").create({"b": 3}).errors
    without_path = engine.FieldError(engine.ErrorType.INVALID, "<nil>", None, "another")

    assert resourcerules.is_notice(notice)
    assert not any(map(resourcerules.is_notice, (*others, without_path)))


def test_a_wrong_type_blocks_rules_on_update() -> None:
    version = _crd().version("v1")
    assert version.update({"b": 3}, old={}).errors[-1].detail == NOT_CHECKED


def test_a_crd_without_a_structural_form_is_refused_before_its_rules() -> None:
    assert not _crd({"type": "object", "properties": {"a": INTEGER, "b": {"$ref": "x"}}}).response.accepted


def test_versions_without_rules_evaluate_none() -> None:
    crd = _crd(kubernetes="1.21")
    assert crd.response.accepted
    assert crd.version("v1").create({"a": 0}).accepted


def test_rules_see_changed_managed_fields_at_the_same_time() -> None:
    status = {"type": "object", "properties": {"p": {"type": "string"}}}
    rule = {"rule": "self.metadata != oldSelf.metadata", "message": "the same metadata"}
    properties = {"a": {"type": "integer"}, "status": status}
    crd = _crd({"type": "object", "properties": properties, "x-kubernetes-validations": [rule]})
    version = crd.version("v1")
    old = version.patch({"status": {"p": "x"}}, old=version.create({"a": 1}), subresource="status")

    assert version.patch({"status": {"p": "y"}}, old=old, subresource="status").accepted
    assert "the same metadata" in version.patch({"status": {"p": "x"}}, old=old, subresource="status").message

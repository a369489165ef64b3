"""Validation rules: where they are, when the server does not get as far, and that their absence from an answer is said."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from pytest_crd import engine
from pytest_crd.engine.resources import rules
from pytest_crd.engine.schema import structural

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


def test_rules_are_found_wherever_they_hold() -> None:
    items = {"type": "array", "items": INTEGER}
    values = {"type": "object", "additionalProperties": INTEGER}
    schema = {
        "type": "object",
        "x-kubernetes-validations": RULE,
        "properties": {"a": INTEGER, "l": items, "m": values, "o": {"type": "object", "properties": {"a": INTEGER}}},
    }
    assert rules.places(structural.from_schema(schema)) == ("self", "a", "l[*]", "m.*", "o.a")
    assert rules.places(structural.from_schema(values)) == ("*",)
    assert rules.places(None) == ()


def test_an_answer_without_its_rules_says_so_and_warns() -> None:
    version = _crd().version("v1")
    message = (
        r"<Version v1 of foos\.example\.com>: validation rules cannot be evaluated yet, the answer leaves them out: a$"
    )
    with pytest.warns(engine.RulesNotEvaluatedWarning, match=message) as caught:
        answer = version.create({"a": 0})
    assert answer.unevaluated == ("a",)
    assert caught[0].filename == __file__
    with pytest.warns(engine.RulesNotEvaluatedWarning):
        assert version.update({"a": 0}, old={"a": 1}).unevaluated == ("a",)
    with pytest.warns(engine.RulesNotEvaluatedWarning):
        assert version.update_status({}, old={"a": 1}).unevaluated == ("a",)


def test_an_error_that_does_not_stop_the_rules_leaves_the_answer_open() -> None:
    with pytest.warns(engine.RulesNotEvaluatedWarning):
        answer = _crd().version("v1").create({"c": 4})
    assert [error.field for error in answer.errors] == ["c"]
    assert answer.unevaluated == ("a",)


@pytest.mark.parametrize(
    ("kubernetes", "printed"), [pytest.param("1.37", "null", id="JSON"), pytest.param("1.32", '"null"', id="Go")]
)
def test_a_wrong_type_keeps_the_server_from_its_rules(kubernetes: str, printed: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = _crd(kubernetes=kubernetes).version("v1").create({"b": 3})
    assert [str(error) for error in answer.errors] == [
        'b: Invalid value: "integer": b in body must be of type string: "integer"',
        f"<nil>: Invalid value: {printed}: {NOT_CHECKED}",
    ]
    assert answer.unevaluated == ()


def test_an_update_is_stopped_alike() -> None:
    version = _crd().version("v1")
    assert version.update({"b": 3}, old={}).errors[-1].detail == NOT_CHECKED


def test_a_crd_with_rules_is_not_wholly_judged() -> None:
    with pytest.warns(engine.RulesNotEvaluatedWarning, match="the answer leaves them out: v1: a$"):
        assert _crd().response.unevaluated == ("v1: a",)
    with pytest.warns(engine.RulesNotEvaluatedWarning):
        assert _crd().update_from(_crd()).unevaluated == ("v1: a",)


def test_a_crd_that_has_no_structural_form_is_refused_before_its_rules() -> None:
    assert not _crd({"type": "object", "properties": {"a": INTEGER, "b": {"$ref": "x"}}}).response.accepted


def test_a_server_without_rules_leaves_nothing_out() -> None:
    crd = _crd(kubernetes="1.21")
    assert crd.response.unevaluated == ()
    assert crd.version("v1").create({"a": 0}).unevaluated == ()

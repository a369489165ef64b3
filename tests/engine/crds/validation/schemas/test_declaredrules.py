"""Rules of a version, with their places, texts and estimated costs."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from pytest_crd import engine
from pytest_crd.engine import CrdVersion, CustomResourceDefinition, Rule

NUMBER = {"type": "integer"}
POSITIVE = {"rule": "self > 0"}


def _version(schema: Any, kubernetes_version: str = "1.37") -> CrdVersion:
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "tabs.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"plural": "tabs", "kind": "Tab"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    return CustomResourceDefinition.from_manifest(manifest, kubernetes_version=kubernetes_version).version("v1")


def _spec(**spec: Any) -> Any:
    return {"type": "object", "properties": {"spec": {"type": "object", **spec}}}


def _list(of: Any, **keywords: Any) -> Any:
    return {"type": "array", "items": of, **keywords}


def test_rules_are_listed_with_the_path_of_their_values() -> None:
    ruled = {**NUMBER, "x-kubernetes-validations": [POSITIVE, {"rule": "self < 9"}]}
    schema = _spec(
        properties={"items": _list(ruled, maxItems=3), "sizes": {"type": "object", "additionalProperties": ruled}}
    )
    rules = _version({**schema, "x-kubernetes-validations": [{"rule": "has(self.spec)"}]}).rules

    assert [(rule.path, rule.index, rule.rule) for rule in rules] == [
        ("", 0, "has(self.spec)"),
        ("spec.items[*]", 0, "self > 0"),
        ("spec.items[*]", 1, "self < 9"),
        ("spec.sizes[*]", 0, "self > 0"),
        ("spec.sizes[*]", 1, "self < 9"),
    ]


def test_a_rule_has_all_declared_fields() -> None:
    declared = {
        "rule": "self.a >= oldSelf.a",
        "message": "never less",
        "messageExpression": "'not less than ' + string(oldSelf.a)",
        "reason": "FieldValueForbidden",
        "fieldPath": ".a",
    }
    (rule,) = _version(_spec(properties={"a": NUMBER}, **{"x-kubernetes-validations": [declared]})).rules

    assert (rule.message, rule.message_expression) == (declared["message"], declared["messageExpression"])
    assert (rule.reason, rule.field_path, rule.is_transition) == ("FieldValueForbidden", ".a", True)


def test_a_rule_without_a_reason_has_the_server_default() -> None:
    (rule,) = _version(_spec(properties={"a": NUMBER}, **{"x-kubernetes-validations": [{"rule": "self.a > 0"}]})).rules

    steps = ("properties", "spec", "x-kubernetes-validations", 0)
    assert rule == Rule("spec", 0, "self.a > 0", cost=rule.cost, steps=steps)
    assert not rule.is_transition


@pytest.mark.parametrize(("most", "accepted"), [(5_000_000, True), (5_000_001, False)])
def test_the_cost_is_that_of_one_evaluation_times_the_maximal_number_of_values(most: int, accepted: Any) -> None:
    version = _version(
        _spec(properties={"a": _list({**NUMBER, "x-kubernetes-validations": [POSITIVE]}, maxItems=most)})
    )
    (rule,) = version.rules

    assert rule.cost == most * 2
    assert rule.budget_share == most * 2 / 10_000_000
    assert version.crd.response.accepted is accepted


def test_the_cost_of_a_message_expression_counts_once() -> None:
    text = {"type": "string", "maxLength": 100_000}
    declared = {"rule": "size(self) > 0", "messageExpression": "self + self"}
    (rule,) = _version(_spec(properties={"a": {**text, "x-kubernetes-validations": [declared]}})).rules

    assert rule.message_cost > rule.cost > 0
    assert rule.budget_share == rule.message_cost / 10_000_000


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({"rule": "self.b"}, "compilation failed: ERROR: <input>:1:5: undefined field 'b'"),
        ({"rule": "true", "messageExpression": "1"}, "messageExpression must evaluate to a string"),
        ({"rule": " "}, "rule is not specified"),
    ],
)
def test_a_rule_that_does_not_compile_has_a_problem(rule: Any, problem: str) -> None:
    (rule,) = _version(_spec(properties={"a": NUMBER}, **{"x-kubernetes-validations": [rule]})).rules

    assert rule.problem.startswith(problem)


def test_rules_of_schemas_without_a_cel_type_are_listed() -> None:
    unknown = {"x-kubernetes-preserve-unknown-fields": True}
    (rule,) = _version(_spec(properties={"a": {**unknown, "x-kubernetes-validations": [POSITIVE]}})).rules

    assert (rule.path, rule.problem) == ("spec.a", "expressions cannot speak of values of this schema")


def test_rules_of_a_schema_that_is_not_structural_are_not_compiled() -> None:
    schema = _spec(properties={"a": {}}, **{"x-kubernetes-validations": [{"rule": "true"}]})
    (rule,) = _version(schema).rules

    assert rule.problem == "the schema is not structural, so that the server compiles no rules of it"
    assert rule.cost == 0


def test_a_schema_without_rules_has_none() -> None:
    assert _version(_spec()).rules == ()
    assert _version(None).rules == ()


def test_a_kubernetes_version_without_rules_lists_none() -> None:
    assert _version(_spec(**{"x-kubernetes-validations": [{"rule": "true"}]}), "1.21").rules == ()


def test_an_unsupported_construct_is_an_error() -> None:
    with pytest.raises(engine.UnsupportedConstructError):
        _ = _version(_spec(**{"$ref": "#/a", "x-kubernetes-validations": [{"rule": "true"}]})).rules


def test_a_version_can_be_pickled_after_its_rules_were_listed() -> None:
    version = _version(_spec(**{"x-kubernetes-validations": [{"rule": "true"}]}))

    assert pickle.loads(pickle.dumps(version)).rules == version.rules  # noqa: S301 - of our own making

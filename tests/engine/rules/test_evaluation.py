"""Evaluation of rules: the limits of budgets, and unreadable values; messages are recorded from servers."""

from __future__ import annotations

from typing import Any, Final

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.rules import evaluation, tree
from pytest_crd.engine.rules.evaluation import RuleFindings, RuleSubject
from pytest_crd.engine.rules.variables import Bindings
from pytest_crd.engine.schema import structural
from pytest_crd.engine.values.ratcheting import Correlation

NEWEST: Final = profile.named("1.37")
OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"


def validate(schema: dict[str, Any], value: Any, *, old: Any = None, budget: int = evaluation.BUDGET) -> RuleFindings:
    root = tree.build_stored(structural.from_schema(schema), NEWEST, is_resource=False)
    assert root is not None
    return evaluation.validate(root, RuleSubject(value, old), NEWEST, budget=budget)


def ruled(type_: str, *rules: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    return {"type": type_, "x-kubernetes-validations": list(rules), **keywords}


def details(findings: RuleFindings) -> list[str]:
    return [error.detail for error in findings.errors]


@pytest.mark.parametrize(
    ("budget", "left", "messages"),
    [
        pytest.param(3, 1, ["failed rule: self > 2"], id="more than enough"),
        pytest.param(2, 0, ["failed rule: self > 2"], id="just enough"),
        pytest.param(1, -1, [OUT_OF_BUDGET], id="not enough"),
        pytest.param(0, -1, [OUT_OF_BUDGET], id="nothing left before the first rule"),
    ],
)
def test_a_rule_may_cost_the_whole_remaining_budget(budget: int, left: int, messages: list[str]) -> None:
    findings = validate(ruled("integer", {"rule": "self > 2"}), 1, budget=budget)

    assert findings.budget == left
    assert details(findings) == messages


def test_a_message_expression_may_not_exceed_the_remaining_budget() -> None:
    rule = {"rule": "self > 2", "messageExpression": "self > 1 ? 'a' : 'b'"}
    findings = validate(ruled("integer", rule, {"rule": "false"}), 1, budget=3)

    assert findings.budget == -1
    assert details(findings) == [
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
    ]


def test_a_field_path_is_ignored_if_the_message_expression_does_not_compile() -> None:
    rule = {"rule": "false", "fieldPath": ".a", "messageExpression": "string(int('x'))"}
    schema = ruled("object", rule, properties={"a": {"type": "string"}})

    assert [error.field for error in validate(schema, {}).errors] == ["<nil>"]


def test_a_value_of_the_wrong_type_is_an_error_only_for_rules_that_use_it() -> None:
    findings = validate(ruled("string", {"rule": "1 > 2"}, {"rule": "self == ''"}), 5)

    assert details(findings) == [
        "failed rule: 1 > 2",
        "invalid data, expected string, got int64 evaluating rule: self == ''",
    ]


def test_an_old_value_of_the_wrong_type_exists_but_cannot_be_read() -> None:
    rules = [{"rule": text, "optionalOldSelf": True} for text in ("!oldSelf.hasValue()", "oldSelf.value() == ''")]
    findings = validate(ruled("string", *rules), "a", old=5)

    assert details(findings) == [
        "failed rule: !oldSelf.hasValue()",
        "invalid data, expected string, got int64 evaluating rule: oldSelf.value() == ''",
    ]


def test_an_unbound_variable_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        Bindings()["self"]


def test_a_call_above_its_limit_reports_the_budget_if_less_remains() -> None:
    schema = ruled("array", {"rule": "self.all(x, self.all(y, x + y >= 0))"}, items={"type": "integer"})
    numbers = list(range(1000))

    [spent] = details(validate(schema, numbers, budget=1000))
    assert spent == OUT_OF_BUDGET
    assert "cost budget exceeded" not in spent
    assert details(validate(schema, numbers)) != [OUT_OF_BUDGET]


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({}, id="of nothing"),
        pytest.param({"type": "array"}, id="of a list without items"),
        pytest.param({"type": "array", "items": {}}, id="of a list of anything"),
    ],
)
def test_rules_of_schemas_without_a_cel_type_do_not_run(schema: dict[str, Any]) -> None:
    node = structural.from_schema(schema | {"x-kubernetes-validations": [{"rule": "false"}]})

    assert tree.build_stored(node, NEWEST, is_resource=False) is None


def test_a_failure_at_the_kind_of_a_resource_is_never_ratcheted() -> None:
    kind = ruled("string", {"rule": "false"})
    schema = {"type": "object", "properties": {"kind": kind, "spec": kind}}
    root = tree.build_stored(structural.from_schema(schema), NEWEST, is_resource=True)
    assert root is not None
    value = {"kind": "A", "spec": "A"}

    findings = evaluation.validate(
        root, RuleSubject(value, value, correlation=Correlation(value, value, schema)), NEWEST
    )

    assert [error.field for error in findings.errors] == ["kind"]
    assert [warning.partition(":")[0] for warning in findings.warnings] == ["spec"]

"""Expressions of admission: the type of their value, their problems, and their cost."""

from __future__ import annotations

import pytest

from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.admission.expressions.admissionexpressions import CostBudget, Declared, OutOfBudgetError
from pytest_crd.engine import profile

ENVIRONMENT = admissionexpressions.environment(profile.KNOWN[profile.DEFAULT], Declared())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("object.spec.size < 3", ""),
        ("object.spec.size", "must evaluate to bool but got dyn"),
        (
            "params.size < 3",
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')",
        ),
    ],
)
def test_an_expression_has_a_value_of_its_type_and_declared_variables(text: str, problem: str) -> None:
    assert admissionexpressions.compile(text, ENVIRONMENT).problem.partition("\n")[0] == problem


def test_a_value_costs_a_part_of_the_budget_and_a_failure_says_why() -> None:
    compiled = admissionexpressions.compile("object.size < 3", ENVIRONMENT)
    budget = CostBudget(5)

    assert admissionexpressions.evaluate(compiled, {"object": {"size": 2}}, budget).value is True
    assert 0 < budget.left < 5
    failed = admissionexpressions.evaluate(compiled, {"object": {}}, CostBudget(5))
    assert failed.problem == "expression 'object.size < 3' resulted in error: no such key: size"
    with pytest.raises(OutOfBudgetError):
        admissionexpressions.evaluate(compiled, {"object": {"size": 2}}, CostBudget(1))

"""The variables of a policy, read by expressions."""

from __future__ import annotations

import pytest
from support import patches

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.values.celvalues import MISSING
from pytest_crd.policies.composition import Composition, LazyVariables
from pytest_crd.policies.definitions import PolicyVariable
from pytest_crd.webhooks.admissionexpressions import CostBudget


def variables(**expressions: str) -> LazyVariables:
    """Return variables with expressions, for one request."""
    composition = Composition(patches.NEWEST)
    for name, expression in expressions.items():
        composition.add(PolicyVariable(name, expression))
    bound = composition.bind({}, CostBudget(1000))["variables"]
    assert isinstance(bound, LazyVariables)
    return bound


def test_variables_are_a_map_that_yields_values() -> None:
    both = variables(a="1", b="'x'")
    assert len(both) == 2
    assert [*both] == [1, "x"]


@pytest.mark.parametrize("name", ["b", "__x__"])
def test_unknown_variables_are_missing(name: str) -> None:
    assert variables(a="1").find(name) is MISSING


def test_keys_that_are_no_texts_have_no_overload() -> None:
    with pytest.raises(EvaluationError, match="no such overload"):
        variables(a="1").find(1)


def test_variables_are_equal_to_themselves_alone() -> None:
    left, right = variables(a="1"), variables(a="1")
    assert left.equal(left)
    assert not left.equal(right)
    with pytest.raises(EvaluationError, match="no such overload"):
        left.equal({"a": 1})


def test_a_variable_that_does_not_compile_fails_on_use() -> None:
    with pytest.raises(EvaluationError, match=r'composited variable "a" fails to compile: .*undeclared reference'):
        variables(a="wrong").find("a")

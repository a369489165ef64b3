"""The variables of a policy, read by expressions."""

from __future__ import annotations

import itertools

import pytest
from support import patches

from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
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


def test_a_list_that_doubles_in_each_variable_is_compared_once_and_refused_beyond_the_limit() -> None:
    """kube-apiserver 1.37 works for 5 seconds on 24 variables, and until its timeout on 28."""
    names = [f"v{index}" for index in range(40)]
    lists = {name: f"[variables.{before}, variables.{before}]" for before, name in itertools.pairwise(names)}
    doubled = variables(
        v0="[1, 2, 3, 4]", **lists, small="variables.v15 == variables.v15", large="variables.v39 == variables.v39"
    )

    assert doubled.find("small") is True
    with pytest.raises(UnsupportedExpressionError, match="visit more than"):
        doubled.find("large")

"""The variables of a policy, read by expressions."""

from __future__ import annotations

import itertools

import pytest
from support import patches

from pytest_crd.admission.expressions.admissionexpressions import CostBudget
from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.cel.values.celvalues import MISSING
from pytest_crd.policies.composition import Composition, LazyVariables
from pytest_crd.policies.definitions import PolicyVariable


def variables(**expressions: str) -> LazyVariables:
    """Return variables with expressions, for one request."""
    composition = Composition(patches.NEWEST)
    for name, expression in expressions.items():
        composition.add(PolicyVariable(name, expression))
    bound = composition.bind({}, CostBudget(10_000_000))["variables"]
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


LIST, MAP, SUM = "[V, V]", "{'a': V, 'b': V}", "[V] + [V]"


@pytest.mark.parametrize(
    ("step", "use"),
    [
        (LIST, "V in [V]"),
        (LIST, "[V, V].distinct()"),
        (LIST, "'%s'.format([V])"),
        (LIST, "dyn(V).flatten(100)"),
        (LIST, "V.includes(V)"),
        (LIST, "dyn(V).sum()"),
        (LIST, "{'a': 1}[dyn('%s'.format([V]))]"),
        (LIST, "[?dyn(V)]"),
        (MAP, "V == V"),
        (MAP, "'%s'.format([V])"),
        (MAP, "[V].includes(V)"),
        (MAP, "[?dyn(V)]"),
        (SUM, "V == V"),
        (SUM, "'%s'.format([V])"),
        ("[optional.of(V), optional.of(V)]", "V == V"),
    ],
)
def test_functions_that_read_all_parts_of_a_doubled_value_are_refused(
    monkeypatch: pytest.MonkeyPatch, step: str, use: str
) -> None:
    monkeypatch.setattr(workload, "MOST", 200_000)
    names = [f"v{index}" for index in range(40)]
    values = {name: step.replace("V", f"variables.{before}") for before, name in itertools.pairwise(names)}
    doubled = variables(v0="[1]", **values, result=use.replace("V", "variables.v39"))

    with pytest.raises(UnsupportedExpressionError, match="visit more than"):
        doubled.find("result")
    assert doubled.find("v39")


def test_comparisons_beyond_those_that_are_remembered_count_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload, "_MOST_COMPARED", 0)
    monkeypatch.setattr(workload, "MOST", 1000)

    assert variables(a="[[1], [2]] == [[1], [2]]").find("a") is True
    with pytest.raises(UnsupportedExpressionError, match="visit more than"):
        variables(a="[[[1]]] == [[[1]]] && lists.range(40).all(i, [[i, 1]] == [[i, 1]])").find("a")


def test_an_error_of_a_comparison_is_remembered() -> None:
    """The comparison of sums of lists fails if that of two elements fails."""
    sums = [f"[{each}{before}] + [{each}{before}]" for before in range(20) for each in ("variables.a", "variables.b")]
    values = {f"{'ab'[index % 2]}{index // 2 + 1}": expression for index, expression in enumerate(sums)}
    doubled = variables(
        a0="[dyn(variables)] + [dyn(variables)]",
        b0="[dyn(1)] + [dyn(1)]",
        **values,
        small="variables.a2 == variables.b2",
        large="variables.a20 == variables.b20",
    )

    with pytest.raises(EvaluationError, match="no such overload"):
        doubled.find("small")
    with pytest.raises(EvaluationError, match="no such overload"):
        doubled.find("large")

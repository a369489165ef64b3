"""Uses of the facts that a test gives to admission."""

from __future__ import annotations

from typing import Any

from pytest_crd.policies.givenuses import FactUses
from pytest_crd.policies.invocations import ConfigurationProblem
from pytest_crd.policies.policycontext import PolicyListeners


def test_listeners_hear_all_that_is_noted() -> None:
    problems: list[ConfigurationProblem] = []
    orders: list[str] = []
    uses = FactUses()
    listeners = uses.listen(PolicyListeners(observe_problem=problems.append, observe_order=orders.append))
    nothing: Any = None
    problem = ConfigurationProblem(nothing, None, "x")

    listeners.observe_problem(problem)
    listeners.observe_order("two orders")

    assert (uses.has_problem, problems, orders) == (True, [problem], ["two orders"])

"""Evaluation of the expressions of a policy, with its variables and a listener."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.admission.expressions.admissionexpressions import (
    AdmissionExpression,
    CostBudget,
    ExpressionOutcome,
    Variables,
)
from pytest_crd.admission.matching import matchconditions
from pytest_crd.policies.activation import Activation
from pytest_crd.policies.compiledpolicies import CompiledPolicy
from pytest_crd.policies.composition import VARIABLES
from pytest_crd.policies.policycontext import Evaluation, Observe


class PolicyPart(NamedTuple):
    """
    The expressions of one field of a policy.

    Attributes:
        compiled: The policy.
        name: The name of the field.
        observe: Called with each evaluated expression.
    """

    compiled: CompiledPolicy
    name: str
    observe: Observe

    def evaluate(
        self, expressions: Sequence[AdmissionExpression | None], variables: Variables, budget: CostBudget
    ) -> list[ExpressionOutcome]:
        """
        Return the outcomes of expressions, which share the evaluated variables of the policy; empty ones without an expression.

        Args:
            expressions: The expressions; None for an index without one.
            variables: The variables of admission.
            budget: Their budget.

        Raises:
            OutOfBudgetError: They cost more than the budget.
        """
        bound = self.compiled.composition.bind(variables, budget)
        return [
            ExpressionOutcome() if expression is None else self._evaluate(index, expression, bound, budget)
            for index, expression in enumerate(expressions)
        ]

    def evaluate_at(
        self, index: int, expression: AdmissionExpression, variables: Variables, budget: CostBudget
    ) -> ExpressionOutcome:
        """
        Return the outcome of one expression, with its own values of the variables of the policy.

        Args:
            index: Its index in the field.
            expression: The expression.
            variables: The variables of admission.
            budget: Its budget.

        Raises:
            OutOfBudgetError: It costs more than the budget.
        """
        return self._evaluate(index, expression, self.compiled.composition.bind(variables, budget), budget)

    def _evaluate(
        self, index: int, expression: AdmissionExpression, bound: Variables, budget: CostBudget
    ) -> ExpressionOutcome:
        outcome = admissionexpressions.evaluate(expression, bound, budget)
        evaluated = bound[VARIABLES].values
        self.observe(Evaluation(self.compiled.definition, self.name, index, expression, outcome, evaluated, bound))
        return outcome


def meets_conditions(compiled: CompiledPolicy, activation: Activation, observe: Observe) -> bool:
    """
    Return whether a request meets the match conditions of a policy.

    Args:
        compiled: The policy.
        activation: The variables.
        observe: Called with each evaluated condition.

    Raises:
        MatchConditionError: A condition fails, none is false, and the failure policy is Fail.
    """
    part = PolicyPart(compiled, "matchConditions", observe)
    return matchconditions.are_met(
        lambda budget: part.evaluate(compiled.conditions, activation.conditions, budget),
        compiled.definition.failure_policy,
    )

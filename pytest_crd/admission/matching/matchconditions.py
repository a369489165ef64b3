"""
Match conditions: CEL expressions that decide whether a webhook or a policy sees a request.

Reference:
    apiserver admission/plugin/webhook/matchconditions/matcher.go.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.admission.expressions.admissionexpressions import (
    AdmissionExpression,
    CostBudget,
    Declared,
    ExpressionOutcome,
    OutOfBudgetError,
)
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.profile import Profile

# The cost limit of all conditions of a webhook or a policy for one request.
_BUDGET: Final = 2_500_000


class MatchCondition(NamedTuple):
    """
    A match condition.

    Attributes:
        name: The name.
        expression: The expression.
    """

    name: str
    expression: str


class MatchConditionError(Exception):
    """Match conditions that cannot be evaluated, with the server's message."""


def compile_new(expression: str, profile: Profile) -> AdmissionExpression:
    """Return the compiled condition of a new webhook."""
    return admissionexpressions.compile(expression, _environment(profile, is_new=True))


@functools.lru_cache(1024)
def compile_stored(expression: str, profile: Profile) -> AdmissionExpression:
    """Return the compiled condition of a stored webhook."""
    return admissionexpressions.compile(expression, _environment(profile, is_new=False))


@functools.cache
def _environment(profile: Profile, *, is_new: bool) -> Environment:
    return admissionexpressions.environment(profile, Declared(is_new))


def are_met(evaluate: Callable[[CostBudget], Sequence[ExpressionOutcome]], failure_policy: str) -> bool:
    """
    Return whether a request meets all conditions; if one fails, none is false, and the policy is Ignore, return False.

    Args:
        evaluate: Returns the outcomes of the conditions, given their budget.
        failure_policy: `Fail` or `Ignore`.

    Raises:
        MatchConditionError: A condition fails, none is false, and the policy is Fail.
        UnsupportedExpressionError: A condition uses a feature that the server has and this engine has not.
    """
    try:
        outcomes = evaluate(CostBudget(_BUDGET))
    except OutOfBudgetError as error:
        if failure_policy == "Fail":
            raise MatchConditionError(str(error)) from None
        return False
    if any(outcome.value is False for outcome in outcomes):
        return False
    problems = list(dict.fromkeys(outcome.problem for outcome in outcomes if outcome.problem))
    if problems and failure_policy == "Fail":
        raise MatchConditionError(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    return not problems

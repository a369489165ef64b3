"""
Decisions of a ValidatingAdmissionPolicy about one request.

Reference:
    apiserver admission/plugin/policy/validating/validator.go, Validate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pytest_crd.admission.expressions.admissionexpressions import CostBudget, ExpressionOutcome, OutOfBudgetError
from pytest_crd.admission.matching.matchconditions import MatchConditionError
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.golang import gostrings
from pytest_crd.policies import evaluating
from pytest_crd.policies.activation import Activation
from pytest_crd.policies.compiledpolicies import CompiledPolicy
from pytest_crd.policies.definitions import Policy, PolicyValidation
from pytest_crd.policies.evaluating import PolicyPart
from pytest_crd.policies.policycontext import Observe

_BUDGET: Final = 10_000_000
_LONGEST_MESSAGE: Final = 5 * 1024


class PolicyDecision(NamedTuple):
    """
    A decision against a request.

    Attributes:
        message: The message.
        reason: The reason; empty after an error.
        is_failure: Whether the policy could not decide, because of an error.
    """

    message: str
    reason: str = ""
    is_failure: bool = False


class Annotation(NamedTuple):
    """
    An audit annotation.

    Attributes:
        key: The last part of its key.
        value: The value; empty if there is a problem.
        problem: The message about an expression that fails, which denies the request; empty without one.
    """

    key: str
    value: str = ""
    problem: str = ""


class PolicyResult(NamedTuple):
    """
    The result of a policy.

    Attributes:
        decisions: A decision for each validation; None if the request passes it.
        annotations: The audit annotations.
    """

    decisions: tuple[PolicyDecision | None, ...] = ()
    annotations: tuple[Annotation, ...] = ()


def decide(compiled: CompiledPolicy, activation: Activation, observe: Observe) -> PolicyResult:
    """
    Return the result of a policy.

    Args:
        compiled: The policy.
        activation: The variables.
        observe: Called with each evaluated expression.
    """
    policy = compiled.definition
    try:
        if not evaluating.meets_conditions(compiled, activation, observe):
            return PolicyResult()
        budget = CostBudget(_BUDGET)
        part = PolicyPart(compiled, "validations", observe)
        outcomes = part.evaluate(compiled.validations, activation.expressions, budget)
        decisions = tuple(_decide(compiled, outcomes, activation, budget, observe))
        part = PolicyPart(compiled, "auditAnnotations", observe)
        values = part.evaluate(compiled.annotations, activation.annotations, CostBudget(_BUDGET))
    except (MatchConditionError, OutOfBudgetError) as error:
        return PolicyResult((_failed(policy, str(error)),))
    return PolicyResult(decisions, tuple(_annotate(policy, values)))


def _failed(policy: Policy, problem: str) -> PolicyDecision | None:
    """Return the decision after an error; None if the failure policy is Ignore."""
    return None if policy.failure_policy == "Ignore" else PolicyDecision(problem, is_failure=True)


def _decide(
    compiled: CompiledPolicy,
    outcomes: Sequence[ExpressionOutcome],
    activation: Activation,
    budget: CostBudget,
    observe: Observe,
) -> Iterator[PolicyDecision | None]:
    policy, exhausted = compiled.definition, ""
    messages: Sequence[ExpressionOutcome] = ()
    try:
        part = PolicyPart(compiled, "messageExpression", observe)
        messages = part.evaluate(compiled.messages, activation.messages, budget)
    except OutOfBudgetError as error:
        exhausted = f"failed messageExpression: {error}"
    for index, (validation, outcome) in enumerate(zip(policy.validations, outcomes, strict=True)):
        if outcome.problem or exhausted:
            yield _failed(policy, outcome.problem or exhausted)
        elif outcome.value is True:
            yield None
        else:
            yield PolicyDecision(_message(validation, messages[index].value), validation.reason)


def _message(validation: PolicyValidation, evaluated: Value) -> str:
    """Return the message of a failed validation: the evaluated one if it is usable, else the stated one, else the expression."""
    message = gostrings.trim_space(evaluated) if isinstance(evaluated, str) else ""
    if len(message.encode("utf-8", "surrogatepass")) > _LONGEST_MESSAGE or "\n" in message:
        message = ""
    message = message or gostrings.trim_space(validation.message)
    return message or f"failed expression: {gostrings.trim_space(validation.expression)}"


def _annotate(policy: Policy, outcomes: Sequence[ExpressionOutcome]) -> Iterator[Annotation]:
    for annotation, outcome in zip(policy.audit_annotations, outcomes, strict=True):
        if outcome.problem:
            if _failed(policy, outcome.problem):
                yield Annotation(annotation.key, problem=outcome.problem)
        elif isinstance(outcome.value, str) and (value := gostrings.trim_space(outcome.value)):
            yield Annotation(annotation.key, value)

"""Expressions of a policy with the values that decided them, for the report of a failed case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pytest_crd.engine.cel import explanation
from pytest_crd.engine.cel.errors import CompileError, EvaluationError
from pytest_crd.engine.cel.text import spelling
from pytest_crd.engine.profile import Profile
from pytest_crd.policies import compiledpolicies
from pytest_crd.policies.composition import VARIABLES
from pytest_crd.policies.surroundings import Evaluation
from pytest_crd.webhooks.admissionexpressions import OutOfBudgetError

_LONGEST_VALUE: Final = 72
# The fields with the expressions that decide about a request.
_DECIDING: Final = frozenset({"matchConditions", "validations", "mutations"})


def describe_condition(evaluation: Evaluation) -> str:
    """Return a false match condition in words."""
    condition = evaluation.policy.match_conditions[evaluation.position]
    return f"the match condition {condition.name} is false: {_on_one_line(condition.expression)}"


def describe(evaluations: Iterable[Evaluation], profile: Profile) -> tuple[str, ...]:
    """
    Return the lines about the expressions that decided; equal ones once.

    Args:
        evaluations: The evaluated expressions of a policy.
        profile: The Kubernetes version.
    """
    chosen = [item for item in evaluations if item.part in _DECIDING]
    failed = [item for item in chosen if item.outcome.problem or item.outcome.value is False]
    blocks = dict.fromkeys(tuple(_describe(item, profile)) for item in failed or chosen)
    return tuple(line for block in blocks for line in block)


def _describe(evaluation: Evaluation, profile: Profile) -> Iterator[str]:
    outcome = evaluation.outcome
    value = "error" if outcome.problem else spelling.value(outcome.value, _LONGEST_VALUE)
    yield f"{evaluation.part}[{evaluation.position}]: {_on_one_line(evaluation.expression.text)} = {value}"
    if outcome.problem:
        yield f"  {_on_one_line(outcome.problem)}"
    lines = _find_reasons(evaluation, profile)
    yield from (f"  {line}" for line in lines)
    for name, variable in evaluation.variables.items():
        is_failed = isinstance(variable, EvaluationError)
        text = f"error: {variable}" if is_failed else spelling.value(variable, _LONGEST_VALUE)
        if (line := f"{VARIABLES}.{name} = {text}") not in lines:
            yield f"  {line}"


def _find_reasons(evaluation: Evaluation, profile: Profile) -> tuple[str, ...]:
    """Return the parts of an expression that decided it, with their values; empty if it does not compile."""
    compiled = compiledpolicies.compile(evaluation.policy, profile)
    environment = compiled.composition.environment()
    try:
        checked = environment.compile(evaluation.expression.text)
        return explanation.find_reasons(checked, environment.functions, evaluation.bound).lines
    except (CompileError, OutOfBudgetError):
        return ()


def _on_one_line(text: str) -> str:
    return " ".join(text.split())

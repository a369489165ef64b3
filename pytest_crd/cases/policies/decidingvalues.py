"""Expressions of a policy with the values that decided them, for the report of a failed case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pytest_crd.admission.patches.patchtypes import PatchValue
from pytest_crd.admission.patches.patchvalues import ObjectStruct
from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.text import spelling
from pytest_crd.engine.cel.values.celvalues import MISSING, Value
from pytest_crd.policies.composition import VARIABLES
from pytest_crd.policies.policycontext import Evaluation

_LONGEST_VALUE: Final = 72
# The fields with the expressions that decide about a request.
_DECIDING: Final = frozenset({"matchConditions", "validations", "mutations"})


def describe_condition(evaluation: Evaluation) -> str:
    """Return a false match condition in words."""
    condition = evaluation.policy.match_conditions[evaluation.position]
    return f"the match condition {condition.name} is false: {_on_one_line(condition.expression)}"


def describe(evaluations: Iterable[Evaluation]) -> tuple[str, ...]:
    """Return the lines about the expressions of a policy that decided; equal ones once."""
    chosen = [item for item in evaluations if item.part in _DECIDING]
    failed = [item for item in chosen if item.outcome.problem or item.outcome.value is False]
    blocks = dict.fromkeys(tuple(_describe(item)) for item in failed or chosen)
    return tuple(line for block in blocks for line in block)


def _describe(evaluation: Evaluation) -> Iterator[str]:
    outcome = evaluation.outcome
    value = "error" if outcome.problem else spelling.value(_plain(outcome.value), _LONGEST_VALUE)
    yield f"{evaluation.part}[{evaluation.position}]: {_on_one_line(evaluation.expression.text)} = {value}"
    if outcome.problem:
        yield f"  {_on_one_line(outcome.problem)}"
    find = evaluation.expression.find_reasons
    lines = () if find is None else find(evaluation.bound).lines
    yield from (f"  {line}" for line in lines)
    for name, variable in evaluation.variables.items():
        is_failed = isinstance(variable, EvaluationError)
        text = f"error: {variable}" if is_failed else spelling.value(variable, _LONGEST_VALUE)
        if (line := f"{VARIABLES}.{name} = {text}") not in lines:
            yield f"  {line}"


def _plain(value: Value) -> Value:
    """Return an object or a patch of a mutation as maps and lists, which show their values."""
    if isinstance(value, ObjectStruct):
        return {name: _plain(item) for name, item in value.fields.items()}
    if isinstance(value, PatchValue):
        return {**value.texts, **({} if value.value is MISSING else {"value": _plain(value.value)})}
    return [*map(_plain, value)] if isinstance(value, list) else value


def _on_one_line(text: str) -> str:
    return " ".join(text.split())

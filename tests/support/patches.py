"""Expressions of mutations, evaluated without a server."""

from __future__ import annotations

from typing import Any

from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression, CostBudget, ExpressionOutcome
from pytest_crd.admission.patches import applyconfiguration, jsonpatching, patchtypes, valueorigins
from pytest_crd.admission.patches.valueorigins import Origins
from pytest_crd.engine import profile
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.policies.composition import Composition

NEWEST = profile.named("1.37")


def compile(expression: str) -> AdmissionExpression:  # noqa: A001 - read as patches.compile
    """Return a compiled expression with the types of patches."""
    return Composition(NEWEST, has_params=True).compile(expression, (), extend=patchtypes.extend)


def evaluate(expression: str, resource: Any = None, **further: Any) -> ExpressionOutcome:
    """Return the outcome of an expression."""
    return admissionexpressions.evaluate(compile(expression), _variables(resource, further), CostBudget(10_000_000))


def apply(expression: str, crd: CustomResourceDefinition, resource: Any, **further: Any) -> Any:
    """Return an object after an apply configuration or, for a list of operations, a JSON patch."""
    variables = _variables(resource, further)
    with valueorigins.tracking() as joined:
        outcome = admissionexpressions.evaluate(compile(expression), variables, CostBudget(10_000_000))
    assert not outcome.problem, outcome.problem
    origins = Origins(variables, joined, reflects=True)
    if "JSONPatch" in expression:
        return jsonpatching.apply(outcome.value, origins, resource, None, NEWEST)
    strategy = crd.version(resource["apiVersion"].rpartition("/")[2]).strategy
    kind = strategy.interfaces.merge_type
    assert kind is not None
    return applyconfiguration.apply(outcome.value, origins, resource, kind(resource))


def _variables(resource: Any, further: Any) -> dict[str, Any]:
    return {"object": resource or {}, "oldObject": None, "request": {}, "namespaceObject": None, **further}

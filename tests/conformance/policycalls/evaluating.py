"""
Calls that evaluate expressions.

- `evaluate`: the `expressions` with their declarations, the `variables` of the policy, the `request`, `param`, `namespace` and the `answers`
  of its authorizer, and a `budget`; the `results` and the `remaining` budget, or `error`.
- `conditions`: the `outcomes` of match conditions and a `failurePolicy`; `matches`, or `error`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from conformance.policycalls import compiling, requests
from pytest_crd.admission.expressions.admissionexpressions import (
    AdmissionExpression,
    CostBudget,
    ExpressionOutcome,
    OutOfBudgetError,
)
from pytest_crd.admission.matching import matchconditions, matchcriteria
from pytest_crd.admission.matching.matchconditions import MatchConditionError
from pytest_crd.admission.matching.matchcriteria import Criteria
from pytest_crd.admission.versionedobjects import VersionedObjects
from pytest_crd.engine.cel.run.interpreter import COST_LIMIT
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.policies import activation
from pytest_crd.policies.activation import Activation
from pytest_crd.policies.compiledpolicies import CompiledPolicy
from pytest_crd.policies.composition import Composition
from pytest_crd.policies.definitions import VALIDATING, ParamKind, Policy, PolicyBinding, PolicyVariable
from pytest_crd.policies.evaluating import PolicyPart
from pytest_crd.policies.invocations import PolicyInvocation
from pytest_crd.policies.policycontext import ignore

_CONFIG_MAP: Final = ParamKind("v1", "ConfigMap")
_RESULT: Final = ("results", "remaining", "error")
_TYPES: Final = {"bool": celtypes.BOOL, "string": celtypes.STRING, "null_type": celtypes.NULL}
ANY: Final = Criteria((), needs_rule=False)


def left_out(fact: Mapping[str, Any]) -> str:
    """Return why a call is left out; empty if it is replayed."""
    texts = [expression["expression"] for expression in fact.get("expressions", ())]
    if others := [reason for text in texts if (reason := compiling.foreign(text))]:
        return others[0]
    if any("error" in answer for answer in fact.get("answers", ())):
        return "the authorizer of a server does not fail"
    if "cost limit exceeded" in str(fact) and fact["budget"] - fact["remaining"] < COST_LIMIT:
        return "the test lowers the cost limit of an expression"
    if "context canceled" in str(fact):
        return "a cancelled request gets no answer"
    return "a server can read its variables" if "failure" in fact else ""


def find_difference(fact: Mapping[str, Any]) -> str:
    """Return the difference of our result."""
    answer, names = (_meet, ("matches", "error")) if fact["call"] == "conditions" else (_evaluate, _RESULT)
    actual, expected = answer(fact), {name: fact[name] for name in names if name in fact}
    return "" if actual == expected else f"{actual} instead of {expected}"


def _meet(fact: Mapping[str, Any]) -> dict[str, Any]:
    outcomes = [ExpressionOutcome(each.get("value"), each.get("error", "")) for each in fact["outcomes"]]
    try:
        return {"matches": matchconditions.are_met(lambda _: outcomes, fact["failurePolicy"])}
    except MatchConditionError as error:
        return {"matches": False, "error": str(error)}


def _evaluate(fact: Mapping[str, Any]) -> dict[str, Any]:
    compiled, budget = _compile(fact), CostBudget(fact["budget"])
    part = PolicyPart(compiled, "validations", ignore)
    try:
        outcomes = part.evaluate(compiled.validations, _activate(fact, compiled.definition).expressions, budget)
    except OutOfBudgetError as error:
        return {"error": str(error)}
    return {"results": [describe(outcome) for outcome in outcomes], "remaining": budget.left}


def describe(outcome: ExpressionOutcome) -> dict[str, Any]:
    """Return an outcome in the form of facts."""
    return {"error": outcome.problem} if outcome.problem else {"value": outcome.value}


def _compile(fact: Mapping[str, Any]) -> CompiledPolicy:
    declared = fact["expressions"][0]
    policy = Policy(VALIDATING, "policy", ANY, param_kind=_CONFIG_MAP if declared["params"] else None)
    composition = Composition(
        requests.PROFILE, is_new=declared["new"], has_params=declared["params"], has_variables="variables" in fact
    )
    for variable in fact.get("variables", ()):
        composition.add(PolicyVariable(variable["name"], variable["expression"]))
    expressions: tuple[AdmissionExpression, ...] = tuple(
        composition.compile(
            each["expression"], [_TYPES[name] for name in each["types"]], has_authorizer=each["authorizer"]
        )
        for each in fact["expressions"]
    )
    return CompiledPolicy(policy, composition, (), expressions, (), (), ())


def _activate(fact: Mapping[str, Any], policy: Policy) -> Activation:
    request = requests.request_of(fact)
    invocation = matchcriteria.invocation(request, request.version)
    item = PolicyInvocation(policy, PolicyBinding("binding", "policy"), invocation, fact.get("param"))
    return activation.activate(item, request, VersionedObjects(request, requests.PROFILE), fact.get("namespace"))

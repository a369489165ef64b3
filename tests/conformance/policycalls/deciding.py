"""
Calls that decide about a request by the outcomes of a policy's expressions.

`validate`: the result of match conditions as `condition`, the outcomes of `validations`, `messages` and `annotations`, a
`failurePolicy` and a `budget`; the `decisions` and the `audited` annotations. Programs with these outcomes replace the
expressions, whose evaluation together costs 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from conformance.policycalls import evaluating, requests
from pytest_crd.admission.expressions.admissionexpressions import AdmissionExpression
from pytest_crd.admission.matching.matchconditions import MatchCondition
from pytest_crd.policies import decisions
from pytest_crd.policies.activation import Activation
from pytest_crd.policies.compiledpolicies import CompiledPolicy
from pytest_crd.policies.composition import Composition
from pytest_crd.policies.decisions import PolicyResult
from pytest_crd.policies.definitions import VALIDATING, AuditAnnotation, Policy, PolicyValidation
from pytest_crd.policies.policycontext import ignore

_BUDGET: Final = 10_000_000
# Upstream's tests have errors without a text.
_NO_TEXT: Final = "no text"


class _Result(NamedTuple):
    value: Any
    cost: int
    error: str | None


class _Program(NamedTuple):
    """A program with a fixed outcome."""

    outcome: Mapping[str, Any]
    cost: int

    def evaluate(self, _variables: object, _limit: int) -> _Result:
        """Return the outcome."""
        problem = (self.outcome["error"] or _NO_TEXT) if "error" in self.outcome else None
        return _Result(self.outcome.get("value"), self.cost, problem)


def left_out(fact: Mapping[str, Any]) -> str:
    """Return why a call is left out; empty if it is replayed."""
    if "unsupported return type" in str(fact["audited"]):
        return "a server refuses annotations that are no strings"
    return "a server can read its variables" if "test error" in fact.get("validationsFailure", "") else ""


def find_difference(fact: Mapping[str, Any]) -> str:
    """Return the difference of our result."""
    activation = Activation({}, {}, {}, {})
    result = decisions.decide(_compile(fact), activation, ignore)
    actual, expected = (list(_describe(result)), list(_expected(fact)))
    return "" if actual == expected else f"{actual} instead of {expected}"


def _compile(fact: Mapping[str, Any]) -> CompiledPolicy:
    validations, annotations = fact.get("validations", ()), fact.get("annotations", ())
    policy = Policy(
        VALIDATING,
        "policy",
        evaluating.ANY,
        failure_policy=fact.get("failurePolicy", "Fail"),
        match_conditions=(MatchCondition("condition", ""),),
        validations=tuple(
            PolicyValidation(each["expression"], each["message"], reason=each.get("reason", "")) for each in validations
        ),
        audit_annotations=tuple(AuditAnnotation(each["key"], each["expression"]) for each in annotations),
    )
    condition = fact["condition"]
    outcome = {"error": condition["error"]} if "error" in condition else {"value": condition["matches"]}
    first = _BUDGET - fact["budget"] + 1
    recorded = fact.get("messages", ()) if "messagesFailure" not in fact else [{"outcome": {}}]
    messages = [_expression(each, int(index == 0)) for index, each in enumerate(recorded)]
    return CompiledPolicy(
        policy,
        Composition(requests.PROFILE),
        (AdmissionExpression("", program=_program(outcome, 1)),),
        tuple(_expression(each, first if index == 0 else 0) for index, each in enumerate(validations)),
        tuple([*messages, *[None] * len(validations)][: max(len(validations), len(messages))]),
        tuple(_expression(each, 0) for each in annotations),
        (),
    )


def _expression(item: Mapping[str, Any], cost: int) -> AdmissionExpression:
    return AdmissionExpression(item.get("expression", ""), program=_program(item["outcome"], cost))


def _program(outcome: Mapping[str, Any], cost: int) -> Any:
    return _Program(outcome, cost)


def _describe(result: PolicyResult) -> Iterator[tuple[str, ...]]:
    for decision in result.decisions:
        yield ("admit",) if decision is None else ("deny", decision.message, decision.reason)
    for annotation in result.annotations:
        yield ("annotation", annotation.key, annotation.value, annotation.problem)


def _expected(fact: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the decisions and annotations, with messages of errors as an evaluation gives them."""
    problems = {
        each["outcome"]["error"]: each["expression"]
        for field in ("validations", "annotations")
        for each in fact.get(field, ())
        if "error" in each["outcome"]
    }
    if "error" in fact["condition"]:
        problems = {fact["condition"]["error"]: ""}

    def spell(message: str) -> str:
        if message not in problems:
            return message
        return f"expression '{problems[message]}' resulted in error: {message or _NO_TEXT}"

    for decision in fact["decisions"]:
        is_error = decision["evaluation"] == "error"
        message = spell(decision["message"]) if is_error else decision["message"]
        # Our decisions about errors and about failed validations without a reason have none.
        yield ("admit",) if decision["action"] == "admit" else ("deny", message, _reason(fact, decision))
    for annotation in fact["audited"]:
        if annotation["action"] != "exclude":
            yield ("annotation", annotation["key"], annotation["value"], spell(annotation["error"]))


def _reason(fact: Mapping[str, Any], decision: Mapping[str, Any]) -> str:
    has_reason = any(each.get("reason") == decision["reason"] for each in fact.get("validations", ()))
    return decision["reason"] if has_reason else ""

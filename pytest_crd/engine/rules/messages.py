"""
Messages about rules that fail or cannot be evaluated.

Reference:
    apiextensions-apiserver schema/cel/validation.go, evalMessageExpression, fieldErrorForReason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.cel.errors import CostLimitError, EvaluationError
from pytest_crd.engine.cel.run.interpreter import Program
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath, SpelledPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.gostrings import trim_space
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.rules.compilation import DeclaredRule
from pytest_crd.engine.schema import schemapaths
from pytest_crd.engine.schema.structural import Structural

_LONGEST_MESSAGE: Final = 5 * 1024
_OUT_OF_BUDGET: Final = (
    "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """
    Result of a `messageExpression`.

    Attributes:
        message: The message; empty if it is not usable.
        cost: The cost of the evaluation.
        problem: Why no further rule runs; else empty.
    """

    message: str = ""
    cost: int = 0
    problem: str = ""


def evaluate(rule: DeclaredRule, program: Program, variables: Mapping[str, Value], budget: int) -> Evaluated:
    """Return the result of the `messageExpression` of *rule*; *budget* limits its cost besides its own limit."""
    try:
        outcome = program.evaluate(variables)
    except CostLimitError as error:
        if error.cost > budget:
            return Evaluated(problem=_OUT_OF_BUDGET)
        quoted = printing.quote(rule["messageExpression"])
        reason = (
            f"no further validation rules will be run due to call cost exceeds limit for messageExpression: {quoted}"
        )
        return Evaluated(problem=reason)
    if outcome.cost > budget:
        return Evaluated(problem=_OUT_OF_BUDGET)
    if outcome.error is not None:
        return Evaluated(cost=outcome.cost)
    message = trim_space(outcome.value)
    is_usable = len(message.encode("utf-8", "surrogatepass")) <= _LONGEST_MESSAGE and "\n" not in message
    return Evaluated(message if is_usable else "", outcome.cost)


def rule_or_message(rule: DeclaredRule) -> str:
    """Return the server's name for a rule: its message, or else the rule."""
    return trim_space(rule.get("message") or rule.get("rule") or "")


def failure_message(rule: DeclaredRule) -> str:
    """Return the message of a failed rule without a `messageExpression`."""
    return trim_space(rule["message"]) if rule.get("message") else f"failed rule: {rule_or_message(rule)}"


def run_time_error_message(error: EvaluationError, rule: DeclaredRule) -> str:
    """Return the message of a rule that ends in an error."""
    if str(error).startswith("no such overload"):
        text = "call arguments did not match a supported operator, function or macro signature"
        return f"'{error}': {text} for rule: {rule_or_message(rule)}"
    return f"{error} evaluating rule: {rule_or_message(rule)}"


def call_limit_message(error: CostLimitError, rule: DeclaredRule) -> str:
    """Return the message of a rule that exceeds the cost limit of one evaluation."""
    text = "no further validation rules will be run due to call cost exceeds limit"
    return f"'{error}': {text} for rule: {rule_or_message(rule)}"


def error_path(rule: DeclaredRule, path: FieldPath, schema: Structural) -> FieldPath:
    """Return the path of the error: *path*, or the field below it that the rule names."""
    if not rule.get("fieldPath"):
        return path
    try:
        target = schemapaths.find_target(rule["fieldPath"], schema)
    except schemapaths.PathError:
        return path
    # Servers treat the whole field path as one name: the key `a` is spelled `spec.[a]`.
    return path.child(SpelledPath(str(target.path), target.path.steps)) if target.path.segments else path


def error(rule: DeclaredRule, path: FieldPath, value: JSONValue, detail: str) -> FieldError:
    """Return the field error with the declared reason of the rule."""
    reason = rule.get("reason")
    if reason == "FieldValueForbidden":
        return fielderror.forbidden(path, detail)
    if reason == "FieldValueRequired":
        return fielderror.required(path, detail)
    if reason == "FieldValueDuplicate":
        return fielderror.duplicate(path, value)
    return fielderror.invalid(path, value, detail)

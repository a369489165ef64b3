"""One expression, tried on one value: what whoever writes a rule wants to see of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_crd.engine.cel import explanation
from pytest_crd.engine.cel.errors import CompileError, CostLimitError
from pytest_crd.engine.cel.run.interpreter import ProgramError
from pytest_crd.engine.cel.text import spelling
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import environments, ruletree
from pytest_crd.engine.rules.compilation import OLD_SELF, SELF, RuleScope
from pytest_crd.engine.rules.compilationcache import Compilation
from pytest_crd.engine.rules.ruletree import RuleNode
from pytest_crd.engine.schema import schemamap, structuralversion
from pytest_crd.engine.schema.schemamap import Each, SchemaNode
from pytest_crd.engine.schema.structural import Structural

_MOST_PARTS: Final = 200


class TrialError(ValueError):
    """An expression cannot be tried; the message says why."""


@dataclass(frozen=True, slots=True)
class Trial:
    """
    What came of an expression.

    Attributes:
        value: Its value as one would write it; empty where there is an error.
        type: Its type, as the checker's messages write types.
        cost: What the evaluation cost.
        estimate: What one evaluation costs at most, by the server's estimate.
        values: How many such values an object has at most, by the same estimate.
        parts: Every part of it that has a value of its own, a line each; the last says where some are left out.
        error: The error at run time; empty where there is a value.
    """

    value: str
    type: str
    cost: int
    estimate: int
    values: int
    parts: tuple[str, ...]
    error: str = ""


def run(
    schema: SchemaNode,
    profile: Profile,
    text: str,
    path: Sequence[str | int],
    values: Sequence[JSONValue],
) -> Trial:
    """
    Return what comes of an expression, compiled as one of a new CRD.

    Args:
        schema: What the schema of a version says of whole objects.
        profile: The Kubernetes version.
        text: The expression; of any type.
        path: Where in a resource the value of `self` stands.
        values: That of `self`, and where there is one that of `oldSelf`.

    Raises:
        TrialError: It cannot be compiled; expressions cannot speak of what is at the path; it speaks of `oldSelf`, and there
            is none.
        UnsupportedExpressionError: It uses what the server knows and this engine does not.
    """
    declared = schema.of_path(path)
    if declared is None:
        raise TrialError(f"the schema says nothing of {path[-1]!r} in the path")
    node = _node(ruletree.of_stored(_with_rule(declared, profile), profile, is_resource=True), path)
    cardinality = _cardinality(declared)
    scope = node.rules[0].scope
    compilation = _compiled(text, scope, profile)
    references = compilation.checked.references.values()
    if len(values) == 1 and any(reference.name == OLD_SELF for reference in references):
        raise TrialError("the expression speaks of oldSelf, and no old value is given")
    variables = dict(zip((SELF, OLD_SELF), map(node.view, values), strict=False))
    trial = _evaluated(compilation, scope, variables)
    return trial if cardinality is None else replace(trial, values=cardinality)


def _compiled(text: str, scope: RuleScope, profile: Profile) -> Compilation:
    environment = environments.new(profile)
    try:
        return scope.compile(text, environment, optional=False)
    except CompileError:
        raise TrialError(f"compilation failed: {scope.problem_of(text, environment, optional=False)}") from None


def _evaluated(compilation: Compilation, scope: RuleScope, variables: Mapping[str, Value]) -> Trial:
    checked, environment = compilation.checked, compilation.environment
    try:
        outcome = compilation.program.evaluate(variables)
    except ProgramError as error:
        raise TrialError(f"program instantiation failed: {error}") from None
    except CostLimitError as error:
        raise TrialError(f"{error}: one evaluation may not cost that much") from None
    failure = "" if outcome.error is None else str(outcome.error)
    return Trial(
        value="" if failure else spelling.value(outcome.value),
        type=str(checked.type),
        cost=outcome.cost,
        estimate=environment.estimate(checked, scope).max,
        values=scope.max_cardinality,
        parts=explanation.find_parts(checked, environment.functions, variables, most=_MOST_PARTS).lines,
        error=failure,
    )


def _with_rule(schema: SchemaNode, profile: Profile) -> Structural:
    """Return the whole schema around *schema* with no rule but one for its values, so that expressions can speak of them."""
    around: JSONValue = {**schema.schema, schemamap.RULES: [{"rule": "true"}]}
    *_, root = (schema, *schema.around)
    return structuralversion.from_schema(_replaced(root.schema, schema.steps, around), profile)


def _replaced(value: JSONValue, steps: Steps, new: JSONValue) -> JSONValue:
    return new if not steps else {**value, steps[0]: _replaced(value[steps[0]], steps[1:], new)}


def _cardinality(schema: SchemaNode) -> int | None:
    """Return how many values like those of *schema* an object has at most; None where nothing limits them."""
    times = 1
    for node, outer in zip((schema, *schema.around), schema.around, strict=False):
        if isinstance(step := node.place[-1], Each):
            limit = outer.schema.get("maxItems" if step is Each.ITEM else "maxProperties")
            if limit is None:
                return None
            times *= max(limit, 0)
    return times


def _node(root: RuleNode | None, path: Sequence[str | int]) -> RuleNode:
    """Return the node of the value at *path*."""
    node = root
    for step in path:
        if node is not None:
            values = node.items if isinstance(step, int) else node.values
            node = node.properties.get(step, values) if isinstance(step, str) else values
    if node is None or not node.rules:
        raise TrialError("expressions cannot speak of the value at the path")
    return node

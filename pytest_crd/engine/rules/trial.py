"""Trial of one expression on one value, for authors of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from pytest_crd.engine.cel import explanation
from pytest_crd.engine.cel.errors import CompileError, CostLimitError
from pytest_crd.engine.cel.run.interpreter import ProgramError
from pytest_crd.engine.cel.text import spelling
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.errors.origin import Steps
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import environments, tree
from pytest_crd.engine.rules.compilation import OLD_SELF, SELF, RuleScope
from pytest_crd.engine.rules.compilationcache import Compilation
from pytest_crd.engine.rules.tree import RuleNode
from pytest_crd.engine.schema import declaredschema, schemamap
from pytest_crd.engine.schema.schemamap import Each, SchemaNode
from pytest_crd.engine.schema.structural import Structural

_MOST_PARTS: Final = 200
# A step of a path in a value for each step of a place that is no name.
_EXAMPLES: Final[Mapping[Each, str | int]] = {Each.ITEM: 0, Each.VALUE: ""}


class TrialError(ValueError):
    """An expression that cannot be tried; the message says why."""


@dataclass(frozen=True, slots=True)
class Trial:
    """
    Result of an expression.

    Attributes:
        value: Its value in CEL notation; empty if there is an error.
        type: Its type, as the checker prints types.
        cost: The cost of the evaluation.
        estimate: The estimated maximal cost of one evaluation.
        values: The estimated maximal number of such values in an object.
        parts: One line for each subexpression with a value; the last line says if some are omitted.
        error: The run-time error; empty if there is a value.
    """

    value: str
    type: str
    cost: int
    estimate: int
    values: int
    parts: tuple[str, ...]
    error: str = ""


class Estimate(NamedTuple):
    """
    Estimated cost of an expression as a rule.

    Attributes:
        type: Its type, as the checker prints types.
        cost: The maximal cost of one evaluation.
        values: The maximal number of values of `self` in an object.
    """

    type: str
    cost: int
    values: int

    @property
    def total(self) -> int:
        """The maximal cost for one object."""
        return self.cost * self.values


def estimate(schema: SchemaNode, profile: Profile, text: str, *, optional: bool = False) -> Estimate:
    """
    Return the estimate of an expression, compiled as a rule of a new CRD.

    Args:
        schema: The schema of `self`, in the schema map of a version.
        profile: The Kubernetes version.
        text: The expression; of any type.
        optional: Whether `oldSelf` is an optional value, as with `optionalOldSelf`.

    Raises:
        TrialError: The expression does not compile, or the schema has no CEL type.
        UnsupportedExpressionError: It uses a feature that the server has and this engine has not.
    """
    path = [step if isinstance(step, str) else _EXAMPLES[step] for step in schema.place]
    node = _node(tree.build_stored(_with_rule(schema, profile), profile, is_resource=True), path)
    scope, cardinality = node.rules[0].scope, _cardinality(schema)
    compilation = _compiled(text, scope, profile, optional=optional)
    cost = compilation.environment.estimate(compilation.checked, scope).max
    values = scope.max_cardinality if cardinality is None else cardinality
    return Estimate(str(compilation.checked.type), cost, values)


def run(
    schema: SchemaNode,
    profile: Profile,
    text: str,
    path: Sequence[str | int],
    values: Sequence[JSONValue],
) -> Trial:
    """
    Return the result of an expression, compiled as a rule of a new CRD.

    Args:
        schema: The schema map of a version, at the root.
        profile: The Kubernetes version.
        text: The expression; of any type.
        path: The path of the value of `self` in a resource.
        values: The value of `self`, and optionally that of `oldSelf`.

    Raises:
        TrialError: The expression does not compile; the schema at the path has no CEL type; or the expression uses
            `oldSelf` without a value for it.
        UnsupportedExpressionError: It uses a feature that the server has and this engine has not.
    """
    declared = schema.of_path(path)
    if declared is None:
        raise TrialError(f"the schema says nothing of {path[-1]!r} in the path")
    node = _node(tree.build_stored(_with_rule(declared, profile), profile, is_resource=True), path)
    cardinality = _cardinality(declared)
    scope = node.rules[0].scope
    compilation = _compiled(text, scope, profile)
    references = compilation.checked.references.values()
    if len(values) == 1 and any(reference.name == OLD_SELF for reference in references):
        raise TrialError("the expression speaks of oldSelf, and no old value is given")
    variables = dict(zip((SELF, OLD_SELF), map(node.view, values), strict=False))
    trial = _evaluated(compilation, scope, variables)
    return trial if cardinality is None else replace(trial, values=cardinality)


def _compiled(text: str, scope: RuleScope, profile: Profile, *, optional: bool = False) -> Compilation:
    environment = environments.new(profile)
    try:
        return scope.compile(text, environment, optional=optional)
    except CompileError:
        raise TrialError(f"compilation failed: {scope.problem_of(text, environment, optional=optional)}") from None


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
    """Return the whole schema around *schema* with one rule for its values, so that expressions can use them."""
    around: JSONValue = {**schema.schema, schemamap.RULES: [{"rule": "true"}]}
    *_, root = (schema, *schema.around)
    return declaredschema.to_structural(_replaced(root.schema, schema.steps, around), profile)


def _replaced(value: JSONValue, steps: Steps, new: JSONValue) -> JSONValue:
    return new if not steps else {**value, steps[0]: _replaced(value[steps[0]], steps[1:], new)}


def _cardinality(schema: SchemaNode) -> int | None:
    """Return the maximal number of values of *schema* in an object; None if it is unlimited."""
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

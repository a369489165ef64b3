"""
The expressions of rules in a CRD that is written: whether they compile, and what they may cost.

Reference:
    apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema and
    cel_validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from pytest_crd.engine.cel.types.costs import MAX
from pytest_crd.engine.crds import internaltypes
from pytest_crd.engine.crds.rule import CRD_LIMIT, EXPRESSION_LIMIT
from pytest_crd.engine.crds.validation.schemas import rulekeywords
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.failedrule import FailedRule
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath, Key
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules.compilation import CompiledRule, CompileProblem, Expression
from pytest_crd.engine.rules.ruletree import RuleNode
from pytest_crd.engine.schema import linkedpaths
from pytest_crd.engine.schema.linkedpaths import LinkedPath
from pytest_crd.engine.schema.subschemas import Schema

_MOST_NAMED: Final = 4
_UNCORRELATABLE: Final = "oldSelf cannot be used on the uncorrelatable portion of the schema within"
_UNDECLARED: Final = (
    "internal error: failed to construct type information for x-kubernetes-validations rules: "
    "unable to convert structural schema to CEL declarations"
)
_UNUSED: Final = "may not be set if oldSelf is not used in rule"
_CONTRIBUTED: Final = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
_TOTAL: Final = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"


class CostScope(NamedTuple):
    """
    What the place of a schema means for its rules.

    Attributes:
        node: The rules of the schema and of those in it; None where there are none that expressions can speak of.
        cardinality: How many values of the schema a resource may have; None where nothing limits it.
        uncorrelatable: The path of the outermost schema around it whose items have no old ones; None where there is none.
    """

    node: RuleNode | None
    cardinality: int | None = 1
    uncorrelatable: FieldPath | None = None

    def of_property(self, name: str, schema: Schema) -> CostScope:
        """Return that of the property *name* of the object *schema*."""
        if self is NO_RULES:
            return self
        node = self.node and self.node.properties.get(name)
        return CostScope(node, self._multiplied(schema), self.uncorrelatable)

    def of_values(self, schema: Schema) -> CostScope:
        """Return that of the values of the map *schema*."""
        if self is NO_RULES:
            return self
        return CostScope(self.node and self.node.values, self._multiplied(schema), self.uncorrelatable)

    def of_items(self, schema: Schema, place: LinkedPath) -> CostScope:
        """Return that of the items of the list *schema*, which stands at *place*."""
        if self is NO_RULES:
            return self
        is_correlatable = schema.get("x-kubernetes-list-type") == "map"
        uncorrelatable = self.uncorrelatable if is_correlatable else self.uncorrelatable or linkedpaths.path(place)
        return CostScope(self.node and self.node.items, self._multiplied(schema), uncorrelatable)

    def cost(self, rule: CompiledRule) -> int:
        """Return what *rule* costs at most on all values that a resource may have here; 0 where it cannot be compiled."""
        times = rule.max_cardinality if self.cardinality is None else self.cardinality
        return _product(rule.max_cost, times) if isinstance(rule.expression, Expression) else 0

    def _multiplied(self, schema: Schema) -> int | None:
        most = _max_elements(schema)
        return None if self.cardinality is None or most is None else _product(self.cardinality, most)


NO_RULES: Final = CostScope(None)
"""That of a schema of which no expression is compiled."""


def _max_elements(schema: Schema) -> int | None:
    """Return how many children of one kind a value of *schema* may have; None where nothing limits it."""
    if schema.get("type") == "array":
        most = schema.get("maxItems")
    elif schema.get("type") == "object" and schema.get("additionalProperties") is not None:
        most = schema.get("maxProperties")
    else:
        return 1
    return None if most is None else max(most, 0)


def _product(cost: int, times: int) -> int:
    return min(cost * times, MAX)


@dataclass(slots=True)
class Costs:
    """
    What the expressions of one schema cost.

    Attributes:
        total: All together.
        most_expensive: Path and cost of those that count, the costliest first.
    """

    total: int = 0
    most_expensive: list[tuple[FieldPath, int]] = field(default_factory=list)

    def add(self, path: FieldPath, cost: int) -> None:
        """Add an expression."""
        self.total = min(self.total + cost, MAX)
        if cost >= CRD_LIMIT // 100:
            self.most_expensive.append((path, cost))
            self.most_expensive.sort(key=lambda expensive: -expensive[1])
            del self.most_expensive[_MOST_NAMED:]

    def errors(self, path: FieldPath) -> Iterator[FieldError]:
        """Yield what is wrong with the total of the schema at *path*, the costliest rules first."""
        if self.total > CRD_LIMIT:
            yield from (fielderror.forbidden(place, _CONTRIBUTED) for place, _ in self.most_expensive)
            yield fielderror.forbidden(path, _exceeded(_TOTAL, self.total, CRD_LIMIT))


class Expressions:
    """The check of the expressions of one schema, node by node; costs are added up."""

    def __init__(self, profile: Profile, *, suppress_cost: bool) -> None:
        """Take the Kubernetes version; *suppress_cost*: one expression may cost what it likes, the total may not."""
        self.costs = Costs()
        self._profile = profile
        self._suppress_cost = suppress_cost

    def find(self, schema: Schema, scope: CostScope, path: FieldPath) -> Iterator[FieldError]:
        """
        Yield what is wrong with the expressions of the *schema* at *path*.

        Errors:
            Forbidden for costs, Invalid, Internal.
        """
        if schema.get(rulekeywords.KEYWORD) and not (scope.node and scope.node.rules):
            yield fielderror.internal(path.child(rulekeywords.KEYWORD), _UNDECLARED)
        for index, rule in enumerate(scope.node.rules if scope.node else ()):
            at = path.child("x-kubernetes-validations").index(index)
            of_rule, of_message = self._rule(rule, at, scope), self._message(rule, at)
            yield from (_with_rule(error, rule, at, "rule", rule.expression) for error in of_rule)
            yield from (
                _with_rule(error, rule, at, "messageExpression", rule.message_expression) for error in of_message
            )
            if rule.uses_old_self:
                if scope.uncorrelatable is not None:
                    yield fielderror.invalid(
                        at.child("rule"), rule.rule["rule"], f"{_UNCORRELATABLE} {scope.uncorrelatable}"
                    )
            elif rule.rule.get("optionalOldSelf") is not None:
                yield fielderror.invalid(at.child("optionalOldSelf"), rule.rule["optionalOldSelf"], _UNUSED)

    def _rule(self, rule: CompiledRule, at: FieldPath, scope: CostScope) -> Iterator[FieldError]:
        yield from self._cost("estimated rule cost", at.child("rule"), scope.cost(rule))
        if isinstance(rule.expression, CompileProblem):
            yield self._problem(rule, at.child("rule"), rule.expression)

    def _message(self, rule: CompiledRule, at: FieldPath) -> Iterator[FieldError]:
        if isinstance(rule.message_expression, CompileProblem):
            yield self._problem(rule, at.child("messageExpression"), rule.message_expression)
        elif rule.message_expression is not None:
            yield from self._cost(
                "estimated messageExpression cost", at.child("messageExpression"), rule.max_message_cost
            )

    def _cost(self, name: str, path: FieldPath, cost: int) -> Iterator[FieldError]:
        if cost > EXPRESSION_LIMIT and not self._suppress_cost:
            yield fielderror.forbidden(path, _exceeded(name, cost, EXPRESSION_LIMIT))
        self.costs.add(path, cost)

    def _problem(self, rule: CompiledRule, path: FieldPath, problem: CompileProblem) -> FieldError:
        return badvalues.invalid_of_type(path, rule.rule, internaltypes.RULE, problem.message, self._profile)


def _with_rule(
    error: FieldError, rule: CompiledRule, at: FieldPath, key: str, compiled: Expression | CompileProblem | None
) -> FieldError:
    """Return an error about the expression that is the *key* of the rule *at* a path, as one that names it."""
    steps = tuple(segment.name if isinstance(segment, Key) else segment for segment in at.child(key).segments)
    offset = compiled.offset if isinstance(compiled, CompileProblem) else None
    return replace(error, rule=FailedRule(rule.rule.get(key) or "", steps, tuple, offset=offset))


def _exceeded(name: str, cost: int, limit: int) -> str:
    """Return the message on a cost above its limit."""
    factor = cost / limit
    exactly = f"{factor:f}x" if factor < 1.5 else f"{factor:.1f}x"
    by = "more than 100x" if factor > 100 else exactly
    hint = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared"
    return f"{name} exceeds budget by factor of {by} ({hint})"

"""
Validation of `x-kubernetes-validations`: the keywords of rules, and the compiled expressions with their cost limits.

Reference:
    apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema and
    cel_validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pytest_crd import lazyimport, lazyre
from pytest_crd.engine import fieldpath
from pytest_crd.engine.crds import internaltypes
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.errors.origin import FailedRule
from pytest_crd.engine.fieldpath import FieldPath, Key, LinkedPath
from pytest_crd.engine.golang import gostrings, printing
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import declaredschema, schemapaths
from pytest_crd.engine.schema.structural import UnsupportedConstructError
from pytest_crd.engine.schema.subschemas import Schema
from pytest_crd.records import NamedTuple, dataclass, field

if TYPE_CHECKING:
    from pytest_crd.engine.cel import errors
    from pytest_crd.engine.cel.errors import CompileProblem
    from pytest_crd.engine.cel.types import costs
    from pytest_crd.engine.crds import rule as declaredrule
    from pytest_crd.engine.rules.compilation import CompiledRule, Expression
    from pytest_crd.engine.rules.tree import RuleNode
else:
    errors = lazyimport.module("pytest_crd.engine.cel.errors")
    declaredrule = lazyimport.module("pytest_crd.engine.crds.rule")
    costs = lazyimport.module("pytest_crd.engine.cel.types.costs")

KEYWORD: Final = "x-kubernetes-validations"
NOT_SPECIFIED: Final = "rule is not specified"
_REASONS: Final = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_LINE_BREAK: Final = lazyre.compile(r"[\n\r]")

_MOST_NAMED: Final = 4
_UNCORRELATABLE: Final = "oldSelf cannot be used on the uncorrelatable portion of the schema within"
_UNDECLARED: Final = (
    "internal error: failed to construct type information for x-kubernetes-validations rules: "
    "unable to convert structural schema to CEL declarations"
)
_UNUSED: Final = "may not be set if oldSelf is not used in rule"
_CONTRIBUTED: Final = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
_TOTAL: Final = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"


def validate(schema: Schema, path: FieldPath, *, profile: Profile) -> Iterator[FieldError]:
    """
    Yield the errors of the rules of one schema; the expressions are not compiled.

    Errors:
        Required, Invalid and NotSupported, rule by rule.

    Reference:
        apiextensions-apiserver apis/apiextensions/validation, ValidateCustomResourceDefinitionOpenAPISchema.
    """
    for index, rule in enumerate(schema.get(KEYWORD) or ()):
        rule_path = path.child(KEYWORD).index(index)
        yield from _expressions(rule, rule_path, profile)
        if rule.get("messageExpression") and not gostrings.trim_space(rule["messageExpression"]):
            detail = "messageExpression must be non-empty if specified"
            yield fielderror.required(rule_path.child("messageExpression"), detail)
        reason = rule.get("reason")
        if reason is not None and reason not in _REASONS:
            yield _reason(reason, rule_path.child("reason"), profile)
        if rule.get("fieldPath"):
            yield from _field_path(rule["fieldPath"], schema, rule_path.child("fieldPath"), profile)


def _expressions(rule: Schema, path: FieldPath, profile: Profile) -> Iterator[FieldError]:
    """Yield the first error of rule and message."""
    expression, message = gostrings.trim_space(rule.get("rule", "")), rule.get("message", "")
    prefix = "message " if profile.rule_errors_name_the_field else ""
    if not expression:
        yield fielderror.required(path.child("rule"), NOT_SPECIFIED)
    elif message and not gostrings.trim_space(message):
        yield fielderror.invalid(path.child("message"), message, f"{prefix}must be non-empty if specified")
    elif _LINE_BREAK.search(gostrings.trim_space(message)):
        yield fielderror.invalid(path.child("message"), message, f"{prefix}must not contain line breaks")
    elif _LINE_BREAK.search(expression) and not message:
        detail = "message must be specified if rule contains line breaks"
        yield fielderror.required(path.child("message"), detail)


def _reason(reason: str, path: FieldPath, profile: Profile) -> FieldError:
    error = fielderror.not_supported(path, reason, _REASONS)
    if profile.prints_values_as_json and printing.marshal(reason) != printing.quote(reason):
        # Go has a named string type for the reason, and prints it as JSON.
        return badvalues.reprinted(error, printing.marshal(reason))
    return error


def _field_path(field_path: str, schema: Schema, path: FieldPath, profile: Profile) -> Iterator[FieldError]:
    prefix = "fieldPath " if profile.rule_errors_name_the_field else ""
    if not gostrings.trim_space(field_path):
        yield fielderror.invalid(path, field_path, f"{prefix}must be non-empty if specified")
    if _LINE_BREAK.search(field_path):
        yield fielderror.invalid(path, field_path, f"{prefix}must not contain line breaks")
    try:
        schemapaths.find_target(field_path, declaredschema.to_structural(schema, profile))
    except UnsupportedConstructError:
        return  # the schema is refused for another error, and the server does not follow paths in it
    except schemapaths.PanicError as error:
        yield fielderror.internal(path, str(error))
    except schemapaths.PathError:
        yield fielderror.invalid(path, field_path, f"{prefix}must be a valid path")


class CostScope(NamedTuple):
    """
    Scope of the rules of a schema, for cost estimates.

    Attributes:
        node: The rules of the schema and its nested schemas; None if expressions cannot use any of them.
        cardinality: The maximal number of values of the schema in a resource; None if it is unlimited.
        uncorrelatable: The path of the outermost enclosing schema whose items have no old values; None if there is
            none.
    """

    node: RuleNode | None
    cardinality: int | None = 1
    uncorrelatable: FieldPath | None = None

    def of_property(self, name: str, schema: Schema) -> CostScope:
        """Return the scope of the property *name* of the object *schema*."""
        node = self.node and self.node.properties.get(name)
        return CostScope(node, self._multiplied(schema), self.uncorrelatable)

    def of_values(self, schema: Schema) -> CostScope:
        """Return the scope of the values of the map *schema*."""
        return CostScope(self.node and self.node.values, self._multiplied(schema), self.uncorrelatable)

    def of_items(self, schema: Schema, place: LinkedPath) -> CostScope:
        """Return the scope of the items of the list *schema* at *place*."""
        is_correlatable = schema.get("x-kubernetes-list-type") == "map"
        uncorrelatable = self.uncorrelatable if is_correlatable else self.uncorrelatable or fieldpath.resolve(place)
        return CostScope(self.node and self.node.items, self._multiplied(schema), uncorrelatable)

    def cost(self, rule: CompiledRule) -> int:
        """Return the maximal cost of *rule* for all values that a resource may have here; 0 if it does not compile."""
        times = rule.max_cardinality if self.cardinality is None else self.cardinality
        return _product(rule.max_cost, times) if not isinstance(rule.expression, errors.CompileProblem) else 0

    def _multiplied(self, schema: Schema) -> int | None:
        most = _max_elements(schema)
        return None if self.cardinality is None or most is None else _product(self.cardinality, most)


def _max_elements(schema: Schema) -> int | None:
    """Return the maximal number of children of one kind in a value of *schema*; None if it is unlimited."""
    if schema.get("type") == "array":
        most = schema.get("maxItems")
    elif schema.get("type") == "object" and schema.get("additionalProperties") is not None:
        most = schema.get("maxProperties")
    else:
        return 1
    return None if most is None else max(most, 0)


def _product(cost: int, times: int) -> int:
    return min(cost * times, costs.MAX)


@dataclass()
class Costs:
    """
    Estimated costs of the expressions of one schema.

    Attributes:
        total: The sum of all costs.
        most_expensive: Path and cost of the expressions to report, the costliest first.
    """

    total: int = 0
    most_expensive: list[tuple[FieldPath, int]] = field(default_factory=list)

    def add(self, path: FieldPath, cost: int) -> None:
        """Add the cost of an expression."""
        self.total = min(self.total + cost, costs.MAX)
        if cost >= declaredrule.CRD_LIMIT // 100:
            self.most_expensive.append((path, cost))
            self.most_expensive.sort(key=lambda expensive: -expensive[1])
            del self.most_expensive[_MOST_NAMED:]

    def errors(self, path: FieldPath) -> Iterator[FieldError]:
        """Yield the errors about a total above the limit: the costliest rules, then the schema at *path*."""
        if self.total and self.total > declaredrule.CRD_LIMIT:
            yield from (fielderror.forbidden(place, _CONTRIBUTED) for place, _ in self.most_expensive)
            yield fielderror.forbidden(path, _exceeded(_TOTAL, self.total, declaredrule.CRD_LIMIT))


class Expressions:
    """Validation of the expressions of one schema, node by node; costs are added up."""

    def __init__(self, profile: Profile, *, suppress_cost: bool) -> None:
        """Create for a Kubernetes version; *suppress_cost* lifts the limit of single expressions, but keeps the limit of the total."""
        self.costs = Costs()
        self._profile = profile
        self._suppress_cost = suppress_cost

    def find(self, schema: Schema, scope: CostScope, path: FieldPath) -> Iterator[FieldError]:
        """
        Yield the errors of the expressions of *schema* at *path*.

        Errors:
            Forbidden for costs, Invalid, Internal.
        """
        if schema.get(KEYWORD) and not (scope.node and scope.node.rules):
            problem = (scope.node and scope.node.problem) or _UNDECLARED
            yield fielderror.internal(path.child(KEYWORD), problem)
        for index, rule in enumerate(scope.node.rules if scope.node else ()):
            rule_path = path.child(KEYWORD).index(index)
            rule_errors, message_errors = self._rule(rule, rule_path, scope), self._message(rule, rule_path)
            yield from (_with_rule(error, rule, rule_path, "rule", rule.expression) for error in rule_errors)
            yield from (
                _with_rule(error, rule, rule_path, "messageExpression", rule.message_expression)
                for error in message_errors
            )
            if rule.uses_old_self:
                if scope.uncorrelatable is not None:
                    yield fielderror.invalid(
                        rule_path.child("rule"), rule.rule["rule"], f"{_UNCORRELATABLE} {scope.uncorrelatable}"
                    )
            elif rule.rule.get("optionalOldSelf") is not None:
                yield fielderror.invalid(rule_path.child("optionalOldSelf"), rule.rule["optionalOldSelf"], _UNUSED)

    def _rule(self, rule: CompiledRule, path: FieldPath, scope: CostScope) -> Iterator[FieldError]:
        yield from self._cost("estimated rule cost", path.child("rule"), scope.cost(rule))
        if isinstance(rule.expression, errors.CompileProblem):
            yield self._problem(rule, path.child("rule"), rule.expression)

    def _message(self, rule: CompiledRule, path: FieldPath) -> Iterator[FieldError]:
        if isinstance(rule.message_expression, errors.CompileProblem):
            yield self._problem(rule, path.child("messageExpression"), rule.message_expression)
        elif rule.message_expression is not None:
            yield from self._cost(
                "estimated messageExpression cost", path.child("messageExpression"), rule.max_message_cost
            )

    def _cost(self, name: str, path: FieldPath, cost: int) -> Iterator[FieldError]:
        if cost > declaredrule.EXPRESSION_LIMIT and not self._suppress_cost:
            yield fielderror.forbidden(path, _exceeded(name, cost, declaredrule.EXPRESSION_LIMIT))
        self.costs.add(path, cost)

    def _problem(self, rule: CompiledRule, path: FieldPath, problem: CompileProblem) -> FieldError:
        return badvalues.invalid_of_type(path, rule.rule, internaltypes.RULE, problem.message, self._profile)


def _with_rule(
    error: FieldError, rule: CompiledRule, path: FieldPath, key: str, compiled: Expression | CompileProblem | None
) -> FieldError:
    """Return *error* with the rule at *path*; *key* is the field of the rule with the expression."""
    steps = tuple(segment.name if isinstance(segment, Key) else segment for segment in path.child(key).segments)
    offset = compiled.offset if isinstance(compiled, errors.CompileProblem) else None
    return replace(error, rule=FailedRule(rule.rule.get(key) or "", steps, tuple, offset=offset))


def _exceeded(name: str, cost: int, limit: int) -> str:
    """Return the message about a cost above its limit."""
    factor = cost / limit
    exactly = f"{factor:f}x" if factor < 1.5 else f"{factor:.1f}x"
    by = "more than 100x" if factor > 100 else exactly
    hint = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared"
    return f"{name} exceeds budget by factor of {by} ({hint})"

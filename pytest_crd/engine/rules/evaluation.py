"""
Evaluation of the rules of a schema on a value: on create, on update, and for defaults.

The rules of a node precede those of nested nodes. Evaluation stops when the cost budget is spent.

Reference:
    apiextensions-apiserver schema/cel/validation.go, Validator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple, NoReturn

from pytest_crd.engine.cel import explanation
from pytest_crd.engine.cel.errors import CompileProblem, CostLimitError
from pytest_crd.engine.errors import fielderror, origin
from pytest_crd.engine.errors.fielderror import FieldError, Omitted
from pytest_crd.engine.errors.origin import FailedRule, Origin, Steps
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.observer import RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import messages
from pytest_crd.engine.rules.compilation import CompiledRule, Expression
from pytest_crd.engine.rules.tree import RuleNode
from pytest_crd.engine.rules.variables import Variables
from pytest_crd.engine.values import ratcheting
from pytest_crd.engine.values.ratcheting import Correlation

BUDGET: Final = 10_000_000
"""Limit of the total cost of all rules on one object."""
_ROOT: Final = FieldPath()
_OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"


class _SpentError(Exception):
    """Stops the evaluation; no further rule runs."""


@dataclass(slots=True)
class RuleFindings:
    """
    Results of the rules for a value.

    Attributes:
        budget: The remaining budget; negative if not all rules ran.
        errors: The errors in the server's order; sorted by name where the server's order is random.
        warnings: The errors about values that an update leaves unchanged, as warnings.
    """

    budget: int = BUDGET
    errors: list[FieldError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Ratchet:
    """
    Ratcheting of one value: whether a failure is only a warning.

    Attributes:
        current: New and old value; None if there is no corresponding old value.
        parent: New and old value of the nearest enclosing value with a corresponding old one.
    """

    current: Correlation | None = None
    parent: Correlation | None = None

    @property
    def forgives(self) -> bool:
        """Whether the value, or the nearest enclosing value with an old one, is unchanged."""
        correlation = self.current or self.parent
        return correlation is not None and correlation.is_unchanged

    def key(self, name: str) -> _Ratchet:
        """Return the ratcheting of the field *name*."""
        if self.current is None:
            return self
        if self.parent is None and name in {"apiVersion", "kind"}:
            return _Ratchet()  # never ratcheted: old and new object were converted to the same version
        return _Ratchet(self.current.field(name), self.current)

    def index(self, position: int) -> _Ratchet:
        """Return the ratcheting of the item at *position*."""
        return self if self.current is None else _Ratchet(self.current.item(position), self.current)


@dataclass(frozen=True, slots=True)
class RuleSubject:
    """
    Value to evaluate rules on.

    Attributes:
        value: A JSON value that passed value validation as far as rules require.
        old: The value that it replaces; None on create.
        path: Its path.
        correlation: New and old value for ratcheting; None on create.
    """

    value: JSONValue
    old: JSONValue = None
    path: FieldPath = _ROOT
    correlation: Correlation | None = None


class _Place(NamedTuple):
    """
    Part of the value.

    Attributes:
        value: The part.
        old: The old part; None if there is none.
        path: Its path.
        ratchet: Its ratcheting.
    """

    value: JSONValue
    old: JSONValue
    path: FieldPath
    ratchet: _Ratchet


def validate(
    root: RuleNode,
    subject: RuleSubject,
    profile: Profile,
    *,
    budget: int = BUDGET,
    outcomes: list[RuleOutcome] | None = None,
) -> RuleFindings:
    """
    Return the results of the rules for a value.

    Args:
        root: The rules of its schema.
        subject: The value.
        profile: The Kubernetes version.
        budget: The cost limit for all rules together.
        outcomes: A list to append the outcome of each rule to; None to skip this.

    Errors:
        Invalid, Forbidden, Required, Duplicate.
    """
    depth = len(subject.path.segments)
    walk = (
        _Walk(profile, RuleFindings(budget), depth)
        if outcomes is None
        else _ObservedWalk(profile, RuleFindings(budget), depth, outcomes)
    )
    try:
        walk.visit(root, _Place(subject.value, subject.old, subject.path, _Ratchet(subject.correlation)))
    except _SpentError:
        walk.findings.budget = -1
    return walk.findings


class _Walk:
    """One walk over a value and the rules of its schema."""

    def __init__(self, profile: Profile, findings: RuleFindings, depth: int) -> None:
        self.findings = findings
        self._profile = profile
        self._depth = depth

    def visit(self, node: RuleNode, place: _Place) -> None:
        """Evaluate the rules of a node, then the rules of nested nodes."""
        if place.value is None:
            return
        if node.rules:
            self._evaluate(node, place)
        if type(place.value) is list and node.items is not None:
            self._visit_items(node, node.items, place)
        elif type(place.value) is dict:
            self._visit_fields(node, place)

    def _visit_fields(self, node: RuleNode, place: _Place) -> None:
        olds: Mapping[str, JSONValue] = place.old if type(place.old) is dict else {}
        path, ratchet = place.path, place.ratchet
        if node.values is not None:
            for key in sorted(place.value):
                inner = _Place(place.value[key], olds.get(key), path.key(key), ratchet.key(key))
                self.visit(node.values, inner)
        for name, child in node.properties.items():
            if name in place.value:
                inner = _Place(place.value[name], olds.get(name), path.child(name), ratchet.key(name))
                self.visit(child, inner)

    def _visit_items(self, node: RuleNode, items: RuleNode, place: _Place) -> None:
        keys = node.schema.x_list_map_keys or ()
        olds = ratcheting.index_by_keys(place.old, keys) if node.schema.x_list_type == "map" else {}
        for index, item in enumerate(place.value):
            old = olds.get(ratcheting.item_keys(item, keys)) if olds else None
            self.visit(items, _Place(item, old, place.path.index(index), place.ratchet.index(index)))

    def _evaluate(self, node: RuleNode, place: _Place) -> None:
        if self.findings.budget <= 0:
            self._stop(place.path, node, _OUT_OF_BUDGET)
        # A message expression sees the old value only if a rule of the same schema uses it.
        old = place.old if place.old is not None and any(rule.uses_old_self for rule in node.rules) else None
        variables = Variables(node.view, place.value, old, self._profile)
        for rule in node.rules:
            if isinstance(rule.expression, CompileProblem):
                failed = self._failed(rule, node, place)
                self._fail(place.path, node, f"rule compile error: {rule.expression.message}", failed)
            elif rule.expression is not None and not _is_skipped(rule, place):
                self._run(rule, rule.expression, node, place, variables)

    def _run(
        self, rule: CompiledRule, expression: Expression, node: RuleNode, place: _Place, variables: Variables
    ) -> None:
        """Evaluate one rule and record its result."""
        try:
            outcome = expression.program.evaluate(variables.bindings(optional=rule.has_optional_old_self))
        except CostLimitError as error:
            if error.cost > self.findings.budget:
                self._stop(place.path, node, _OUT_OF_BUDGET)
            self._stop(place.path, node, messages.call_limit_message(error, rule.rule), self._failed(rule, node, place))
        if outcome.cost > self.findings.budget:
            self._stop(place.path, node, _OUT_OF_BUDGET)
        self.findings.budget -= outcome.cost
        if outcome.error is not None:
            failed = self._failed(rule, node, place, variables, was_evaluated=False)
            self._fail(place.path, node, messages.run_time_error_message(outcome.error, rule.rule), failed)
        elif outcome.value is not True:
            self._report(rule, node, place, variables)

    def _report(self, rule: CompiledRule, node: RuleNode, place: _Place, variables: Variables) -> None:
        """Record a failed rule: as an error, or as a warning if an update leaves the value unchanged."""
        expression, detail = rule.message_expression, ""
        # The server reads the field path last, so not if the message expression does not compile.
        path = (
            place.path
            if isinstance(expression, CompileProblem)
            else messages.error_path(rule.rule, place.path, node.schema)
        )
        is_forgiven = not rule.uses_old_self and place.ratchet.forgives
        failed = self._failed(rule, node, place, variables)
        if isinstance(expression, Expression):
            evaluated = messages.evaluate(
                rule.rule, expression.program, variables.bindings(optional=False), self.findings.budget
            )
            if evaluated.problem:
                self._add(_with_rule(failed, self._invalid(path, node, evaluated.problem)), is_forgiven=is_forgiven)
                raise _SpentError
            self.findings.budget -= evaluated.cost
            detail = evaluated.message
        text = detail or messages.failure_message(rule.rule)
        error = messages.error(rule.rule, path, self._bad_value(node, place), text)
        self._add(_with_rule(failed, error), is_forgiven=is_forgiven)

    def _failed(
        self,
        rule: CompiledRule,
        node: RuleNode,
        place: _Place,
        variables: Variables | None = None,
        *,
        was_evaluated: bool = True,
    ) -> FailedRule:
        """Return the rule for its error; pass no *variables* if it did not run to its end."""
        reasons, is_complete = partial(_reasons, rule, variables), was_evaluated and variables is not None
        return FailedRule(rule.text, self._steps_of(rule, node, place), reasons, was_evaluated=is_complete)

    def _steps_of(self, rule: CompiledRule, node: RuleNode, place: _Place) -> Steps:
        """Return the path of a rule in the schema of the value."""
        schema = origin.schema_steps(place.path.segments[self._depth :])
        return (*schema, "x-kubernetes-validations", node.rules.index(rule))

    def _bad_value(self, node: RuleNode, place: _Place) -> JSONValue:
        """Return the bad value for the error of a failed rule."""
        if not self._profile.prints_failed_values:
            return node.schema.type
        return Omitted.VALUE if node.schema.type in {"object", "array"} else place.value

    def _add(self, error: FieldError, *, is_forgiven: bool) -> None:
        if is_forgiven:
            self.findings.warnings.append(str(error))
        else:
            self.findings.errors.append(error)

    def _invalid(self, path: FieldPath, node: RuleNode, detail: str) -> FieldError:
        return fielderror.invalid(path, node.schema.type, detail)

    def _fail(self, path: FieldPath, node: RuleNode, detail: str, rule: FailedRule | None = None) -> None:
        self.findings.errors.append(_with_rule(rule, self._invalid(path, node, detail)))

    def _stop(self, path: FieldPath, node: RuleNode, detail: str, rule: FailedRule | None = None) -> NoReturn:
        """Record why the evaluation ends, and end it."""
        self._fail(path, node, detail, rule)
        raise _SpentError


class _ObservedWalk(_Walk):
    """Walk that also records the outcome of each rule; for unchanged values of an update, only successes."""

    def __init__(self, profile: Profile, findings: RuleFindings, depth: int, outcomes: list[RuleOutcome]) -> None:
        super().__init__(profile, findings, depth)
        self._outcomes = outcomes

    def _run(
        self, rule: CompiledRule, expression: Expression, node: RuleNode, place: _Place, variables: Variables
    ) -> None:
        before = len(self.findings.errors) + len(self.findings.warnings)
        super()._run(rule, expression, node, place, variables)
        if len(self.findings.errors) + len(self.findings.warnings) == before:
            bindings = variables.bindings(optional=rule.has_optional_old_self)
            self._outcomes.append(RuleOutcome(self._steps_of(rule, node, place), holds=True, variables=bindings))

    def _report(self, rule: CompiledRule, node: RuleNode, place: _Place, variables: Variables) -> None:
        before = len(self.findings.errors)
        super()._report(rule, node, place, variables)
        if len(self.findings.errors) > before:
            made_message = isinstance(rule.message_expression, Expression)
            steps = self._steps_of(rule, node, place)
            bindings = variables.bindings(optional=rule.has_optional_old_self)
            self._outcomes.append(RuleOutcome(steps, holds=False, made_message=made_message, variables=bindings))


def _reasons(rule: CompiledRule, variables: Variables | None) -> tuple[str, ...]:
    """Return the values that decided the result of a rule; empty if it was not evaluated."""
    expression = rule.expression
    if variables is None or not isinstance(expression, Expression):
        return ()
    bindings = variables.bindings(optional=rule.has_optional_old_self)
    return explanation.find_reasons(expression.checked, expression.environment.functions, bindings).lines


def _is_skipped(rule: CompiledRule, place: _Place) -> bool:
    """Return whether a transition rule does not run because there is no old value."""
    return place.old is None and rule.uses_old_self and not rule.has_optional_old_self


def _with_rule(rule: FailedRule | None, error: FieldError) -> FieldError:
    """Return *error* with *rule* as its cause and origin."""
    if rule is None:
        return error
    *schema, keyword, index = rule.steps
    return replace(error, rule=rule, origin=Origin(tuple(schema), str(keyword), (index,)))

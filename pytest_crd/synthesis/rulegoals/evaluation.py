"""Evaluation of a rule and its parts for an object, by the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from pytest_crd import engine
from pytest_crd.engine import profile
from pytest_crd.engine.cel.errors import CostLimitError, EvaluationError
from pytest_crd.engine.cel.run.interpreter import Program
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.values.celvalues import MISSING, Optional, Value, find
from pytest_crd.engine.rules import tree
from pytest_crd.engine.rules.compilation import OLD_SELF, SELF, CompiledRule, Expression
from pytest_crd.engine.rules.escaping import escape
from pytest_crd.engine.rules.tree import RuleNode
from pytest_crd.engine.rules.variables import Variables
from pytest_crd.synthesis.objectchanges import ABSENT, value_at
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.synthesis.rulegoals.state import Ref, State

# The cost limit of one evaluation; objects are small here.
_MOST_COST: Final = 100_000


class EnoughError(Exception):
    """The budget of evaluations is spent."""


@dataclass(frozen=True, slots=True)
class Closure:
    """An expression with its scope, bound to the variable of a loop."""

    node: Node
    scope: Scope


@dataclass(frozen=True, slots=True)
class Known:
    """A value bound to the variable of a loop."""

    value: Value


Binding: TypeAlias = "Ref | Closure | Known"
Scope: TypeAlias = "Mapping[str, Binding]"


@dataclass(frozen=True, slots=True)
class RunnableRule:
    """
    A rule that can be evaluated.

    Attributes:
        node: The schema node of the rule.
        rule: The rule.
        expression: The compiled expression.
    """

    node: RuleNode
    rule: CompiledRule
    expression: Expression

    @property
    def needs_old(self) -> bool:
        """Whether the rule is evaluated for updates only."""
        return self.rule.uses_old_self and not self.rule.has_optional_old_self


class VersionRules:
    """The compiled rules of a version."""

    def __init__(self, version: engine.CrdVersion) -> None:
        self.version = version
        self.profile = profile.named(version.crd.kubernetes_version)

    @cached_property
    def _root(self) -> RuleNode | None:
        schema = self.version.schema
        return None if schema is None else tree.build_stored(schema, self.profile, is_resource=True)

    def at(self, base: Steps, index: int) -> RunnableRule | None:
        """Return the rule at *index* of the value at *base*; None if the rule is missing or does not compile."""
        node = self._root
        for step in base:
            if node is None:
                return None
            node = node.items if isinstance(step, int) else node.properties.get(step, node.values)
        if node is None or index >= len(node.rules):
            return None
        rule = node.rules[index]
        return RunnableRule(node, rule, rule.expression) if isinstance(rule.expression, Expression) else None

    def defaulted(self, resource: Any) -> Any:
        """Return *resource* with its defaults."""
        return self.version.passes.default(resource).value


class PartEvaluator:
    """
    An evaluator of the parts of a rule.

    Attributes:
        root: The tree of the rule.
    """

    def __init__(self, rules: VersionRules, base: Steps, runnable: RunnableRule, most: int) -> None:
        """Create an evaluator for the rule *runnable* of the value at *base*, with a budget of *most* evaluations."""
        self._rules = rules
        self._base = base
        self._node = runnable.node
        self._checked = runnable.expression.checked
        self._functions = runnable.expression.environment.functions
        self._is_optional = runnable.rule.has_optional_old_self
        self._plans: dict[Node, Program] = {}  # variants share the ids of nodes
        self._remaining = most
        self.root = self._checked.parsed.root

    def value(self, node: Node, state: State, scope: Scope) -> Value:
        """
        Return the value of a part; if its evaluation fails, the error.

        Raises:
            EnoughError: The budget of evaluations is spent.
        """
        self._remaining -= 1
        if self._remaining < 0:
            raise EnoughError
        try:
            return self._run(node, state, scope)
        except (EvaluationError, CostLimitError, LookupError) as error:
            return EvaluationError(*error.args)

    def _run(self, node: Node, state: State, scope: Scope) -> Value:
        if node not in self._plans:
            self._plans[node] = Program(self._checked, self._functions, part=node)
        result = self._plans[node].evaluate(_LazyVariables(self, state, scope), _MOST_COST)
        if result.error is not None:
            raise result.error
        return result.value

    def bound(self, name: str, state: State, scope: Scope) -> Value:
        """Return the value of the variable *name*."""
        binding = scope.get(name)
        if isinstance(binding, Closure):
            return self._run(binding.node, state, binding.scope)
        if isinstance(binding, Known):
            return binding.value
        if isinstance(binding, Ref) and name not in {SELF, OLD_SELF}:
            return self._at(binding, state)
        return self._variables(state)[name]

    def _at(self, ref: Ref, state: State) -> Value:
        value = self._variables(state)[OLD_SELF if ref.is_old else SELF]
        if isinstance(value, Optional):
            value = value.value
        for step in ref.steps[len(self._base) :]:
            if isinstance(step, int):
                value = value[step]
                continue
            field = find(value, step)
            value = find(value, escape(step)) if field is MISSING else field
            if value is MISSING:
                raise EvaluationError("no such key")
        return value

    def _variables(self, state: State) -> Mapping[str, Value]:
        if "variables" not in state.memory:
            new, old = (None if resource is None else self._view(resource) for resource in (state.new, state.old))
            variables = Variables(self._node.view, new, old, self._rules.profile)
            state.memory["variables"] = variables.bindings(optional=self._is_optional)
        cached: Mapping[str, Value] = state.memory["variables"]
        return cached

    def _view(self, resource: Any) -> Any:
        value = value_at(self._rules.defaulted(resource), self._base)
        return None if value is ABSENT else value


class _LazyVariables(dict[str, Value]):
    """The variables of an evaluation, computed on first access."""

    def __init__(self, evaluation: PartEvaluator, state: State, scope: Scope) -> None:
        self._arguments = evaluation, state, scope

    def __missing__(self, name: str) -> Value:
        evaluation, state, scope = self._arguments
        value = self[name] = evaluation.bound(name, state, scope)
        return value

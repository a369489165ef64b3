"""Common parts of goals on expressions: the places of their operands, and guesses for expressions that are not analysed."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.values.celvalues import Value
from pytest_crd.engine.rules.escaping import unescape
from pytest_crd.synthesis.objectchanges import ABSENT
from pytest_crd.synthesis.rulegoals import ruleparts, valuecandidates
from pytest_crd.synthesis.rulegoals.evaluation import Closure, PartEvaluator, Scope
from pytest_crd.synthesis.rulegoals.state import Editor, Ref, State

States: TypeAlias = "Iterator[State]"


class Goals(ABC):
    """
    A solver for the values of the parts of a rule.

    Attributes:
        evaluation: The evaluator of the parts.
        editor: The editor of states.
        effort: The number of states to try for each part, and of values at each place of a part that is not analysed.
    """

    def __init__(self, evaluation: PartEvaluator, editor: Editor, effort: int) -> None:
        self.evaluation = evaluation
        self.editor = editor
        self.effort = effort
        self._literals = ruleparts.literals(evaluation.root)

    @abstractmethod
    def make(self, node: Node, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001 - the wanted value
        """Yield states in which an expression is *wanted*, true or false, the nearest first."""

    @abstractmethod
    def assign(self, node: Node, value: Value, state: State, scope: Scope) -> States:
        """Yield states in which an expression may have *value*."""

    def value(self, node: Node, state: State, scope: Scope) -> Value:
        """Return the value of an expression; if its evaluation fails, the error."""
        return self.evaluation.value(node, state, scope)

    def place(self, node: Node, state: State, scope: Scope) -> Ref | None:
        """Return the place of an expression's value in the objects; None if it is computed."""
        match node:
            case ast.Identifier():
                binding = scope.get(node.name)
                if isinstance(binding, Closure):
                    return self.place(binding.node, state, binding.scope)
                return binding if isinstance(binding, Ref) else None
            case ast.Select(test_only=False):
                return self._inside(self.place(node.operand, state, scope), node.field)
            case ast.Call():
                return self._place_of_call(node, state, scope)
        return None

    def _place_of_call(self, node: ast.Call, state: State, scope: Scope) -> Ref | None:
        name, operands = ruleparts.name_of(node), ruleparts.operands(node)
        if name in ruleparts.TRANSPARENT or name == "orValue":
            return self.place(operands[0], state, scope)
        outer = self.place(operands[0], state, scope) if name in ruleparts.INDICES else None
        key = None if outer is None else self.value(operands[1], state, scope)
        if outer is None or isinstance(key, bool) or not isinstance(key, str | int):
            return None
        return self._inside(outer, key) if name == "_?._" else outer.inner(key)

    def _inside(self, outer: Ref | None, field: str | int) -> Ref | None:
        if outer is None or isinstance(field, int):
            return None if outer is None else outer.inner(field)
        name = unescape(field)
        is_property = name is not None and name in self.editor.demand(outer).properties
        return outer.inner(name if is_property and name is not None else field)

    def places(self, node: Node, state: State, scope: Scope) -> Iterator[Ref]:
        """Yield the places that an expression reads, without duplicates and without elements of its loops."""
        yielded: set[Ref] = set()
        for ref in self._places(node, state, scope):
            if ref not in yielded:
                yielded.add(ref)
                yield ref

    def _places(self, node: Node, state: State, scope: Scope) -> Iterator[Ref]:
        if isinstance(node, ast.Select) and node.test_only:
            ref = self._inside(self.place(node.operand, state, scope), node.field)
        else:
            ref = self.place(node, state, scope)
        if ref is not None:
            yield ref
            return
        if isinstance(node, ast.Identifier) and isinstance(binding := scope.get(node.name), Closure):
            yield from self._places(binding.node, state, binding.scope)
        for part in ruleparts.inner(node):
            yield from self._places(part, state, scope)

    def present(self, node: Node, state: State, scope: Scope) -> State:
        """Return *state* with a value at each place that an expression needs to be evaluated."""
        if not isinstance(self.value(node, state, scope), EvaluationError):
            return state
        for ref in list(self.places(node, state, scope)):
            state = self.editor.present(state, ref) or state
        return state

    def guess(self, node: Node, state: State, scope: Scope) -> States:
        """Yield states with another value at a place that the expression reads."""
        functions = ruleparts.functions(node)
        literals = [*ruleparts.literals(node), *self._literals]
        refs = list(self.places(node, state, scope))
        for candidates_ in itertools.zip_longest(*(self._guesses(ref, state, literals, functions) for ref in refs)):
            yield from (candidate for candidate in candidates_ if candidate is not None)

    def _guesses(self, ref: Ref, state: State, literals: Iterable[Any], functions: Iterable[str]) -> States:
        demand, current = self.editor.demand(ref), state.at(ref)
        candidates = valuecandidates.pool(current, demand, self.editor.maker, literals, functions)
        for value in itertools.islice(candidates, self.effort):
            if (changed := self.editor.put(state, ref, value)) is not None:
                yield changed
        if current is not ABSENT and (without := self.editor.without(state, ref)) is not None:
            yield without


def interleave(iterators: Iterable[States]) -> States:
    """Yield the next state of each iterator, round by round."""
    for states in itertools.zip_longest(*iterators):
        yield from (state for state in states if state is not None)


def yield_state(state: State | None) -> States:
    """Yield *state* if there is a state."""
    if state is not None:
        yield state

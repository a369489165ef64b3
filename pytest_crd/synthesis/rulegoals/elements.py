"""The elements of loops: existing ones, and new ones."""

from __future__ import annotations

import itertools
from abc import ABC
from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macrocalls import MacroCall
from pytest_crd.engine.cel.values.celvalues import Value, is_list, is_map
from pytest_crd.synthesis import matchingtexts
from pytest_crd.synthesis.rulegoals import ruleparts, valuecandidates
from pytest_crd.synthesis.rulegoals.evaluation import Binding, Closure, Known, Scope
from pytest_crd.synthesis.rulegoals.goals import Goals, yield_state
from pytest_crd.synthesis.rulegoals.state import Ref, State

_MOST_ITEMS: Final = 4
_LONGEST_KEY: Final = 1000


class Elements(Goals, ABC):
    """Goals with the elements of loops."""

    def bound(self, macro: MacroCall, element: Binding, scope: Scope) -> Scope:
        """Return the scope of a loop's body for an element; with two variables, the first is the key or index."""
        if len(macro.variables) == 1:
            return {**scope, macro.variables[0]: element}
        first, second = macro.variables
        key: Value = (
            element.steps[-1] if isinstance(element, Ref) else element.value if isinstance(element, Known) else 0
        )
        return {**scope, first: Known(key), second: element}

    def existing(self, target: Node, state: State, scope: Scope) -> Iterator[Binding]:
        """Yield the elements of a loop over *target*."""
        ref = self.place(target, state, scope)
        if ref is not None:
            value = state.at(ref)
            if isinstance(value, list):
                yield from (ref.inner(index) for index in range(len(value)))
            elif isinstance(value, dict):
                yield from map(Known, value)
            return
        macro = ruleparts.macro_of(target)
        if macro is not None and macro.name in {"map", "filter"}:
            yield from self._find_macro_elements(macro, state, scope)
        elif isinstance(target, ast.ListLiteral):
            yield from (Closure(element, scope) for element in target.elements)
        elif isinstance(target, ast.Identifier) and isinstance(binding := scope.get(target.name), Closure):
            yield from self.existing(binding.node, state, binding.scope)
        elif isinstance(target, ast.Call) and target.function == "_+_":
            for part in target.arguments:
                yield from self.existing(part, state, scope)
        else:
            value = self.value(target, state, scope)
            yield from map(Known, value if is_list(value) or is_map(value) else ())

    def _find_macro_elements(self, macro: MacroCall, state: State, scope: Scope) -> Iterator[Binding]:
        for element in self.existing(macro.target, state, scope):
            inner = self.bound(macro, element, scope)
            if macro.name == "map":
                yield Closure(macro.arguments[-1], inner)
            elif self.value(macro.arguments[0], state, inner) is True:
                yield element

    def added(self, target: Node, state: State, scope: Scope) -> Iterator[tuple[State, Binding]]:
        """Yield states with one more element in *target*, each with the new element."""
        ref = self.place(target, state, scope)
        macro = ruleparts.macro_of(target)
        if ref is not None:
            yield from self._added_at(ref, state)
        elif macro is not None and macro.name in {"map", "filter"}:
            for extended, binding in self.added(macro.target, state, scope):
                inner = self.bound(macro, binding, scope)
                if macro.name == "map":
                    yield extended, Closure(macro.arguments[-1], inner)
                    continue
                states = self.make(macro.arguments[0], True, extended, inner)  # noqa: FBT003
                yield from ((passing, binding) for passing in itertools.islice(states, _MOST_ITEMS))
        elif isinstance(target, ast.Identifier) and isinstance(closure := scope.get(target.name), Closure):
            yield from self.added(closure.node, state, closure.scope)
        elif isinstance(target, ast.Call):
            for part in ruleparts.operands(target):
                yield from self.added(part, state, scope)

    def _added_at(self, ref: Ref, state: State) -> Iterator[tuple[State, Binding]]:
        demand, current = self.editor.demand(ref), state.at(ref)
        if demand.type == "array":
            items = current if isinstance(current, list) else []
            new_items = self.editor.maker.items(demand, len(items) + 1) or [self.editor.maker.first(demand.inner(0))]
            for item in (*items[-1:], new_items[-1]):
                for extended in yield_state(self.editor.put(state, ref, [*items, item])):
                    yield extended, ref.inner(len(items))
        else:
            names = [
                name
                for name in (*demand.properties, *self._names())
                if not isinstance(current, dict) or name not in current
            ]
            for name in names[: self.effort]:
                for extended in yield_state(
                    self.editor.put(state, ref.inner(name), self.editor.maker.first(demand.inner(name)))
                ):
                    yield extended, Known(name)

    def _names(self) -> Iterator[str]:
        """Yield map keys that a rule may test: its literals, matches of its patterns, and names with lengths from the rule."""
        yield "key"
        for literal in self._literals:
            if isinstance(literal, str):
                yield from (literal, *itertools.islice(matchingtexts.texts(literal), 2), f"a{literal}", f"{literal}a")
            elif isinstance(literal, int) and 0 < literal <= _LONGEST_KEY:
                yield from (name for size in (literal, literal + 1) for name in ("a" * size, f"{'a' * size}/a"))
        yield from valuecandidates.ODD

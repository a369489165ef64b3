"""The elements that loops look at: those that are there, and new ones."""

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
from pytest_crd.synthesis.rulegoals.goals import Goals, some
from pytest_crd.synthesis.rulegoals.state import Ref, State

_MOST_ITEMS: Final = 4
_LONGEST_KEY: Final = 1000


class Elements(Goals, ABC):
    """Knows what loops look at."""

    def bound(self, macro: MacroCall, element: Binding, scope: Scope) -> Scope:
        """Return what the body of a loop knows at an element; of a second variable it is the first that is a key or an index."""
        if len(macro.variables) == 1:
            return {**scope, macro.variables[0]: element}
        first, second = macro.variables
        key: Value = (
            element.steps[-1] if isinstance(element, Ref) else element.value if isinstance(element, Known) else 0
        )
        return {**scope, first: Known(key), second: element}

    def existing(self, target: Node, state: State, scope: Scope) -> Iterator[Binding]:
        """Yield the elements that a loop over *target* looks at."""
        ref = self.place(target, state, scope)
        if ref is not None:
            found = state.at(ref)
            if isinstance(found, list):
                yield from (ref.inner(index) for index in range(len(found)))
            elif isinstance(found, dict):
                yield from map(Known, found)
            return
        macro = ruleparts.macro_of(target)
        if macro is not None and macro.name in {"map", "filter"}:
            yield from self._existing_of_loop(macro, state, scope)
        elif isinstance(target, ast.ListLiteral):
            yield from (Closure(one, scope) for one in target.elements)
        elif isinstance(target, ast.Identifier) and isinstance(binding := scope.get(target.name), Closure):
            yield from self.existing(binding.node, state, binding.scope)
        elif isinstance(target, ast.Call) and target.function == "_+_":
            for part in target.arguments:
                yield from self.existing(part, state, scope)
        else:
            found = self.value(target, state, scope)
            yield from map(Known, found if is_list(found) or is_map(found) else ())

    def _existing_of_loop(self, macro: MacroCall, state: State, scope: Scope) -> Iterator[Binding]:
        for one in self.existing(macro.target, state, scope):
            inner = self.bound(macro, one, scope)
            if macro.name == "map":
                yield Closure(macro.arguments[-1], inner)
            elif self.value(macro.arguments[0], state, inner) is True:
                yield one

    def added(self, target: Node, state: State, scope: Scope) -> Iterator[tuple[State, Binding]]:
        """Yield states with an element more in what a loop looks at, with the element."""
        ref = self.place(target, state, scope)
        macro = ruleparts.macro_of(target)
        if ref is not None:
            yield from self._added_at(ref, state)
        elif macro is not None and macro.name in {"map", "filter"}:
            for one, binding in self.added(macro.target, state, scope):
                inner = self.bound(macro, binding, scope)
                if macro.name == "map":
                    yield one, Closure(macro.arguments[-1], inner)
                    continue
                made = self.make(macro.arguments[0], True, one, inner)  # noqa: FBT003
                yield from ((another, binding) for another in itertools.islice(made, _MOST_ITEMS))
        elif isinstance(target, ast.Identifier) and isinstance(known := scope.get(target.name), Closure):
            yield from self.added(known.node, state, known.scope)
        elif isinstance(target, ast.Call):
            for part in ruleparts.operands(target):
                yield from self.added(part, state, scope)

    def _added_at(self, ref: Ref, state: State) -> Iterator[tuple[State, Binding]]:
        demand, current = self.editor.demand(ref), state.at(ref)
        if demand.type == "array":
            items = current if isinstance(current, list) else []
            made = self.editor.maker.items(demand, len(items) + 1) or [self.editor.maker.first(demand.inner(0))]
            for item in (*items[-1:], made[-1]):
                for one in some(self.editor.put(state, ref, [*items, item])):
                    yield one, ref.inner(len(items))
        else:
            names = [
                name
                for name in (*demand.properties, *self._names())
                if not isinstance(current, dict) or name not in current
            ]
            for name in names[: self.effort]:
                for one in some(self.editor.put(state, ref.inner(name), self.editor.maker.first(demand.inner(name)))):
                    yield one, Known(name)

    def _names(self) -> Iterator[str]:
        """Yield keys of maps that a rule may speak of: what it names, what its patterns match, and of the lengths in it."""
        yield "key"
        for literal in self._literals:
            if isinstance(literal, str):
                yield from (literal, *itertools.islice(matchingtexts.texts(literal), 2), f"a{literal}", f"{literal}a")
            elif isinstance(literal, int) and 0 < literal <= _LONGEST_KEY:
                yield from (name for size in (literal, literal + 1) for name in ("a" * size, f"{'a' * size}/a"))
        yield from valuecandidates.ODD

"""Goals on values: states in which an expression has a given value or size."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macrocalls import MacroCall
from pytest_crd.engine.cel.values.celvalues import Value, is_list, is_map
from pytest_crd.synthesis.objectchanges import ABSENT
from pytest_crd.synthesis.rulegoals import ruleparts, valuecandidates
from pytest_crd.synthesis.rulegoals.elements import Elements
from pytest_crd.synthesis.rulegoals.evaluation import Binding, Closure, Scope
from pytest_crd.synthesis.rulegoals.goals import States, interleave, yield_state
from pytest_crd.synthesis.rulegoals.state import Ref, State

# The limits of items to try for a goal on any item of a list, and of items to add for a count.
_MOST_ITEMS: Final = 4
_MOST_ADDED: Final = 12
_LETTERS: Final = "xyzwvu"
_NUMBERS: Final = frozenset({"int", "double", "uint"})
# Functions that convert their argument without changing its meaning.
_SAME: Final = frozenset({*_NUMBERS, "lowerAscii", "upperAscii", "trim", "string", "duration", "timestamp"})


class Assignments(Elements):
    """Goals that give expressions values."""

    def assign(self, node: Node, value: Value, state: State, scope: Scope) -> States:
        """Yield states in which an expression may have *value*."""
        ref = self.place(node, state, scope)
        if ref is not None:
            yield from self._assign_place(ref, value, state)
        if isinstance(node, ast.Constant):
            yield state
        elif isinstance(node, ast.Identifier):
            binding = scope.get(node.name)
            if ref is None and isinstance(binding, Closure):
                yield from self.assign(binding.node, value, state, binding.scope)
        elif isinstance(value, bool) and ref is None:
            yield from self.make(node, value, state, scope)
        elif isinstance(node, ast.Call):
            yield from self._assign_call(node, value, state, scope)
        elif isinstance(node, ast.ListLiteral) and is_list(value) and len(value) == len(node.elements):
            yield from self._each(list(zip(node.elements, value, strict=True)), state, scope)
        elif isinstance(node, ast.Comprehension) and (is_list(value) or is_map(value)):
            yield from self._assign_loop(ruleparts.loop(node), value, state, scope)

    def _assign_place(self, ref: Ref, value: Value, state: State) -> States:
        wanted = valuecandidates.to_json(value)
        demand = self.editor.demand(ref)
        if wanted is not ABSENT and (not demand.type or demand.fits(wanted)):
            yield from yield_state(self.editor.put(state, ref, wanted))

    def _each(self, pairs: list[tuple[Node, Value]], state: State, scope: Scope) -> States:
        if not pairs:
            yield state
            return
        for assigned in itertools.islice(self.assign(*pairs[0], state, scope), _MOST_ITEMS):
            yield from self._each(pairs[1:], assigned, scope)

    def _assign_call(self, node: ast.Call, value: Value, state: State, scope: Scope) -> States:
        name, operands = ruleparts.name_of(node), ruleparts.operands(node)
        if name == "_?_:_" and ruleparts.macro_of(node) is None:
            condition, *branches = operands
            yield from interleave(
                self._with_branch(condition, branch, value, is_first, state, scope)
                for branch, is_first in zip(branches, (True, False), strict=True)
            )
        elif name in _SAME or name in ruleparts.TRANSPARENT:
            for operand_value in (value, str(value)) if name in _NUMBERS else (value,):
                yield from self.assign(operands[0], operand_value, state, scope)
        elif name in _INVERSES and len(operands) == 2:
            yield from interleave(
                (self._solve(node, operands, value, state, scope), self._share(node, value, state, scope))
            )
        elif (assign := self._assigners.get(name)) is not None:
            yield from assign(operands, value, state, scope)

    @cached_property
    def _assigners(self) -> Mapping[str, Callable[[tuple[Node, ...], Value, State, Scope], States]]:
        return {
            "orValue": self._assign_or,
            "size": self._assign_size,
            "-_": lambda operands, value, state, scope: self.assign(operands[0], -value, state, scope),
            "_[_]": self._assign_item,
            "split": self._assign_split,
            "join": self._assign_join,
        }

    def _assign_or(self, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        yield from self.assign(operands[0], value, state, scope)
        ref = self.place(operands[0], state, scope)
        yield from yield_state(None if ref is None else self.editor.without(state, ref))

    def _assign_size(self, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        yield from self.resize(operands[0], int(value), state, scope)

    def _with_branch(  # noqa: PLR0913, PLR0917 - a branch and its condition
        self,
        condition: Node,
        branch: Node,
        value: Value,
        is_first: bool,  # noqa: FBT001
        state: State,
        scope: Scope,
    ) -> States:
        for chosen in itertools.islice(self.make(condition, is_first, state, scope), _MOST_ITEMS):
            yield from self.assign(branch, value, chosen, scope)

    def _solve(self, node: ast.Call, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        """Yield states in which one operand of a sum, product … is computed from the result and the other operand."""
        for operand, opposite, invert in zip(operands, reversed(operands), _INVERSES[node.function], strict=True):
            opposite_value = self.value(opposite, state, scope)
            current = self.value(operand, state, scope)
            try:
                wanted = list(invert(value, opposite_value, current))
            except (TypeError, ZeroDivisionError, AttributeError):
                continue
            for solution in wanted:
                yield from self.assign(operand, solution, state, scope)

    def _share(self, node: ast.Call, value: Value, state: State, scope: Scope) -> States:
        """Yield states in which each term of a sum gets its share of a number, or of a text between its constant terms."""
        terms = ruleparts.flattened(node)
        if node.function == "_+_" and isinstance(value, str):
            variable, literals = list[Node](), [""]
            for term in terms:
                if isinstance(term, ast.Constant):
                    literals[-1] += term.value
                else:
                    variable.append(term)
                    literals.append("")
            if variable and (shares := _split(value, *literals)) is not None:
                yield from self._each(list(zip(variable, shares, strict=True)), state, scope)
        if node.function == "_+_" and isinstance(value, int):
            share, rest = divmod(value, len(terms))
            yield from self._each([(term, share + (index < rest)) for index, term in enumerate(terms)], state, scope)

    def _assign_item(self, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        """Yield states in which an item of a computed list has a value: `self.a.split('/')[1]`."""
        items, index = self.value(operands[0], state, scope), self.value(operands[1], state, scope)
        if isinstance(index, int) and not isinstance(index, bool) and index >= 0:
            values = list(items) if is_list(items) else []
            values += ["a"] * (index + 1 - len(values))
            yield from self.assign(operands[0], [*values[:index], value, *values[index + 1 :]], state, scope)

    def _assign_split(self, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        separator = self.value(operands[1], state, scope)
        if isinstance(separator, str) and is_list(value) and all(isinstance(item, str) for item in value):
            yield from self.assign(operands[0], separator.join(value), state, scope)

    def _assign_join(self, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        separator = self.value(operands[1], state, scope) if len(operands) > 1 else ""
        if isinstance(separator, str) and isinstance(value, str):
            yield from self.assign(operands[0], value.split(separator) if separator else [value], state, scope)

    def _assign_loop(self, macro: MacroCall, value: Value, state: State, scope: Scope) -> States:
        """Yield states in which `map` or `filter` returns a list, with one element for each item."""
        if macro.name not in {"map", "filter"} or not is_list(value):
            return
        for resized in itertools.islice(self.resize(macro.target, len(value), state, scope), _MOST_ITEMS):
            yield from self._each_item(macro, list(value), 0, resized, scope)

    def _each_item(self, macro: MacroCall, values: list[Value], index: int, state: State, scope: Scope) -> States:
        if index == len(values):
            yield state
            return
        elements = itertools.islice(self.existing(macro.target, state, scope), index, index + 1)
        body = macro.arguments[-1] if macro.name == "map" else ast.Identifier(0, macro.variables[0])
        for binding in elements:
            inner = self.bound(macro, binding, scope)
            for assigned in itertools.islice(self.assign(body, values[index], state, inner), 2):
                yield from self._each_item(macro, values, index + 1, assigned, scope)

    # Sizes

    def resize(self, node: Node, size: int, state: State, scope: Scope) -> States:
        """Yield states in which a text, list or map has *size* characters or items."""
        ref = self.place(node, state, scope)
        if ref is not None:
            demand = self.editor.demand(ref)
            current = state.at(ref)
            start = self.editor.maker.first(demand) if current is ABSENT or current is None else current
            for value in valuecandidates.resize_value(start, size, demand, self.editor.maker):
                yield from yield_state(self.editor.put(state, ref, value))
        elif isinstance(node, ast.Identifier) and isinstance(binding := scope.get(node.name), Closure):
            yield from self.resize(binding.node, size, state, binding.scope)
        elif isinstance(node, ast.Comprehension):
            yield from self._resize_loop(ruleparts.loop(node), size, state, scope)
        elif isinstance(node, ast.Call):
            yield from self._resize_call(node, size, state, scope)

    def _resize_call(self, node: ast.Call, size: int, state: State, scope: Scope) -> States:
        name, operands = ruleparts.name_of(node), ruleparts.operands(node)
        if name == "_+_":
            for operand, opposite in (operands, operands[::-1]):
                opposite_value = self.value(opposite, state, scope)
                if isinstance(opposite_value, str) or is_list(opposite_value):
                    yield from self.resize(operand, size - len(opposite_value), state, scope)
        elif name == "split":
            yield from self._assign_split(
                operands, [_LETTERS[index % len(_LETTERS)] for index in range(size)], state, scope
            )
        elif name == "_?_:_" and ruleparts.macro_of(node) is None:
            condition, *branches = operands
            for branch, is_first in zip(branches, (True, False), strict=True):
                for chosen in itertools.islice(self.make(condition, is_first, state, scope), _MOST_ITEMS):
                    yield from self.resize(branch, size, chosen, scope)
        else:
            for target in operands[:1]:
                yield from self.resize(target, size, state, scope)

    def _resize_loop(self, macro: MacroCall, size: int, state: State, scope: Scope) -> States:
        if macro.name == "filter":
            yield from self.count(macro, size, state, scope)
        else:
            yield from self.resize(macro.target, size, state, scope)

    def count(self, macro: MacroCall, wanted: int, state: State, scope: Scope, remaining: int | None = None) -> States:
        """
        Yield states in which the body of a loop is true for exactly *wanted* elements.

        Args:
            macro: The loop.
            wanted: The number of elements.
            state: The state to change.
            scope: The variables of the loop.
            remaining: The number of elements that may still be changed; None for one more than necessary.
        """
        matching = [
            element
            for element in self.existing(macro.target, state, scope)
            if self.value(macro.arguments[0], state, self.bound(macro, element, scope)) is True
        ]
        budget = min(abs(wanted - len(matching)) + 1, _MOST_ADDED) if remaining is None else remaining
        if len(matching) == wanted:
            yield state
        elif budget and wanted >= 0:
            for changed in (
                self._fewer(macro, matching, state, scope)
                if wanted < len(matching)
                else self._more(macro, matching, state, scope)
            ):
                yield from self.count(macro, wanted, changed, scope, budget - 1)

    def _fewer(self, macro: MacroCall, matching: list[Binding], state: State, scope: Scope) -> States:
        yield from self.make(macro.arguments[0], False, state, self.bound(macro, matching[-1], scope))  # noqa: FBT003
        if isinstance(matching[-1], Ref):
            yield from yield_state(self.editor.without(state, matching[-1]))

    def _more(self, macro: MacroCall, matching: list[Binding], state: State, scope: Scope) -> States:
        others = ((state, element) for element in self.existing(macro.target, state, scope) if element not in matching)
        for extended, binding in itertools.chain(self.added(macro.target, state, scope), others):
            states = self.make(macro.arguments[0], True, extended, self.bound(macro, binding, scope))  # noqa: FBT003
            yield from itertools.islice(states, 2)


def _split(text: str, first: str, *inner: str) -> list[str] | None:
    """Return the parts of a text between literals, the earlier ones as long as possible; None if it does not consist of them."""
    *middle, last = inner
    start, end = len(first), len(text) - len(last)
    if start > end or not (text.startswith(first) and text.endswith(last)):
        return None
    parts = list[str]()
    for literal in reversed(middle):
        place = text.rfind(literal, start, end)
        if place < 0:
            return None
        parts.append(text[place + len(literal) : end])
        end = place
    return [text[start:end], *reversed(parts)]


def _sum(value: Any, opposite: Any, _: Any) -> Iterator[Any]:
    if isinstance(value, str):
        yield from [value.removesuffix(opposite)] if value.endswith(opposite) else []
        yield from [value.removeprefix(opposite)] if value.startswith(opposite) else []
    elif is_list(value) and is_list(opposite):
        yield list(value)[: max(len(value) - len(opposite), 0)]
    else:
        yield value - opposite


def _remainder(value: Any, opposite: Any, current: Any) -> Iterator[Any]:
    start = current - current % opposite if isinstance(current, int) else 0
    yield from (start + value, start + opposite + value, value, start + 2 * opposite + value, start - opposite + value)


# For each operator two functions that return candidates for one operand: from the result, the other operand, and its current value.
_Invert = Callable[[Any, Any, Any], Iterator[Any]]
_INVERSES: Final[Mapping[str, tuple[_Invert, _Invert]]] = {
    "_+_": (_sum, _sum),
    "_-_": (lambda value, opposite, _: iter((value + opposite,)), lambda value, opposite, _: iter((opposite - value,))),
    "_*_": (
        lambda value, opposite, _: iter((value // opposite,)),
        lambda value, opposite, _: iter((value // opposite,)),
    ),
    "_/_": (
        lambda value, opposite, _: iter((value * opposite,)),
        lambda value, opposite, _: iter((opposite // value,)),
    ),
    "_%_": (_remainder, lambda value, opposite, _: iter((opposite - value,))),
}

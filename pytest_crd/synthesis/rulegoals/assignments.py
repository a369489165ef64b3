"""Goals on values: an expression is to have one, or a size."""

from __future__ import annotations

import itertools
import re
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
from pytest_crd.synthesis.rulegoals.goals import States, in_turn, some
from pytest_crd.synthesis.rulegoals.state import Ref, State

# How many items a goal on one of a list looks at, and how many are added to have as many as are wanted.
_MOST_ITEMS: Final = 4
_MOST_ADDED: Final = 12
_LETTERS: Final = "xyzwvu"
_NUMBERS: Final = frozenset({"int", "double", "uint"})
# Functions whose value is what they are given in another form.
_SAME: Final = frozenset({*_NUMBERS, "lowerAscii", "upperAscii", "trim", "string", "duration", "timestamp"})


class Assignments(Elements):
    """Makes expressions have values."""

    def assign(self, node: Node, value: Value, state: State, scope: Scope) -> States:
        """Yield states in which an expression may have a value."""
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
            yield from some(self.editor.put(state, ref, wanted))

    def _each(self, pairs: list[tuple[Node, Value]], state: State, scope: Scope) -> States:
        if not pairs:
            yield state
            return
        for one in itertools.islice(self.assign(*pairs[0], state, scope), _MOST_ITEMS):
            yield from self._each(pairs[1:], one, scope)

    def _assign_call(self, node: ast.Call, value: Value, state: State, scope: Scope) -> States:
        name, operands = ruleparts.name_of(node), ruleparts.operands(node)
        if name == "_?_:_" and ruleparts.macro_of(node) is None:
            condition, *branches = operands
            yield from in_turn(
                self._with_branch(condition, branch, value, is_first, state, scope)
                for branch, is_first in zip(branches, (True, False), strict=True)
            )
        elif name in _SAME or name in ruleparts.TRANSPARENT:
            for one in (value, str(value)) if name in _NUMBERS else (value,):
                yield from self.assign(operands[0], one, state, scope)
        elif name in _INVERSES and len(operands) == 2:
            yield from in_turn(
                (self._solve(node, operands, value, state, scope), self._share(node, value, state, scope))
            )
        elif (ways := self._ways_to_assign.get(name)) is not None:
            yield from ways(operands, value, state, scope)

    @cached_property
    def _ways_to_assign(self) -> Mapping[str, Callable[[tuple[Node, ...], Value, State, Scope], States]]:
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
        yield from some(None if ref is None else self.editor.without(state, ref))

    def _assign_size(self, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        yield from self.resize(operands[0], int(value), state, scope)

    def _with_branch(  # noqa: PLR0913, PLR0917 - a branch and what chooses it
        self,
        condition: Node,
        branch: Node,
        value: Value,
        is_first: bool,  # noqa: FBT001
        state: State,
        scope: Scope,
    ) -> States:
        for one in itertools.islice(self.make(condition, is_first, state, scope), _MOST_ITEMS):
            yield from self.assign(branch, value, one, scope)

    def _solve(self, node: ast.Call, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        """Yield states in which one side of a sum, a product … is what the other side leaves."""
        for one, other, invert in zip(operands, reversed(operands), _INVERSES[node.function], strict=True):
            known = self.value(other, state, scope)
            current = self.value(one, state, scope)
            try:
                wanted = list(invert(value, known, current))
            except (TypeError, ZeroDivisionError, AttributeError):
                continue
            for solution in wanted:
                yield from self.assign(one, solution, state, scope)

    def _share(self, node: ast.Call, value: Value, state: State, scope: Scope) -> States:
        """Yield states in which each term of a sum has its share of a number, or of a text between the constant ones."""
        terms = ruleparts.flattened(node)
        if node.function == "_+_" and isinstance(value, str):
            pattern = "".join(re.escape(one.value) if isinstance(one, ast.Constant) else "(.*)" for one in terms)
            variable = [one for one in terms if not isinstance(one, ast.Constant)]
            if (match := re.fullmatch(pattern, value)) is not None:
                yield from self._each(list(zip(variable, match.groups(), strict=True)), state, scope)
        if node.function == "_+_" and isinstance(value, int):
            share, rest = divmod(value, len(terms))
            yield from self._each([(one, share + (index < rest)) for index, one in enumerate(terms)], state, scope)

    def _assign_item(self, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        """Yield states in which the item of a list that is made has a value: `self.a.split('/')[1]`."""
        items, index = self.value(operands[0], state, scope), self.value(operands[1], state, scope)
        if isinstance(index, int) and not isinstance(index, bool) and index >= 0:
            known = list(items) if is_list(items) else []
            known += ["a"] * (index + 1 - len(known))
            yield from self.assign(operands[0], [*known[:index], value, *known[index + 1 :]], state, scope)

    def _assign_split(self, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        separator = self.value(operands[1], state, scope)
        if isinstance(separator, str) and is_list(value) and all(isinstance(one, str) for one in value):
            yield from self.assign(operands[0], separator.join(value), state, scope)

    def _assign_join(self, operands: tuple[Node, ...], value: Value, state: State, scope: Scope) -> States:
        separator = self.value(operands[1], state, scope) if len(operands) > 1 else ""
        if isinstance(separator, str) and isinstance(value, str):
            yield from self.assign(operands[0], value.split(separator) if separator else [value], state, scope)

    def _assign_loop(self, macro: MacroCall, value: Value, state: State, scope: Scope) -> States:
        """Yield states in which `map` or `filter` gives a list, by as many elements, each of which gives an item."""
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
            for one in itertools.islice(self.assign(body, values[index], state, inner), 2):
                yield from self._each_item(macro, values, index + 1, one, scope)

    # Sizes

    def resize(self, node: Node, size: int, state: State, scope: Scope) -> States:
        """Yield states in which a text, list or map has a size."""
        ref = self.place(node, state, scope)
        if ref is not None:
            demand = self.editor.demand(ref)
            current = state.at(ref)
            start = self.editor.maker.first(demand) if current is ABSENT or current is None else current
            for value in valuecandidates.of_size(start, size, demand, self.editor.maker):
                yield from some(self.editor.put(state, ref, value))
        elif isinstance(node, ast.Identifier) and isinstance(binding := scope.get(node.name), Closure):
            yield from self.resize(binding.node, size, state, binding.scope)
        elif isinstance(node, ast.Comprehension):
            yield from self._resize_loop(ruleparts.loop(node), size, state, scope)
        elif isinstance(node, ast.Call):
            yield from self._resize_call(node, size, state, scope)

    def _resize_call(self, node: ast.Call, size: int, state: State, scope: Scope) -> States:
        name, operands = ruleparts.name_of(node), ruleparts.operands(node)
        if name == "_+_":
            for one, other in (operands, operands[::-1]):
                known = self.value(other, state, scope)
                if isinstance(known, str) or is_list(known):
                    yield from self.resize(one, size - len(known), state, scope)
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
            for operand in operands[:1]:
                yield from self.resize(operand, size, state, scope)

    def _resize_loop(self, macro: MacroCall, size: int, state: State, scope: Scope) -> States:
        if macro.name == "filter":
            yield from self.count(macro, size, state, scope)
        else:
            yield from self.resize(macro.target, size, state, scope)

    def count(self, macro: MacroCall, wanted: int, state: State, scope: Scope, left: int | None = None) -> States:
        """
        Yield states in which the body of a loop is true for so many elements.

        Args:
            macro: The loop.
            wanted: How many.
            state: The state to change.
            scope: What the loop knows.
            left: How many elements may be changed at most; None for no more than have to be, and one.
        """
        held = [
            one
            for one in self.existing(macro.target, state, scope)
            if self.value(macro.arguments[0], state, self.bound(macro, one, scope)) is True
        ]
        rest = min(abs(wanted - len(held)) + 1, _MOST_ADDED) if left is None else left
        if len(held) == wanted:
            yield state
        elif rest and wanted >= 0:
            for one in (
                self._fewer(macro, held, state, scope) if wanted < len(held) else self._more(macro, held, state, scope)
            ):
                yield from self.count(macro, wanted, one, scope, rest - 1)

    def _fewer(self, macro: MacroCall, held: list[Binding], state: State, scope: Scope) -> States:
        yield from self.make(macro.arguments[0], False, state, self.bound(macro, held[-1], scope))  # noqa: FBT003
        if isinstance(held[-1], Ref):
            yield from some(self.editor.without(state, held[-1]))

    def _more(self, macro: MacroCall, held: list[Binding], state: State, scope: Scope) -> States:
        others = ((state, one) for one in self.existing(macro.target, state, scope) if one not in held)
        for one, binding in itertools.chain(self.added(macro.target, state, scope), others):
            made = self.make(macro.arguments[0], True, one, self.bound(macro, binding, scope))  # noqa: FBT003
            yield from itertools.islice(made, 2)


def _sum(value: Any, known: Any, _: Any) -> Iterator[Any]:
    if isinstance(value, str):
        yield from [value.removesuffix(known)] if value.endswith(known) else []
        yield from [value.removeprefix(known)] if value.startswith(known) else []
    elif is_list(value) and is_list(known):
        yield list(value)[: max(len(value) - len(known), 0)]
    else:
        yield value - known


def _remainder(value: Any, known: Any, current: Any) -> Iterator[Any]:
    start = current - current % known if isinstance(current, int) else 0
    yield from (start + value, start + known + value, value, start + 2 * known + value, start - known + value)


# For each operator what one side has to be, of the value of the whole, the other side, and what the side is now.
_Invert = Callable[[Any, Any, Any], Iterator[Any]]
_INVERSES: Final[Mapping[str, tuple[_Invert, _Invert]]] = {
    "_+_": (_sum, _sum),
    "_-_": (lambda value, known, _: iter((value + known,)), lambda value, known, _: iter((known - value,))),
    "_*_": (lambda value, known, _: iter((value // known,)), lambda value, known, _: iter((value // known,))),
    "_/_": (lambda value, known, _: iter((value * known,)), lambda value, known, _: iter((known // value,))),
    "_%_": (_remainder, lambda value, known, _: iter((known - value,))),
}

"""Goals on truth: states in which an expression is true or false."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macrocalls import MacroCall
from pytest_crd.engine.cel.values.celvalues import Value, is_list, is_map
from pytest_crd.engine.golang.regexp.patterns import PatternTooLargeError
from pytest_crd.engine.golang.regexp.patterntree import PatternError
from pytest_crd.synthesis import matchingtexts, textsearch
from pytest_crd.synthesis.objectchanges import ABSENT
from pytest_crd.synthesis.rulegoals import ruleparts, valuecandidates
from pytest_crd.synthesis.rulegoals.assignments import Assignments
from pytest_crd.synthesis.rulegoals.evaluation import Binding, Scope
from pytest_crd.synthesis.rulegoals.goals import States, interleave, yield_state
from pytest_crd.synthesis.rulegoals.state import Ref, State
from pytest_crd.synthesis.texts import TextDemand
from pytest_crd.synthesis.textsearch import Lengths

# The limits of states to continue from and of values to try for one part.
_MOST_KEPT: Final = 6
_MOST_TEXTS: Final = 8
_MOST_OTHERS: Final = 40
_MOST_PATTERNED: Final = 2
# The budget of a search for texts; a rule has many such searches.
_STEPS: Final = 20_000
_NEGATED: Final = {"_==_": "_!=_", "_!=_": "_==_", "_<_": "_>=_", "_>=_": "_<_", "_>_": "_<=_", "_<=_": "_>_"}
_MIRRORED: Final = {"_==_": "_==_", "_!=_": "_!=_", "_<_": "_>_", "_>_": "_<_", "_<=_": "_>=_", "_>=_": "_<=_"}


class Solver(Assignments):
    """A solver that makes rules true or false."""

    def make(self, node: Node, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001 - the wanted value
        """Yield states in which an expression is *wanted*, true or false, the nearest first."""
        if self.value(node, state, scope) is wanted:
            yield state
        for candidate in itertools.islice(self._find_states(node, wanted, state, scope), self.effort):
            if candidate is not state and self.value(node, candidate, scope) is wanted:
                yield candidate

    def _find_states(self, node: Node, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        match node:
            case ast.Select(test_only=True):
                yield from self._has(node, wanted, state, scope)
            case ast.Comprehension():
                yield from self._loop(ruleparts.loop(node), wanted, state, scope)
                yield from self.guess(node, state, scope)
            case ast.Call(function="_&&_" | "_||_"):
                yield from self._junction(node, wanted, state, scope)
            case ast.Call(function="!_"):
                yield from self.make(node.arguments[0], not wanted, state, scope)
            case ast.Call(function="_?_:_") if ruleparts.macro_of(node) is None:
                yield from self._conditional(node, wanted, state, scope)
            case ast.Call():
                yield from self._call(node, wanted, state, scope)
                yield from self.guess(node, state, scope)
            case _:
                yield from self.assign(node, wanted, state, scope)

    def _has(self, node: ast.Select, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        if (ref := next(self.places(node, state, scope), None)) is not None:
            yield from self._has_at(ref, wanted, state)

    def _has_at(self, ref: Ref, wanted: bool, state: State) -> States:  # noqa: FBT001
        outer = Ref(ref.steps[:-1], ref.is_old)
        if not wanted:
            around = self.editor.present(state, outer)
            yield from yield_state(None if around is None else self.editor.without(around, ref) or around)
            return
        demand = self.editor.demand(ref)
        for value in itertools.islice(self.editor.maker.find_values(demand), _MOST_KEPT):
            yield from yield_state(None if value is None else self.editor.put(state, ref, value))
        if not isinstance(state.at(outer), dict):
            return
        whole = self.editor.demand(outer)
        for value in itertools.islice(self.editor.maker.find_values(whole), _MOST_KEPT):
            yield from yield_state(self.editor.put(state, outer, value) if ref.steps[-1] in value else None)

    def _conditional(self, node: ast.Call, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        condition, *branches = node.arguments
        ways = [
            self._all([(condition, is_first), (branch, wanted)], state, scope)
            for branch, is_first in zip(branches, (True, False), strict=True)
        ]
        yield from interleave(ways if self.value(condition, state, scope) is not False else ways[::-1])

    def _junction(self, node: ast.Call, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        operands = ruleparts.flattened(node)
        if (node.function == "_&&_") is wanted:
            goals = [(operand, wanted) for operand in operands]
            yield from self._all(goals, state, scope)
            yield from self._all(goals[::-1], state, scope)
        else:
            yield from interleave(self.make(operand, wanted, state, scope) for operand in operands)

    def _all(self, goals: Sequence[tuple[Node, bool]], state: State, scope: Scope) -> States:
        """Yield states in which all expressions may have their wanted values, changed one after another."""
        if not goals:
            yield state
            return
        for reached in itertools.islice(self.make(*goals[0], state, scope), min(self.effort, _MOST_KEPT * len(goals))):
            yield from self._all(goals[1:], reached, scope)

    # Loops

    def _loop(self, macro: MacroCall, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        if (present := self.present(macro.target, state, scope)) is not state:
            yield present
            state = present
        if macro.name == "exists_one":
            yield from self._exactly_one(macro, wanted, state, scope)
        elif (macro.name == "exists") is wanted:
            yield from self._some_element(macro, wanted, state, scope)
        else:
            yield from self._each_of(macro, wanted, state, scope)

    def _some_element(self, macro: MacroCall, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        """Yield states in which the body of a loop is *wanted* for some element."""
        existing = [(state, element) for element in self.existing(macro.target, state, scope)]
        ways = [self._at(macro, element, wanted, start, scope) for start, element in existing]
        ways.append(
            itertools.chain.from_iterable(
                self._at(macro, element, wanted, start, scope)
                for start, element in self.added(macro.target, state, scope)
            )
        )
        yield from interleave(ways)

    def _at(self, macro: MacroCall, element: Binding, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        yield from self.make(macro.arguments[0], wanted, state, self.bound(macro, element, scope))

    def _each_of(self, macro: MacroCall, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        """Yield states in which the body of a loop is *wanted* for every element, or in which there are no elements."""
        wrong = [
            element
            for element in self.existing(macro.target, state, scope)
            if self.value(macro.arguments[0], state, self.bound(macro, element, scope)) is not wanted
        ]
        if not wrong:
            yield state
            return
        for fixed in itertools.islice(self._at(macro, wrong[0], wanted, state, scope), _MOST_KEPT):
            yield from self._each_of(macro, wanted, fixed, scope) if len(wrong) > 1 else (fixed,)
        yield from self.resize(macro.target, 0, state, scope)

    def _exactly_one(self, macro: MacroCall, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        for number in (1,) if wanted else (0, 2):
            yield from self.count(macro, number, state, scope)

    # Calls

    def _call(self, node: ast.Call, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        name, operands = ruleparts.name_of(node), ruleparts.operands(node)
        if name in _NEGATED:
            operator = name if wanted else _NEGATED[name]
            present = self.present(node, state, scope)
            yield from self._related(operator, operands, present, scope)
            if present is not state:
                yield from self._related(operator, operands, state, scope)
                yield present
        elif name == "@in":
            yield from self._membership(operands, wanted, self.present(node, state, scope), scope)
        elif name in _TEXTS and len(operands) == 2:
            yield from self._text(name, operands, wanted, self.present(node, state, scope), scope)
        elif name == "hasValue":
            yield from self._has_value(operands[0], wanted, state, scope)
        else:
            yield from self.assign(node, wanted, state, scope) if self.place(node, state, scope) else ()
            if (present := self.present(node, state, scope)) is not state:
                yield present

    def _related(self, operator: str, operands: Sequence[Node], state: State, scope: Scope) -> States:
        """Yield states in which two operands have the relation of *operator*."""
        first, second = operands
        left_value, right_value = (self.value(operand, state, scope) for operand in operands)
        yield from interleave(
            (
                self._side(operator, first, left_value, right_value, state, scope),
                self._side(_MIRRORED[operator], second, right_value, left_value, state, scope),
            )
        )

    def _side(  # noqa: PLR0913, PLR0917 - a relation has two sides
        self, operator: str, node: Node, value: Value, opposite: Value, state: State, scope: Scope
    ) -> States:
        if isinstance(opposite, EvaluationError):
            return
        if operator != "_!=_":
            for candidate in valuecandidates.related(operator, opposite):
                yield from self.assign(node, candidate, state, scope)
            return
        ref = self.place(node, state, scope)
        if isinstance(opposite, bool):
            yield from self.assign(node, not opposite, state, scope)
        elif ref is not None and state.at(ref) is not ABSENT:
            candidates = valuecandidates.find_other_values(state.at(ref), self.editor.demand(ref), self.editor.maker)
            for candidate in itertools.islice(candidates, _MOST_OTHERS):
                yield from yield_state(self.editor.put(state, ref, candidate))
        elif is_list(opposite) or is_map(opposite):
            yield from self.resize(node, len(opposite) + 1, state, scope)
        else:
            start = opposite if isinstance(value, EvaluationError) else value
            for operator_ in ("_>_", "_<_"):
                for candidate in valuecandidates.related(operator_, start):
                    yield from self.assign(node, candidate, state, scope)

    def _membership(self, operands: Sequence[Node], wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        element, container = operands
        container_value, value = self.value(container, state, scope), self.value(element, state, scope)
        if not wanted:
            ref = self.place(element, state, scope)
            if ref is not None:
                candidates = valuecandidates.find_other_values(
                    state.at(ref), self.editor.demand(ref), self.editor.maker
                )
                for candidate in itertools.islice(candidates, _MOST_OTHERS):
                    yield from yield_state(self.editor.put(state, ref, candidate))
            yield from self.resize(container, 0, state, scope)
            yield from self._key(container, value, wanted, state, scope)
            return
        members = container_value if is_list(container_value) or is_map(container_value) else ()
        for candidate in itertools.islice(members, _MOST_OTHERS):
            yield from self.assign(element, candidate, state, scope)
        yield from self._key(container, value, wanted, state, scope)
        if is_list(container_value):
            yield from self.assign(container, [*container_value, value], state, scope)
            yield from self.assign(container, [value], state, scope)

    def _key(self, container: Node, key: Value, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        ref = self.place(container, state, scope)
        if ref is None or not isinstance(key, str) or self.editor.demand(ref).type != "object":
            return
        inner = ref.inner(key)
        yield from yield_state(self.editor.present(state, inner) if wanted else self.editor.without(state, inner))

    def _has_value(self, node: Node, wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        for ref in list(self.places(node, state, scope)):
            yield from yield_state((self.editor.present if wanted else self.editor.without)(state, ref))

    def _text(self, name: str, operands: Sequence[Node], wanted: bool, state: State, scope: Scope) -> States:  # noqa: FBT001
        node, argument = operands
        part, text = self.value(argument, state, scope), self.value(node, state, scope)
        if not isinstance(part, str):
            return
        current = text if isinstance(text, str) else ""
        ref = self.place(node, state, scope)
        demand = TextDemand() if ref is None else self.editor.demand(ref).text
        candidates = _TEXTS[name](current, part) if wanted else _without(current, part)
        for candidate in dict.fromkeys((*_find_patterned(demand, name, part, wanted=wanted), *candidates)):
            yield from self.assign(node, candidate, state, scope)


@functools.lru_cache(maxsize=1024)
def _find_patterned(demand: TextDemand, name: str, part: str, *, wanted: bool) -> tuple[str, ...]:
    """Return texts that match the patterns of a schema, and for which a function of texts is *wanted*; empty if there are no patterns."""
    if not demand.patterns:
        return ()
    pattern = _PATTERNS[name].format(part if name == "matches" else re.escape(part))
    matched, unmatched = ((*demand.patterns, pattern), ()) if wanted else (demand.patterns, (pattern,))
    lengths = Lengths(demand.least, demand.most)
    try:
        return textsearch.find_texts(matched, unmatched, lengths=lengths, wanted=_MOST_PATTERNED, steps=_STEPS).texts
    except (PatternError, PatternTooLargeError):
        return ()


def _matching(_: str, pattern: str) -> Iterator[str]:
    matching = list(itertools.islice(matchingtexts.texts(pattern), _MOST_TEXTS))
    yield from matching
    if not pattern.startswith("^"):
        yield from (f"a{text}" for text in matching)


def _without(current: str, part: str) -> Iterator[str]:
    """Yield candidates for a text that does not begin or end with *part*, contain it or match it."""
    yield from (f"a{current}", f"{current}a", current.replace(part, ""), current[1:], current[:-1])
    for matching in itertools.islice(matchingtexts.texts(part), 2):
        yield from (f"{matching}!", f"-{matching}", f"{matching}-", f"{matching}A", matching[:-1])
    yield from ("a", "b", "A", "!", "1", "")


_PATTERNS: Final = {"startsWith": "^{}", "endsWith": "{}$", "contains": "{}", "matches": "{}"}
_TEXTS: Final[dict[str, Callable[[str, str], Iterator[Any]]]] = {
    "startsWith": lambda text, part: iter((f"{part}{text}", part, f"{part}a")),
    "endsWith": lambda text, part: iter((f"{text}{part}", part, f"a{part}", f"{text.partition('.')[0]}{part}")),
    "contains": lambda text, part: iter((f"{text}{part}", part, f"{part}{text}", f"a{part}a", f"{text}{part}{text}")),
    "matches": _matching,
}

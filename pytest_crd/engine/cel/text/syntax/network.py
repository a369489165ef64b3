"""
Transition networks, which ANTLR makes of grammars.

The words of a syntax error follow from the network: what could stand at a place is what its states lead to.

Reference:
    Parr, Harwell, Fisher: Adaptive LL(*) Parsing: The Power of Dynamic Analysis (2014), section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

EPSILON: Final = ""
"""Stands in a set of tokens for the end of the rule."""


class StateKind(Enum):
    """The kinds of states that error recovery tells apart."""

    PLAIN = "plain"
    DECISION = "start of a block, or entry of a loop"
    LOOP_BACK = "end of a loop's body"
    RULE_STOP = "end of a rule"


@dataclass(slots=True, eq=False)
class NetworkState:
    """
    A state of a network.

    Attributes:
        rule: Name of the rule it belongs to.
        kind: Its kind.
        transitions: Where it leads.
        decides_precedence: Whether it is the entry of a left-recursive rule's loop.
    """

    rule: str
    kind: StateKind = StateKind.PLAIN
    transitions: list[Transition] = field(default_factory=list)
    decides_precedence: bool = False


@dataclass(slots=True, eq=False)
class Transition:
    """
    A way from one state to another.

    Attributes:
        target: Where it leads: into a called rule, if it calls one.
        tokens: The tokens that it passes; None where it passes none.
        follow: Where a called rule returns to; None where it calls none.
        precedence: How strongly what follows binds, where that is asked for; else None.
        leaves_outermost: Name of a left-recursive rule, where the way leads out of an outermost call of it; else empty.
    """

    target: NetworkState
    tokens: frozenset[str] | None = None
    follow: NetworkState | None = None
    precedence: int | None = None
    leaves_outermost: str = ""


@dataclass(slots=True, eq=False)
class TokenElement:
    """A token of one of *kinds*, kept under *label*; with *many*, appended to what is kept there."""

    kinds: frozenset[str]
    label: str = ""
    many: bool = False
    state: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class GrammarRule:
    """What the rule *name* matches, kept as Token has it. Of a left-recursive rule: what binds as strongly as *precedence*."""

    name: str
    label: str = ""
    many: bool = False
    precedence: int = 0
    state: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Alternatives:
    """One of some alternatives, by the names of the trees that they make."""

    alternatives: Mapping[str, Sequence[Element]]
    state: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Maybe:
    """What may stand there."""

    elements: Sequence[Element]
    state: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Many:
    """What may stand there any number of times."""

    elements: Sequence[Element]
    state: NetworkState = field(init=False)
    back: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Some:
    """What stands there once or more."""

    elements: Sequence[Element]
    state: NetworkState = field(init=False)
    back: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Suffixes:
    """
    What may follow in a left-recursive rule, any number of times; each makes a tree of what was there before.

    Attributes:
        alternatives: For each name of a tree, how strongly it binds and what follows.
        choice: The state that chooses between them; the loop's entry where there is one.
    """

    alternatives: Mapping[str, tuple[int, Sequence[Element]]]
    state: NetworkState = field(init=False)
    choice: NetworkState = field(init=False)
    back: NetworkState = field(init=False)


Element: TypeAlias = "TokenElement | GrammarRule | Alternatives | Maybe | Many | Some | Suffixes"


class Network:
    """
    The network of a grammar.

    Attributes:
        rules: The rules.
        starts: The state at which each rule starts.
        stops: The state at which each rule ends.
    """

    def __init__(self, rules: Mapping[str, Sequence[Element]]) -> None:
        """Make the states of *rules*, and keep them in the elements."""
        self.rules = rules
        self.starts = {name: NetworkState(name) for name in rules}
        self.stops = {name: NetworkState(name, StateKind.RULE_STOP) for name in rules}
        self._look: dict[NetworkState, frozenset[str]] = {}
        self._simple: dict[NetworkState, bool] = {}
        for name, elements in rules.items():
            self._sequence(name, elements, self.starts[name], self.stops[name])

    def look(self, state: NetworkState) -> frozenset[str]:
        """Return the tokens that may stand at *state*; with EPSILON where the rule may end there."""
        found = self._look.get(state)
        if found is None:
            found = self._look[state] = frozenset(_reachable(state))
        return found

    def is_simple(self, state: NetworkState) -> bool:
        """Return whether the next token is enough to decide at *state*, which asks for no precedence."""
        found = self._simple.get(state)
        if found is None:
            ways = [transition.target for transition in state.transitions]
            sets = [frozenset(_reachable(way, beyond_rule=True)) for way in ways]
            distinct = sum(map(len, sets)) == len(frozenset[str]().union(*sets))
            found = self._simple[state] = distinct and not any(map(_asks_for_precedence, ways))
        return found

    def _sequence(self, rule: str, elements: Sequence[Element], state: NetworkState, end: NetworkState) -> None:
        """Make the states of *elements* from *state* to *end*."""
        for element in elements:
            element.state = NetworkState(rule)
            _link(state, element.state)
            if (
                element is elements[-1]
                and isinstance(element, TokenElement | GrammarRule)
                and end.kind is not StateKind.RULE_STOP
            ):
                self._element(rule, element, end)  # as in ANTLR's networks: alternatives that end alike become alike
                return
            state = NetworkState(rule)
            self._element(rule, element, state)
        _link(state, end)

    def _element(self, rule: str, element: Element, end: NetworkState) -> None:
        """Make the states of *element* from its first, which is there, to *end*."""
        match element:
            case TokenElement():
                element.state.transitions.append(Transition(end, tokens=element.kinds))
            case GrammarRule():
                element.state.transitions.append(Transition(self.starts[element.name], follow=end))
                recursive = isinstance(self.rules[element.name][-1], Suffixes)
                outermost = element.name if recursive and not element.precedence else ""
                self.stops[element.name].transitions.append(Transition(end, leaves_outermost=outermost))
            case Alternatives():
                element.state.kind = StateKind.DECISION
                for alternative in element.alternatives.values():
                    self._branch(rule, element.state, alternative, end)
            case Maybe():
                element.state.kind = StateKind.DECISION
                self._branch(rule, element.state, element.elements, end)
                _link(element.state, end)
            case Many():
                element.state.kind, element.back = StateKind.DECISION, NetworkState(rule, StateKind.LOOP_BACK)
                self._branch(rule, element.state, element.elements, element.back)
                _link(element.back, element.state)
                _link(element.state, end)
            case Some():
                element.state.kind, element.back = StateKind.DECISION, NetworkState(rule, StateKind.LOOP_BACK)
                self._branch(rule, element.state, element.elements, element.back)
                _link(element.back, element.state)
                _link(element.back, end)
            case _:
                self._suffixes(rule, element, end)

    def _branch(self, rule: str, state: NetworkState, elements: Sequence[Element], end: NetworkState) -> None:
        start = NetworkState(rule)
        _link(state, start)
        self._sequence(rule, elements, start, end)

    def _suffixes(self, rule: str, element: Suffixes, end: NetworkState) -> None:
        element.state.kind, element.back = StateKind.DECISION, NetworkState(rule, StateKind.LOOP_BACK)
        element.state.decides_precedence = True
        element.choice = NetworkState(rule, StateKind.DECISION)
        _link(element.state, element.choice)
        for precedence, elements in element.alternatives.values():
            asked = NetworkState(rule)
            start = NetworkState(rule)
            _link(element.choice, asked)
            asked.transitions.append(Transition(start, precedence=precedence))
            self._sequence(rule, elements, start, element.back)
        _link(element.back, element.state)
        _link(element.state, end)


def _link(state: NetworkState, target: NetworkState) -> None:
    state.transitions.append(Transition(target))


def _reachable(state: NetworkState, *, beyond_rule: bool = False) -> Iterator[str]:
    """
    Return the tokens that may stand at *state*, be it in the rules called there; beyond its rule, in any that calls it.

    No rule of the grammar matches nothing: what follows a called rule cannot stand where it begins.
    """
    seen: set[NetworkState] = set()
    pending = [state]
    while pending:
        at = pending.pop()
        if at in seen:
            continue
        seen.add(at)
        if at.kind is StateKind.RULE_STOP and not beyond_rule:
            yield EPSILON
            continue
        for transition in at.transitions:
            if transition.tokens is not None:
                yield from transition.tokens
            else:
                pending.append(transition.target)


def _asks_for_precedence(state: NetworkState) -> bool:
    """Return whether a way from *state* that passes no token, and calls no rule, asks for precedence."""
    if state.kind is StateKind.RULE_STOP:
        return False
    return any(
        transition.precedence is not None
        or (transition.tokens is None and transition.follow is None and _asks_for_precedence(transition.target))
        for transition in state.transitions
    )

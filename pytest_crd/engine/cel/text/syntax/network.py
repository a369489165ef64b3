"""
Transition networks of grammars, as ANTLR builds them.

Messages of syntax errors depend on the network: the expected tokens are those that leave a state.

Reference:
    Parr, Harwell, Fisher: Adaptive LL(*) Parsing: The Power of Dynamic Analysis (2014), section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

EPSILON: Final = ""
"""Marker in sets of tokens for the end of the rule."""


class StateKind(Enum):
    """Kinds of states that error recovery distinguishes."""

    PLAIN = "plain"
    DECISION = "start of a block, or entry of a loop"
    LOOP_BACK = "end of a loop's body"
    RULE_STOP = "end of a rule"


@dataclass(slots=True, eq=False)
class NetworkState:
    """
    State of a network.

    Attributes:
        rule: Name of its rule.
        kind: Its kind.
        transitions: Outgoing transitions.
        decides_precedence: It is the loop entry of a left-recursive rule.
    """

    rule: str
    kind: StateKind = StateKind.PLAIN
    transitions: list[Transition] = field(default_factory=list)
    decides_precedence: bool = False


@dataclass(slots=True, eq=False)
class Transition:
    """
    Transition from one state to another.

    Attributes:
        target: Next state; the start state of the rule for a rule call.
        tokens: Tokens that it consumes; None for an epsilon transition.
        follow: State after a rule call; None for other transitions.
        precedence: Precedence of the following operator if the transition is a precedence predicate, else None.
        leaves_outermost: Name of the left-recursive rule whose outermost call the transition leaves, else empty.
    """

    target: NetworkState
    tokens: frozenset[str] | None = None
    follow: NetworkState | None = None
    precedence: int | None = None
    leaves_outermost: str = ""


@dataclass(slots=True, eq=False)
class TokenElement:
    """Token of a kind in *kinds*, stored under *label*; with *many*, appended to a list."""

    kinds: frozenset[str]
    label: str = ""
    many: bool = False
    state: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class GrammarRule:
    """Call of the rule *name*, stored like a token; a left-recursive rule matches operators of at least *precedence*."""

    name: str
    label: str = ""
    many: bool = False
    precedence: int = 0
    state: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Alternatives:
    """Choice between alternatives, by the names of their trees."""

    alternatives: Mapping[str, Sequence[Element]]
    state: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Maybe:
    """Optional elements."""

    elements: Sequence[Element]
    state: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Many:
    """Elements repeated any number of times."""

    elements: Sequence[Element]
    state: NetworkState = field(init=False)
    back: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Some:
    """Elements repeated at least once."""

    elements: Sequence[Element]
    state: NetworkState = field(init=False)
    back: NetworkState = field(init=False)


@dataclass(slots=True, eq=False)
class Suffixes:
    """
    Repeated suffixes of a left-recursive rule; each wraps the tree so far in a new tree.

    Attributes:
        alternatives: Precedence and elements of each suffix, by the name of its tree.
        choice: State that chooses a suffix; the element's own state is the loop entry.
    """

    alternatives: Mapping[str, tuple[int, Sequence[Element]]]
    state: NetworkState = field(init=False)
    choice: NetworkState = field(init=False)
    back: NetworkState = field(init=False)


Element: TypeAlias = "TokenElement | GrammarRule | Alternatives | Maybe | Many | Some | Suffixes"


class Network:
    """
    Transition network of a grammar.

    Attributes:
        rules: The rules.
        starts: Start state of each rule.
        stops: Stop state of each rule.
    """

    def __init__(self, rules: Mapping[str, Sequence[Element]]) -> None:
        """Create the states of *rules* and store them in the elements."""
        self.rules = rules
        self.starts = {name: NetworkState(name) for name in rules}
        self.stops = {name: NetworkState(name, StateKind.RULE_STOP) for name in rules}
        self._look: dict[NetworkState, frozenset[str]] = {}
        self._simple: dict[NetworkState, bool] = {}
        for name, elements in rules.items():
            self._sequence(name, elements, self.starts[name], self.stops[name])

    def look(self, state: NetworkState) -> frozenset[str]:
        """Return the tokens that can follow at *state*, with EPSILON if the rule can end there."""
        tokens = self._look.get(state)
        if tokens is None:
            tokens = self._look[state] = frozenset(_reachable(state))
        return tokens

    def is_simple(self, state: NetworkState) -> bool:
        """Return whether one token of lookahead decides at *state*, without precedence predicates."""
        simple = self._simple.get(state)
        if simple is None:
            targets = [transition.target for transition in state.transitions]
            sets = [frozenset(_reachable(target, beyond_rule=True)) for target in targets]
            distinct = sum(map(len, sets)) == len(frozenset[str]().union(*sets))
            simple = self._simple[state] = distinct and not any(map(_asks_for_precedence, targets))
        return simple

    def _sequence(self, rule: str, elements: Sequence[Element], state: NetworkState, end: NetworkState) -> None:
        """Create the states of *elements* from *state* to *end*."""
        for element in elements:
            element.state = NetworkState(rule)
            _link(state, element.state)
            if (
                element is elements[-1]
                and isinstance(element, TokenElement | GrammarRule)
                and end.kind is not StateKind.RULE_STOP
            ):
                self._element(rule, element, end)  # as in ANTLR's networks: alternatives with a common end share states
                return
            state = NetworkState(rule)
            self._element(rule, element, state)
        _link(state, end)

    def _element(self, rule: str, element: Element, end: NetworkState) -> None:
        """Create the states of *element* from its own state to *end*."""
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
            predicate = NetworkState(rule)
            start = NetworkState(rule)
            _link(element.choice, predicate)
            predicate.transitions.append(Transition(start, precedence=precedence))
            self._sequence(rule, elements, start, element.back)
        _link(element.back, element.state)
        _link(element.state, end)


def _link(state: NetworkState, target: NetworkState) -> None:
    state.transitions.append(Transition(target))


def _reachable(state: NetworkState, *, beyond_rule: bool = False) -> Iterator[str]:
    """
    Yield the tokens that can follow at *state*, also in called rules.

    With *beyond_rule*, also yield the tokens that can follow the rule in its callers; otherwise yield EPSILON for its
    end. Every rule of the grammar consumes a token, so the tokens after a rule call never follow directly.
    """
    visited: set[NetworkState] = set()
    pending = [state]
    while pending:
        current = pending.pop()
        if current in visited:
            continue
        visited.add(current)
        if current.kind is StateKind.RULE_STOP and not beyond_rule:
            yield EPSILON
            continue
        for transition in current.transitions:
            if transition.tokens is not None:
                yield from transition.tokens
            else:
                pending.append(transition.target)


def _asks_for_precedence(state: NetworkState) -> bool:
    """Return whether a precedence predicate is reachable from *state* without a token or rule call."""
    if state.kind is StateKind.RULE_STOP:
        return False
    return any(
        transition.precedence is not None
        or (transition.tokens is None and transition.follow is None and _asks_for_precedence(transition.target))
        for transition in state.transitions
    )

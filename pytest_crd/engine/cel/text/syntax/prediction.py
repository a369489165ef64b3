"""
Adaptive prediction of the alternative at a decision.

Contexts (stacks of return states) are interned and identified by numbers; 0 is the empty context.

Reference:
    Parr, Harwell, Fisher: Adaptive LL(*) Parsing (2014), section 5; antlr4 runtime, ParserATNSimulator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.cel.text.lexer import EOF
from pytest_crd.engine.cel.text.syntax.network import NetworkState, StateKind, Transition

_EMPTY: Final = 0


class _Configuration(NamedTuple):
    """
    Possible parser configuration after some lookahead.

    Attributes:
        state: Current state.
        alternative: Number of the alternative, from 1.
        context: Return states of the rules called since the decision.
        left_rule: The rule of the decision was left.
        is_protected: The outermost call of a left-recursive rule was left; the precedence filter keeps such
            configurations.
    """

    state: NetworkState
    alternative: int
    context: int
    left_rule: bool = False
    is_protected: bool = False


class _Contexts:
    """Interned stacks of return states."""

    def __init__(self) -> None:
        self._stacks: list[tuple[NetworkState | None, int]] = [(None, _EMPTY)]
        self._numbers: dict[tuple[NetworkState, int], int] = {}

    def push(self, state: NetworkState, context: int) -> int:
        """Return *context* with *state* on top."""
        number = self._numbers.get((state, context))
        if number is None:
            number = self._numbers[state, context] = len(self._stacks)
            self._stacks.append((state, context))
        return number

    def pop(self, context: int) -> tuple[NetworkState, int]:
        """Return the top state of the non-empty *context*, and the rest."""
        state, rest = self._stacks[context]
        assert state is not None  # noqa: S101 - not empty
        return state, rest


@dataclass(slots=True, eq=False)
class _Node:
    """
    State of the prediction cache: the configurations after some tokens.

    Attributes:
        configurations: The remaining configurations.
        prediction: The alternative if it is unique, else 0.
        conflict: Further lookahead cannot resolve the decision without the calling context.
        next: Node after each next token; None if no configuration remains.
    """

    configurations: frozenset[_Configuration]
    prediction: int = 0
    conflict: bool = False
    next: dict[str, _Node | None] = field(default_factory=dict)


class NoAlternativeError(Exception):
    """Error of a decision without a viable alternative, detected after *lookahead* tokens."""

    def __init__(self, lookahead: int) -> None:
        super().__init__(lookahead)
        self.lookahead = lookahead


# Takes a distance and returns the kind of the token that many tokens ahead.
NextKind: TypeAlias = Callable[[int], str]
# Returns the return states of the active rules, innermost first.
Returns: TypeAlias = Callable[[], Sequence[NetworkState]]


class Predictor:
    """Predictor for the decisions of one network, with a cache."""

    def __init__(self) -> None:
        """Create with an empty cache."""
        self._contexts = _Contexts()
        self._starts: dict[tuple[NetworkState, int], _Node] = {}
        # Nodes are shared by configurations: after each name of `a.a.a` they are the same.
        self._nodes: dict[frozenset[_Configuration], _Node] = {}

    def predict(self, decision: NetworkState, precedence: int, lookahead: NextKind, returns: Returns) -> int:
        """
        Return the alternative of *decision* that matches the next tokens.

        Args:
            decision: The decision state.
            precedence: Minimum precedence of operators in the current rule.
            lookahead: Returns the kinds of the next tokens.
            returns: Returns the return states of the active rules, innermost first.

        Raises:
            NoAlternativeError: No alternative matches.
        """
        node = self._starts.get((decision, precedence))
        if node is None:
            node = self._starts[decision, precedence] = self._start(decision, precedence)
        distance = 0
        while True:
            kind = lookahead(distance)
            following = node.next[kind] if kind in node.next else self._advance(node, kind)
            if following is None:
                return _finished(node.configurations, distance)
            if following.prediction:
                return following.prediction
            if following.conflict:
                return _predict_in_context(decision, precedence, lookahead, returns)
            node = following
            distance += 1

    def _start(self, decision: NetworkState, precedence: int) -> _Node:
        walk = _Walk(self._contexts, precedence, decision, in_context=False)
        configurations = walk.start(_EMPTY)
        if decision.decides_precedence:
            configurations = _drop_doubles(configurations)
        return _Node(frozenset(configurations))

    def _advance(self, node: _Node, kind: str) -> _Node | None:
        """Return the node after a token of *kind*, and cache it."""
        walk = _Walk(self._contexts, 0, None, in_context=False)
        reached = walk.step(node.configurations, kind)
        result = None
        if reached:
            configurations = frozenset(reached)
            result = self._nodes.get(configurations)
            if result is None:
                result = self._nodes[configurations] = _Node(
                    configurations, _unique(configurations), _conflicts(configurations)
                )
        node.next[kind] = result
        return result


def _predict_in_context(decision: NetworkState, precedence: int, lookahead: NextKind, returns: Returns) -> int:
    """Predict with the full calling context; return the first alternative of an ambiguous decision."""
    contexts = _Contexts()
    context = _EMPTY
    for state in reversed(returns()):
        context = contexts.push(state, context)
    configurations = _Walk(contexts, precedence, decision, in_context=True).start(context)
    distance = 0
    while True:
        kind = lookahead(distance)
        reached = _Walk(contexts, 0, None, in_context=True).step(configurations, kind)
        if not reached:
            return _finished(configurations, distance)
        viable = {min(alternatives) for alternatives in _alternatives_by_place(reached).values()}
        if len(viable) == 1:
            return viable.pop()
        configurations = reached
        distance += 1


class _Walk:
    """One step of the simulation."""

    def __init__(
        self, contexts: _Contexts, precedence: int, decision: NetworkState | None, *, in_context: bool
    ) -> None:
        self._contexts = contexts
        self._precedence = precedence
        self._decision = decision  # None after the first token: then precedence predicates are ignored
        self._in_context = in_context
        self._reached: set[_Configuration] = set()

    def start(self, context: int) -> set[_Configuration]:
        """Return the configurations before the first token."""
        assert self._decision is not None  # noqa: S101 - before the first token
        for alternative, transition in enumerate(self._decision.transitions, 1):
            self._close([_Configuration(transition.target, alternative, context)])
        return self._reached

    def step(self, configurations: Iterable[_Configuration], kind: str) -> set[_Configuration]:
        """Return the configurations after a token of *kind*, closed up to the next token."""
        stopped = (
            [configuration for configuration in configurations if configuration.state.kind is StateKind.RULE_STOP]
            if self._in_context or kind == EOF
            else []
        )
        passed = [
            configuration._replace(state=transition.target)
            for configuration in configurations
            for transition in configuration.state.transitions
            if transition.tokens is not None and kind in transition.tokens
        ]
        if kind != EOF and not stopped and len({configuration.alternative for configuration in passed}) == 1:
            return set(passed)
        self._close(passed)
        if kind == EOF:
            self._reached = {
                configuration for configuration in self._reached if configuration.state.kind is StateKind.RULE_STOP
            }
        return self._reached.union(stopped)

    def _close(self, configurations: Sequence[_Configuration]) -> None:
        """Add all configurations that *configurations* reach without a token."""
        visited: set[tuple[_Configuration, int]] = set()
        pending = [(configuration, 0) for configuration in configurations]
        while pending:
            item = pending.pop()
            if item in visited:
                continue
            visited.add(item)
            configuration, depth = item
            if configuration.state.kind is StateKind.RULE_STOP and configuration.context != _EMPTY:
                state, context = self._contexts.pop(configuration.context)
                pending.append((configuration._replace(state=state, context=context), max(depth - 1, -1)))
            elif configuration.state.kind is StateKind.RULE_STOP and (
                self._in_context or not configuration.state.transitions
            ):
                self._reached.add(configuration)
            else:
                if any(transition.tokens is not None for transition in configuration.state.transitions):
                    self._reached.add(configuration)
                for transition in configuration.state.transitions:
                    following = self._follow(configuration, transition, depth)
                    if following is not None:
                        pending.append(following)

    def _follow(
        self, configuration: _Configuration, transition: Transition, depth: int
    ) -> tuple[_Configuration, int] | None:
        """Return the configuration after *transition* and its rule depth; None if it takes a token or binds too weakly."""
        if transition.tokens is not None:
            return None
        if configuration.state.kind is StateKind.RULE_STOP:
            is_protected = configuration.is_protected or (
                self._decision is not None
                and self._decision.decides_precedence
                and transition.leaves_outermost == self._decision.rule
            )
            return configuration._replace(state=transition.target, left_rule=True, is_protected=is_protected), max(
                depth - 1, -1
            )
        if transition.follow is not None:
            context = self._contexts.push(transition.follow, configuration.context)
            return configuration._replace(state=transition.target, context=context), depth + 1 if depth >= 0 else depth
        is_active = transition.precedence is not None and self._decision is not None and depth == 0
        if is_active and transition.precedence is not None and transition.precedence < self._precedence:
            return None
        return configuration._replace(state=transition.target), depth


def _drop_doubles(configurations: Iterable[_Configuration]) -> set[_Configuration]:
    """Apply ANTLR's precedence filter: drop duplicates of configurations with the first alternative."""
    contexts: dict[tuple[NetworkState, int], set[int]] = defaultdict(set)
    protected: set[tuple[NetworkState, int]] = set()
    for configuration in configurations:
        contexts[configuration.state, configuration.alternative].add(configuration.context)
        if configuration.is_protected:
            protected.add((configuration.state, configuration.alternative))
    return {
        configuration
        for configuration in configurations
        if configuration.alternative == 1
        or (configuration.state, configuration.alternative) in protected
        or contexts.get((configuration.state, 1)) != contexts[configuration.state, configuration.alternative]
    }


def _unique(configurations: Iterable[_Configuration]) -> int:
    """Return the only alternative of all *configurations*, or 0."""
    alternatives = {configuration.alternative for configuration in configurations}
    return alternatives.pop() if len(alternatives) == 1 else 0


def _alternatives_by_place(
    configurations: Iterable[_Configuration],
) -> dict[tuple[NetworkState, frozenset[int]], set[int]]:
    """Return the sets of alternatives that share states and contexts."""
    contexts: dict[tuple[NetworkState, int], set[int]] = defaultdict(set)
    for configuration in configurations:
        contexts[configuration.state, configuration.alternative].add(configuration.context)
    places: dict[tuple[NetworkState, frozenset[int]], set[int]] = defaultdict(set)
    for (state, alternative), numbers in contexts.items():
        places[state, frozenset(numbers)].add(alternative)
    return places


def _conflicts(configurations: Iterable[_Configuration]) -> bool:
    """Return whether alternatives are indistinguishable, and no state belongs to a single alternative."""
    if all(configuration.state.kind is StateKind.RULE_STOP for configuration in configurations):
        return True
    by_state: dict[NetworkState, set[int]] = defaultdict(set)
    for configuration in configurations:
        by_state[configuration.state].add(configuration.alternative)
    has_conflict = any(len(alternatives) > 1 for alternatives in _alternatives_by_place(configurations).values())
    return has_conflict and not any(len(alternatives) == 1 for alternatives in by_state.values())


def _finished(configurations: Iterable[_Configuration], distance: int) -> int:
    """Return the first alternative that finished the decision's rule before a token without a match; raise without one."""
    ended = [
        configuration.alternative
        for configuration in configurations
        if configuration.left_rule
        or (configuration.state.kind is StateKind.RULE_STOP and configuration.context == _EMPTY)
    ]
    if not ended:
        raise NoAlternativeError(distance)
    return min(ended)

"""
Prediction: which alternative of a decision the next tokens lead to.

Contexts, the stacks of states to return to, are kept once each and known by numbers; 0 is the empty one.

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
    One way in which the decision may go on.

    Attributes:
        state: The state reached.
        alternative: The alternative taken, from 1.
        context: Where the rules called since return to.
        left: Whether the way has left the rule of the decision.
        kept: Whether the way left a left-recursive rule by its outermost call: such a way is never dropped as a double.
    """

    state: NetworkState
    alternative: int
    context: int
    left: bool = False
    kept: bool = False


class _Contexts:
    """The stacks of states to return to."""

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
        """Return the top of *context*, which is not empty, and the rest."""
        state, rest = self._stacks[context]
        assert state is not None  # noqa: S101 - not empty
        return state, rest


@dataclass(slots=True, eq=False)
class _Node:
    """
    What is known after some tokens.

    Attributes:
        configurations: The ways that are left.
        prediction: The alternative, if only one is left.
        conflict: Whether more tokens cannot tell the alternatives apart without knowing the rules called before.
        next: What is known after one more token; None where no way is left.
    """

    configurations: frozenset[_Configuration]
    prediction: int = 0
    conflict: bool = False
    next: dict[str, _Node | None] = field(default_factory=dict)


class NoAlternativeError(Exception):
    """No alternative fits; *lookahead* tokens of those that follow were looked at to see that."""

    def __init__(self, lookahead: int) -> None:
        super().__init__(lookahead)
        self.lookahead = lookahead


# Returns the kind of the token that stands a number of tokens further.
NextKind: TypeAlias = Callable[[int], str]
# Returns states, the innermost first.
Returns: TypeAlias = Callable[[], Sequence[NetworkState]]


class Predictor:
    """What predicts the alternatives of one network's decisions; what it has found out it keeps."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._contexts = _Contexts()
        self._starts: dict[tuple[NetworkState, int], _Node] = {}
        # By their ways: behind each name of `a.a.a` the same is known.
        self._nodes: dict[frozenset[_Configuration], _Node] = {}

    def predict(self, decision: NetworkState, precedence: int, lookahead: NextKind, returns: Returns) -> int:
        """
        Return the alternative of *decision* that the tokens lead to.

        Args:
            decision: The state.
            precedence: How strongly operators must bind here.
            lookahead: The tokens.
            returns: Tells where the rules called so far return to, the innermost first.

        Raises:
            NoAlternativeError: None fits.
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
        found = walk.start(_EMPTY)
        if decision.decides_precedence:
            found = _drop_doubles(found)
        return _Node(frozenset(found))

    def _advance(self, node: _Node, kind: str) -> _Node | None:
        """Return what is known after a token of *kind*, and keep it."""
        walk = _Walk(self._contexts, 0, None, in_context=False)
        found = walk.step(node.configurations, kind)
        result = None
        if found:
            ways = frozenset(found)
            result = self._nodes.get(ways)
            if result is None:
                result = self._nodes[ways] = _Node(ways, _unique(ways), _conflicts(ways))
        node.next[kind] = result
        return result


def _predict_in_context(decision: NetworkState, precedence: int, lookahead: NextKind, returns: Returns) -> int:
    """Predict knowing the rules that were called; alternatives that stay alike are decided for the first."""
    contexts = _Contexts()
    context = _EMPTY
    for state in reversed(returns()):
        context = contexts.push(state, context)
    found = _Walk(contexts, precedence, decision, in_context=True).start(context)
    distance = 0
    while True:
        kind = lookahead(distance)
        reached = _Walk(contexts, 0, None, in_context=True).step(found, kind)
        if not reached:
            return _finished(found, distance)
        viable = {min(alternatives) for alternatives in _alternatives_by_place(reached).values()}
        if len(viable) == 1:
            return viable.pop()
        found = reached
        distance += 1


class _Walk:
    """One step through the network."""

    def __init__(
        self, contexts: _Contexts, precedence: int, decision: NetworkState | None, *, in_context: bool
    ) -> None:
        self._contexts = contexts
        self._precedence = precedence
        self._decision = decision  # None behind the first token: then precedence is no more asked for
        self._in_context = in_context
        self._found: set[_Configuration] = set()

    def start(self, context: int) -> set[_Configuration]:
        """Return the ways from the decision to the first token."""
        assert self._decision is not None  # noqa: S101 - before the first token
        for alternative, transition in enumerate(self._decision.transitions, 1):
            self._close([_Configuration(transition.target, alternative, context)])
        return self._found

    def step(self, configurations: Iterable[_Configuration], kind: str) -> set[_Configuration]:
        """Return the ways behind a token of *kind*, up to the next token."""
        stopped = (
            [one for one in configurations if one.state.kind is StateKind.RULE_STOP]
            if self._in_context or kind == EOF
            else []
        )
        passed = [
            one._replace(state=transition.target)
            for one in configurations
            for transition in one.state.transitions
            if transition.tokens is not None and kind in transition.tokens
        ]
        if kind != EOF and not stopped and len({one.alternative for one in passed}) == 1:
            return set(passed)
        self._close(passed)
        if kind == EOF:
            self._found = {one for one in self._found if one.state.kind is StateKind.RULE_STOP}
        return self._found.union(stopped)

    def _close(self, configurations: Sequence[_Configuration]) -> None:
        """Add the ways on from *configurations* as far as they lead without a token."""
        seen: set[tuple[_Configuration, int]] = set()
        pending = [(one, 0) for one in configurations]
        while pending:
            item = pending.pop()
            if item in seen:
                continue
            seen.add(item)
            one, depth = item
            if one.state.kind is StateKind.RULE_STOP and one.context != _EMPTY:
                state, context = self._contexts.pop(one.context)
                pending.append((one._replace(state=state, context=context), max(depth - 1, -1)))
            elif one.state.kind is StateKind.RULE_STOP and (self._in_context or not one.state.transitions):
                self._found.add(one)
            else:
                if any(transition.tokens is not None for transition in one.state.transitions):
                    self._found.add(one)
                for transition in one.state.transitions:
                    following = self._follow(one, transition, depth)
                    if following is not None:
                        pending.append(following)

    def _follow(self, one: _Configuration, transition: Transition, depth: int) -> tuple[_Configuration, int] | None:
        """Return the way on over *transition* and how many rules deep it is; None where it takes a token or binds too weakly."""
        if transition.tokens is not None:
            return None
        if one.state.kind is StateKind.RULE_STOP:
            kept = one.kept or (
                self._decision is not None
                and self._decision.decides_precedence
                and transition.leaves_outermost == self._decision.rule
            )
            return one._replace(state=transition.target, left=True, kept=kept), max(depth - 1, -1)
        if transition.follow is not None:
            context = self._contexts.push(transition.follow, one.context)
            return one._replace(state=transition.target, context=context), depth + 1 if depth >= 0 else depth
        asked = transition.precedence is not None and self._decision is not None and depth == 0
        if asked and transition.precedence is not None and transition.precedence < self._precedence:
            return None
        return one._replace(state=transition.target), depth


def _drop_doubles(configurations: Iterable[_Configuration]) -> set[_Configuration]:
    """Return the ways without those that leave a left-recursive rule only to go on as staying in it would."""
    contexts: dict[tuple[NetworkState, int], set[int]] = defaultdict(set)
    kept: set[tuple[NetworkState, int]] = set()
    for one in configurations:
        contexts[one.state, one.alternative].add(one.context)
        if one.kept:
            kept.add((one.state, one.alternative))
    return {
        one
        for one in configurations
        if one.alternative == 1
        or (one.state, one.alternative) in kept
        or contexts.get((one.state, 1)) != contexts[one.state, one.alternative]
    }


def _unique(configurations: Iterable[_Configuration]) -> int:
    """Return the only alternative of all *configurations*; 0 where there are several."""
    alternatives = {one.alternative for one in configurations}
    return alternatives.pop() if len(alternatives) == 1 else 0


def _alternatives_by_place(
    configurations: Iterable[_Configuration],
) -> dict[tuple[NetworkState, frozenset[int]], set[int]]:
    """Return the alternatives that have reached the same states in the same contexts."""
    contexts: dict[tuple[NetworkState, int], set[int]] = defaultdict(set)
    for one in configurations:
        contexts[one.state, one.alternative].add(one.context)
    places: dict[tuple[NetworkState, frozenset[int]], set[int]] = defaultdict(set)
    for (state, alternative), found in contexts.items():
        places[state, frozenset(found)].add(alternative)
    return places


def _conflicts(configurations: Iterable[_Configuration]) -> bool:
    """Return whether alternatives have become alike, and none has a state for itself."""
    if all(one.state.kind is StateKind.RULE_STOP for one in configurations):
        return True
    by_state: dict[NetworkState, set[int]] = defaultdict(set)
    for one in configurations:
        by_state[one.state].add(one.alternative)
    alike = any(len(alternatives) > 1 for alternatives in _alternatives_by_place(configurations).values())
    return alike and not any(len(alternatives) == 1 for alternatives in by_state.values())


def _finished(configurations: Iterable[_Configuration], distance: int) -> int:
    """Return the first alternative that has come to the end of the decision's rule, where the next token fits none."""
    ended = [
        one.alternative
        for one in configurations
        if one.left or (one.state.kind is StateKind.RULE_STOP and one.context == _EMPTY)
    ]
    if not ended:
        raise NoAlternativeError(distance)
    return min(ended)

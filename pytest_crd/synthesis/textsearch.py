"""
Search for the shortest texts that match some patterns and fail others, or a proof that there are none.

The automata of all patterns run side by side; the search explores their combined states.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.synthesis import automata
from pytest_crd.synthesis.automata import Budget, BudgetSpentError

# Enough for handwritten patterns, and at most about half a second.
USUAL_STEPS: Final = 150_000

# The states of all automata.
_CombinedState: TypeAlias = "tuple[int, ...]"


class Lengths(NamedTuple):
    """
    The allowed lengths of a text.

    Attributes:
        least: The minimum number of characters.
        most: The maximum; None if unlimited.
    """

    least: int = 0
    most: int | None = None


_ANY_LENGTH: Final = Lengths()


class Outcome(Enum):
    """The outcome of a search."""

    FOUND = auto()
    NONE = auto()
    BUDGET_SPENT = auto()


class Answer(NamedTuple):
    """
    The result of a search.

    Attributes:
        texts: Texts, the shortest first, confirmed by the pattern matcher; fewer than wanted if there are no more or the budget is spent.
        outcome: Whether texts were found; if not, whether it is proved that there are none.
    """

    texts: tuple[str, ...]
    outcome: Outcome


class _Path(NamedTuple):
    """
    A text under consideration.

    Attributes:
        state: The combined state after the text.
        length: The number of characters.
        last: The last character; empty if *before* is None.
        before: The text without its last character; None for a text of the minimum length.
    """

    state: _CombinedState
    length: int
    last: str
    before: _Path | None


def find_texts(
    matched: Sequence[str],
    unmatched: Sequence[str] = (),
    *,
    lengths: Lengths = _ANY_LENGTH,
    wanted: int = 1,
    steps: int = USUAL_STEPS,
) -> Answer:
    """
    Return some of the shortest texts that match all patterns of *matched* and no pattern of *unmatched*.

    Args:
        matched: Valid patterns that must match.
        unmatched: Valid patterns that must not match.
        lengths: The allowed lengths.
        wanted: The number of texts to find.
        steps: The budget of steps; it makes results independent of the machine's speed.

    Raises:
        PatternError: A pattern is invalid.
        PatternTooLargeError: A pattern takes too much memory to match.
    """
    matches = [(patterns.compile(pattern), True) for pattern in matched]
    matches += [(patterns.compile(pattern), False) for pattern in unmatched]
    candidates: list[str] = []
    is_spent = False
    try:
        search = _Search(matched, unmatched, Budget(steps))
        candidates.extend(itertools.islice(search.texts(lengths, wanted), wanted))
    except BudgetSpentError:
        is_spent = True
    texts = tuple(text for text in candidates if all(match(text) is expected for match, expected in matches))
    if texts:
        return Answer(texts, Outcome.FOUND)
    return Answer((), Outcome.BUDGET_SPENT if is_spent or candidates else Outcome.NONE)


class _Search:
    """The search over combined states."""

    def __init__(self, matched: Sequence[str], unmatched: Sequence[str], budget: Budget) -> None:
        roots = [patterns.tree(pattern) for pattern in (*matched, *unmatched)]
        self._automata, self._characters = automata.build_automata(roots, budget)
        self._matched = self._automata[: len(matched)]
        self._unmatched = self._automata[len(matched) :]
        self._budget = budget
        self._start: _CombinedState = tuple(automaton.start for automaton in self._automata)
        self._transitions: dict[_CombinedState, list[tuple[str, _CombinedState]]] = {}

    def texts(self, lengths: Lengths, wanted: int) -> Iterator[str]:
        """
        Yield texts, the shortest first; texts of the minimum length end in distinct states.

        Raises:
            BudgetSpentError: The budget is spent, and there may be more texts.
        """
        least, most = lengths
        if most is not None and most < least:
            return
        origins = self._origins(least)
        begins = sorted(origins[-1]) if origins else [self._start]
        paths = deque(_Path(state, least, "", None) for state in begins)
        # A state is visited no more often than texts are wanted; more visits would give no new continuations.
        visits = Counter(begins)
        while paths:
            path = paths.popleft()
            if self._accepts(path.state):
                yield _text(path, origins)
            following = self._following(path.state) if path.length != most else []
            for character, state in following:
                if visits[state] < wanted:
                    visits[state] += 1
                    paths.append(_Path(state, path.length + 1, character, path))

    def _origins(self, length: int) -> list[dict[_CombinedState, tuple[str, _CombinedState]]]:
        """Return for each length up to *length* the states in which a text can end, with the last step to each."""
        origins: list[dict[_CombinedState, tuple[str, _CombinedState]]] = []
        origins_by_states: dict[tuple[_CombinedState, ...], dict[_CombinedState, tuple[str, _CombinedState]]] = {}
        states: tuple[_CombinedState, ...] = (self._start,)
        for _ in range(length):
            self._budget.spend(1)
            if states not in origins_by_states:  # The same sets of states recur for later lengths.
                origins_by_states[states] = {}
                for state in states:
                    for character, following in self._following(state):
                        origins_by_states[states].setdefault(following, (character, state))
            origins.append(origins_by_states[states])
            states = tuple(sorted(origins[-1]))
        return origins

    def _following(self, state: _CombinedState) -> list[tuple[str, _CombinedState]]:
        """Return the next state for each character class, without the classes after which no text is possible."""
        if state not in self._transitions:
            self._budget.spend(len(self._characters))
            reached = (
                (
                    character,
                    tuple(automaton.follow(part, kind) for automaton, part in zip(self._automata, state, strict=True)),
                )
                for kind, character in enumerate(self._characters)
            )
            self._transitions[state] = [
                (character, following) for character, following in reached if self._leads_on(following)
            ]
        return self._transitions[state]

    def _leads_on(self, state: _CombinedState) -> bool:
        matched = zip(self._matched, state, strict=False)
        unmatched = zip(self._unmatched, state[len(self._matched) :], strict=True)
        return not any(automaton.never_accepts(part) for automaton, part in matched) and not any(
            automaton.always_accepts(part) for automaton, part in unmatched
        )

    def _accepts(self, state: _CombinedState) -> bool:
        matched = zip(self._matched, state, strict=False)
        unmatched = zip(self._unmatched, state[len(self._matched) :], strict=True)
        return all(automaton.accepts(part) for automaton, part in matched) and not any(
            automaton.accepts(part) for automaton, part in unmatched
        )


def _text(path: _Path, origins: list[dict[_CombinedState, tuple[str, _CombinedState]]]) -> str:
    """Return the text of a path; its first characters come from *origins*, one for each."""
    characters = [path.last]
    while path.before is not None:
        path = path.before
        characters.append(path.last)
    state = path.state
    for origin in reversed(origins):
        character, state = origin[state]
        characters.append(character)
    return "".join(reversed(characters))

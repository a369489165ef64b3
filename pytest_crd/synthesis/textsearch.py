"""
Texts that match some patterns and do not match others: the shortest ones, or the proof that there are none.

The automata of all patterns run side by side; what is looked at are the states that they may be in together.
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

# Enough for what is written by hand, at about half a second at the worst.
USUAL_STEPS: Final = 150_000

# The states of all automata.
_Together: TypeAlias = "tuple[int, ...]"


class Lengths(NamedTuple):
    """
    How long a text is.

    Attributes:
        least: How many characters it has at least.
        most: How many it has at most; None where nothing limits it.
    """

    least: int = 0
    most: int | None = None


_ANY_LENGTH: Final = Lengths()


class Outcome(Enum):
    """How a search has ended."""

    FOUND = auto()
    NONE = auto()
    BUDGET_SPENT = auto()


class Answer(NamedTuple):
    """
    What a search has found.

    Attributes:
        texts: Texts, the shortest first, of which the patterns' own matcher says the same; fewer than wanted where there are no more, or
            the budget was spent.
        outcome: Whether there are texts; if not, whether it is known that there can be none.
    """

    texts: tuple[str, ...]
    outcome: Outcome


class _Path(NamedTuple):
    """
    A text that is tried.

    Attributes:
        state: Where it leads.
        length: How many characters it has.
        last: The last of them; empty where *before* is None.
        before: The text without it; None where it is as short as may be.
    """

    state: _Together
    length: int
    last: str
    before: _Path | None


def find(
    matched: Sequence[str],
    unmatched: Sequence[str] = (),
    *,
    lengths: Lengths = _ANY_LENGTH,
    wanted: int = 1,
    steps: int = USUAL_STEPS,
) -> Answer:
    """
    Return some of the shortest texts that match all of some patterns, and none of others.

    Args:
        matched: The patterns that match, which compile as all of these do.
        unmatched: The patterns that do not.
        lengths: How many characters a text has.
        wanted: How many texts are looked for.
        steps: How much is tried before the search is given up: how long that takes depends on the machine, what is found does not.

    Raises:
        PatternError: A pattern does not compile.
        PatternTooLargeError: A pattern takes too much memory to match.
    """
    matches = [(patterns.compile(pattern), True) for pattern in matched]
    matches += [(patterns.compile(pattern), False) for pattern in unmatched]
    found: list[str] = []
    is_spent = False
    try:
        search = _Search(matched, unmatched, Budget(steps))
        found.extend(itertools.islice(search.texts(lengths, wanted), wanted))
    except BudgetSpentError:
        is_spent = True
    texts = tuple(text for text in found if all(match(text) is expected for match, expected in matches))
    if texts:
        return Answer(texts, Outcome.FOUND)
    return Answer((), Outcome.BUDGET_SPENT if is_spent or found else Outcome.NONE)


class _Search:
    """Looks for texts."""

    def __init__(self, matched: Sequence[str], unmatched: Sequence[str], budget: Budget) -> None:
        roots = [patterns.tree(pattern) for pattern in (*matched, *unmatched)]
        self._automata, self._characters = automata.automata(roots, budget)
        self._matched = self._automata[: len(matched)]
        self._unmatched = self._automata[len(matched) :]
        self._budget = budget
        self._start: _Together = tuple(automaton.start for automaton in self._automata)
        self._known: dict[_Together, list[tuple[str, _Together]]] = {}

    def texts(self, lengths: Lengths, wanted: int) -> Iterator[str]:
        """
        Yield texts, the shortest first; those that are as short as may be differ in where they lead.

        Raises:
            BudgetSpentError: There may be more.
        """
        least, most = lengths
        if most is not None and most < least:
            return
        origins = self._origins(least)
        begins = sorted(origins[-1]) if origins else [self._start]
        paths = deque(_Path(state, least, "", None) for state in begins)
        # The same states are reached again, but no more often than texts are wanted: others lead nowhere else.
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

    def _origins(self, length: int) -> list[dict[_Together, tuple[str, _Together]]]:
        """Return, for each length up to one, in which states a text of it may end, and the last step to each."""
        origins: list[dict[_Together, tuple[str, _Together]]] = []
        known: dict[tuple[_Together, ...], dict[_Together, tuple[str, _Together]]] = {}
        states: tuple[_Together, ...] = (self._start,)
        for _ in range(length):
            self._budget.spend(1)
            if states not in known:  # the lengths that lead to the same states come again and again
                known[states] = {}
                for state in states:
                    for character, following in self._following(state):
                        known[states].setdefault(following, (character, state))
            origins.append(known[states])
            states = tuple(sorted(origins[-1]))
        return origins

    def _following(self, state: _Together) -> list[tuple[str, _Together]]:
        """Return where each class of characters leads, but for those after which there is no text any more."""
        if state not in self._known:
            self._budget.spend(len(self._characters))
            reached = (
                (character, tuple(one.follow(part, kind) for one, part in zip(self._automata, state, strict=True)))
                for kind, character in enumerate(self._characters)
            )
            self._known[state] = [
                (character, following) for character, following in reached if self._leads_on(following)
            ]
        return self._known[state]

    def _leads_on(self, state: _Together) -> bool:
        matched = zip(self._matched, state, strict=False)
        unmatched = zip(self._unmatched, state[len(self._matched) :], strict=True)
        return not any(one.never_accepts(part) for one, part in matched) and not any(
            one.always_accepts(part) for one, part in unmatched
        )

    def _accepts(self, state: _Together) -> bool:
        matched = zip(self._matched, state, strict=False)
        unmatched = zip(self._unmatched, state[len(self._matched) :], strict=True)
        return all(one.accepts(part) for one, part in matched) and not any(one.accepts(part) for one, part in unmatched)


def _text(path: _Path, origins: list[dict[_Together, tuple[str, _Together]]]) -> str:
    """Return the text of a path, which begins with as many characters as there are *origins*."""
    characters = [path.last]
    while path.before is not None:
        path = path.before
        characters.append(path.last)
    state = path.state
    for origin in reversed(origins):
        character, state = origin[state]
        characters.append(character)
    return "".join(reversed(characters))

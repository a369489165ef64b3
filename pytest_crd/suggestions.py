"""Suggestions for misspelt words, within a budget of work."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Final

# Comparisons of 5 million letters with each other take about two seconds.
MOST_WORK: Final = 5_000_000
# A message has few suggestions, and there may be a message for each case.
WORK_OF_MESSAGE: Final = 500_000
_LONGEST_WORD: Final = 60
_ALIKE: Final = 0.6


class SpentBudgetError(Exception):
    """A budget ends before all words are compared, so that there is no suggestion."""


class WorkBudget:
    """Work that the suggestions about one CRD version, or of one message, share."""

    def __init__(self, work: int = MOST_WORK) -> None:
        """Begin with *work*: the number of letters that may be compared."""
        self._work = work

    def spend(self, work: int) -> None:
        """
        Take *work* from the budget.

        Raises:
            SpentBudgetError: Nothing is left.
        """
        if self._work <= 0:
            raise SpentBudgetError
        self._work -= work


def nearest(word: str, known: Iterable[str], budget: WorkBudget, *, least_ratio: float = _ALIKE) -> str:
    """
    Return the known word that is most like *word*; empty if none is like it.

    Args:
        word: A word that is not known. Only its first letters count if it is very long.
        known: The candidates.
        budget: The budget of the search.
        least_ratio: The least ratio of `difflib` that a suggestion has.

    Raises:
        SpentBudgetError: The budget ended first.
    """
    word = word[:_LONGEST_WORD]
    matcher = difflib.SequenceMatcher(None, "", word)
    best = least_ratio, ""
    for most, candidate in sorted(_possible(matcher, known, budget, least_ratio), reverse=True):
        if most < best[0]:
            break
        matcher.set_seq1(candidate)
        budget.spend(len(candidate) * len(word))
        best = max(best, (matcher.ratio(), candidate))
    return best[1]


def search(word: str, known: Iterable[str], budget: WorkBudget) -> str | None:
    """Return the known word that is most like *word*; empty if none is like it, None if the budget ended first."""
    try:
        return nearest(word, known, budget)
    except SpentBudgetError:
        return None


def _possible(
    matcher: difflib.SequenceMatcher[str], known: Iterable[str], budget: WorkBudget, least_ratio: float
) -> Iterator[tuple[float, str]]:
    """Yield the known words that may be similar enough, each with an upper bound of its ratio."""
    for candidate in known:
        matcher.set_seq1(candidate)
        budget.spend(1)
        if matcher.real_quick_ratio() >= least_ratio:
            budget.spend(len(candidate))
            if (most := matcher.quick_ratio()) >= least_ratio:
                yield most, candidate


def hint(near: str | None) -> str:
    """
    Return the suggestion as the end of a sentence; empty without one.

    Args:
        near: The similar word; empty if there is none, None if the budget ended first.
    """
    if near is None:
        return "; similar names were not looked for, as too many are unknown"
    return f"; did you mean {near}?" if near else ""

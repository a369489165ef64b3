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
# The most lost, added or changed letters of a misspelt name.
_MOST_EDITS: Final = 2
# The likeness of longer names with more lost, doubled or swapped letters.
_ALIKE_NAMES: Final = 0.9


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


def nearest_name(word: str, words: Iterable[str], budget: WorkBudget) -> str:
    """
    Return the known word that *word* misspells by a few letters; empty if none is.

    Raises:
        SpentBudgetError: There are too many words to compare.
    """
    others = list(words)
    if same := [candidate for candidate in others if candidate.casefold() == word.casefold()]:
        return same[0]
    of_a_length = [candidate for candidate in others if abs(len(candidate) - len(word)) <= _MOST_EDITS]
    budget.spend(sum(len(candidate) * len(word) for candidate in of_a_length))
    near = min(of_a_length, key=lambda candidate: _edits(word, candidate), default="")
    if near and _edits(word, near) <= _MOST_EDITS:
        return near
    return nearest(word, others, budget, least_ratio=_ALIKE_NAMES)


def nearest_ignoring_case(word: str, words: Iterable[str], budget: WorkBudget | None = None) -> str:
    """
    Return the known word that is most like *word* but for its case, or that ends it; empty if none is.

    Raises:
        SpentBudgetError: There are too many words to compare.
    """
    shared = WorkBudget() if budget is None else budget
    shared.spend(1)
    folded = {item.casefold(): item for item in words}
    word = word[:_LONGEST_WORD].casefold()
    near = nearest(word, folded, shared) or next((item for item in folded if word.endswith(item)), "")
    return folded.get(near, "")


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


def _edits(word: str, target: str) -> int:
    """Return the number of letters to add, remove or change to get from one word to the other."""
    above = list(range(len(target) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, target_letter in enumerate(target, 1):
            line.append(min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != target_letter)))
        above = line
    return above[-1]


def hint(near: str | None) -> str:
    """
    Return the suggestion as the end of a sentence; empty without one.

    Args:
        near: The similar word; empty if there is none, None if the budget ended first.
    """
    if near is None:
        return "; similar names were not looked for, as too many are unknown"
    return f"; did you mean {near}?" if near else ""

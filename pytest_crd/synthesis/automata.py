"""
Automata of patterns: which texts hold a match, one character after the other.

A pattern's tree becomes a program, whose states are joined by characters, by assertions and by nothing; an automaton runs it, and
makes a state of its own of each set of states that the program may be in, when it first gets there.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum, auto
from typing import Final

from pytest_crd.engine.golang.regexp import classes, readable, runesets
from pytest_crd.engine.golang.regexp.patterntree import Alternate, Assertion, Chars, Concat, Node, Repeat
from pytest_crd.engine.golang.regexp.runesets import RuneSet

START: Final = 0
FINAL: Final = 1
_NEWLINE: Final[RuneSet] = ((0x0A, 0x0A),)
_OF_WORDS: Final = frozenset({Assertion.WORD_BOUNDARY, Assertion.NO_WORD_BOUNDARY})
_OF_LINES: Final = frozenset({Assertion.LINE_BEGIN, Assertion.LINE_END})
# What holds or not by the character before alone.
_OF_BEFORE: Final = frozenset({Assertion.TEXT_BEGIN, Assertion.LINE_BEGIN})


class BudgetSpentError(Exception):
    """More steps would have been made than there may be."""


class Budget:
    """How many steps may still be made."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def spend(self, steps: int) -> None:
        """
        Count steps.

        Raises:
            BudgetSpentError: There are not that many left.
        """
        self._left -= steps
        if self._left < 0:
            raise BudgetSpentError


class _Side(Enum):
    """What stands on one side of a place in a text."""

    NOTHING = auto()
    NEWLINE = auto()
    WORD = auto()
    OTHER = auto()


class Program:
    """
    A pattern as states that are joined.

    Attributes:
        characters: For each state, the sets of characters that lead from it, by their numbers, and where to.
        nothing: For each state, where nothing leads from it.
        assertions: For each state, the assertions that lead from it where they hold, and where to.
        asserted: All assertions that there are.
    """

    def __init__(self, root: Node, sets: dict[RuneSet, int], budget: Budget) -> None:
        """
        Make a program.

        Args:
            root: What the pattern says.
            sets: The number of each set of characters that is known; new ones are added.
            budget: What is spent on it, a step a state.

        Raises:
            BudgetSpentError: The program is too large.
        """
        self.characters: list[list[tuple[int, int]]] = []
        self.nothing: list[list[int]] = []
        self.assertions: list[list[tuple[Assertion, int]]] = []
        self.asserted: set[Assertion] = set()
        self._budget = budget
        self._new()
        self._new()
        self._join(root, sets)

    def _join(self, root: Node, sets: dict[RuneSet, int]) -> None:
        """Join the first state with the final one."""
        # What is joined between two states never leads back to the first, nor on from the second, unless they are the same.
        remaining: list[tuple[Node, int, int]] = [(root, START, FINAL)]
        while remaining:
            node, begin, end = remaining.pop()
            match node:
                case Chars(runes):
                    self.characters[begin].append((sets.setdefault(runes, len(sets)), end))
                case Assertion():
                    self.assertions[begin].append((node, end))
                    self.asserted.add(node)
                case Alternate(branches):
                    remaining += ((branch, begin, end) for branch in branches)
                case Concat(parts):
                    row = self._row(begin, len(parts))
                    remaining += zip(parts, row, row[1:], strict=False)
                    self.nothing[row[-1]].append(end)
                case _:
                    remaining += self._repeated(node, begin, end)

    def _repeated(self, repeat: Repeat, begin: int, end: int) -> Iterator[tuple[Node, int, int]]:
        """Yield what is to be joined: the part as often as must be, then a loop of it, or the times it may be left out."""
        least, most = repeat.least, repeat.most
        row = self._row(begin, least if most is None else most)
        yield from ((repeat.part, *pair) for pair in itertools.pairwise(row))
        if most is None:
            loop = self._new()
            yield repeat.part, loop, loop
            self.nothing[row[-1]].append(loop)
            self.nothing[loop].append(end)
        else:
            for state in row[least:]:
                self.nothing[state].append(end)

    def _row(self, begin: int, length: int) -> list[int]:
        return [begin, *(self._new() for _ in range(length))]

    def _new(self) -> int:
        self._budget.spend(1)
        self.characters.append([])
        self.nothing.append([])
        self.assertions.append([])
        return len(self.nothing) - 1


class Alphabet:
    """
    The classes of characters that no set of several tells apart.

    Attributes:
        characters: Of each class, the character that is read best; the classes are ordered by that.
        members: Of each class, the numbers of the sets that hold it, as bits.
    """

    def __init__(self, sets: Sequence[RuneSet]) -> None:
        """Make the classes of *sets*, whose numbers are their places."""
        changes: dict[int, int] = defaultdict(int)
        for number, runes in enumerate((*sets, runesets.CHARACTERS)):
            for first, last in runes:
                changes[first] ^= 1 << number
                changes[last + 1] ^= 1 << number
        runs: dict[int, list[tuple[int, int]]] = defaultdict(list)
        members = 0
        for first, after in itertools.pairwise(sorted(changes)):
            members ^= changes[first]
            runs[members].append((first, after - 1))
        is_character = 1 << len(sets)
        found = {readable.characters(tuple(of))[0]: members for members, of in runs.items() if members & is_character}
        self.characters = sorted(found, key=readable.rank)
        self.members = [found[char] for char in self.characters]


class Automaton:
    """Runs a program; a state is a number, which has a meaning for this automaton alone."""

    def __init__(self, program: Program, alphabet: Alphabet, budget: Budget) -> None:
        """
        Take a program.

        Args:
            program: What is run.
            alphabet: The classes of characters that are looked at.
            budget: What is spent on states, a step for each state of the program in them.
        """
        self._program = program
        self._alphabet = alphabet
        self._budget = budget
        self._sides = [self._side(ord(char)) for char in alphabet.characters]
        self._numbers: dict[tuple[frozenset[int], _Side | None], int] = {}
        self._states: list[tuple[frozenset[int], _Side | None]] = []
        self._next: list[dict[int, int]] = []
        self._accepting: dict[int, bool] = {}
        self._renews = Assertion.LINE_BEGIN in program.asserted
        self.start: Final = self._number({START}, _Side.NOTHING)

    def follow(self, state: int, character: int) -> int:
        """Return the state after a character, of which the class is given."""
        known = self._next[state]
        if character not in known:
            known[character] = self._following(state, character)
        return known[character]

    def accepts(self, state: int) -> bool:
        """Return whether a text that ends here holds a match."""
        if state not in self._accepting:
            self._accepting[state] = FINAL in self._ready(state, _Side.NOTHING)
        return self._accepting[state]

    def always_accepts(self, state: int) -> bool:
        """Return whether there was a match already, so that no matter what follows there is one."""
        return FINAL in self._states[state][0]

    def never_accepts(self, state: int) -> bool:
        """Return whether there can be no match any more."""
        return not self._states[state][0] and not self._renews

    def _following(self, state: int, character: int) -> int:
        side = self._sides[character]
        ready = self._ready(state, side)
        if FINAL in ready:
            return self._number({FINAL}, side)
        members = self._alphabet.members[character]
        self._budget.spend(len(ready))
        reached = {end for begin in ready for runes, end in self._program.characters[begin] if members >> runes & 1}
        return self._number({START, *reached}, side)  # a match may begin anywhere

    def _number(self, reached: Iterable[int], before: _Side) -> int:
        """Return the state in which *reached* is, after a character."""
        closed = self._closed(reached, before, None)
        program = self._program
        kept = frozenset(
            [FINAL]
            if FINAL in closed
            else (state for state in closed if program.characters[state] or _waits(program.assertions[state]))
        )
        # The character before matters where an assertion is still to be decided.
        waits = any(_waits(program.assertions[state]) for state in kept)
        key = kept, before if waits else None
        if key not in self._numbers:
            self._numbers[key] = len(self._states)
            self._states.append(key)
            self._next.append({})
        return self._numbers[key]

    def _ready(self, state: int, after: _Side) -> AbstractSet[int]:
        """Return where the program is in a state when it is known what follows."""
        kept, before = self._states[state]
        return kept if before is None else self._closed(kept, before, after)

    def _closed(self, reached: Iterable[int], before: _Side, after: _Side | None) -> set[int]:
        """Return where the program gets without a character; *after* is None where it is not known yet."""
        closed = set(reached)
        remaining = list(closed)
        while remaining:
            state = remaining.pop()
            ends = [end for assertion, end in self._program.assertions[state] if _holds(assertion, before, after)]
            more = {*self._program.nothing[state], *ends} - closed
            closed |= more
            remaining += more
        self._budget.spend(len(closed))
        return closed

    def _side(self, code: int) -> _Side:
        """Return what a character is beside an assertion, as far as there are assertions that care."""
        asserted = self._program.asserted
        if asserted & _OF_WORDS and runesets.contains(classes.WORD, code):
            return _Side.WORD
        return _Side.NEWLINE if asserted & _OF_LINES and code == ord("\n") else _Side.OTHER


def automata(roots: Sequence[Node], budget: Budget) -> tuple[list[Automaton], list[str]]:
    """
    Return an automaton of each of some patterns, and a character of each of the classes that they tell apart.

    Raises:
        BudgetSpentError: They are too large.
    """
    sets: dict[RuneSet, int] = {}
    programs = [Program(root, sets, budget) for root in roots]
    asserted = {assertion for program in programs for assertion in program.asserted}
    if asserted & _OF_WORDS:
        sets.setdefault(classes.WORD, len(sets))
    if asserted & _OF_LINES:
        sets.setdefault(_NEWLINE, len(sets))
    alphabet = Alphabet(list(sets))
    return [Automaton(program, alphabet, budget) for program in programs], alphabet.characters


def _waits(assertions: Iterable[tuple[Assertion, int]]) -> bool:
    """Return whether one of *assertions* depends on what follows."""
    return any(assertion not in _OF_BEFORE for assertion, _ in assertions)


def _holds(assertion: Assertion, before: _Side, after: _Side | None) -> bool:
    match assertion:
        case Assertion.TEXT_BEGIN:
            return before is _Side.NOTHING
        case Assertion.LINE_BEGIN:
            return before in (_Side.NOTHING, _Side.NEWLINE)
        case Assertion.TEXT_END:
            return after is _Side.NOTHING
        case Assertion.LINE_END:
            return after in (_Side.NOTHING, _Side.NEWLINE)
        case Assertion.WORD_BOUNDARY:
            return after is not None and (before is _Side.WORD) is not (after is _Side.WORD)
        case _:
            return after is not None and (before is _Side.WORD) is (after is _Side.WORD)

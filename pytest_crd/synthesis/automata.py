"""
Automata of patterns, which read a text one character at a time and report matches.

A pattern's tree is compiled to a program, a nondeterministic automaton with transitions by characters, by assertions and without input. A
deterministic automaton runs it, and creates its states lazily as sets of program states.
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
# Assertions that depend on the character before them alone.
_OF_BEFORE: Final = frozenset({Assertion.TEXT_BEGIN, Assertion.LINE_BEGIN})


class BudgetSpentError(Exception):
    """The budget of steps was exceeded."""


class Budget:
    """A budget of steps."""

    def __init__(self, steps: int) -> None:
        self._remaining = steps

    def spend(self, steps: int) -> None:
        """
        Subtract *steps* from the budget.

        Raises:
            BudgetSpentError: Fewer steps are left.
        """
        self._remaining -= steps
        if self._remaining < 0:
            raise BudgetSpentError


class _Side(Enum):
    """The kind of neighbour on one side of a position in a text."""

    NOTHING = auto()
    NEWLINE = auto()
    WORD = auto()
    OTHER = auto()


class Program:
    """
    A pattern compiled to states and transitions.

    Attributes:
        characters: The character transitions of each state: the number of a character set, and the next state.
        nothing: The next states of each state without input.
        assertions: The transitions of each state by assertions that hold there.
        asserted: All assertions in the pattern.
    """

    def __init__(self, root: Node, sets: dict[RuneSet, int], budget: Budget) -> None:
        """
        Compile the tree of a pattern.

        Args:
            root: The tree of the pattern.
            sets: The numbers of known character sets; new sets are added.
            budget: The budget; each state costs one step.

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
        """Connect the first state to the final one by the transitions of *root*."""
        # The transitions between two distinct states never lead back into the first or out of the second.
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
                    remaining += self._expand_repeat(node, begin, end)

    def _expand_repeat(self, repeat: Repeat, begin: int, end: int) -> Iterator[tuple[Node, int, int]]:
        """Yield the nodes to connect: the required repetitions, then a loop or the optional repetitions."""
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
    The classes of characters that a list of character sets cannot tell apart.

    Attributes:
        characters: The most readable character of each class; the classes are in the order of readability.
        members: The numbers of the sets that contain each class, as bits.
    """

    def __init__(self, sets: Sequence[RuneSet]) -> None:
        """Compute the classes of *sets*; the number of a set is its index."""
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
        classes_ = {
            readable.characters(tuple(ranges))[0]: members for members, ranges in runs.items() if members & is_character
        }
        self.characters = sorted(classes_, key=readable.rank)
        self.members = [classes_[char] for char in self.characters]


class Automaton:
    """A deterministic automaton of a program; its states are numbers."""

    def __init__(self, program: Program, alphabet: Alphabet, budget: Budget) -> None:
        """
        Create the start state.

        Args:
            program: The program to run.
            alphabet: The character classes.
            budget: The budget; each program state in a new state costs one step.
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
        """Return the state after a character of the class with the number *character*."""
        transitions = self._next[state]
        if character not in transitions:
            transitions[character] = self._compute_next(state, character)
        return transitions[character]

    def accepts(self, state: int) -> bool:
        """Return True if a text that ends in *state* contains a match."""
        if state not in self._accepting:
            self._accepting[state] = FINAL in self._ready(state, _Side.NOTHING)
        return self._accepting[state]

    def always_accepts(self, state: int) -> bool:
        """Return True if a match is complete, so that each continuation of the text matches."""
        return FINAL in self._states[state][0]

    def never_accepts(self, state: int) -> bool:
        """Return True if no continuation of the text can match."""
        return not self._states[state][0] and not self._renews

    def _compute_next(self, state: int, character: int) -> int:
        side = self._sides[character]
        ready = self._ready(state, side)
        if FINAL in ready:
            return self._number({FINAL}, side)
        members = self._alphabet.members[character]
        self._budget.spend(len(ready))
        reached = {end for begin in ready for runes, end in self._program.characters[begin] if members >> runes & 1}
        return self._number({START, *reached}, side)  # a match may begin at any character

    def _number(self, reached: Iterable[int], before: _Side) -> int:
        """Return the number of the state for the program states *reached* after a character of the side *before*."""
        closed = self._close(reached, before, None)
        program = self._program
        active = frozenset(
            [FINAL]
            if FINAL in closed
            else (state for state in closed if program.characters[state] or _depends_on_next(program.assertions[state]))
        )
        # The character before matters only if an assertion is undecided.
        waits = any(_depends_on_next(program.assertions[state]) for state in active)
        key = active, before if waits else None
        if key not in self._numbers:
            self._numbers[key] = len(self._states)
            self._states.append(key)
            self._next.append({})
        return self._numbers[key]

    def _ready(self, state: int, after: _Side) -> AbstractSet[int]:
        """Return the active program states of *state* before a character of the side *after*."""
        active, before = self._states[state]
        return active if before is None else self._close(active, before, after)

    def _close(self, reached: Iterable[int], before: _Side, after: _Side | None) -> set[int]:
        """Return the program states reachable without input; *after* may be None for an undetermined next character."""
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
        """Return the side of a character, as far as the program's assertions distinguish it."""
        asserted = self._program.asserted
        if asserted & _OF_WORDS and runesets.contains(classes.WORD, code):
            return _Side.WORD
        return _Side.NEWLINE if asserted & _OF_LINES and code == ord("\n") else _Side.OTHER


def build_automata(roots: Sequence[Node], budget: Budget) -> tuple[list[Automaton], list[str]]:
    """
    Return an automaton for each of *roots*, and a character for each class that the automata distinguish.

    Raises:
        BudgetSpentError: The automata are too large.
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


def _depends_on_next(assertions: Iterable[tuple[Assertion, int]]) -> bool:
    """Return True if any assertion depends on the next character."""
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

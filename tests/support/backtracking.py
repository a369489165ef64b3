"""
Proof that a regular expression of Python's `re` cannot backtrack for longer than linear time.

The expression becomes a position automaton (Glushkov): its states are the characters of the expression. A backtracking matcher is super-linear
only if a text can be pumped in two ways: there are states p and q with p → p, p → q and q → q on the same text (Weber and Seidl, "On the degree of
ambiguity of finite automata"). Unanchored use adds a state that loops on all characters: a repetition at the start of `search` counts, too.
Approximations err to the safe side: a counted repetition counts as one and an optional second, a long lookaround as empty.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple, TypeAlias

# Index of a state; the first one stands before the expression.
State: TypeAlias = int
# The states of three ways behind one text, and its last character.
_Step: TypeAlias = tuple[State, State, State, str]
_START: Final = 0
_CATEGORIES: Final = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
_REPEATS: Final = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
# The length of texts that count as short.
_LONGEST: Final = 1_000
_TYPICAL: Final = "aZ_09 \t\n\r\f\v\x1c\x85\xa0\u2028é²٣\x00\x7f!"


class UnprovenError(ValueError):
    """An expression with a part that the proof does not cover."""


class Guard(NamedTuple):
    """A condition between two characters: the classes of the character before and after it; None for a start or end."""

    before: frozenset[str | None]
    after: frozenset[str | None]
    is_possessive: bool = False


_Guards: TypeAlias = tuple[Any, ...]


@dataclass
class _Part:
    """A part of the expression: its first and last states, each with the conditions on the way, and the conditions of an empty match."""

    first: list[tuple[State, _Guards]] = field(default_factory=list)
    last: list[tuple[State, _Guards]] = field(default_factory=list)
    empty: list[_Guards] = field(default_factory=list)


class Automaton:
    """
    The position automaton of an expression.

    Args:
        pattern: The expression.
        flags: Its flags.
        is_search: True if a match may start anywhere.
        is_full: True if a match must end at the end of the text.
    """

    def __init__(self, pattern: str | bytes, flags: int, *, is_search: bool, is_full: bool) -> None:
        """Build it."""
        if isinstance(pattern, bytes):
            pattern, flags = pattern.decode("latin-1"), flags | re.ASCII
        tree = parser.parse(pattern, flags & ~re.DEBUG)
        self._flags = tree.state.flags
        self._is_full = is_full
        self.letters = self._alphabet(tree)
        self._everything = frozenset(self.letters)
        self.classes: list[frozenset[str]] = [self._everything]
        self.edges: dict[State, dict[State, list[_Guards]]] = {_START: {}}
        whole = self._sequence(tree)
        if is_search:
            self._connect([(_START, ())], [(_START, ())])
        self._connect([(_START, ())], whole.first)
        # A possessive repetition fails only to continue: the match ends there.
        self._accepting = {
            state
            for state, guards in whole.last
            if all(isinstance(guard, Guard) and guard.is_possessive for guard in guards)
        }

    # Alphabet

    def _alphabet(self, tree: Any) -> list[str]:
        """Return a character of each class of characters that the expression does not tell apart."""
        numbers = {ord(character) for character in _TYPICAL}
        numbers |= {number + step for number in self._numbers(tree) for step in (-1, 0, 1)}
        letters = {chr(number) for number in numbers if 0 <= number <= 0x10FFFF}
        letters |= {letter.swapcase() for letter in letters if len(letter.swapcase()) == 1}
        tests = [*self._tests(tree)]
        kinds: dict[tuple[bool, ...], str] = {}
        for letter in sorted(letters):
            is_word = re.match(r"\w", letter, self._flags & re.ASCII) is not None
            kinds.setdefault((letter == "\n", is_word, *(self._holds(*test, letter) for test in tests)), letter)
        return [*kinds.values()]

    def _numbers(self, tree: Any) -> Iterator[int]:
        for operator, argument in _walk(tree):
            if operator in {sre.LITERAL, sre.NOT_LITERAL}:
                yield argument
            elif operator is sre.IN:
                for inner, value in argument:
                    if inner is sre.LITERAL:
                        yield value
                    elif inner is sre.RANGE:
                        yield from value

    def _tests(self, tree: Any) -> Iterator[tuple[Any, Any]]:
        for operator, argument in _walk(tree):
            if operator in {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN}:
                yield operator, argument

    def _holds(self, operator: Any, argument: Any, letter: str) -> bool:
        if self._flags & re.IGNORECASE:
            return any(
                self._holds_exactly(operator, argument, case)
                for case in {letter, letter.lower(), letter.upper()}
                if len(case) == 1
            )
        return self._holds_exactly(operator, argument, letter)

    def _holds_exactly(self, operator: Any, argument: Any, letter: str) -> bool:
        if operator is sre.LITERAL:
            return letter == chr(argument)
        if operator is sre.NOT_LITERAL:
            return letter != chr(argument)
        if operator is sre.ANY:
            return bool(self._flags & re.DOTALL) or letter != "\n"
        if operator is sre.RANGE:
            return chr(argument[0]) <= letter <= chr(argument[1])
        if operator is sre.CATEGORY:
            return re.match(_CATEGORIES[argument], letter, self._flags & re.ASCII) is not None
        items = [*argument]
        is_negated = items[0][0] is sre.NEGATE
        return any(self._holds_exactly(item[0], item[1], letter) for item in items[is_negated:]) is not is_negated

    # Construction

    def _sequence(self, tree: Iterable[tuple[Any, Any]]) -> _Part:
        part = _Part(empty=[()])
        for operator, argument in tree:
            part = self._joined(part, self._part(operator, argument))
        return part

    def _part(self, operator: Any, argument: Any) -> _Part:
        if operator in {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN}:
            return self._character(
                frozenset(letter for letter in self.letters if self._holds(operator, argument, letter))
            )
        if operator in {sre.SUBPATTERN, sre.ATOMIC_GROUP}:
            return self._sequence(argument[3] if operator is sre.SUBPATTERN else argument)
        if operator is sre.BRANCH:
            return self._either([self._sequence(branch) for branch in argument[1]])
        if operator in _REPEATS:
            return self._repeated(operator, *argument)
        if operator in {sre.AT, sre.ASSERT, sre.ASSERT_NOT}:
            return _Part(empty=[(argument,) if operator is sre.AT else self._guards(operator, *argument)])
        raise UnprovenError(f"{operator} has no proof")

    def _character(self, letters: frozenset[str]) -> _Part:
        self.classes.append(letters)
        state = len(self.classes) - 1
        self.edges[state] = {}
        return _Part(first=[(state, ())], last=[(state, ())])

    def _guards(self, operator: Any, direction: int, tree: Any) -> _Guards:
        """Return the condition of a lookaround at one character; a longer one counts as empty if its length is limited."""
        if not len(tree):
            return ("never",) if operator is sre.ASSERT_NOT else ()
        options = [branch for _, (_, branches) in tree for branch in branches] if tree[0][0] is sre.BRANCH else [tree]
        letters: set[str | None] = set()
        for option in options:
            if (
                [*option]
                and option[0][0] is sre.AT
                and len(option) == 1
                and option[0][1] in {sre.AT_END, sre.AT_END_STRING, sre.AT_BEGINNING, sre.AT_BEGINNING_STRING}
            ):
                letters.add(None)
                letters |= {"\n"} if option[0][1] is sre.AT_END and "\n" in self.letters else set()
            elif len(option) == 1 and option[0][0] in {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN}:
                letters |= {letter for letter in self.letters if self._holds(option[0][0], option[0][1], letter)}
            elif parser.SubPattern.getwidth(option)[1] > _LONGEST:
                raise UnprovenError("a lookaround without a limit has no proof")
            else:
                return ("maybe",)
        if operator is sre.ASSERT_NOT:
            letters = {*self.letters, None} - letters
        everything = frozenset({*self.letters, None})
        return (Guard(everything, frozenset(letters)) if direction > 0 else Guard(frozenset(letters), everything),)

    def _joined(self, left: _Part, right: _Part) -> _Part:
        self._connect(left.last, right.first)
        first = left.first + [(state, guards + more) for guards in left.empty for state, more in right.first]
        last = right.last + [(state, more + guards) for guards in right.empty for state, more in left.last]
        return _Part(first, last, [a + b for a in left.empty for b in right.empty])

    def _connect(self, lasts: Iterable[tuple[State, _Guards]], firsts: Sequence[tuple[State, _Guards]]) -> None:
        for source, before in lasts:
            for target, after in firsts:
                self.edges[source].setdefault(target, []).append(before + after)

    def _either(self, parts: Sequence[_Part]) -> _Part:
        whole = _Part()
        for part in parts:
            whole = _Part(whole.first + part.first, whole.last + part.last, whole.empty + part.empty)
        return whole

    def _repeated(self, operator: Any, least: int, most: int, tree: Any) -> _Part:
        is_endless = most is sre.MAXREPEAT
        part = self._sequence(tree)
        if (
            operator is sre.POSSESSIVE_REPEAT
            and is_endless
            and len(tree) == 1
            and not part.empty
            and len(part.first) == 1
        ):
            rest = frozenset({*self.letters, None} - self.classes[part.first[0][0]])
            guard = Guard(frozenset({*self.letters, None}), rest, is_possessive=True)
            self._connect(part.last, part.first)
            return _Part(
                part.first, [(state, (*guards, guard)) for state, guards in part.last], [] if least else [(guard,)]
            )
        if is_endless:
            self._connect(part.last, part.first)
        elif most > 1 and least < most:
            part = self._joined(part, self._optional(self._sequence(tree)))
        elif most > 1:
            part = self._joined(part, self._sequence(tree))
        return part if least else self._optional(part)

    def _optional(self, part: _Part) -> _Part:
        return part if () in part.empty else _Part(part.first, part.last, [*part.empty, ()])

    # Proof

    def is_allowed(self, guards: _Guards, before: str | None, after: str | None) -> bool:
        """Return whether conditions may hold between two characters; None stands for the start or the end."""
        return all(self._may_hold(guard, before, after) for guard in guards)

    def _may_hold(self, guard: Any, before: str | None, after: str | None) -> bool:
        if isinstance(guard, Guard):
            return before in guard.before and after in guard.after
        is_multiline = bool(self._flags & re.MULTILINE)
        if guard in {sre.AT_BEGINNING, sre.AT_BEGINNING_STRING}:
            return before is None or (is_multiline and guard is sre.AT_BEGINNING and before == "\n")
        if guard in {sre.AT_END, sre.AT_END_STRING}:
            return after is None or (guard is sre.AT_END and after == "\n")
        if guard in {sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY}:
            return (self._is_word(before) is not self._is_word(after)) is (guard is sre.AT_BOUNDARY)
        return bool(guard != "never")

    def _is_word(self, letter: str | None) -> bool:
        return letter is not None and re.match(r"\w", letter, self._flags & re.ASCII) is not None

    def is_accepting(self, state: State) -> bool:
        """Return True if a match may always end behind *state*."""
        return not self._is_full and state in self._accepting

    def find_pump(self) -> str:
        """Return a text that can be repeated in two ways, such that the rest may fail; or an empty text."""
        graph = {state: [*targets] for state, targets in self.edges.items()}
        reachable = {state: _reach(graph, state) for state in graph}
        cyclic = [state for state in graph if state in reachable[state]]
        for state in cyclic:
            if pump := self._doubled(state, reachable):
                return pump
        for p in cyclic:
            for q in cyclic:
                if p != q and q in reachable[p] and (pump := self._pump(p, q, reachable)):
                    return pump
        return ""

    def _doubled(self, state: State, reachable: dict[State, set[State]]) -> str:
        """Return a character with two ways from a state to the next of a cycle."""
        for target, ways in self.edges[state].items():
            if len(ways) > 1 and state in reachable[target] and not self.is_accepting(target):
                for before in self.classes[state]:
                    for after in self.classes[target]:
                        if sum(self.is_allowed(path, before, after) for path in ways) > 1:
                            return after
        return ""

    def _pump(self, p: State, q: State, reachable: dict[State, set[State]]) -> str:
        """Return a text that leads from p to p, from p to q, and from q to q."""
        for letter in self.classes[p] & self.classes[q]:
            first = (p, p, q, letter)
            queue, visited = [(first, "")], {first}
            while queue:
                step, text = queue.pop()
                for following in self._follow(step, (p, q, q), reachable):
                    if following == (p, q, q, letter):
                        return text + letter
                    if following not in visited:
                        visited.add(following)
                        queue.append((following, text + following[3]))
        return ""

    def _follow(self, step: _Step, ends: Sequence[State], reachable: dict[State, set[State]]) -> Iterator[_Step]:
        """Yield the next states of three ways on one text, as far as each way can still reach its end."""
        *states, before = step
        for after in self.letters:
            ways = [
                [target for target in self._targets(state, before, after) if target == end or end in reachable[target]]
                for state, end in zip(states, ends, strict=True)
            ]
            ways[2] = [target for target in ways[2] if not self.is_accepting(target)]
            yield from ((first, second, third, after) for first, second, third in itertools.product(*ways))

    def _targets(self, state: State, before: str, after: str) -> list[State]:
        return [
            target
            for target, ways in self.edges[state].items()
            if after in self.classes[target] and any(self.is_allowed(path, before, after) for path in ways)
        ]


def _walk(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all operators of a syntax tree."""
    for operator, argument in tree:
        yield operator, argument
        for inner in argument if isinstance(argument, (tuple, list)) else [argument]:
            if isinstance(inner, parser.SubPattern):
                yield from _walk(inner)
            elif isinstance(inner, list):
                for branch in inner:
                    if isinstance(branch, parser.SubPattern):
                        yield from _walk(branch)


def _reach(graph: dict[State, list[State]], start: State) -> set[State]:
    visited: set[State] = set()
    stack = [*graph[start]]
    while stack:
        state = stack.pop()
        if state not in visited:
            visited.add(state)
            stack.extend(graph[state])
    return visited


def find_pump(pattern: str | bytes, flags: int, use: str) -> str:
    """
    Return a text whose repetition takes more than linear time; empty if there is none.

    Args:
        pattern: The expression.
        flags: Its flags.
        use: The method that is called: `fullmatch`, `match`, or another one, which searches.

    Raises:
        UnprovenError: The expression has a part without a proof, such as a reference to a group.
    """
    flags_ = flags | (re.ASCII if isinstance(pattern, bytes) else 0)
    tree = parser.parse(pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern, flags_)
    if not any(operator in _REPEATS and argument[1] is sre.MAXREPEAT for operator, argument in _walk(tree)):
        return ""
    automaton = Automaton(pattern, flags, is_search=use not in {"fullmatch", "match"}, is_full=use == "fullmatch")
    return automaton.find_pump()

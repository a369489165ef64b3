"""Parser of patterns with the syntax and the errors of Go's regexp."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pytest_crd.engine.golang.regexp import runesets, unicodeclasses
from pytest_crd.engine.golang.regexp.classes import Classes
from pytest_crd.engine.golang.regexp.patterntree import (
    EMPTY,
    Alternate,
    Assertion,
    Chars,
    Concat,
    Node,
    PatternError,
    Repeat,
)
from pytest_crd.engine.golang.regexp.runesets import RuneSet

_MOST_REPETITIONS: Final = 1000
_GREATEST_HEIGHT: Final = 1000
_MOST_DIGITS: Final = 9
_INVALID_REPEAT: Final = "invalid repeat count"
_INVALID_NAME: Final = "invalid named capture"
_MISSING_OPERAND: Final = "missing argument to repetition operator"
_DIGITS: Final = "0123456789"


class _Term(NamedTuple):
    """
    Parsed part of a pattern that can be repeated.

    Attributes:
        node: The syntax tree.
        kind: `char`, `class`, `literal` (several characters), `concat`, `alternate` or `other`.
        height: Height of the tree.
        repetitions: The largest product of nested repetition counts.
    """

    node: Node
    kind: str = "other"
    height: int = 1
    repetitions: int = 1


_NOTHING: Final = _Term(EMPTY)
_DOT: Final = _Term(Chars(runesets.NO_NEWLINE), "class")
_DOT_OF_ALL: Final = _Term(Chars(runesets.ALL), "class")
_LINE_BEGIN: Final = _Term(Assertion.LINE_BEGIN)
_LINE_END: Final = _Term(Assertion.LINE_END)
_ESCAPED: Final = {
    "A": _Term(Assertion.TEXT_BEGIN),
    "b": _Term(Assertion.WORD_BOUNDARY),
    "B": _Term(Assertion.NO_WORD_BOUNDARY),
    "z": _Term(Assertion.TEXT_END),
}
# Minimum and maximum count of each operator; -1 for no limit.
_BOUNDS: Final = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}


class _Flags(NamedTuple):
    """Flags at a position of the pattern."""

    fold: bool = False
    multiline: bool = False
    dot_is_all: bool = False
    is_lazy: bool = False


@dataclass(slots=True)
class _Group:
    """Open group: the flags after it, whether it captures, and its terms so far."""

    outside: _Flags
    captures: bool
    alternatives: list[_Term] = field(default_factory=list)
    terms: list[_Term] = field(default_factory=list)


class Reader:
    """Parser of one pattern."""

    def __init__(self, pattern: str, *, short_group_names: bool, loose_class_names: bool) -> None:
        """
        Create a parser at the start of *pattern*.

        Args:
            pattern: The pattern in Go's syntax.
            short_group_names: `(?<name>` opens a group, as `(?P<name>` does.
            loose_class_names: Unicode classes have long names in any spelling.
        """
        self._pattern = pattern
        self._at = 0
        self._flags = _Flags()
        self._groups = [_Group(self._flags, captures=True)]
        self._short_group_names = short_group_names
        self._classes = Classes(pattern, loose_class_names)

    def read(self) -> Node:
        """
        Return the syntax tree of the whole pattern.

        Raises:
            PatternError: Go does not compile it.

        Reference:
            Go's regexp/syntax, parse. Go's limits on the compiled size are not checked; handwritten patterns do not
            reach them. Trees of alternatives with a common prefix may be a little higher than Go's.
        """
        operator = -1
        while self._at < len(self._pattern):
            start = self._at
            repeated = self._repetition(operator)
            if not repeated:
                self._term()
            operator = start if repeated else -1
        whole = _alternate(self._groups[-1])
        if len(self._groups) > 1:
            raise PatternError("missing closing )", self._pattern)
        return whole.node

    def _term(self) -> None:
        """Parse anything except a repetition operator."""
        match self._pattern[self._at]:
            case "(":
                self._open()
            case "|":
                group = self._groups[-1]
                group.alternatives.append(self._limited(_concat(group.terms)))
                group.terms = []
                self._at += 1
            case ")":
                self._close()
            case "^":
                self._push(_LINE_BEGIN if self._flags.multiline else _ESCAPED["A"], self._at + 1)
            case "$":
                self._push(_LINE_END if self._flags.multiline else _ESCAPED["z"], self._at + 1)
            case ".":
                self._push(_DOT_OF_ALL if self._flags.dot_is_all else _DOT, self._at + 1)
            case "[":
                runes, end = self._classes.bracketed(self._at, fold=self._flags.fold)
                self._push(_Term(Chars(runes), "class"), end)
            case "\\":
                self._escape()
            case char:
                self._push(_char(ord(char), fold=self._flags.fold), self._at + 1)

    def _escape(self) -> None:
        start = self._at
        kind = self._pattern[start + 1 : start + 2]
        if kind == "C":
            raise PatternError("invalid escape sequence", "\\C")
        if kind == "Q":
            literal, _, _ = self._pattern[start + 2 :].partition("\\E")
            for char in literal:
                self._push(_char(ord(char), fold=self._flags.fold), 0)
            self._at = min(start + 4 + len(literal), len(self._pattern))
        elif assertion := _ESCAPED.get(kind):
            self._push(assertion, start + 2)
        elif escaped_class := self._classes.escaped(start, fold=self._flags.fold):
            runes, end = escaped_class
            self._push(_Term(Chars(runes), "class"), end)
        else:
            code, end = self._classes.char(start)
            self._push(_char(code, fold=self._flags.fold), end)

    def _push(self, term: _Term, end: int) -> None:
        self._groups[-1].terms.append(term)
        self._at = end

    def _open(self) -> None:
        """Parse the beginning of a group, or flags for the rest of the enclosing group."""
        start, flags = self._at, self._flags
        captures = True
        rest = len(self._pattern) - start
        if self._pattern.startswith("(?P<", start) and rest > len("(?P<"):
            self._at = self._after_name(start + 4)
        elif self._short_group_names and self._pattern.startswith("(?<", start) and rest > len("(?<"):
            self._at = self._after_name(start + 3)
        elif self._pattern.startswith("(?", start):
            captures = False
            if not self._opens_with_flags():
                return
        else:
            self._at += 1
        self._groups.append(_Group(flags, captures))

    def _after_name(self, begin: int) -> int:
        end = self._pattern.find(">", begin)
        if end < 0:
            raise PatternError(_INVALID_NAME, self._pattern[self._at :])
        name = self._pattern[begin:end]
        if not (name.isascii() and name.replace("_", "a").isalnum()):
            raise PatternError(_INVALID_NAME, self._pattern[self._at : end + 1])
        return end + 1

    def _opens_with_flags(self) -> bool:
        """Parse `(?` and flags, set them, and return whether a group begins there."""
        start = self._at
        flags = dict(zip("imsU", self._flags, strict=True))
        value, is_whole = True, True
        for at in range(start + 2, len(self._pattern)):
            char = self._pattern[at]
            if char in flags:
                flags[char], is_whole = value, True
            elif char == "-" and value:
                value = is_whole = False
            elif char in ":)" and is_whole:
                self._flags = _Flags(*flags.values())
                self._at = at + 1
                return char == ":"
            else:
                break
        else:
            at = len(self._pattern)
        raise PatternError("invalid or unsupported Perl syntax", self._pattern[start : at + 1])

    def _close(self) -> None:
        term = self._limited(_alternate(self._groups[-1]))
        if len(self._groups) == 1:
            raise PatternError("unexpected )", self._pattern)
        group = self._groups.pop()
        self._flags = group.outside
        if group.captures:
            term = self._limited(_Term(term.node, "other", term.height + 1, term.repetitions))
        self._push(term, self._at + 1)

    def _repetition(self, operator: int) -> bool:
        """Parse a repetition, if present, and return whether it is; *operator* is the start of the preceding one or -1."""
        start = self._at
        char = self._pattern[start]
        counts = self._counts() if char == "{" else None
        if char not in "*+?" and counts is None:
            return False
        least, most, end = counts or (0, 0, start + 1)
        if counts and (not 0 <= least <= _MOST_REPETITIONS or most > _MOST_REPETITIONS or 0 <= most < least):
            raise PatternError(_INVALID_REPEAT, self._pattern[start:end])
        is_lazy = self._flags.is_lazy
        if self._pattern.startswith("?", end):
            is_lazy, end = not is_lazy, end + 1
        if operator >= 0:
            raise PatternError("invalid nested repetition operator", self._pattern[operator:end])
        terms = self._groups[-1].terms
        if not terms:
            raise PatternError(_MISSING_OPERAND, self._pattern[start:end])
        terms[-1] = self._limited(_repeated(terms[-1], char, counts, is_lazy=is_lazy))
        if counts and (least > 1 or most > 1) and terms[-1].repetitions > _MOST_REPETITIONS:
            raise PatternError(_INVALID_REPEAT, self._pattern[start:end])
        self._at = end
        return True

    def _counts(self) -> tuple[int, int, int] | None:
        """Return the counts in the braces here (-1 for no maximum) and their end; None if these are not counts."""
        least, at = self._count(self._at + 1)
        most = least
        if least is not None and self._pattern.startswith(",", at):
            most, at = (-1, at + 1) if self._pattern.startswith("}", at + 1) else self._count(at + 1)
        if least is None or most is None or not self._pattern.startswith("}", at):
            return None
        return least, most, at + 1

    def _count(self, begin: int) -> tuple[int | None, int]:
        end = begin
        while end < len(self._pattern) and self._pattern[end] in _DIGITS:
            end += 1
        digits = self._pattern[begin:end]
        if not digits or (digits[0] == "0" and len(digits) > 1):
            return None, end
        return int(digits[:_MOST_DIGITS]), end  # more digits are too many however they go on

    def _limited(self, term: _Term) -> _Term:
        if term.height > _GREATEST_HEIGHT:
            raise PatternError("expression nests too deeply", self._pattern)
        return term


def _repeated(term: _Term, operator: str, counts: tuple[int, int, int] | None, *, is_lazy: bool) -> _Term:
    """Return *term* repeated by an operator or counts; *is_lazy* prefers few repetitions."""
    least, most = counts[:2] if counts else _BOUNDS[operator]
    if most == 0:
        return _Term(EMPTY, "other", term.height + 1)  # RE2 would count the repetitions in it
    node = Repeat(term.node, least, most if most >= 0 else None, is_lazy)
    repetitions = term.repetitions * max(1, least if most < 0 else most)
    return _Term(node, "other", term.height + 1, repetitions)


def _concat(terms: list[_Term]) -> _Term:
    """Return the sequence of *terms*; adjacent characters form one literal."""
    if len(terms) == 1:
        return terms[0]
    if not terms:
        return _NOTHING
    node = Concat(tuple([term.node for term in terms]))
    if all(term.kind in ("char", "literal") for term in terms):
        return _Term(node, "literal")
    return _above(node, "concat", terms)


def _alternate(group: _Group) -> _Term:
    """Return the term of a group: its alternatives or its sequence; single characters and classes form one class."""
    terms = [*group.alternatives, _concat(group.terms)]
    if len(terms) == 1:
        return terms[0]
    node = Alternate(tuple([term.node for term in terms]))
    if all(term.kind in ("char", "class") for term in terms):
        return _Term(node, "class")
    return _above(node, "alternate", terms)


def _above(node: Node, kind: str, terms: list[_Term]) -> _Term:
    """Return the parent of *terms*, which absorbs terms of its own kind."""
    height = max(term.height - (term.kind == kind) for term in terms)
    return _Term(node, kind, height + 1, max(term.repetitions for term in terms))


@functools.lru_cache(maxsize=1024)
def _char(code: int, *, fold: bool) -> _Term:
    runes: RuneSet = ((code, code),)
    return _Term(Chars(unicodeclasses.fold_case(runes) if fold else runes, code), "char")

"""
The syntax of patterns: read as Go's regexp reads it, refused in its words, and written so that RE2 matches the same.

Everything in which the two may differ is written out: flags, the names of groups, and every class as its code points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.golang.regexp import runesets, unicodeclasses
from pytest_crd.engine.golang.regexp.classes import Classes
from pytest_crd.engine.golang.regexp.error import PatternError
from pytest_crd.engine.golang.regexp.runesets import RuneSet

_MOST_REPETITIONS: Final = 1000
_GREATEST_HEIGHT: Final = 1000
_MOST_DIGITS: Final = 9
_INVALID_REPEAT: Final = "invalid repeat count"
_INVALID_NAME: Final = "invalid named capture"
_MISSING_OPERAND: Final = "missing argument to repetition operator"
_DIGITS: Final = "0123456789"

# What is written, in order; nested, so that a group is not copied into the one around it.
_Parts: TypeAlias = "str | tuple[_Parts, ...]"


class Written(NamedTuple):
    """
    A pattern as RE2 takes it.

    Attributes:
        text: The pattern.
        splits_characters: Whether it might match between the bytes of one character, where Go does not look.
    """

    text: str
    splits_characters: bool


class _Term(NamedTuple):
    """
    A part of a pattern that stands by itself, and may be repeated.

    Attributes:
        parts: What is written for it.
        kind: `char`, `class`, `literal` (several characters), `concat`, `alternate` or `other`.
        height: How high its tree is.
        repetitions: The largest product of the counts of repetitions inside each other.
    """

    parts: _Parts
    kind: str = "other"
    height: int = 1
    repetitions: int = 1


_NOTHING: Final = _Term("(?:)")


class _Flags(NamedTuple):
    """The flags that hold at a place."""

    fold: bool = False
    multiline: bool = False
    dot_is_all: bool = False
    is_lazy: bool = False


@dataclass(slots=True)
class _Group:
    """An open group: the flags that hold after it, whether it captures, and what was read of it."""

    outside: _Flags
    captures: bool
    alternatives: list[_Term] = field(default_factory=list)
    terms: list[_Term] = field(default_factory=list)


class Reader:
    """Reads one pattern."""

    def __init__(self, pattern: str, *, short_group_names: bool, loose_class_names: bool) -> None:
        """
        Take a pattern.

        Args:
            pattern: As it stands in a schema.
            short_group_names: Whether `(?<name>` opens a group, as `(?P<name>` does.
            loose_class_names: Whether classes of Unicode may be called by long names, and in any spelling.
        """
        self._pattern = pattern
        self._at = 0
        self._flags = _Flags()
        self._groups = [_Group(self._flags, captures=True)]
        self._short_group_names = short_group_names
        self._classes = Classes(pattern, loose_class_names)
        self._splits_characters = False

    def read(self) -> Written:
        """
        Return the pattern as RE2 takes it.

        Raises:
            PatternError: Go does not compile it.

        Reference:
            Go's regexp/syntax, parse. Not its limits on the size of what is compiled, which no pattern of a size that is
            written by hand reaches; and its trees of alternatives with a common prefix may be a little higher.
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
        return Written("".join(_flattened(whole.parts)), self._splits_characters)

    def _term(self) -> None:
        """Read anything that is no repetition."""
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
                self._push(_Term("(?m:^)" if self._flags.multiline else "\\A"), self._at + 1)
            case "$":
                self._push(_Term("(?m:$)" if self._flags.multiline else "\\z"), self._at + 1)
            case ".":
                self._push(_Term("(?s:.)" if self._flags.dot_is_all else "[^\\n]", "class"), self._at + 1)
            case "[":
                self._push_class(*self._classes.bracketed(self._at, fold=self._flags.fold))
            case "\\":
                self._escape()
            case char:
                self._push_char(ord(char), self._at + 1)

    def _escape(self) -> None:
        start = self._at
        kind = self._pattern[start + 1 : start + 2]
        if kind == "C":
            raise PatternError("invalid escape sequence", "\\C")
        if kind == "Q":
            literal, _, _ = self._pattern[start + 2 :].partition("\\E")
            for char in literal:
                self._push_char(ord(char), 0)
            self._at = min(start + 4 + len(literal), len(self._pattern))
        elif kind in ("A", "b", "B", "z"):
            self._splits_characters |= kind == "B"
            self._push(_Term(f"\\{kind}"), start + 2)
        elif found := self._classes.escaped(start, fold=self._flags.fold):
            self._push_class(*found)
        else:
            self._push_char(*self._classes.char(start))

    def _push_char(self, char: int, end: int) -> None:
        runes: RuneSet = ((char, char),)
        folded = unicodeclasses.folded(runes) if self._flags.fold else runes
        self._push(_Term(_rune(char) if folded == runes else _class(folded), "char"), end)

    def _push_class(self, runes: RuneSet, end: int) -> None:
        self._push(_Term(_class(runes), "class"), end)

    def _push(self, term: _Term, end: int) -> None:
        self._groups[-1].terms.append(term)
        self._at = end

    def _open(self) -> None:
        """Read the beginning of a group, or flags that hold from here."""
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
        """Read `(?` and flags, set them, and return whether a group begins there."""
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
            term = self._limited(_Term(term.parts, "other", term.height + 1, term.repetitions))
        self._push(term, self._at + 1)

    def _repetition(self, operator: int) -> bool:
        """Read a repetition, if one is there; *operator* is where one begins that ends here, or -1."""
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
        """Return the bounds in the braces here, -1 for no upper one, and where they end; None where these are no bounds."""
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
    """Return *term* with an operator or counts after it; *is_lazy*: few repetitions are preferred."""
    least, most, _ = counts or (0, -1, 0)
    if most == 0:
        return _Term(_NOTHING.parts, "other", term.height + 1)  # RE2 would count the repetitions in it
    bounds = f"{{{least},{most if most >= 0 else ''}}}" if counts else operator
    bounds += "?" if is_lazy else ""
    parts = (term.parts, bounds) if term.kind in ("char", "class") else ("(?:", term.parts, ")", bounds)
    return _Term(parts, "other", term.height + 1, term.repetitions * max(1, least if most < 0 else most))


def _concat(terms: list[_Term]) -> _Term:
    """Return what *terms* are one after the other; characters beside each other are one node."""
    if len(terms) == 1:
        return terms[0]
    if not terms:
        return _NOTHING
    parts = tuple(term.parts for term in terms)
    if all(term.kind in ("char", "literal") for term in terms):
        return _Term(parts, "literal")
    return _above(parts, "concat", terms)


def _alternate(group: _Group) -> _Term:
    """Return what a group is: one of several, or what stands in it; characters and classes become one class."""
    terms = [*group.alternatives, _concat(group.terms)]
    if len(terms) == 1:
        return terms[0]
    parts: list[_Parts] = ["(?:"]
    for term in terms:
        parts += (term.parts, "|")
    parts[-1] = ")"
    if all(term.kind in ("char", "class") for term in terms):
        return _Term(tuple(parts), "class")
    return _above(tuple(parts), "alternate", terms)


def _above(parts: _Parts, kind: str, terms: list[_Term]) -> _Term:
    """Return the node above *terms*, which takes in those of its own kind."""
    height = max(term.height - (term.kind == kind) for term in terms)
    return _Term(parts, kind, height + 1, max(term.repetitions for term in terms))


def _flattened(parts: _Parts) -> Iterator[str]:
    remaining = [parts]
    while remaining:
        part = remaining.pop()
        if isinstance(part, str):
            yield part
        else:
            remaining += reversed(part)


def _class(runes: RuneSet) -> str:
    if not runes:
        return f"[^\\x{{0}}-\\x{{{runesets.LAST:x}}}]"
    return "[" + "".join(f"{_rune(first)}-{_rune(last)}" for first, last in runes) + "]"


def _rune(char: int) -> str:
    return chr(char) if char < 0x80 and chr(char).isalnum() else f"\\x{{{char:x}}}"

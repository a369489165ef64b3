"""
Texts that match a pattern: the shortest ones, and ones of a wanted length.

A pattern is read just far enough to write texts; whether they match is for the engine to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

_NAMED_CLASSES: Final = {
    "d": "0123456789",
    "w": "abcdefghijklmnopqrstuvwxyz0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "s": " \t",
    "D": "abc.-_ ",
    "W": " .-/",
    "S": "abcdefghijklmnopqrstuvwxyz0123456789",
}
_POSIX: Final = {
    "alpha": _NAMED_CLASSES["w"][:26],
    "lower": _NAMED_CLASSES["w"][:26],
    "upper": _NAMED_CLASSES["w"][37:],
    "digit": _NAMED_CLASSES["d"],
    "alnum": _NAMED_CLASSES["w"][:36],
    "xdigit": "0123456789abcdef",
    "word": _NAMED_CLASSES["w"],
    "punct": ".-_/",
    "space": " ",
    "blank": " ",
}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_PRINTABLE: Final = "".join(map(chr, range(0x21, 0x7F)))
# What is written first where several characters are allowed.
_PREFERRED: Final = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./ "
_ANY: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_REPETITION: Final = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_GROUP: Final = re.compile(r"\?(?:P?<\w+>|[imsU]*(?:-[imsU]+)?:)")
_FLAGS: Final = re.compile(r"\?[imsU-]+\)")
_SHORT_REPETITIONS: Final = (0, 1, 2, 3, 5)


class UnreadablePatternError(ValueError):
    """A pattern with a construct that is not read here."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of some; nothing where there are none, as at an anchor."""

    choices: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after another."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several branches."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part, as often as may be; *most* is None where nothing limits it."""

    part: Node
    least: int
    most: int | None


Node: TypeAlias = "Chars | Sequence | Choice | Repeat"


def texts(pattern: str) -> Iterator[str]:
    """
    Yield texts that should match *pattern*, the shortest first, each once; none where it cannot be read.

    They differ in which branch is taken, how often a part is repeated, and which characters are written.
    """
    try:
        root = _Reader(pattern).read()
    except (UnreadablePatternError, IndexError):
        return
    seen: set[str] = set()
    for variant in range(12):
        for times in _SHORT_REPETITIONS:
            text = _written(root, lambda repeat, times=times: _between(repeat, times), variant)  # type: ignore[misc]
            if text not in seen:
                seen.add(text)
                yield text


def of_length(pattern: str, length: int) -> str | None:
    """Return a text of *length* characters that should match *pattern*; None where none is found."""
    try:
        root = _Reader(pattern).read()
    except (UnreadablePatternError, IndexError):
        return None
    for variant in range(4):
        found = _stretched(root, length, variant)
        if found is not None and len(found) == length:
            return found
    return None


def _between(repeat: Repeat, times: int) -> int:
    most = times if repeat.most is None else min(repeat.most, times)
    return max(repeat.least, most)


def _written(node: Node, times: Callable[[Repeat], int], variant: int) -> str:
    """Return a text for *node*; *variant* turns which branch and which character is taken."""
    if isinstance(node, Chars):
        return node.choices[variant % len(node.choices)] if node.choices else ""
    if isinstance(node, Choice):
        return _written(node.branches[variant % len(node.branches)], times, variant)
    parts = node.parts if isinstance(node, Sequence) else [node.part] * times(node)
    return "".join(_written(part, times, variant) for part in parts)


def _stretched(root: Node, length: int, variant: int) -> str | None:
    """Return a text of about *length*: the repetitions are used in turn, each as often as there is room."""
    used: dict[int, int] = {}

    def times(repeat: Repeat) -> int:
        return used.get(id(repeat), repeat.least)

    for repeat in _repeats(root):
        size = len(_written(repeat.part, times, variant))
        missing = length - len(_written(root, times, variant))
        if missing <= 0:
            break
        if size:
            room = missing // size
            wanted = repeat.least + room
            used[id(repeat)] = wanted if repeat.most is None else min(wanted, repeat.most)
            while used[id(repeat)] > repeat.least and len(_written(root, times, variant)) > length:
                used[id(repeat)] -= 1
    return _written(root, times, variant)


def _repeats(node: Node) -> Iterator[Repeat]:
    """Yield the repetitions in *node*, outer ones first."""
    inner: tuple[Node, ...] = ()
    if isinstance(node, Repeat):
        yield node
        inner = (node.part,)
    elif isinstance(node, Sequence | Choice):
        inner = node.parts if isinstance(node, Sequence) else node.branches
    for part in inner:
        yield from _repeats(part)


class _Reader:
    """Reads a pattern from its beginning to its end."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._position = 0

    def read(self) -> Node:
        """Return the whole pattern."""
        node = self._choice()
        if self._position < len(self._text):
            raise UnreadablePatternError(self._text)
        return node

    def _choice(self) -> Node:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._position < len(self._text) and self._text[self._position] not in "|)":
            parts.append(self._repeated())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeated(self) -> Node:
        node = self._atom()
        while True:
            if self._take("*"):
                node = Repeat(node, 0, None)
            elif self._take("+"):
                node = Repeat(node, 1, None)
            elif self._take("?"):
                node = Repeat(node, 0, 1)
            elif match := _REPETITION.match(self._text, self._position):
                self._position = match.end()
                least = int(match[1])
                most = least if not match[2] else int(match[3]) if match[3] else None
                node = Repeat(node, least, most)
            else:
                return node
            self._take("?")

    def _atom(self) -> Node:
        char = self._next()
        if char == "(":
            return self._group()
        if char == "[":
            return Chars(self._class())
        if char == ".":
            return Chars(_ANY)
        if char in "^$":
            return Chars("")
        if char == "\\":
            return Chars(self._escape())
        return Chars(char)

    def _group(self) -> Node:
        if match := _FLAGS.match(self._text, self._position):
            self._position = match.end()
            return Chars("")
        if match := _GROUP.match(self._text, self._position):
            self._position = match.end()
        node = self._choice()
        if not self._take(")"):
            raise UnreadablePatternError(self._text)
        return node

    def _escape(self) -> str:
        char = self._next()
        if char in "AzbB":
            return ""
        if char in "pP":
            return self._property()
        if char in _NAMED_CLASSES:
            return _NAMED_CLASSES[char]
        return self._escaped(char)

    def _escaped(self, char: str) -> str:
        """Return the one character that an escape stands for."""
        if char == "x":
            if self._take("{"):
                digits, _, _ = self._text[self._position :].partition("}")
                self._position += len(digits) + 1
            else:
                digits = self._text[self._position : self._position + 2]
                self._position += 2
            return chr(int(digits, 16))
        if char in "QEC" or char.isdigit():
            raise UnreadablePatternError(self._text)
        return _ESCAPES.get(char, char)

    def _property(self) -> str:
        name = self._next()
        if name == "{":
            name, _, _ = self._text[self._position :].partition("}")
            self._position += len(name) + 1
        return {"N": _NAMED_CLASSES["d"], "Nd": _NAMED_CLASSES["d"], "Lu": _POSIX["upper"]}.get(name, _ANY[:26])

    def _class(self) -> str:
        is_negated = self._take("^")
        chars: list[str] = []
        while not chars or self._text[self._position] != "]":
            chars.append(self._class_item())
        self._position += 1
        held = "".join(chars)
        wanted = _PREFERRED + _PRINTABLE
        known = [char for char in wanted if (char in held) is not is_negated]
        rest = "" if is_negated else held
        return "".join(dict.fromkeys([*known, *rest]))

    def _class_item(self) -> str:
        if self._text.startswith("[:", self._position):
            name, _, _ = self._text[self._position + 2 :].partition(":]")
            self._position += len(name) + 4
            return _POSIX.get(name, "")
        first = self._class_char()
        following = self._text[self._position : self._position + 2]
        if len(first) != 1 or len(following) < 2 or following[0] != "-" or following[1] == "]":
            return first
        self._position += 1
        last = self._class_char()
        # A long range is as good as its beginning and its end.
        codes = range(ord(first), ord(last) + 1) if len(last) == 1 else range(0)
        return "".join(map(chr, codes[:256])) + last

    def _class_char(self) -> str:
        char = self._next()
        return self._escape() if char == "\\" else char

    def _take(self, char: str) -> bool:
        found = self._text.startswith(char, self._position)
        self._position += found
        return found

    def _next(self) -> str:
        self._position += 1
        return self._text[self._position - 1]

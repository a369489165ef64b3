"""Syntax tree of a pattern, with flags resolved and without group names and captures, and the error of a wrong pattern."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pytest_crd.engine.golang.regexp.runesets import RuneSet


class Assertion(StrEnum):
    """Zero-width assertion; the value is its RE2 notation."""

    TEXT_BEGIN = r"\A"
    TEXT_END = r"\z"
    LINE_BEGIN = "(?m:^)"
    LINE_END = "(?m:$)"
    WORD_BOUNDARY = r"\b"
    NO_WORD_BOUNDARY = r"\B"


@dataclass(slots=True)
class Chars:
    """
    One character of a set, which may be empty.

    Attributes:
        runes: The set.
        named: The code point written in the pattern, None for a class; other members of the set differ from it in case.
    """

    runes: RuneSet
    named: int | None = None


@dataclass(slots=True)
class Concat:
    """Sequence of parts; matches the empty text if it has none."""

    parts: tuple[Node, ...]


@dataclass(slots=True)
class Alternate:
    """Alternation of branches."""

    branches: tuple[Node, ...]


@dataclass(slots=True)
class Repeat:
    """
    Repetition of a part.

    Attributes:
        part: The repeated part.
        least: Minimum count.
        most: Maximum count, at least 1; None for no limit.
        is_lazy: Prefer few repetitions; affects where a match ends.
    """

    part: Node
    least: int
    most: int | None
    is_lazy: bool = False


Node: TypeAlias = "Chars | Concat | Alternate | Repeat | Assertion"

EMPTY = Concat(())


class PatternError(ValueError):
    """Pattern that does not compile; the message is that of Go's regexp.Compile."""

    def __init__(self, problem: str, fragment: str) -> None:
        super().__init__(f"error parsing regexp: {problem}: `{fragment}`")
        self._arguments = problem, fragment

    def __reduce__(self) -> tuple[type[PatternError], tuple[str, str]]:
        """Return the constructor and its arguments, for pickle."""
        return type(self), self._arguments

"""What a pattern says, as a tree: flags are resolved in it, and names and groups are gone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pytest_crd.engine.golang.regexp.runesets import RuneSet


class Assertion(StrEnum):
    """What must hold between two characters; the value is how RE2 writes it."""

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
        named: The one that stands in the pattern, where it is no class; others of the set differ from it by their case.
    """

    runes: RuneSet
    named: int | None = None


@dataclass(slots=True)
class Concat:
    """Parts one after the other; nothing where there are none."""

    parts: tuple[Node, ...]


@dataclass(slots=True)
class Alternate:
    """One of several branches."""

    branches: tuple[Node, ...]


@dataclass(slots=True)
class Repeat:
    """
    A part, several times.

    Attributes:
        part: What is repeated.
        least: How often at least.
        most: How often at most, more than never; None where nothing limits it.
        is_lazy: Whether few repetitions are preferred, which matters for where a match ends.
    """

    part: Node
    least: int
    most: int | None
    is_lazy: bool = False


Node: TypeAlias = "Chars | Concat | Alternate | Repeat | Assertion"

EMPTY = Concat(())

"""
Texts that match a pattern: short ones, and ones of a given length.

They are generated from the pattern's tree without its assertions; the engine decides whether they match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pytest_crd.engine.golang.regexp import patterns, readable
from pytest_crd.engine.golang.regexp.patterntree import Alternate, Chars, Concat, Node, PatternError, Repeat
from pytest_crd.synthesis import textsearch
from pytest_crd.synthesis.textsearch import Lengths

_SHORT_REPETITIONS: Final = (0, 1, 2, 3, 5)
_VARIANTS: Final = 12
_STRETCHED_VARIANTS: Final = 4


def texts(pattern: str) -> Iterator[str]:
    """
    Yield texts that should match *pattern*, the shortest first, without duplicates; nothing if the pattern is invalid.

    They differ in the chosen branches, the number of repetitions and the chosen characters.
    """
    try:
        root = patterns.tree(pattern)
    except PatternError:
        return
    texts_: set[str] = set()
    for variant in range(_VARIANTS):
        for times in _SHORT_REPETITIONS:
            text = _write(root, lambda repeat, times=times: _clamp(repeat, times), variant)  # type: ignore[misc]
            if text not in texts_:
                texts_.add(text)
                yield text


def find_text_of_length(pattern: str, length: int) -> str | None:
    """Return a text of *length* characters that should match *pattern*; None if none is found."""
    text = stretch_text(pattern, length)
    if text is None and not patterns.find_problem(pattern):
        return next(iter(textsearch.find_texts([pattern], lengths=Lengths(length, length)).texts), None)
    return text


def stretch_text(pattern: str, length: int) -> str | None:
    """Return a text of *length* characters made by repetitions of parts of *pattern*; None if repetitions alone cannot give the length."""
    try:
        root = patterns.tree(pattern)
    except PatternError:
        return None
    texts_of_variants = (_stretch(root, length, variant) for variant in range(_STRETCHED_VARIANTS))
    return next((text for text in texts_of_variants if len(text) == length), None)


def _clamp(repeat: Repeat, times: int) -> int:
    most = times if repeat.most is None else min(repeat.most, times)
    return max(repeat.least, most)


def _write(root: Node, times: Callable[[Repeat], int], variant: int) -> str:
    """Return a text for *root*; *variant* selects branches and characters."""
    characters: list[str] = []
    remaining = [root]  # Patterns may nest deeper than the recursion limit.
    while remaining:
        match remaining.pop():
            case Chars(_, int(code)):
                characters.append(chr(code))
            case Chars(runes) if choices := readable.characters(runes):
                characters.append(choices[variant % len(choices)])
            case Concat(parts):
                remaining += parts[::-1]
            case Alternate(branches):
                remaining.append(branches[variant % len(branches)])
            case Repeat(part) as repeat:
                remaining += [part] * times(repeat)
    return "".join(characters)


def _stretch(root: Node, length: int, variant: int) -> str:
    """Return a text of about *length* characters; each repetition in turn is repeated as often as fits."""
    used: dict[int, int] = {}

    def times(repeat: Repeat) -> int:
        return used.get(id(repeat), repeat.least)

    for repeat in _repeats(root):
        size = len(_write(repeat.part, times, variant))
        missing = length - len(_write(root, times, variant))
        if missing <= 0:
            break
        if size:
            room = missing // size
            wanted = repeat.least + room
            used[id(repeat)] = wanted if repeat.most is None else min(wanted, repeat.most)
            while used[id(repeat)] > repeat.least and len(_write(root, times, variant)) > length:
                used[id(repeat)] -= 1
    return _write(root, times, variant)


def _repeats(root: Node) -> Iterator[Repeat]:
    """Yield the repetitions in *root*, outer ones first."""
    remaining = [root]
    while remaining:
        match remaining.pop():
            case Repeat(part) as repeat:
                yield repeat
                remaining.append(part)
            case Concat(parts) | Alternate(parts):
                remaining += parts[::-1]

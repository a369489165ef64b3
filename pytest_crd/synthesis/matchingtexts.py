"""
Texts that match a pattern: the shortest ones, and ones of a wanted length.

They are made of what a pattern says, but for its assertions; whether they match is for the engine to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pytest_crd.engine.golang.regexp import patterns, readable
from pytest_crd.engine.golang.regexp.error import PatternError
from pytest_crd.engine.golang.regexp.patterntree import Alternate, Chars, Concat, Node, Repeat
from pytest_crd.synthesis import textsearch
from pytest_crd.synthesis.textsearch import Lengths

_SHORT_REPETITIONS: Final = (0, 1, 2, 3, 5)
_VARIANTS: Final = 12
_STRETCHED_VARIANTS: Final = 4


def texts(pattern: str) -> Iterator[str]:
    """
    Yield texts that should match *pattern*, the shortest first, each once; none where it does not compile.

    They differ in which branch is taken, how often a part is repeated, and which characters are written.
    """
    try:
        root = patterns.tree(pattern)
    except PatternError:
        return
    seen: set[str] = set()
    for variant in range(_VARIANTS):
        for times in _SHORT_REPETITIONS:
            text = _written(root, lambda repeat, times=times: _between(repeat, times), variant)  # type: ignore[misc]
            if text not in seen:
                seen.add(text)
                yield text


def of_length(pattern: str, length: int) -> str | None:
    """Return a text of *length* characters that should match *pattern*; None where none is found."""
    found = stretched(pattern, length)
    if found is None and not patterns.find_problem(pattern):
        return next(iter(textsearch.find([pattern], lengths=Lengths(length, length)).texts), None)
    return found


def stretched(pattern: str, length: int) -> str | None:
    """Return a plain text of *length* characters that should match *pattern*; None where repetitions alone make none."""
    try:
        root = patterns.tree(pattern)
    except PatternError:
        return None
    texts_of_variants = (_stretched(root, length, variant) for variant in range(_STRETCHED_VARIANTS))
    return next((text for text in texts_of_variants if len(text) == length), None)


def _between(repeat: Repeat, times: int) -> int:
    most = times if repeat.most is None else min(repeat.most, times)
    return max(repeat.least, most)


def _written(root: Node, times: Callable[[Repeat], int], variant: int) -> str:
    """Return a text for *root*; *variant* turns which branch and which character is taken."""
    written: list[str] = []
    remaining = [root]  # patterns may nest deeper than functions can
    while remaining:
        match remaining.pop():
            case Chars(_, int(code)):
                written.append(chr(code))
            case Chars(runes) if choices := readable.characters(runes):
                written.append(choices[variant % len(choices)])
            case Concat(parts):
                remaining += parts[::-1]
            case Alternate(branches):
                remaining.append(branches[variant % len(branches)])
            case Repeat(part) as repeat:
                remaining += [part] * times(repeat)
    return "".join(written)


def _stretched(root: Node, length: int, variant: int) -> str:
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

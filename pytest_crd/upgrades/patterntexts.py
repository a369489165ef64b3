"""Texts that one of two patterns matches and the other does not."""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator
from typing import Final

from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.examples import patterns as examples

# What a text is changed into, in one place: letters of both kinds, digits, and every other character of a keyboard.
_CHARACTERS: Final = f"aA0{string.punctuation} é\n{string.ascii_letters}{string.digits}"
_MOST_TEXTS: Final = 12
_MOST_TRIED: Final = 20_000
_MOST_FOUND: Final = 3


def between(left: str, right: str) -> Iterator[str]:
    """Yield some texts that just one of two patterns, both of which compile, matches: of either, where there are any."""
    of_left, of_right = patterns.compile(left), patterns.compile(right)
    found = {True: 0, False: 0}
    for text in itertools.islice(dict.fromkeys(_texts(left, right)), _MOST_TRIED):
        is_of_left = of_left(text)
        if is_of_left != of_right(text) and found[is_of_left] < _MOST_FOUND:
            found[is_of_left] += 1
            yield text


def _texts(left: str, right: str) -> Iterator[str]:
    """Yield texts of both patterns, then those that differ from one of them in a character."""
    known = [text for pattern in (left, right) for text in itertools.islice(examples.texts(pattern), _MOST_TEXTS)]
    yield from known
    for text in known:
        for at in range(len(text) + 1):
            yield text[:at] + text[at + 1 :]
            for character in _CHARACTERS:
                yield text[:at] + character + text[at + 1 :]
                yield text[:at] + character + text[at:]

"""Characters that stand for a set of them in texts that people read."""

from __future__ import annotations

import functools
import itertools
from typing import Final

from pytest_crd.engine.golang import printable
from pytest_crd.engine.golang.regexp import classes, runesets
from pytest_crd.engine.golang.regexp.runesets import RuneSet

_FIRST: Final = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./ "
# What is written before anything else, in this order.
_USUAL: Final = dict.fromkeys([*_FIRST, *map(chr, range(0x21, 0x7F)), "\t"])
_USUAL_OF: Final = {runesets.negated(classes.WORD): " .-/"}
_RANKS: Final = {char: rank for rank, char in enumerate(_USUAL)}
_MOST_CODES: Final = 256


@functools.lru_cache(maxsize=1024)
def characters(runes: RuneSet) -> str:
    """Return some characters of a set, those that are read best first; none where it has only halves of characters."""
    ordered = (*_USUAL_OF.get(runes, ""), *_USUAL)
    found = [char for char in ordered if runesets.contains(runes, ord(char))]
    whole = runesets.intersection(runes, runesets.CHARACTERS)
    codes = itertools.islice(
        itertools.chain.from_iterable(range(first, last + 1) for first, last in whole), _MOST_CODES
    )
    others = list(map(chr, codes))
    found += filter(printable.is_printable, others)
    return "".join(dict.fromkeys(found or others))


def rank(char: str) -> int:
    """Return how late a character is written: the lower, the better it is read."""
    return _RANKS.get(char, ord(char) + len(_RANKS))

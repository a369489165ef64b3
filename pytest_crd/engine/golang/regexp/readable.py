"""Readable representatives of character sets, for generated texts and messages."""

from __future__ import annotations

import functools
import itertools
from typing import Final

from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.regexp import classes, runesets
from pytest_crd.engine.golang.regexp.runesets import RuneSet

_FIRST: Final = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./ "
# Preferred characters, most preferred first.
_PREFERRED: Final = dict.fromkeys([*_FIRST, *map(chr, range(0x21, 0x7F)), "\t"])
_PREFERRED_OF: Final = {runesets.negate(classes.WORD): " .-/"}
_RANKS: Final = {char: rank for rank, char in enumerate(_PREFERRED)}
_MOST_CODES: Final = 256


@functools.lru_cache(maxsize=1024)
def characters(runes: RuneSet) -> str:
    """Return characters of *runes*, the most readable first; empty if the set has only surrogate halves."""
    ordered = (*_PREFERRED_OF.get(runes, ""), *_PREFERRED)
    chars = [char for char in ordered if runesets.contains(runes, ord(char))]
    whole = runesets.intersection(runes, runesets.CHARACTERS)
    codes = itertools.islice(
        itertools.chain.from_iterable(range(first, last + 1) for first, last in whole), _MOST_CODES
    )
    remaining = list(map(chr, codes))
    chars += filter(printing.is_printable, remaining)
    return "".join(dict.fromkeys(chars or remaining))


def rank(char: str) -> int:
    """Return the sort key of *char*: the lower, the more readable."""
    return _RANKS.get(char, ord(char) + len(_RANKS))

"""Texts as Go's package `strings` takes them."""

from __future__ import annotations

from typing import Final

# What Go takes for white space; Python's strip() would take the separators U+001C to U+001F too.
_BLANKS: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def trim_space(text: str) -> str:
    """Return *text* without the white space around it."""
    return text.strip(_BLANKS)

"""Functions of Go's package `strings`."""

from __future__ import annotations

from typing import Final

# Go's white space. Python's strip() would also remove the separators U+001C to U+001F.
_BLANKS: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def trim_space(text: str) -> str:
    """Return *text* without leading and trailing white space, as Go defines it."""
    return text.strip(_BLANKS)

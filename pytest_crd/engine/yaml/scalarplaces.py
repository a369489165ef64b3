"""
Places in a scalar: the position in a file of a character of a value, for all styles of quoting, folding and indentation.

YAML changes only line breaks and blanks. All other characters of a value occur in the text in the same order, so
counting them finds the position.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

# Anchor and tag before a scalar, with blanks and comments between them.
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*\s+(?:#.*\s+)*)*")
_BLOCK_HEADER: Final = re.compile(r"[|>].*")
_OUTSIDE_QUOTES: Final = re.compile(r"\S")
_IN_SINGLE_QUOTES: Final = re.compile(r"''|[^'\s]|\s")
# An escape of YAML or JSON, JSON's pair of surrogates included; or any other character.
_IN_DOUBLE_QUOTES: Final = re.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|x(?P<x>..)|u(?P<u>.{4})|U(?P<U>.{8})|\r?\n|.)|[^\"\\]", re.DOTALL
)
# The escapes of blanks, of line breaks, and of nothing.
_BLANK_ESCAPES: Final = frozenset({*(f"\\{letter}" for letter in "ntrvfNLP_ \t\n"), "\\\r\n"})


def find_character(text: str, start: int, value: str, offset: int) -> int | None:
    """
    Return the index in *text* of the character of *value* at *offset*.

    Args:
        text: The text of a document.
        start: The index of the scalar, or of its anchor or tag.
        value: The value of the scalar.
        offset: In code points. For a blank, which YAML may have folded, or the end, the index is behind the previous
            character.

    Returns:
        The index; None if the characters of the value do not occur one by one in the text, as with `!!binary`.
    """
    before = sum(map(_is_ink, value[:offset]))
    is_behind = before > 0 and not _is_ink(value[offset : offset + 1])
    last = before - 1 if is_behind else before
    spans = list(itertools.islice(_ink(text, start), last + 1))
    if len(spans) <= last or not _are_same(text, spans, value):
        return None
    return spans[last][1] if is_behind else spans[last][0]


def _ink(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the span of each character of the scalar at *start* that is neither a blank nor a line break."""
    properties = _PROPERTIES.match(text, start)
    begin = properties.end() if properties else start
    quote = text[begin : begin + 1]
    if quote == "'":
        characters = _quoted(_IN_SINGLE_QUOTES, text, begin + 1)
    elif quote == '"':
        characters = _quoted(_IN_DOUBLE_QUOTES, text, begin + 1)
    else:
        header = _BLOCK_HEADER.match(text, begin)
        characters = _OUTSIDE_QUOTES.finditer(text, header.end() if header else begin)
    for match in characters:
        if not _is_blank(match):
            yield match.span()


def _quoted(characters: re.Pattern[str], text: str, start: int) -> Iterator[re.Match[str]]:
    while match := characters.match(text, start):
        yield match
        start = match.end()


def _is_blank(match: re.Match[str]) -> bool:
    token = match[0]
    digits = next((digits for digits in match.groupdict().values() if digits), "")
    return token in _BLANK_ESCAPES or token.isspace() or bool(digits and chr(int(digits, 16)).isspace())


def _are_same(text: str, spans: list[tuple[int, int]], value: str) -> bool:
    """Return whether the characters at *spans* match *value*; escapes are assumed to match."""
    read = filter(_is_ink, value)
    return all(end - start > 1 or text[start] == char for (start, end), char in zip(spans, read, strict=False))


def _is_ink(char: str) -> bool:
    return bool(char) and not char.isspace()

"""
Places in a scalar: where in the text of a file a character of a value stands, however the value is quoted, folded or indented.

Line breaks and blanks are what YAML changes; all other characters of a value stand in the text in the same order. So a place is
found by counting these.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

# What may stand before a scalar: its anchor and its tag, with blanks and comments between them.
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


def find(text: str, start: int, value: str, offset: int) -> int | None:
    """
    Return the index in *text* of the character of *value* at *offset*.

    Args:
        text: The text of a document.
        start: Where in it the scalar begins, or its anchor or tag.
        value: What was read of it.
        offset: In code points. What YAML may have folded, a blank or the end, is found behind the last character before it.

    Returns:
        The index; None where the text does not hold the value character by character, as with `!!binary`.
    """
    before = sum(map(_is_ink, value[:offset]))
    is_behind = before > 0 and not _is_ink(value[offset : offset + 1])
    last = before - 1 if is_behind else before
    spans = list(itertools.islice(_ink(text, start), last + 1))
    if len(spans) <= last or not _are_same(text, spans, value):
        return None
    return spans[last][1] if is_behind else spans[last][0]


def _ink(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield where each character of the scalar at *start* stands that is neither a blank nor a line break."""
    properties = _PROPERTIES.match(text, start)
    begin = properties.end() if properties else start
    quote = text[begin : begin + 1]
    if quote == "'":
        found = _quoted(_IN_SINGLE_QUOTES, text, begin + 1)
    elif quote == '"':
        found = _quoted(_IN_DOUBLE_QUOTES, text, begin + 1)
    else:
        header = _BLOCK_HEADER.match(text, begin)
        found = _OUTSIDE_QUOTES.finditer(text, header.end() if header else begin)
    for match in found:
        if not _is_blank(match):
            yield match.span()


def _quoted(characters: re.Pattern[str], text: str, start: int) -> Iterator[re.Match[str]]:
    while match := characters.match(text, start):
        yield match
        start = match.end()


def _is_blank(match: re.Match[str]) -> bool:
    written = match[0]
    digits = next((digits for digits in match.groupdict().values() if digits), "")
    return written in _BLANK_ESCAPES or written.isspace() or bool(digits and chr(int(digits, 16)).isspace())


def _are_same(text: str, spans: list[tuple[int, int]], value: str) -> bool:
    """Return whether the characters at *spans* are those of *value*; escapes are taken for what they stand for."""
    read = filter(_is_ink, value)
    return all(end - start > 1 or text[start] == char for (start, end), char in zip(spans, read, strict=False))


def _is_ink(char: str) -> bool:
    return bool(char) and not char.isspace()

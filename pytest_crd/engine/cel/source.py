"""
Source text of an expression, and locations in it.

Reference:
    cel-go common/source.go; common/error.go, ToDisplayString.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_LONGEST_SNIPPET: Final = 16384  # bytes; messages do not show longer lines
_DESCRIPTION: Final = "<input>"


@dataclass(frozen=True, order=True)
class Location:
    """Location in a text: line from 1, column in code points from 0."""

    line: int
    column: int


NO_LOCATION: Final = Location(-1, -1)
NO_OFFSET: Final = -1
"""Offset of nodes without a position in the text."""


class Source:
    """Source text of an expression."""

    def __init__(self, text: str) -> None:
        """Create from *text*."""
        self.text = text

    def location(self, offset: int) -> Location:
        """Return the location of the code point at *offset*."""
        if offset == NO_OFFSET or not self.text:
            return Location(1, -1)
        line = bisect_right(self._line_starts, offset)
        return Location(line, offset - self._line_starts[line - 1])

    def offset(self, location: Location) -> int | None:
        """Return the offset of the code point at *location*; None if the location is outside of the text."""
        if not 1 <= location.line <= len(self._line_starts) or location.column < 0:
            return None
        return self._line_starts[location.line - 1] + location.column

    def show(self, location: Location, message: str) -> str:
        """Return *message* with its location, and the source line with a caret below the column."""
        header = f"ERROR: {_DESCRIPTION}:{location.line}:{location.column + 1}: {message}"
        if not self.text or not 1 <= location.line <= len(self._line_starts):
            return header
        line = self.text.split("\n")[location.line - 1].replace("\t", " ")
        if len(line.encode(errors="surrogatepass")) > _LONGEST_SNIPPET:
            return header
        column = max(location.column, 0)
        before, at = line[:column], line[column : column + 1]
        dots = "".join("." if char < "\x80" else "\uff0e" for char in before)
        caret = "^" if at < "\x80" else "\uff3e"
        return f"{header}\n | {line}\n | {dots}{caret}"

    @cached_property
    def _line_starts(self) -> list[int]:
        """Offset of the first code point of each line."""
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return starts

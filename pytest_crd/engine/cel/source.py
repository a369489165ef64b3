"""
The text of an expression, and the places in it.

Reference:
    cel-go common/source.go; common/error.go, ToDisplayString.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_LONGEST_SNIPPET: Final = 16384  # bytes; a longer line is not shown
_DESCRIPTION: Final = "<input>"


@dataclass(frozen=True, order=True)
class Location:
    """A place in a text: a line from 1, and a column in code points from 0."""

    line: int
    column: int


NO_LOCATION: Final = Location(-1, -1)
NO_OFFSET: Final = -1
"""The offset of what stands nowhere."""


class Source:
    """The text of an expression."""

    def __init__(self, text: str) -> None:
        """Keep *text*."""
        self.text = text

    def location(self, offset: int) -> Location:
        """Return the place of the code point at *offset*."""
        if offset == NO_OFFSET or not self.text:
            return Location(1, -1)
        line = bisect_right(self._line_starts, offset)
        return Location(line, offset - self._line_starts[line - 1])

    def offset(self, location: Location) -> int | None:
        """Return the offset of the code point at *location*; None where it is no place in the text."""
        if not 1 <= location.line <= len(self._line_starts) or location.column < 0:
            return None
        return self._line_starts[location.line - 1] + location.column

    def show(self, location: Location, message: str) -> str:
        """Return *message* with the place it is about, and that line of the text with a caret under it."""
        shown = f"ERROR: {_DESCRIPTION}:{location.line}:{location.column + 1}: {message}"
        if not self.text or not 1 <= location.line <= len(self._line_starts):
            return shown
        line = self.text.split("\n")[location.line - 1].replace("\t", " ")
        if len(line.encode(errors="surrogatepass")) > _LONGEST_SNIPPET:
            return shown
        column = max(location.column, 0)
        before, at = line[:column], line[column : column + 1]
        dots = "".join("." if char < "\x80" else "\uff0e" for char in before)
        caret = "^" if at < "\x80" else "\uff3e"
        return f"{shown}\n | {line}\n | {dots}{caret}"

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offset of each line's first code point."""
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return starts

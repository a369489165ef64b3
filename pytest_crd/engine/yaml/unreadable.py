"""Errors about unreadable texts of any content."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine import jsonvalue

TOO_DEEP: Final = f"nested more than {jsonvalue.MAX_DEPTH} levels deep"


class UnreadableError(Exception):
    """
    A text that cannot be read.

    Attributes:
        line: 1-based line within that text, or 0 for all of it.
        message: The error, and its correction if one is known.
    """

    def __init__(self, line: int, message: str) -> None:
        """Create with a line, counted within the text, and a message."""
        super().__init__(message)
        self.line = line
        self.message = message

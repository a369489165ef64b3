"""Why a text cannot be read, whatever it is meant to be."""

from __future__ import annotations

from typing import Final

from pytest_crd.engine import jsonvalue

TOO_DEEP: Final = f"nested more than {jsonvalue.MAX_DEPTH} levels deep"


class UnreadableError(Exception):
    """
    Text that cannot be read.

    Attributes:
        line: 1-based line within that text, or 0 for all of it.
        message: What is wrong, and what to write instead where that is known.
    """

    def __init__(self, line: int, message: str) -> None:
        """Take the line, counted within the text, and the message."""
        super().__init__(message)
        self.line = line
        self.message = message

"""
The limits of an expression's size.

Reference:
    cel-go parser/parser.go, NewParser; common/errors.go, NewErrors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MAX_CODE_POINTS: Final = 100_000
"""How long an expression may be."""
MAX_DEPTH: Final = 250
"""How deep it may nest: as the rules of the grammar apply to each other, and as a tree."""

_FRAMES: Final = 25_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """
    Let Python nest as deep as expressions may.

    Python's own limit of 1,000 calls is for mistakes; an expression of 250 levels takes several calls a level, and macros make
    levels of their own. Calls between functions written in Python take no room on the system's stack.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)

"""
Limits on the size of expressions.

Reference:
    cel-go parser/parser.go, NewParser; common/errors.go, NewErrors.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MAX_CODE_POINTS: Final = 100_000
"""Maximum length of an expression."""
MAX_DEPTH: Final = 250
"""Maximum nesting of grammar rules, and maximum depth of the tree."""

_FRAMES: Final = 25_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """
    Raise Python's recursion limit for deeply nested expressions.

    An expression of 250 levels takes several calls per level, and macros add levels, which exceeds Python's default of
    1,000. Calls between Python functions do not use the system's stack.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)

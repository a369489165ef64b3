"""Regular expressions that are compiled at their first use: in Python, one costs as much as the import of a small module."""

from __future__ import annotations

import re
from typing import Any, AnyStr


class _Pattern:
    """Stand-in for a compiled expression, which keeps each method that was asked for."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(re.compile(*self._arguments), name)
        setattr(self, name, attribute)
        return attribute


def compile(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:  # noqa: A001 - read as lazyre.compile
    """
    Return *pattern* as an expression of `re` with all its methods and attributes.

    Raises:
        re.error: The pattern is invalid; raised by the first use.
    """
    stand_in: Any = _Pattern(pattern, flags)
    return stand_in  # type: ignore[no-any-return]

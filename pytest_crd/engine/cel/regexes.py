"""
Regular expressions: RE2 as Go has it.

Reference:
    Go regexp: MatchString, FindString, FindAllString.
"""

from __future__ import annotations

import functools
from typing import Any

from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.golang.regexp.error import PatternError


class Regex:
    """A regular expression."""

    def __init__(self, pattern: str) -> None:
        """
        Compile *pattern*.

        Raises:
            EvaluationError: It is none; the message is Go's.
        """
        try:
            self._matches = patterns.compile(pattern)
        except PatternError as error:
            raise EvaluationError(str(error)) from None
        self._pattern = pattern

    def matches(self, text: str) -> bool:
        """Return whether *text* contains a match."""
        return self._matches(text)

    @functools.cached_property
    def _expression(self) -> Any:
        """The pattern as RE2 reads it, which says where a match ends; to whether there is one that does not matter."""
        import re2  # noqa: PLC0415 - costs 2 ms, and most expressions need no pattern

        options = re2.Options()
        options.log_errors = False
        try:
            return re2.compile(self._pattern, options)
        except re2.error:
            raise UnsupportedExpressionError(
                f"the search for a pattern that RE2 does not take: {self._pattern}"
            ) from None

    def find(self, text: str) -> str:
        """Return the first match; an empty text where there is none."""
        found = self._expression.search(text.encode("utf-8", "surrogatepass"))
        return _text(found.group()) if found is not None else ""

    def find_all(self, text: str, limit: int) -> list[str]:
        """Return the matches that do not overlap, at most *limit* of them unless it is negative."""
        data = text.encode("utf-8", "surrogatepass")
        matches: list[str] = []
        position, previous_end = 0, -1
        while len(matches) != limit and position <= len(data):
            found = self._expression.search(data, position)
            if found is None:
                break
            start, end = found.span()
            # An empty match right behind another one does not count.
            if end > position or start != previous_end:
                matches.append(_text(found.group()))
            position = end if end > position else _next_character(data, position)
            previous_end = end
        return matches


@functools.cache
def compile(pattern: str) -> Regex:  # noqa: A001 - read as regexes.compile
    """
    Return *pattern* compiled.

    Raises:
        EvaluationError: It is no regular expression.
    """
    return Regex(pattern)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _next_character(data: bytes, position: int) -> int:
    position += 1
    while position < len(data) and data[position] & 0xC0 == 0x80:
        position += 1
    return position

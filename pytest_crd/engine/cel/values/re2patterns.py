"""
Regular expressions in CEL: RE2 with Go's syntax.

Reference:
    Go regexp: MatchString, FindString, FindAllString.
"""

from __future__ import annotations

import functools
from typing import Any

from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.golang.regexp.patterns import PatternTooLargeError
from pytest_crd.engine.golang.regexp.patterntree import PatternError
from pytest_crd.engine.golang.release import GoRelease


class Regex:
    """Compiled regular expression."""

    def __init__(self, pattern: str, go: GoRelease) -> None:
        """
        Compile *pattern*.

        Raises:
            EvaluationError: It is invalid; the message is Go's.
            UnsupportedExpressionError: It takes too much memory.
        """
        try:
            self._matches = patterns.compile(pattern, go)
        except PatternError as error:
            raise EvaluationError(str(error)) from None
        except PatternTooLargeError as error:
            raise UnsupportedExpressionError(f"this regular expression: {error}") from None
        self._pattern = pattern
        self._go = go

    def matches(self, text: str) -> bool:
        """Return whether *text* contains a match."""
        return self._matches(text)

    @functools.cached_property
    def _expression(self) -> Any:
        """Compiled RE2 object, for the positions of matches."""
        return patterns.expression(self._pattern, self._go)

    def find(self, text: str) -> str:
        """Return the first match, or an empty text."""
        match = self._expression.search(text.encode("utf-8", "surrogatepass"))
        return _text(match.group()) if match is not None else ""

    def find_all(self, text: str, limit: int) -> list[str]:
        """Return the non-overlapping matches, at most *limit* unless it is negative."""
        data = text.encode("utf-8", "surrogatepass")
        matches: list[str] = []
        previous_end = -1
        for match in self._expression.finditer(data) if limit else ():
            start, end = match.span()
            # Go skips empty matches right after another match; RE2 may also match between the bytes of a character.
            if start < end or (start != previous_end and not _is_inside(data, start)):
                matches.append(_text(data[start:end]))
                if len(matches) == limit:
                    break
            previous_end = end
        return matches


@functools.cache
def compile(pattern: str, go: GoRelease) -> Regex:  # noqa: A001 - read as re2patterns.compile
    """
    Return *pattern* compiled.

    Raises:
        EvaluationError: It is invalid.
    """
    return Regex(pattern, go)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _is_inside(data: bytes, position: int) -> bool:
    """Return whether *position* is between the bytes of one character."""
    return position < len(data) and data[position] & 0xC0 == 0x80

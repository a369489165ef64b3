"""Error of a pattern that does not compile."""

from __future__ import annotations


class PatternError(ValueError):
    """Pattern that does not compile; the message is that of Go's regexp.Compile."""

    def __init__(self, problem: str, fragment: str) -> None:
        super().__init__(f"error parsing regexp: {problem}: `{fragment}`")
        self._arguments = problem, fragment

    def __reduce__(self) -> tuple[type[PatternError], tuple[str, str]]:
        """Return the constructor and its arguments, for pickle."""
        return type(self), self._arguments

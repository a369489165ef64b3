"""Patterns that do not compile, in Go's words."""

from __future__ import annotations


class PatternError(ValueError):
    """A pattern that does not compile; the message is that of Go's regexp.Compile."""

    def __init__(self, problem: str, fragment: str) -> None:
        super().__init__(f"error parsing regexp: {problem}: `{fragment}`")
        self._made_of = problem, fragment

    def __reduce__(self) -> tuple[type[PatternError], tuple[str, str]]:
        """Return what makes the same error again, in another process."""
        return type(self), self._made_of

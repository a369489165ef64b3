"""
What may be wrong with an expression: before it runs, and while it does.

Reference:
    cel-go common/errors.go, Errors; common/types/err.go; interpreter/runtimecost.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.cel.source import Location, Source

_MOST_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an expression, and where it stands."""

    location: Location
    message: str


class CompileError(Exception):
    """
    An expression cannot be compiled.

    Attributes:
        source: Its text.
        problems: What is wrong, in the order of their places.
    """

    def __init__(self, source: Source, problems: Sequence[Problem]) -> None:
        """Take the problems as they were found: as the server does, keep the first of them where there are too many."""
        self.source = source
        self.problems = sorted(problems[:_MOST_SHOWN], key=lambda problem: problem.location)
        self._truncated = len(problems) - len(self.problems)
        super().__init__(source, problems)

    @property
    def offset(self) -> int | None:
        """The offset of the first code point that is wrong; None where no place is known."""
        offsets = (self.source.offset(problem.location) for problem in self.problems)
        return next((offset for offset in offsets if offset is not None), None)

    def __str__(self) -> str:
        """Return the problems as the server lists them, each with the line of the text that it is about."""
        shown = [self.source.show(problem.location, problem.message) for problem in self.problems]
        if self._truncated:
            shown.append(f"{self._truncated} more errors were truncated")
        return "\n".join(shown)


class EvaluationError(Exception):
    """
    A run-time error: a value as others in that `&&`, `||`, `?:` and the quantifiers may make up for it.

    Its only argument is the message, as cel-go words it.
    """


def no_overload(operand: object) -> EvaluationError:
    """Return the error of what does not take *operand*: the operand itself where it is an error, as an item of a list may be."""
    return operand if isinstance(operand, EvaluationError) else EvaluationError("no such overload")


class CostLimitError(Exception):
    """
    An evaluation has cost more than it may; nothing makes up for that.

    Attributes:
        cost: What it had cost when it was ended.
    """

    def __init__(self, cost: int) -> None:
        """Word it as cel-go does."""
        self.cost = cost
        super().__init__("operation cancelled: actual cost limit exceeded")


class UnsupportedExpressionError(Exception):
    """An expression uses what the server knows and this implementation does not; its only argument says what."""

    def __str__(self) -> str:
        """Say so."""
        return f"pytest-crd does not support {self.args[0]}"


class InternalError(Exception):
    """The server's interpreter fails in itself, which nothing makes up for; its only argument is how it words that."""

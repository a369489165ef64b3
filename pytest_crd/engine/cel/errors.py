"""
Errors of expressions at compile time and at run time.

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
    """Problem in an expression with its location."""

    location: Location
    message: str


class CompileError(Exception):
    """
    Error of an expression that cannot be compiled.

    Attributes:
        source: The text of the expression.
        problems: The problems in the order of their locations.
    """

    def __init__(self, source: Source, problems: Sequence[Problem]) -> None:
        """Create from *problems* in the order of detection; keep the first hundred, as the server does."""
        self.source = source
        self.problems = sorted(problems[:_MOST_SHOWN], key=lambda problem: problem.location)
        self._truncated = len(problems) - len(self.problems)
        super().__init__(source, problems)

    @property
    def offset(self) -> int | None:
        """Offset of the first problem in code points; None without a location."""
        offsets = (self.source.offset(problem.location) for problem in self.problems)
        return next((offset for offset in offsets if offset is not None), None)

    def __str__(self) -> str:
        """Return the problems as the server prints them, each with its line of the source."""
        messages = [self.source.show(problem.location, problem.message) for problem in self.problems]
        if self._truncated:
            messages.append(f"{self._truncated} more errors were truncated")
        return "\n".join(messages)


class EvaluationError(Exception):
    """
    Run-time error of an expression; `&&`, `||`, `?:` and the quantifiers may ignore it.

    The only argument is cel-go's message.
    """


def no_overload(operand: object) -> EvaluationError:
    """Return the error of a function that does not accept *operand*; *operand* itself if it is an error."""
    return operand if isinstance(operand, EvaluationError) else EvaluationError("no such overload")


class CostLimitError(Exception):
    """
    Error of an evaluation that exceeds its cost limit; nothing catches it.

    Attributes:
        cost: The cost when the evaluation stopped.
    """

    def __init__(self, cost: int) -> None:
        """Create with cel-go's message."""
        self.cost = cost
        super().__init__("operation cancelled: actual cost limit exceeded")


class UnsupportedExpressionError(Exception):
    """Expression with a feature that the server has and this implementation lacks; the only argument names it."""

    def __str__(self) -> str:
        """Return the message with the unsupported feature."""
        return f"pytest-crd does not support {self.args[0]}"


class InternalError(Exception):
    """Internal failure of the server's interpreter, which nothing catches; the only argument is the server's message."""


@dataclass(frozen=True, slots=True)
class CompileProblem:
    """
    Reason why an expression cannot be evaluated.

    Attributes:
        message: The server's message.
        offset: The first wrong character of the expression, in code points; None if the error has no position.
    """

    message: str
    offset: int | None = None

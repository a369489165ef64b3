"""State of one evaluation, and the type of compiled expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pytest_crd.engine.cel.errors import CostLimitError
from pytest_crd.engine.cel.values.celvalues import Value


class Frame:
    """
    State of one evaluation.

    Attributes:
        variables: The values of the variables by name.
        slots: Elements, indices and accumulators of comprehensions.
        cost: The cost so far.
        limit: The cost limit.
    """

    __slots__ = ("cost", "limit", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, limit: int) -> None:
        """Create a frame with cost 0."""
        self.variables = variables
        self.slots: list[Any] = [None] * slots
        self.cost = 0
        self.limit = limit

    def spend(self, cost: int) -> None:
        """
        Add *cost* and check the limit; cheap steps add to `cost` directly, without a check.

        Raises:
            CostLimitError: The limit is exceeded.
        """
        self.cost += cost
        if self.cost > self.limit:
            raise CostLimitError(self.cost)


# Compiled expression. It returns the value or raises EvaluationError, and adds to the frame's cost in both cases.
Evaluate: TypeAlias = Callable[[Frame], Value]

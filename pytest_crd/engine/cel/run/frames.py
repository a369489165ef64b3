"""What one evaluation carries with it, and what every step of it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pytest_crd.engine.cel.errors import CostLimitError
from pytest_crd.engine.cel.values.celvalues import Value


class Frame:
    """
    One evaluation.

    Attributes:
        variables: The variables' values by name.
        slots: What comprehensions know: elements, indices and accumulators, each at a place of its own.
        cost: What was spent.
        limit: What may be spent.
    """

    __slots__ = ("cost", "limit", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, limit: int) -> None:
        """Begin with nothing spent."""
        self.variables = variables
        self.slots: list[Any] = [None] * slots
        self.cost = 0
        self.limit = limit

    def spend(self, cost: int) -> None:
        """
        Add *cost*, of what may take long: where it does not depend on values, steps add it without asking for the limit.

        Raises:
            CostLimitError: That is more than may be spent.
        """
        self.cost += cost
        if self.cost > self.limit:
            raise CostLimitError(self.cost)


# A compiled expression. It returns the value or raises EvaluationError, and adds to the frame's cost in both cases.
Evaluate: TypeAlias = Callable[[Frame], Value]

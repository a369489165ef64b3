"""
Programs: executable expressions, with the cost of each run.

Reference:
    cel-go cel/program.go; interpreter/interpreter.go; interpreter/runtimecost.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.cel.errors import CostLimitError, EvaluationError, InternalError
from pytest_crd.engine.cel.run.frames import Frame
from pytest_crd.engine.cel.run.planner import Planner, ProgramError
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.types.celtypes import StructMaker
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.types.functions import Function
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.cel.values.celvalues import Value

__all__ = ["COST_LIMIT", "Program", "ProgramError", "ProgramResult"]

COST_LIMIT: Final = 1_000_000
"""Cost limit of one evaluation in Kubernetes."""


@dataclass(slots=True)
class ProgramResult:
    """
    Result of an evaluation.

    Attributes:
        value: The value; None if there is an error.
        cost: The cost of the evaluation.
        error: The run-time error, or None.
    """

    value: Value
    cost: int
    error: EvaluationError | None = None


class Program:
    """Executable expression."""

    __slots__ = ("_evaluate", "_limited", "_slots")

    def __init__(
        self,
        checked: CheckedExpression,
        functions: Mapping[str, Function],
        structs: StructMaker | None = None,
        *,
        part: Node | None = None,
    ) -> None:
        """
        Plan the expression.

        Args:
            checked: The expression.
            functions: The functions of the environment in which it was checked, by name.
            structs: The maker of its structs; None if it makes no others than protobuf messages.
            part: The part to evaluate; None for the whole expression.

        Raises:
            ProgramError: A constant part of it fails.
        """
        planner = Planner(checked, functions, structs)
        self._evaluate = planner.plan(part or checked.parsed.root).evaluate
        self._slots = planner.slots
        self._limited = workload.Limited(loops=self._slots > 0)

    def evaluate(self, variables: Mapping[str, Value], cost_limit: int = COST_LIMIT) -> ProgramResult:
        """
        Evaluate the expression and return its value or run-time error, and the cost.

        Raises:
            CostLimitError: The cost exceeds *cost_limit*.
            UnsupportedExpressionError: It does too much work that costs nothing.
        """
        frame = Frame(variables, self._slots, cost_limit)
        try:
            with self._limited:
                value, problem = self._evaluate(frame), None
        except EvaluationError as error:
            value, problem = None, error.with_traceback(None)
        except InternalError as error:
            value, problem = None, EvaluationError(*error.args)
        if frame.cost > cost_limit:
            raise CostLimitError(frame.cost)
        return ProgramResult(value, frame.cost, problem)

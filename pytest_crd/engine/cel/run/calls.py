"""
Function calls: evaluation of arguments, the implementation and its cost.

cel-go evaluates both operands of a binary call even if the first is an error, and counts the call's cost in any case. A
call with more arguments stops at the first error, and costs nothing unless the last argument failed. Since 0.33, each call stops at
the first error and then costs nothing.

Reference:
    cel-go interpreter/interpretable.go, evalUnary, evalBinary, evalVarArgs; interpreter/runtimecost.go, costCall.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.cel.errors import CostLimitError, EvaluationError
from pytest_crd.engine.cel.run.frames import Evaluate, Frame
from pytest_crd.engine.cel.types.functions import Implementation, RuntimeCost
from pytest_crd.engine.cel.values.celvalues import ListValue, Value

_LONG: Final = 256
_MARGIN: Final = 100


def unary(argument: Evaluate, call: Implementation, cost: RuntimeCost | None) -> Evaluate:
    """Return a function that evaluates a call with one argument."""
    if cost is None:

        def simple(frame: Frame) -> Value:
            try:
                result = call(argument(frame))
            except EvaluationError:
                frame.cost += 1
                raise
            frame.cost += 1
            return result

        return simple

    def run(frame: Frame) -> Value:
        try:
            value = argument(frame)
        except EvaluationError as error:
            frame.spend(cost((error,), error))
            raise
        return _costed(frame, call, cost, (value,))

    return run


def binary(left: Evaluate, right: Evaluate, call: Implementation, cost: RuntimeCost | None) -> Evaluate:
    """Return a function that evaluates a call with two arguments."""
    if cost is None:

        def simple(frame: Frame) -> Value:
            try:
                first = left(frame)
            except EvaluationError:
                outcome(right, frame)
                frame.cost += 1
                raise
            try:
                result = call(first, right(frame))
            except EvaluationError:
                frame.cost += 1
                raise
            frame.cost += 1
            return result

        return simple

    def run(frame: Frame) -> Value:
        try:
            first = left(frame)
        except EvaluationError as error:
            frame.spend(cost((error, outcome(right, frame)), error))
            raise
        try:
            second = right(frame)
        except EvaluationError as error:
            frame.spend(cost((first, error), error))
            raise
        return _costed(frame, call, cost, (first, second))

    return run


def variadic(arguments: Sequence[Evaluate], call: Implementation, cost: RuntimeCost | None) -> Evaluate:
    """Return a function that evaluates a call with any number of arguments, and skips the call if an argument fails."""
    if cost is None:

        def simple(frame: Frame) -> Value:
            values = _evaluated(frame, arguments, unit_cost)
            frame.cost += 1
            return call(*values)

        return simple

    def run(frame: Frame) -> Value:
        return _costed(frame, call, cost, _evaluated(frame, arguments, cost))

    return run


def strict(arguments: Sequence[Evaluate], call: Implementation, cost: RuntimeCost | None) -> Evaluate:
    """Return a function that evaluates a call, which costs nothing if an argument fails."""
    counted = cost or unit_cost

    def run(frame: Frame) -> Value:
        return _costed(frame, call, counted, [argument(frame) for argument in arguments])

    return run


def _evaluated(frame: Frame, arguments: Sequence[Evaluate], cost: RuntimeCost) -> list[Value]:
    """Return the values of *arguments*; if only the last one fails, count the call's cost."""
    values: list[Value] = []
    for argument in arguments:
        try:
            values.append(argument(frame))
        except EvaluationError as error:
            if len(values) + 1 == len(arguments):
                frame.spend(cost([*values, error], error))
            raise
    return values


def unit_cost(_arguments: Sequence[Value], _result: Value) -> int:
    """Return 1, the default cost of a call."""
    return 1


def _costed(frame: Frame, call: Implementation, cost: RuntimeCost, values: Sequence[Value]) -> Value:
    """Call a function and count its cost, even if it fails."""
    if values and isinstance(values[0], list | ListValue) and len(values[0]) > _LONG:
        _check_before(frame, cost, values)
    try:
        result = call(*values)
    except EvaluationError as error:
        frame.spend(cost(values, error))
        raise
    frame.spend(cost(values, result))
    return result


def _check_before(frame: Frame, cost: RuntimeCost, values: Sequence[Value]) -> None:
    """
    Raise CostLimitError before a call on a long list if its minimum cost exceeds the limit.

    cel-go checks after the call, but some calls take quadratic time. The minimum is the cost without a result.
    """
    least = frame.cost + cost(values, None)
    if least > frame.limit + _MARGIN:
        raise CostLimitError(least)


def outcome(evaluate: Evaluate, frame: Frame) -> Value | EvaluationError:
    """Return the value of an expression, or its EvaluationError."""
    try:
        return evaluate(frame)
    except EvaluationError as error:
        return error

"""
Calls: arguments, implementation and cost put together.

cel-go evaluates both operands of a binary call even if the first one is an error, and counts the call's cost all the same;
a call of more arguments ends with the first error, and costs nothing unless that was the last argument.

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
    """Return what calls a function of one argument."""
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
    """Return what calls a function of two arguments."""
    if cost is None:

        def simple(frame: Frame) -> Value:
            try:
                value = left(frame)
            except EvaluationError:
                outcome(right, frame)
                frame.cost += 1
                raise
            try:
                result = call(value, right(frame))
            except EvaluationError:
                frame.cost += 1
                raise
            frame.cost += 1
            return result

        return simple

    def run(frame: Frame) -> Value:
        try:
            value = left(frame)
        except EvaluationError as error:
            frame.spend(cost((error, outcome(right, frame)), error))
            raise
        try:
            other = right(frame)
        except EvaluationError as error:
            frame.spend(cost((value, error), error))
            raise
        return _costed(frame, call, cost, (value, other))

    return run


def variadic(arguments: Sequence[Evaluate], call: Implementation, cost: RuntimeCost | None) -> Evaluate:
    """Return what calls a function of any number of arguments, and does not if one of them is an error."""
    if cost is None:

        def simple(frame: Frame) -> Value:
            values = _evaluated(frame, arguments, one)
            frame.cost += 1
            return call(*values)

        return simple

    def run(frame: Frame) -> Value:
        return _costed(frame, call, cost, _evaluated(frame, arguments, cost))

    return run


def _evaluated(frame: Frame, arguments: Sequence[Evaluate], cost: RuntimeCost) -> list[Value]:
    """Return the values of *arguments*; where the last one is an error, and only then, the call's cost counts all the same."""
    values: list[Value] = []
    for argument in arguments:
        try:
            values.append(argument(frame))
        except EvaluationError as error:
            if len(values) + 1 == len(arguments):
                frame.spend(cost([*values, error], error))
            raise
    return values


def one(_arguments: Sequence[Value], _result: Value) -> int:
    """Return 1, what a call costs unless something else is said."""
    return 1


def _costed(frame: Frame, call: Implementation, cost: RuntimeCost, values: Sequence[Value]) -> Value:
    """Call a function and count what that costs, whether it succeeds or not."""
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
    End before a call on a long list that costs too much in any case: some take as long as the square of the length.

    The reference ends after it. What the call costs is not known yet where that depends on the result, but not less than this.
    """
    least = frame.cost + cost(values, None)
    if least > frame.limit + _MARGIN:
        raise CostLimitError(least)


def outcome(evaluate: Evaluate, frame: Frame) -> Value | EvaluationError:
    """Return the value, or the error that there is instead of one."""
    try:
        return evaluate(frame)
    except EvaluationError as error:
        return error

"""
Lists as sets: cel-go's extension `sets`.

Reference:
    cel-go ext/sets.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.types.celtypes import BOOL, list_of, parameter
from pytest_crd.engine.cel.types.costs import Argument, CallEstimate, EstimateContext
from pytest_crd.engine.cel.types.functions import Function, Library, Overload
from pytest_crd.engine.cel.values import equality
from pytest_crd.engine.cel.values.celvalues import Value

_LIST: Final = list_of(parameter("T"))


def library() -> Library:
    """Return the sets library."""
    return Library("sets", _FUNCTIONS)


def _contains(values: Any, part: Any) -> bool:
    return all(equality.contains(values, element) for element in part)


def _equivalent(left: Any, right: Any) -> bool:
    return _contains(left, right) and _contains(right, left)


def _intersects(left: Any, right: Any) -> bool:
    return any(_is_in(right, element) for element in left)


def _is_in(values: Any, element: Value) -> bool:
    """Return whether *element* is in *values*; False if it cannot be compared."""
    try:
        return equality.contains(values, element)
    except EvaluationError:
        return False


def _function(name: str, call: Callable[[Any, Any], bool], factor: int) -> Function:
    """Return a function that compares all pairs of elements of two lists *factor* times."""

    def cost(arguments: Sequence[Value], _result: Value) -> int:
        return 1 + costing.counted(arguments[0]) * costing.counted(arguments[1]) * factor

    def estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
        pairs = context.size(arguments[0]) * context.size(arguments[1])
        return CallEstimate(pairs.cost(factor) + costing.ONE)

    overload = Overload(f"list_sets_{name}_list", (_LIST, _LIST), BOOL, call, cost=cost, estimate=estimate)
    return Function(f"sets.{name}", (overload,))


_FUNCTIONS: Final = (
    _function("contains", _contains, 1),
    _function("equivalent", _equivalent, 2),
    _function("intersects", _intersects, 1),
)

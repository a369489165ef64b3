"""
Costs and estimates shared by several libraries.

A traversal costs a tenth of the number of characters, rounded up.

Reference:
    k8s.io/apiserver pkg/cel/library/cost.go; cel-go ext/costs.go; interpreter/runtimecost.go, costCall;
    checker/cost.go, functionCost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from pytest_crd.engine.cel.errors import EvaluationError
from pytest_crd.engine.cel.types.costs import (
    REGEX_LENGTH,
    STRING_TRAVERSAL,
    Argument,
    CallEstimate,
    CostEstimate,
    EstimateContext,
    SizeEstimate,
    fixed_cost,
)
from pytest_crd.engine.cel.types.functions import Estimate, RuntimeCost
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.cel.values.celvalues import Optional, Value, find, is_list, is_map, size

LIST_COST: Final = 10
"""Cost of creating a list."""
ONE: Final = fixed_cost(1)


def counted(value: Value) -> int:
    """Return the size of *value*, or 1 for values without size."""
    length = size(value)
    return 1 if length is None else length


def counted_inside(value: Value) -> int:
    """Return the size of *value*, or of the value in an optional; 1 for values without size."""
    while isinstance(value, Optional) and value.has_value:
        try:
            value = value.value
        except EvaluationError:  # the value is an error
            return 1
    return counted(value)


def units(length: float, factor: float = STRING_TRAVERSAL) -> int:
    """Return the cost of reading *length* characters."""
    return math.ceil(length * factor)


def unit_cost(_arguments: Sequence[Value], _result: Value) -> int:
    """Return 1; as an explicit cost it also applies to overloads selected at run time."""
    return 1


def traversal(index: int = 0, times: int = 1) -> RuntimeCost:
    """Return the cost function of reading the argument at *index* several times."""
    return lambda arguments, _result: units(counted(arguments[index]) * times)


def result_traversal(times: int) -> RuntimeCost:
    """Return the cost function of reading the result several times."""
    return lambda _arguments, result: units(counted(result) * times)


def matching(arguments: Sequence[Value], _result: Value) -> int:
    """Return the cost of matching a text, the first argument, with a pattern, the second."""
    return units(1.0 + counted(arguments[0])) * units(counted(arguments[1]), REGEX_LENGTH)


def search(arguments: Sequence[Value], _result: Value) -> int:
    """Return the cost of searching a text, the first argument, for another text."""
    return units(counted(arguments[0])) * units(counted(arguments[1]))


def comparison(arguments: Sequence[Value], _result: Value) -> int:
    """Return the cost of comparing two texts."""
    return units(min(counted(arguments[0]), counted(arguments[1])))


def sum_of_both(arguments: Sequence[Value], _result: Value) -> int:
    """Return the cost of reading two texts."""
    return units(counted(arguments[0]) + counted(arguments[1]))


_UNREAD: Final = frozenset({int, float, bool})


def whole_traversal(value: Value) -> int:
    """Return the cost of reading *value* with all its parts; texts count in bytes and are rounded down."""
    if isinstance(value, str):
        return int(len(value.encode("utf-8", "surrogatepass")) * STRING_TRAVERSAL)
    if isinstance(value, bytes):
        return int(len(value) * STRING_TRAVERSAL)
    if is_list(value):
        unread = _UNREAD.issuperset(map(type, workload.visit(value)))
        return len(value) if unread else sum(map(whole_traversal, value))
    if is_map(value):
        return sum(whole_traversal(key) + whole_traversal(find(value, key)) for key in workload.visit(value))
    return 1


# Estimates


def estimate_one(_context: EstimateContext, _arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate cost 1."""
    return CallEstimate(ONE)


def estimate_traversal(index: int = 0, times: float = 1, *, keeps_size: bool = False) -> Estimate:
    """Return the estimate of reading an argument several times; with *keeps_size*, the result has its size."""

    def estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
        length = context.size(arguments[index])
        return CallEstimate(length.cost(times * STRING_TRAVERSAL), length if keeps_size else None)

    return estimate


def estimate_reading(index: int) -> Estimate:
    """Return the estimate of reading an argument once in a function of CEL itself."""
    return lambda context, arguments: CallEstimate(context.scaled(context.size(arguments[index]), STRING_TRAVERSAL))


def estimate_matching(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate matching a text with a pattern."""
    text = context.scaled(context.size(arguments[0]) + SizeEstimate(1, 1), STRING_TRAVERSAL)
    return CallEstimate(text * context.scaled(context.size(arguments[1]), REGEX_LENGTH))


def estimate_search(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate searching a text for another text."""
    text, part = (context.scaled(context.size(argument), STRING_TRAVERSAL) for argument in arguments)
    return CallEstimate(text * part)


def estimate_comparison(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate a comparison: at least 1 unless a value is empty, at most a tenth of the smaller size."""
    smallest = min(context.size(arguments[0]).max, context.size(arguments[1]).max)
    return CallEstimate(CostEstimate(min(1, smallest), smallest).times(STRING_TRAVERSAL))


def estimate_sum(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate concatenating two texts."""
    length = context.size(arguments[0]) + context.size(arguments[1])
    return CallEstimate(context.scaled(length, STRING_TRAVERSAL), length)

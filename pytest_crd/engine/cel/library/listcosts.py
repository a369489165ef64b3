"""
Costs of list functions.

Reference:
    k8s.io/apiserver pkg/cel/library/cost.go, the case "isSorted"; cel-go ext/lists.go, ext/costs.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_crd.engine.cel.errors import EvaluationError, InternalError
from pytest_crd.engine.cel.library import costing
from pytest_crd.engine.cel.run.qualifiers import go_type
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.types.celtypes import BYTES, DYN, STRING, Type
from pytest_crd.engine.cel.types.costs import (
    MAX,
    STRING_TRAVERSAL,
    Argument,
    CallEstimate,
    EstimateContext,
    SizeEstimate,
    fixed_cost,
    fixed_size,
)
from pytest_crd.engine.cel.types.functions import Estimate, RuntimeCost
from pytest_crd.engine.cel.values.celvalues import Duration, Timestamp, UInt, Value, is_list

_TEXTS = (STRING, BYTES)


def literal(argument: Argument) -> Any:
    """Return the value of *argument* if its expression is a literal, else None."""
    return argument.node.value if isinstance(argument.node, ast.Constant) else None


def read_all(arguments: Sequence[Value], _result: Value) -> int:
    """Return the cost of reading the first argument completely."""
    return costing.whole_traversal(arguments[0])


def estimate_each(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate reading each item of a list, or reading a string."""
    length = context.size(arguments[0])
    items = context.items(arguments[0])
    if items is None:
        return CallEstimate(length.cost(STRING_TRAVERSAL))
    each = costing.ONE
    if items.type in _TEXTS:
        each += context.size(items).cost(STRING_TRAVERSAL)
    return CallEstimate(length.cost_of_each(each))


def estimate_each_item(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate reading each item of a list; for another type, cost 1 per unit of its size."""
    if context.items(arguments[0]) is None:
        return CallEstimate(context.size(arguments[0]).cost_of_each(costing.ONE))
    return estimate_each(context, arguments)


def allocation(factor: float, size: int) -> int:
    """Return the cost of a call that creates a list, with *factor* per unit of *size*."""
    return min(int(float(size) * (factor if factor >= 0 else 1.0)), MAX) + 1 + costing.LIST_COST


def result_cost(_arguments: Sequence[Value], result: Value) -> int:
    """Return the cost of creating the resulting list."""
    return allocation(1, costing.counted(result))


def result_cost_of_none(_arguments: Sequence[Value], result: Value) -> int:
    """Return the cost of creating the resulting list, which is empty if the call fails."""
    return allocation(1, 0 if isinstance(result, EvaluationError) else costing.counted(result))


def flattening_cost_of_any(arguments: Sequence[Value], _result: Value) -> int:
    """Return the cost of flattening a list; a depth of another type counts as 1, and a negative one as 0."""
    depth = arguments[1] if len(arguments) > 1 else 1
    return allocation(max(depth, 0) if type(depth) is int else 1, costing.counted(arguments[0]))


def _depth(arguments: Sequence[Value]) -> int:
    depth = arguments[1] if len(arguments) > 1 else 1
    if type(depth) is not int:
        raise InternalError(f"internal error: interface conversion: ref.Val is {go_type(depth)}, not types.Int")
    return depth


def flattening_cost(arguments: Sequence[Value], _result: Value) -> int:
    """Return the cost of flattening a list, from its size and the depth."""
    return allocation(float(_depth(arguments)), costing.counted(arguments[0]))


def flattening_cost_unbounded(arguments: Sequence[Value], result: Value) -> int:
    """Return the cost of flattening a list; for a negative depth, the product wraps around in uint64."""
    depth = _depth(arguments)
    if depth >= 0:
        return flattening_cost(arguments, result)
    return (int(float(depth) * costing.counted(arguments[0])) + 1 + costing.LIST_COST) % (MAX + 1)


def no_lister(value: Value) -> InternalError:
    """Return the failure of the server's interpreter, which assumes that *value* is a list."""
    can_add = isinstance(value, int | UInt | float | str | bytes | Duration | Timestamp) and not isinstance(value, bool)
    missing = "Contains" if can_add else "Add"
    return InternalError(
        f"internal error: interface conversion: {go_type(value)} is not traits.Lister: missing method {missing}"
    )


def pairs_cost(index: int) -> RuntimeCost:
    """Return the cost function of comparing all pairs of items in the list argument at *index*."""

    def cost(arguments: Sequence[Value], _result: Value) -> int:
        values = arguments[index]
        if not is_list(values):
            raise no_lister(values)
        length = costing.counted(values)
        if length == 0:
            return allocation(2, 0)
        texts = isinstance(values[0], str | bytes)
        return allocation(2 + STRING_TRAVERSAL if texts else 2, length * length)

    return cost


def estimate_allocation(factor: float, size: SizeEstimate) -> CallEstimate:
    """Estimate a call that creates a list of *size*."""
    return CallEstimate(size.cost(factor) + costing.ONE + fixed_cost(costing.LIST_COST), size)


def number(argument: Argument, otherwise: int) -> int:
    """Return the value of a literal int, at least 0, or *otherwise* if it is not a literal int."""
    value = literal(argument)
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else otherwise


def estimate_slice(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate `slice`."""
    end = number(arguments[2], context.size(arguments[0]).max)
    return estimate_allocation(1, fixed_size((end - number(arguments[1], 0)) & MAX))


def estimate_range(_context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate `lists.range`."""
    return estimate_allocation(1, fixed_size(number(arguments[0], MAX)))


def estimate_copy(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate a copy of the first argument."""
    return estimate_allocation(1, context.size(arguments[0]))


def estimate_flattening(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate `flatten`."""
    depth = number(arguments[1], MAX) if len(arguments) > 1 else 1
    return estimate_allocation(float(depth), context.size(arguments[0]))


def estimate_distinct(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate comparing all pairs of items."""
    size = context.size(arguments[0])
    return estimate_allocation(2, size * size)


def estimate_distinct_by_type(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate comparing all pairs of items, which costs more for texts."""
    items = context.items(arguments[0])
    return estimate_sorting(0, items.type if items else DYN)(context, arguments)


def estimate_flattening_of_any(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
    """Estimate `flatten`; a negative depth counts as an unknown one."""
    depth = literal(arguments[1]) if len(arguments) > 1 else 1
    is_known = isinstance(depth, int) and not isinstance(depth, bool) and depth >= 0
    return estimate_allocation(float(depth if is_known else MAX), context.size(arguments[0]))


def estimate_sorting(index: int, items: Type) -> Estimate:
    """Return the estimate of sorting by the list argument at *index* with items of type *items*."""
    factor = 2 + STRING_TRAVERSAL if items in _TEXTS else 2.0

    def estimate(context: EstimateContext, arguments: Sequence[Argument]) -> CallEstimate:
        size = context.size(arguments[index])
        return estimate_allocation(factor, size * size)

    return estimate

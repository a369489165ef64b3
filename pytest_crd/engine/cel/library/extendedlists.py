"""
List functions: cel-go's extension `lists`, version 3.

Reference:
    cel-go ext/lists.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_crd.engine.cel.dialect import Dialect
from pytest_crd.engine.cel.errors import EvaluationError, UnsupportedExpressionError
from pytest_crd.engine.cel.library import arithmetic, listcosts
from pytest_crd.engine.cel.library.kuberneteslists import COMPARABLE_TYPES, order
from pytest_crd.engine.cel.text import ast, macros
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.text.macros import Expansion, Macro, MacroError
from pytest_crd.engine.cel.types.celtypes import DYN, INT, Type, list_of, parameter
from pytest_crd.engine.cel.types.functions import Function, Implementation, Library, Overload, RuntimeCost
from pytest_crd.engine.cel.values import display, equality, workload
from pytest_crd.engine.cel.values.celvalues import TypeValue, Value, is_list, type_name
from pytest_crd.engine.golang import sorting

_LIST: Final = list_of(parameter("T"))
_LONGEST_RANGE: Final = 1_000_000
# The server has no such limit; it works until its memory is full.
_MOST_ELEMENTS: Final = 20_000_000


def library(dialect: Dialect) -> Library:
    """Return the lists library."""
    longest = _LONGEST_RANGE if dialect.bounds_ranges else None
    cost = listcosts.flattening_cost if dialect.bounds_ranges else listcosts.flattening_cost_unbounded
    sort_by = Macro("sortBy", 2, is_member=True, expand=_expand_sort_by)
    functions = (*_EXTENSION, _flatten_function(cost), _range_function(longest))
    return Library("lists", tuple(map(_recost, functions)) if dialect.bounds_results else functions, (sort_by,))


def _recost(function: Function) -> Function:
    """Return a function with the costs of cel-go 0.33."""
    changes = _LATER_COSTS.get(function.name)
    if changes is None:
        return function
    return Function(function.name, tuple(replace(overload, **changes) for overload in function.overloads))


_CREATES: Final = {"cost": listcosts.result_cost_of_none}
_LATER_COSTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "slice": _CREATES,
    "reverse": _CREATES,
    "lists.range": _CREATES,
    "distinct": {"estimate": listcosts.estimate_distinct_by_type},
    "flatten": {
        "cost": listcosts.flattening_cost_of_any,
        "estimate": listcosts.estimate_flattening_of_any,
    },
}


def _slice(values: Any, start: int, end: int) -> list[Value]:
    if start < 0 or end < 0:
        raise EvaluationError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise EvaluationError(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(values) < end:
        raise EvaluationError(f"cannot slice({start}, {end}), list is length {len(values)}")
    return [values[index] for index in range(start, end)]


def _flatten(values: Any, *depths: Any) -> list[Value]:
    if not is_list(values) or any(type(depth) is not int for depth in depths):
        types = [display.show(TypeValue(type_name(value))) for value in (values, *depths)]
        raise EvaluationError(f"no such overload: {types[0]}.flatten({', '.join(types[1:])})")
    return _flattened(values, depths[0] if depths else 1)


def _flattened(values: Any, depth: int) -> list[Value]:
    if depth < 0:
        raise EvaluationError("level must be non-negative")
    count = sum(len(value) for value in values if is_list(value)) if depth else 0
    if count > _MOST_ELEMENTS:
        raise UnsupportedExpressionError(f"lists of {count} elements")
    result: list[Value] = []
    for value in workload.visit(values):
        if depth > 0 and is_list(value):
            result += _flattened(value, depth - 1)
        else:
            result.append(value)
    return result


def _sort(values: Any) -> Value:
    if not is_list(values):
        raise arithmetic.no_overload("sort", values)
    return _sort_by(values, values)


def _sort_by(values: Any, keys: Any) -> Value:
    """Return *values* in the order of their *keys*; raise EvaluationError if the keys cannot be ordered."""
    if not is_list(values):
        raise arithmetic.no_overload("@sortByAssociatedKeys", values)
    if not len(values):
        return values
    first = keys[0]
    if not isinstance(first, arithmetic.COMPARABLE):
        raise EvaluationError("list elements must be comparable")
    name = type_name(first)
    if len(keys) > 1 and any(type_name(key) != name for key in keys):
        raise EvaluationError("list elements must have the same type")
    indices = sorting.sort(range(len(keys)), lambda left, right: order(keys[left], keys[right]) < 0)
    return [values[index] for index in indices]


_SORTED: Final = "@__sortBy_input__"


def _expand_sort_by(new: Expansion, target: Node | None, arguments: Sequence[Node]) -> Node:
    """Expand `list.sortBy(element, key)`: bind the list to a name, and sort it by the keys from `map`."""
    if target is None or not isinstance(
        target, ast.ListLiteral | ast.Select | ast.Identifier | ast.Comprehension | ast.Call
    ):
        problem = "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        raise MacroError(target or arguments[0], problem)
    input_ = ast.Identifier(new.new_id(), _SORTED)
    keys = _MAP_MACRO.expand(new, new.copy(input_), arguments)
    sorted_ = ast.Call(new.new_id(), "@sortByAssociatedKeys", new.copy(input_), (keys,))
    empty_list, false = ast.ListLiteral(new.new_id(), ()), ast.Constant(new.new_id(), value=False)
    return ast.Comprehension(new.new_id(), empty_list, "#unused", None, _SORTED, target, false, input_, sorted_)


_MAP_MACRO: Final = next(macro for macro in macros.STANDARD if macro.name == "map" and macro.argument_count == 2)


def _reverse(values: Any) -> list[Value]:
    return [values[index] for index in reversed(range(len(values)))]


def _distinct(values: Any) -> Value:
    unique: list[Value] = []
    for value in values:
        if not any(equality.is_equal(value, earlier) for earlier in unique):
            unique.append(value)
    return unique


def _range_function(longest: int | None) -> Function:
    def numbers(count: int) -> list[int]:
        if longest is not None and count < 0:
            raise EvaluationError(f"lists.range: size must be non-negative, got {count}")
        if longest is not None and count > longest:
            raise EvaluationError(f"lists.range: size {count} exceeds maximum allowed ({longest})")
        return list(range(count))

    overload = Overload(
        "lists_range", (INT,), list_of(INT), numbers, cost=listcosts.result_cost, estimate=listcosts.estimate_range
    )
    return Function("lists.range", (overload,))


def _flatten_function(cost: RuntimeCost) -> Function:
    overloads = (
        Overload(
            id_,
            parameters,
            result,
            _flatten,
            is_member=True,
            cost=cost,
            estimate=listcosts.estimate_flattening,
            guarded=False,
        )
        for id_, parameters, result in (
            ("list_flatten", (list_of(_LIST),), _LIST),
            ("list_flatten_int", (list_of(DYN), INT), list_of(DYN)),
        )
    )
    return Function("flatten", tuple(overloads))


def _sorting(
    name: str, id_: str, call: Implementation, parameters: Callable[[Type], Sequence[Type]], index: int
) -> Function:
    """Return a function that sorts by the list argument at *index*."""
    overloads = (
        Overload(
            id_.format(type_.name),
            tuple(parameters(type_)),
            parameters(type_)[0],
            call,
            is_member=True,
            cost=listcosts.pairs_cost(index),
            estimate=listcosts.estimate_sorting(index, type_),
            guarded=False,
        )
        for _, type_ in COMPARABLE_TYPES
    )
    return Function(name, tuple(overloads))


_EXTENSION: Final = (
    Function(
        "slice",
        (
            Overload(
                "list_slice",
                (_LIST, INT, INT),
                _LIST,
                _slice,
                is_member=True,
                cost=listcosts.result_cost,
                estimate=listcosts.estimate_slice,
            ),
        ),
    ),
    _sorting("sort", "list_{}_sort", _sort, lambda type_: [list_of(type_)], 0),
    _sorting(
        "@sortByAssociatedKeys", "list_{}_sortByAssociatedKeys", _sort_by, lambda type_: [_LIST, list_of(type_)], 1
    ),
    Function(
        "reverse",
        (
            Overload(
                "list_reverse",
                (_LIST,),
                _LIST,
                _reverse,
                is_member=True,
                cost=listcosts.result_cost,
                estimate=listcosts.estimate_copy,
            ),
        ),
    ),
    Function(
        "distinct",
        (
            Overload(
                "list_distinct",
                (_LIST,),
                _LIST,
                _distinct,
                is_member=True,
                cost=listcosts.pairs_cost(0),
                estimate=listcosts.estimate_distinct,
            ),
        ),
    ),
)

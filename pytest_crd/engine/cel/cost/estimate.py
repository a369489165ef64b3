"""
Minimum and maximum cost of an expression, estimated from the sizes of its variables.

Reference:
    cel-go checker/cost.go, coster; common/cost.go; v0.22.0 checker/cost.go for older versions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel.cost import knownsizes
from pytest_crd.engine.cel.cost.knownsizes import (
    NOTHING,
    NOWHERE,
    SCALARS,
    CostPath,
    EntrySizes,
    KnownSizes,
    union_all,
    without_accumulator,
)
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.types.costs import (
    MAX,
    UNKNOWN_SIZE,
    Argument,
    CostEstimate,
    SizeEstimate,
    SizeProvider,
    fixed_size,
)
from pytest_crd.engine.cel.types.functions import Overload

_NAME: Final = (1, 1)
_LIST: Final = 10
_MAP: Final = 30
_STRUCT: Final = 40
_ADDITIONS: Final = frozenset({"add_string", "add_bytes", "add_list"})
_LOGICAL: Final = frozenset({"_&&_", "_||_"})
# Overloads of list functions with items of their first argument in their result.
_KEEPS_ITEMS: Final = (
    "list_slice",
    "list_reverse",
    "list_distinct",
    "list_flatten",
    *(
        f"list_{name}_sort"
        for name in (
            "int",
            "uint",
            "double",
            "bool",
            "google.protobuf.Duration",
            "google.protobuf.Timestamp",
            "string",
            "bytes",
        )
    ),
)
_INDICES: Final = {"index_list": "@items", "index_map": "@values"}

# Minimum and maximum cost.
Cost: TypeAlias = tuple[int, int]


class Estimator(KnownSizes):
    """Cost estimator of one expression."""

    _sees_through_dyn = True

    def __init__(self, checked: CheckedExpression, sizes: SizeProvider) -> None:
        """Create an estimator of *checked* for variables with *sizes*."""
        super().__init__(checked, sizes)
        self._charges_untyped_fields = checked.dialect.charges_untyped_fields
        self._costs: dict[type, Callable[[Any], Cost]] = {
            ast.Constant: self._constant,
            ast.Identifier: self._identifier,
            ast.Select: self._select,
            ast.Call: self._call,
            ast.ListLiteral: self._list,
            ast.MapLiteral: self._map,
            ast.StructLiteral: self._struct,
            ast.Comprehension: self._comprehension,
        }

    def estimate(self, node: Node) -> CostEstimate:
        """Return the cost of *node*."""
        return CostEstimate(*self.cost(node))

    def cost(self, node: Node) -> Cost:
        """Return the minimum and maximum cost of *node*."""
        return self._costs[type(node)](node)

    # Names and fields

    def _constant(self, _: ast.Constant) -> Cost:
        return 0, 0

    def _identifier(self, node: ast.Identifier) -> Cost:
        self._name(node.id, self._references[node.id].name)
        return _NAME

    def _select(self, node: ast.Select) -> Cost:
        reference = self._references.get(node.id)
        if reference is not None:
            self._name(node.id, reference.name)
            return _NAME
        least, most = self.cost(node.operand)
        if node.test_only:
            return least, most
        self._paths[node.id] = self._path(node.operand).append(node.field)
        if self._charges_untyped_fields or self._types[node.operand.id].kind in {TypeKind.MAP, TypeKind.STRUCT}:
            return add_costs((least, most), _NAME)
        return least, most

    # Calls

    def _call(self, node: ast.Call) -> Cost:
        reference = self._references[node.id]
        if reference.name == "dyn" and self._sees_through_dyn:
            return self._dyn(node)
        nodes: tuple[Node, ...] = node.arguments
        costs: list[Cost] = []
        arguments: list[Argument] = []
        for argument in nodes:
            costs.append(self.cost(argument))
            arguments.append(self._argument(argument))
        if node.target is not None and reference.name == node.function:
            costs.append(self.cost(node.target))
            arguments.insert(0, self._argument(node.target))
        if reference.name in _LOGICAL:
            return self._logical(costs)
        if reference.name == "_?_:_":
            return self._conditional(node, costs, arguments)
        return sum_costs([self._overloads(node, reference.overloads, arguments), *costs])

    def _overloads(self, node: ast.Call, overloads: tuple[Overload, ...], arguments: list[Argument]) -> Cost:
        """Return the range of the costs of *overloads* without arguments, and store the size of the result."""
        least, most, size = MAX, 0, None
        for overload in overloads:
            own, result_size = self._overload(node, overload, arguments)
            least, most = min(least, own[0]), max(most, own[1])
            if result_size is not None:
                size = result_size if size is None else size.union(result_size)
            if overload.id in _INDICES:
                size = self._index(node, _INDICES[overload.id])
            if size is None:
                size = self._result_size(node)
        if size is not None:
            self._sizes[node.id] = size
        return least, most

    def _result_size(self, node: Node) -> SizeEstimate | None:
        """Return the size of a call's result if its overload does not estimate it."""
        return self._size_of(node)

    def _dyn(self, node: ast.Call) -> Cost:
        """Return the cost of `dyn(a)`, and copy the sizes of `a`."""
        argument = node.arguments[0]
        cost = add_costs(self.cost(argument), _NAME)
        self._copy_sizes(node, argument)
        return cost

    def _overload(
        self, node: ast.Call, overload: Overload, arguments: list[Argument]
    ) -> tuple[Cost, SizeEstimate | None]:
        """Return the cost of a call of *overload* without its arguments, and the size of its result if known."""
        if overload.id in _ADDITIONS:
            entries = self._union(self._entries_of(arguments[0].node), self._entries_of(arguments[1].node))
            if entries is not None:
                self._entries[node.id] = entries
        if self._bounds_results and overload.id.startswith(_KEEPS_ITEMS):
            self._copy_entries(node, arguments[0].node)
        if overload.estimate is None:
            return _NAME, None
        estimated = overload.estimate(self, arguments)
        return (estimated.cost.min, estimated.cost.max), estimated.result_size

    def _index(self, node: ast.Call, part: str) -> SizeEstimate | None:
        """Record the path of an element selected by index or key, and return its size if known."""
        container = node.arguments[0]
        path = self._path(container)
        if path.names or not self._bounds_results:
            self._paths[node.id] = path.append(part)
        if path.names and self._bounds_results:
            return None
        entries = self._entries_of(container)
        if entries is None or (self._bounds_results and entries.value is NOTHING):
            return None
        return entries.value

    def _logical(self, costs: list[Cost]) -> Cost:
        first, second = costs
        return first[0], min(first[1] + second[1], MAX)

    def _conditional(self, node: ast.Call, costs: list[Cost], arguments: list[Argument]) -> Cost:
        _, if_true, if_false = arguments
        entries = self._union(self._entries_of(if_true.node), self._entries_of(if_false.node))
        if entries is not None:
            self._entries[node.id] = entries
        self._sizes[node.id] = (if_true.size or UNKNOWN_SIZE).union(if_false.size or UNKNOWN_SIZE)
        condition, truthy, falsy = costs
        return add_costs(condition, (min(truthy[0], falsy[0]), max(truthy[1], falsy[1])))

    # Lists, maps, structs

    def _list(self, node: ast.ListLiteral) -> Cost:
        costs: list[Cost] = []
        sizes: list[SizeEstimate] = []
        for index, element in enumerate(node.elements):
            costs.append(self.cost(element))
            is_optional = self._bounds_results and index in node.optional_indices
            if (part := self._unwrap(element) if is_optional else element) is not None:
                sizes.append(self._size_of(part) or UNKNOWN_SIZE)
        self._entries[node.id] = EntrySizes(TypeKind.LIST, fixed_size(1), union_all(sizes))
        return sum_costs([(_LIST, _LIST), *costs])

    def _map(self, node: ast.MapLiteral) -> Cost:
        costs: list[Cost] = []
        keys: list[SizeEstimate] = []
        values: list[SizeEstimate] = []
        for entry in node.entries:
            costs.append(self.cost(entry.key))
            costs.append(self.cost(entry.value))
            keys.append(self._size_of(entry.key) or UNKNOWN_SIZE)
            values.append(self._size_of(entry.value) or UNKNOWN_SIZE)
        self._entries[node.id] = EntrySizes(TypeKind.MAP, union_all(keys), union_all(values))
        return sum_costs([(_MAP, _MAP), *costs])

    def _struct(self, node: ast.StructLiteral) -> Cost:
        return sum_costs([(_STRUCT, _STRUCT), *[self.cost(field.value) for field in node.fields]])

    # Comprehensions

    def _comprehension(self, node: ast.Comprehension) -> Cost:
        if _is_binding(node):
            return self._binding(node)
        costs = [self.cost(node.range), self.cost(node.init)]
        self._push(node.accumulator, self._bound(node.init))
        names = self._push_loop(node)
        loop = add_costs(self.cost(node.condition), self.cost(node.step))
        for name in names:
            self._variables[name].pop()
        costs.append(self.cost(node.result))
        self._variables[node.accumulator].pop()
        count = self._size_of(node.range) or UNKNOWN_SIZE
        costs.append((min(count.min * loop[0], MAX), min(count.max * loop[1], MAX)))
        if isinstance(node.init, ast.Constant):
            self._sizes[node.id] = self._size_of(node.init) or UNKNOWN_SIZE
        elif isinstance(node.init, ast.ListLiteral | ast.MapLiteral):
            may_omit = self._bounds_results and isinstance(node.step, ast.Call) and node.step.function == "_?_:_"
            self._sizes[node.id] = SizeEstimate(0, count.max) if may_omit else count
            entries = self._entries_of(node.step)
            if entries is not None:
                self._entries[node.id] = entries
        return sum_costs(costs)

    def _binding(self, node: ast.Comprehension) -> Cost:
        """Return the cost of a comprehension that only binds a name to a value."""
        costs = [self.cost(node.range), self.cost(node.init)]
        self._push(node.accumulator, self._bound(node.init))
        costs.append(self.cost(node.result))
        self._variables[node.accumulator].pop()
        self._copy_sizes(node, node.result)
        return sum_costs(costs)


def add_costs(left: Cost, right: Cost) -> Cost:
    """Return the sum of two costs."""
    return min(left[0] + right[0], MAX), min(left[1] + right[1], MAX)


def sum_costs(costs: list[Cost]) -> Cost:
    """Return the sum of *costs*."""
    return min(sum([cost[0] for cost in costs]), MAX), min(sum([cost[1] for cost in costs]), MAX)


def _is_binding(node: ast.Comprehension) -> bool:
    return (
        isinstance(node.range, ast.ListLiteral)
        and not node.range.elements
        and isinstance(node.condition, ast.Constant)
        and node.condition.value is False
        and node.accumulator != "__result__"
    )


class EarlierEstimator(Estimator):
    """Cost estimator of one expression as in cel-go 0.22, which does not track sizes of entries of literals and comprehensions."""

    _sees_through_dyn = False

    def __init__(self, checked: CheckedExpression, sizes: SizeProvider) -> None:
        """Create an estimator of *checked* for variables with *sizes*."""
        super().__init__(checked, sizes)
        self._ranges: dict[str, list[Node]] = {}

    def _name(self, node_id: int, name: str) -> None:
        ranges = self._ranges.get(name)
        if not ranges:
            self._paths[node_id] = knownsizes.find_variable(name)
            return
        kind = self._types[ranges[-1].id].kind
        if kind in {TypeKind.LIST, TypeKind.MAP}:
            self._paths[node_id] = self._path(ranges[-1]).append("@items" if kind is TypeKind.LIST else "@keys")

    def _path(self, node: Node) -> CostPath:
        return self._paths.get(node.id, NOWHERE)

    def _sized_path(self, node: Node) -> tuple[str, ...]:
        return without_accumulator(self._path(node).names)

    def _is_scalar(self, type_: Type) -> bool:
        return type_.kind in SCALARS

    def _result_size(self, node: Node) -> SizeEstimate | None:  # noqa: ARG002 - not tracked
        return None

    def _entries_of(self, node: Node) -> None:  # noqa: ARG002 - not tracked
        return None

    def _comprehension(self, node: ast.Comprehension) -> Cost:
        costs = [self.cost(node.range), self.cost(node.init)]
        ranges = self._ranges.setdefault(node.variable, [])
        ranges.append(node.range)
        loop = add_costs(self.cost(node.condition), self.cost(node.step))
        ranges.pop()
        costs.append(self.cost(node.result))
        count = self._size_of(node.range) or UNKNOWN_SIZE
        self._sizes[node.id] = count
        costs.append((min(count.min * loop[0], MAX), min(count.max * loop[1], MAX)))
        return sum_costs(costs)

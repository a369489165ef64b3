"""
What an expression will cost at least and at most, told from the sizes that its variables may have.

Reference:
    cel-go checker/cost.go, coster; common/cost.go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pytest_crd.engine.cel import ast, paths, types
from pytest_crd.engine.cel.ast import Node
from pytest_crd.engine.cel.checked import CheckedExpression
from pytest_crd.engine.cel.costs import (
    MAX,
    UNKNOWN_SIZE,
    Argument,
    CostEstimate,
    SizeEstimate,
    SizeProvider,
    fixed_size,
)
from pytest_crd.engine.cel.functions import Overload
from pytest_crd.engine.cel.paths import NOWHERE, Path
from pytest_crd.engine.cel.types import Kind, Type

_NAME: Final = (1, 1)
_LIST: Final = 10
_MAP: Final = 30
_STRUCT: Final = 40
SCALARS: Final = frozenset({Kind.BOOL, Kind.DOUBLE, Kind.DURATION, Kind.INT, Kind.TIMESTAMP, Kind.UINT})
_ADDITIONS: Final = frozenset({"add_string", "add_bytes", "add_list"})
_LOGICAL: Final = frozenset({"_&&_", "_||_"})
_INDICES: Final = {"index_list": "@items", "index_map": "@values"}

# The least and the greatest cost.
Cost: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Entries:
    """The sizes of a list's or map's entries, as far as an expression made it: of its keys or indices, and of its values."""

    kind: Kind
    key: SizeEstimate
    value: SizeEstimate


@dataclass(frozen=True, slots=True)
class _Variable:
    """A variable of a comprehension: the path that leads to it, its size, and those of its entries."""

    path: Path
    size: SizeEstimate | None
    entries: _Entries | None


class Estimator:
    """The estimator of one expression, which is the context of its functions' estimates."""

    _sees_through_dyn = True

    def __init__(self, checked: CheckedExpression, sizes: SizeProvider) -> None:
        """Estimate *checked*, whose variables have *sizes*."""
        self._types = checked.types
        self._references = checked.references
        self._provider = sizes
        self._paths: dict[int, Path] = {}
        self._sizes: dict[int, SizeEstimate] = {}
        self._entries: dict[int, _Entries] = {}
        self._variables: dict[str, list[_Variable]] = {}
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
        """Return what *node* costs."""
        return CostEstimate(*self.cost(node))

    def cost(self, node: Node) -> Cost:
        """Return what *node* costs at least and at most."""
        return self._costs[type(node)](node)

    # The context of functions' estimates

    def size(self, argument: Argument) -> SizeEstimate:
        """Return the size of *argument*."""
        if argument.size is not None:
            return argument.size
        return self._provider.size(argument.path, argument.type) or UNKNOWN_SIZE

    def items(self, argument: Argument) -> Argument | None:
        """Return the items of the list *argument*."""
        if not argument.type.parameters:
            return None
        path = without_accumulator(self._path(argument.node).names)  # as it is now, after all arguments
        path = (*path, "@items") if path else ()
        return Argument(path, argument.type.parameters[0], None, None)

    # Names and fields

    def _constant(self, _: ast.Constant) -> Cost:
        return 0, 0

    def _identifier(self, node: ast.Identifier) -> Cost:
        self._name(node.id, self._references[node.id].name)
        return _NAME

    def _name(self, node_id: int, name: str) -> None:
        variable = self._variable(name)
        self._paths[node_id] = variable.path if variable else paths.of_variable(name)

    def _variable(self, name: str) -> _Variable | None:
        stack = self._variables.get(name)
        return stack[-1] if stack else None

    def _select(self, node: ast.Select) -> Cost:
        reference = self._references.get(node.id)
        if reference is not None:
            self._name(node.id, reference.name)
            return _NAME
        least, most = self.cost(node.operand)
        if node.test_only:
            return least, most
        self._paths[node.id] = self._path(node.operand).append(node.field)
        if self._types[node.operand.id].kind in {Kind.MAP, Kind.STRUCT}:
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
        """Return what any of *overloads* costs without its arguments, and keep the size of the result."""
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
        """Return the size of a call's result of which the function says nothing."""
        return self._size_of(node)

    def _dyn(self, node: ast.Call) -> Cost:
        """Return the cost of `dyn(a)`, whose sizes are those of `a`."""
        argument = node.arguments[0]
        cost = add_costs(self.cost(argument), _NAME)
        self._copy_sizes(node, argument)
        return cost

    def _copy_sizes(self, node: Node, source: Node) -> None:
        size, entries = self._size_of(source), self._entries_of(source)
        if size is not None:
            self._sizes[node.id] = size
        if entries is not None:
            self._entries[node.id] = entries

    def _overload(
        self, node: ast.Call, overload: Overload, arguments: list[Argument]
    ) -> tuple[Cost, SizeEstimate | None]:
        """Return what a call of *overload* costs without its arguments, and the size of its result."""
        if overload.id in _ADDITIONS:
            entries = _union(self._entries_of(arguments[0].node), self._entries_of(arguments[1].node))
            if entries is not None:
                self._entries[node.id] = entries
        if overload.estimate is None:
            return _NAME, None
        estimated = overload.estimate(self, arguments)
        return (estimated.cost.min, estimated.cost.max), estimated.result_size

    def _index(self, node: ast.Call, part: str) -> SizeEstimate | None:
        """Return the size of an element that is asked for by its index or key."""
        container = node.arguments[0]
        self._paths[node.id] = self._path(container).append(part)
        entries = self._entries_of(container)
        return entries.value if entries else None

    def _logical(self, costs: list[Cost]) -> Cost:
        left, right = costs
        return left[0], min(left[1] + right[1], MAX)

    def _conditional(self, node: ast.Call, costs: list[Cost], arguments: list[Argument]) -> Cost:
        _, if_true, if_false = arguments
        entries = _union(self._entries_of(if_true.node), self._entries_of(if_false.node))
        if entries is not None:
            self._entries[node.id] = entries
        self._sizes[node.id] = (if_true.size or UNKNOWN_SIZE).union(if_false.size or UNKNOWN_SIZE)
        condition, one, other = costs
        return add_costs(condition, (min(one[0], other[0]), max(one[1], other[1])))

    # Lists, maps, structs

    def _list(self, node: ast.ListLiteral) -> Cost:
        costs: list[Cost] = []
        sizes: list[SizeEstimate] = []
        for element in node.elements:
            costs.append(self.cost(element))
            sizes.append(self._size_of(element) or UNKNOWN_SIZE)
        self._entries[node.id] = _Entries(Kind.LIST, fixed_size(1), _union_all(sizes))
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
        self._entries[node.id] = _Entries(Kind.MAP, _union_all(keys), _union_all(values))
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
            self._sizes[node.id] = count
            entries = self._entries_of(node.step)
            if entries is not None:
                self._entries[node.id] = entries
        return sum_costs(costs)

    def _binding(self, node: ast.Comprehension) -> Cost:
        """Return the cost of a comprehension that only gives a value a name."""
        costs = [self.cost(node.range), self.cost(node.init)]
        self._push(node.accumulator, self._bound(node.init))
        costs.append(self.cost(node.result))
        self._variables[node.accumulator].pop()
        self._copy_sizes(node, node.result)
        return sum_costs(costs)

    def _push(self, name: str, variable: _Variable) -> None:
        self._variables.setdefault(name, []).append(variable)

    def _bound(self, node: Node) -> _Variable:
        """Return the variable that stands for *node*."""
        return _Variable(self._path(node), self._size_of(node), self._entries_of(node))

    def _push_loop(self, node: ast.Comprehension) -> list[str]:
        """Add the variables of a loop, and return their names."""
        entries = self._entries_of(node.range)
        path = self._path(node.range)
        is_list = (entries.kind if entries else self._types[node.range.id].kind) is Kind.LIST
        if node.second_variable is None and is_list:
            self._push(node.variable, _Variable(path.append("@items"), entries.value if entries else None, None))
            return [node.variable]
        key = path.append("@indices" if is_list else "@keys")
        self._push(node.variable, _Variable(key, entries.key if entries else None, None))
        if node.second_variable is None:
            return [node.variable]
        value = path.append("@items" if is_list else "@values")
        self._push(node.second_variable, _Variable(value, entries.value if entries else None, None))
        return [node.variable, node.second_variable]

    # Sizes

    def _path(self, node: Node) -> Path:
        if isinstance(node, ast.Identifier):
            variable = self._variable(self._references[node.id].name)
            if variable is not None:
                return variable.path
        return self._paths.get(node.id, NOWHERE)

    def _sized_path(self, node: Node) -> tuple[str, ...]:
        """Return the path for which the size of *node* is asked."""
        return self._path(node).names

    def _is_scalar(self, type_: Type) -> bool:
        """Return whether all values of *type_* count as one."""
        if type_.kind is Kind.OPAQUE and type_.name == types.OPTIONAL_NAME:
            return self._is_scalar(type_.parameters[0])
        return type_.kind in SCALARS

    def _argument(self, node: Node) -> Argument:
        path = without_accumulator(self._path(node).names)
        return Argument(path, self._types[node.id], node, self._size_of(node))

    def _size_of(self, node: Node) -> SizeEstimate | None:
        """Return the size of *node*, as far as it is known."""
        size = self._sizes.get(node.id)
        if size is not None:
            return size
        size = _own_size(node)
        if size is not None:
            return size
        size = self._provider.size(self._sized_path(node), self._types[node.id])
        if size is not None:
            self._sizes[node.id] = size
            return size
        if self._is_scalar(self._types[node.id]):
            return _ONE
        variable = self._variable(self._references[node.id].name) if isinstance(node, ast.Identifier) else None
        return variable.size if variable else None

    def _entries_of(self, node: Node) -> _Entries | None:
        entries = self._entries.get(node.id)
        if entries is not None:
            return entries
        variable = self._variable(self._references[node.id].name) if isinstance(node, ast.Identifier) else None
        return variable.entries if variable else None


_ONE: Final = fixed_size(1)
_ACCUMULATORS: Final = frozenset({"__result__", "@result"})


def without_accumulator(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return *path*, or none where it leads from the accumulator of a macro."""
    return () if path and path[0] in _ACCUMULATORS else path


def add_costs(one: Cost, other: Cost) -> Cost:
    """Return the costs of both."""
    return min(one[0] + other[0], MAX), min(one[1] + other[1], MAX)


def sum_costs(costs: list[Cost]) -> Cost:
    """Return the costs of all."""
    return min(sum([cost[0] for cost in costs]), MAX), min(sum([cost[1] for cost in costs]), MAX)


def _union(one: _Entries | None, other: _Entries | None) -> _Entries | None:
    if one is None or other is None:
        return None
    return _Entries(one.kind, one.key.union(other.key), one.value.union(other.value))


def _union_all(sizes: list[SizeEstimate]) -> SizeEstimate:
    if not sizes:
        return SizeEstimate(0, 0)
    return SizeEstimate(min([size.min for size in sizes]), max([size.max for size in sizes]))


def _is_binding(node: ast.Comprehension) -> bool:
    return (
        isinstance(node.range, ast.ListLiteral)
        and not node.range.elements
        and isinstance(node.condition, ast.Constant)
        and node.condition.value is False
        and node.accumulator != "__result__"
    )


def _own_size(node: Node) -> SizeEstimate | None:
    """Return the size that a literal has."""
    if isinstance(node, ast.Constant):
        return fixed_size(len(node.value)) if isinstance(node.value, str | bytes) else _ONE
    if isinstance(node, ast.ListLiteral):
        return fixed_size(len(node.elements))
    if isinstance(node, ast.MapLiteral):
        return fixed_size(len(node.entries))
    return None

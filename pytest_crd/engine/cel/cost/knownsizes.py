"""
Known sizes of an expression's parts, for cost estimates.

Sizes of variables are looked up by their path; sizes of computed values follow from their operands.

cel-go stores paths in slices that share memory, so appending a name may overwrite the name of another path. For
example, a variable `k` over the keys of a map at a path of three names is estimated like a variable over the values,
because both paths end in the same slot. Estimates decide what the server refuses, so this module reproduces the
aliasing.

Reference:
    cel-go checker/cost.go, coster: computedSizes, computedEntrySizes, iterRanges, getPath, addPath; Go runtime/slice.go,
    growslice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.types import celtypes
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


@dataclass(frozen=True, slots=True, eq=False)
class CostPath:
    """
    Path from a variable to a part of its value.

    Attributes:
        room: The names and the spare capacity after them; other paths may share this list.
        length: The number of names that belong to this path.
    """

    room: list[str]
    length: int

    @property
    def names(self) -> tuple[str, ...]:
        """Current names of the path."""
        return tuple(self.room[: self.length])

    def append(self, name: str) -> CostPath:
        """Return this path extended by *name*; it shares the list if there is spare capacity."""
        if self.length < len(self.room):
            self.room[self.length] = name
            return CostPath(self.room, self.length + 1)
        room = [*self.room, name, *[""] * (len(self.room) - 1)]
        return CostPath(room, self.length + 1)


NOWHERE: Final = CostPath([], 0)
"""Path of values that are not part of a variable."""


def find_variable(name: str) -> CostPath:
    """Return the path of the variable *name*."""
    return CostPath([name], 1)


SCALARS: Final = frozenset(
    {TypeKind.BOOL, TypeKind.DOUBLE, TypeKind.DURATION, TypeKind.INT, TypeKind.TIMESTAMP, TypeKind.UINT}
)


@dataclass(frozen=True, slots=True)
class EntrySizes:
    """Sizes of the entries of a computed list or map: of keys or indices, and of values."""

    kind: TypeKind
    key: SizeEstimate
    value: SizeEstimate


@dataclass(frozen=True, slots=True)
class SizedVariable:
    """Variable of a comprehension with its path, its size and the sizes of its entries."""

    path: CostPath
    size: SizeEstimate | None
    entries: EntrySizes | None


class KnownSizes:
    """Known sizes in one expression; the context of the overloads' estimates."""

    def __init__(self, checked: CheckedExpression, sizes: SizeProvider) -> None:
        """Create with the *sizes* of the variables of *checked*."""
        self._types = checked.types
        self._references = checked.references
        self._provider = sizes
        self._paths: dict[int, CostPath] = {}
        self._sizes: dict[int, SizeEstimate] = {}
        self._entries: dict[int, EntrySizes] = {}
        self._variables: dict[str, list[SizedVariable]] = {}
        self._bounds_results = checked.dialect.bounds_results
        self._scalars = SCALARS | {TypeKind.TYPE} if checked.dialect.measures_types else SCALARS

    # Context of the overloads' estimates

    def size(self, argument: Argument) -> SizeEstimate:
        """Return the size of *argument*, UNKNOWN_SIZE if it is unknown."""
        if argument.size is not None:
            return argument.size
        return self._provider.size(argument.path, argument.type) or UNKNOWN_SIZE

    def scaled(self, size: SizeEstimate, factor: float) -> CostEstimate:
        """Return the cost of *size* at *factor* per unit; a cost of an unknown size stays unknown in newer dialects."""
        cost = size.cost(factor)
        return CostEstimate(cost.min, MAX) if self._bounds_results and size.max == MAX else cost

    def multiplied(self, size: int, factor: int) -> int:
        """Return *size* times *factor*, at most MAX; older dialects use the product that overflows."""
        return min(size * factor, MAX) if self._bounds_results else size * factor & MAX

    def rounded(self, size: int, divisor: int) -> int:
        """Return *size* divided by *divisor*, rounded up; older dialects round down."""
        return (size + divisor - 1) // divisor if self._bounds_results else size // divisor

    def items(self, argument: Argument) -> Argument | None:
        """Return the items of the list *argument*; None if its type has no parameters."""
        if not argument.type.parameters:
            return None
        path = without_accumulator(
            self._path(argument.node).names
        )  # read late: estimating later arguments may have changed it
        path = (*path, "@items") if path else ()
        return Argument(path, argument.type.parameters[0], None, None)

    # Names

    def _name(self, node_id: int, name: str) -> None:
        variable = self._variable(name)
        self._paths[node_id] = variable.path if variable else find_variable(name)

    def _variable(self, name: str) -> SizedVariable | None:
        stack = self._variables.get(name)
        return stack[-1] if stack else None

    def _push(self, name: str, variable: SizedVariable) -> None:
        self._variables.setdefault(name, []).append(variable)

    def _bound(self, node: Node) -> SizedVariable:
        """Return a variable with the path and sizes of *node*."""
        return SizedVariable(self._path(node), self._size_of(node), self._entries_of(node))

    def _push_loop(self, node: ast.Comprehension) -> list[str]:
        """Push the variables of a loop and return their names."""
        entries = self._entries_of(node.range)
        path = self._path(node.range)
        is_list = (entries.kind if entries else self._types[node.range.id].kind) is TypeKind.LIST
        if node.second_variable is None and is_list:
            self._push(node.variable, SizedVariable(path.append("@items"), entries.value if entries else None, None))
            return [node.variable]
        key = path.append("@indices" if is_list else "@keys")
        self._push(node.variable, SizedVariable(key, entries.key if entries else None, None))
        if node.second_variable is None:
            return [node.variable]
        value = path.append("@items" if is_list else "@values")
        self._push(node.second_variable, SizedVariable(value, entries.value if entries else None, None))
        return [node.variable, node.second_variable]

    # Sizes

    def _path(self, node: Node) -> CostPath:
        if isinstance(node, ast.Identifier):
            variable = self._variable(self._references[node.id].name)
            if variable is not None:
                return variable.path
        return self._paths.get(node.id, NOWHERE)

    def _sized_path(self, node: Node) -> tuple[str, ...]:
        """Return the path by which the size of *node* is looked up."""
        return self._path(node).names

    def _is_scalar(self, type_: Type) -> bool:
        """Return whether all values of *type_* have size 1."""
        if type_.kind is TypeKind.OPAQUE and type_.name == celtypes.OPTIONAL_NAME:
            return self._is_scalar(type_.parameters[0])
        return type_.kind in self._scalars

    def _argument(self, node: Node) -> Argument:
        path = without_accumulator(self._path(node).names)
        return Argument(path, self._types[node.id], node, self._size_of(node))

    def _size_of(self, node: Node) -> SizeEstimate | None:
        """Return the size of *node*, None if it is unknown."""
        size = self._sizes.get(node.id)
        if size is not None:
            return size
        size = _own_size(node)
        if size is not None:
            return self._without_omitted(node, size) if self._bounds_results else size
        size = self._provider.size(self._sized_path(node), self._types[node.id])
        if size is not None:
            self._sizes[node.id] = size
            return size
        if self._is_scalar(self._types[node.id]):
            return _ONE
        variable = self._variable(self._references[node.id].name) if isinstance(node, ast.Identifier) else None
        return variable.size if variable else None

    def _without_omitted(self, node: Node, size: SizeEstimate) -> SizeEstimate:
        """Return the *size* of a literal without its optional parts at least, and without `optional.none()` at most."""
        if isinstance(node, ast.ListLiteral):
            empty = sum(self._unwrap(node.elements[index]) is None for index in node.optional_indices)
            return SizeEstimate(size.min - len(node.optional_indices), size.max - empty)
        if isinstance(node, ast.MapLiteral):
            return SizeEstimate(size.min - sum(entry.optional for entry in node.entries), size.max)
        return size

    def _unwrap(self, node: Node) -> Node | None:
        """Return the expression in `optional.of(…)`, None for `optional.none()`, and *node* for any other optional."""
        name = self._references[node.id].name if isinstance(node, ast.Call) else ""
        if name == "optional.none":
            return None
        is_wrapped = isinstance(node, ast.Call) and name in {"optional.of", "optional.ofNonZeroValue"}
        return node.arguments[0] if isinstance(node, ast.Call) and is_wrapped else node

    def _entries_of(self, node: Node) -> EntrySizes | None:
        entries = self._entries.get(node.id)
        if entries is not None:
            return entries
        variable = self._variable(self._references[node.id].name) if isinstance(node, ast.Identifier) else None
        if variable is not None and variable.entries is not None:
            return variable.entries
        return self._look_up_entries(node) if self._bounds_results else None

    def _look_up_entries(self, node: Node) -> EntrySizes | None:
        """Return the sizes of the entries of a part of a variable; None for other nodes, and for values that are no list or map."""
        path, type_ = without_accumulator(self._path(node).names), self._types[node.id]
        if not path:
            return None
        kind, parameters = type_.kind, type_.parameters or (celtypes.DYN, celtypes.DYN)
        if kind is TypeKind.MAP:
            keys, values = (
                self._look_up((*path, part), entry)
                for part, entry in zip(("@keys", "@values"), parameters, strict=True)
            )
            return EntrySizes(kind, keys or UNKNOWN_SIZE, values or UNKNOWN_SIZE)
        items = self._look_up((*path, "@items"), parameters[0])
        if kind is TypeKind.LIST or (kind is TypeKind.DYN and items is not None):
            return EntrySizes(TypeKind.LIST, _ONE, items or UNKNOWN_SIZE)
        return None

    def _look_up(self, path: tuple[str, ...], type_: Type) -> SizeEstimate | None:
        return self._provider.size(path, type_) or (_ONE if self._is_scalar(type_) else None)

    def _union(self, left: EntrySizes | None, right: EntrySizes | None) -> EntrySizes | None:
        """Return the ranges of both entries; in newer dialects, a literal without entries does not count."""
        if self._bounds_results and left is not None and left.value is NOTHING:
            return right
        if self._bounds_results and right is not None and right.value is NOTHING:
            return left
        return union(left, right)

    def _copy_sizes(self, node: Node, source: Node) -> None:
        size = self._size_of(source)
        if size is not None:
            self._sizes[node.id] = size
        self._copy_entries(node, source)

    def _copy_entries(self, node: Node, source: Node) -> None:
        entries = self._entries_of(source)
        if entries is not None:
            self._entries[node.id] = entries


_ONE: Final = fixed_size(1)
NOTHING: Final = fixed_size(0)
"""Size of the entries of a literal without entries."""
_ACCUMULATORS: Final = frozenset({"__result__", "@result"})


def without_accumulator(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return *path*, or an empty path if it begins at the accumulator of a macro."""
    return () if path and path[0] in _ACCUMULATORS else path


def union(left: EntrySizes | None, right: EntrySizes | None) -> EntrySizes | None:
    """Return the ranges that contain both; None if either is unknown."""
    if left is None or right is None:
        return None
    return EntrySizes(left.kind, left.key.union(right.key), left.value.union(right.value))


def union_all(sizes: list[SizeEstimate]) -> SizeEstimate:
    """Return the smallest range that contains all *sizes*."""
    if not sizes:
        return NOTHING
    return SizeEstimate(min([size.min for size in sizes]), max([size.max for size in sizes]))


def _own_size(node: Node) -> SizeEstimate | None:
    """Return the size of a literal; None for other nodes."""
    if isinstance(node, ast.Constant):
        return fixed_size(len(node.value)) if isinstance(node.value, str | bytes) else _ONE
    if isinstance(node, ast.ListLiteral):
        return fixed_size(len(node.elements))
    if isinstance(node, ast.MapLiteral):
        return fixed_size(len(node.entries))
    return None

"""
Cost estimates as in cel-go 0.22, which does not track sizes of entries of literals and comprehensions.

Reference:
    cel-go v0.22.0 checker/cost.go, coster.
"""

from __future__ import annotations

from pytest_crd.engine.cel.cost import knownsizes
from pytest_crd.engine.cel.cost.estimate import Cost, Estimator, add_costs, sum_costs
from pytest_crd.engine.cel.cost.knownsizes import NOWHERE, SCALARS, CostPath, without_accumulator
from pytest_crd.engine.cel.text import ast
from pytest_crd.engine.cel.text.ast import Node
from pytest_crd.engine.cel.types.celtypes import Type, TypeKind
from pytest_crd.engine.cel.types.checked import CheckedExpression
from pytest_crd.engine.cel.types.costs import MAX, UNKNOWN_SIZE, SizeEstimate, SizeProvider


class EarlierEstimator(Estimator):
    """Cost estimator of one expression as in cel-go 0.22."""

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

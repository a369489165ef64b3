"""
Estimated sizes and costs: ranges that saturate at uint64.

Reference:
    cel-go checker/cost.go, SizeEstimate, CostEstimate; common/cost.go.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pytest_crd.engine.cel.types.celtypes import Type

MAX: Final = 2**64 - 1

STRING_TRAVERSAL: Final = 0.1
"""Cost per character of reading a string or bytes."""
REGEX_LENGTH: Final = 0.25
"""Cost per character of a regular expression in a match."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Minimum and maximum cost."""

    min: int
    max: int

    def __add__(self, other: CostEstimate) -> CostEstimate:
        """Return the sum of two costs."""
        return CostEstimate(min(self.min + other.min, MAX), min(self.max + other.max, MAX))

    def __mul__(self, other: CostEstimate) -> CostEstimate:
        """Return the product of two costs."""
        return CostEstimate(min(self.min * other.min, MAX), min(self.max * other.max, MAX))

    def times(self, factor: float) -> CostEstimate:
        """Return the cost times *factor*, rounded up."""
        return CostEstimate(scale(self.min, factor), scale(self.max, factor))


@dataclass(frozen=True, slots=True)
class SizeEstimate:
    """Minimum and maximum number of characters, bytes, elements or entries."""

    min: int
    max: int

    def __add__(self, other: SizeEstimate) -> SizeEstimate:
        """Return the sum of two sizes."""
        return SizeEstimate(min(self.min + other.min, MAX), min(self.max + other.max, MAX))

    def __mul__(self, other: SizeEstimate) -> SizeEstimate:
        """Return the product of two sizes."""
        return SizeEstimate(min(self.min * other.min, MAX), min(self.max * other.max, MAX))

    def cost(self, factor: float) -> CostEstimate:
        """Return the cost of this size at *factor* per unit, rounded up."""
        return CostEstimate(scale(self.min, factor), scale(self.max, factor))

    def cost_of_each(self, cost: CostEstimate) -> CostEstimate:
        """Return the cost of this size at *cost* per unit."""
        return CostEstimate(min(self.min * cost.min, MAX), min(self.max * cost.max, MAX))

    def union(self, other: SizeEstimate) -> SizeEstimate:
        """Return the smallest range that contains both."""
        return SizeEstimate(min(self.min, other.min), max(self.max, other.max))


UNKNOWN_SIZE: Final = SizeEstimate(0, MAX)


def fixed_cost(cost: int) -> CostEstimate:
    """Return the estimate with *cost* as minimum and maximum."""
    return CostEstimate(cost, cost)


def fixed_size(size: int) -> SizeEstimate:
    """Return the estimate with *size* as minimum and maximum."""
    return SizeEstimate(size, size)


def scale(size: int, factor: float) -> int:
    """Return *size* times *factor* in floating point, rounded up, at most MAX."""
    product = float(size) * factor
    return MAX if product >= 2.0**64 else math.ceil(product)


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """
    Cost of a call without its arguments, and size of its result.

    Attributes:
        cost: The cost.
        result_size: The size of the result; None if it has no size or an unknown one.
    """

    cost: CostEstimate
    result_size: SizeEstimate | None = None


@dataclass(slots=True)
class Argument:
    """
    Argument of a call in cost estimates.

    Attributes:
        path: Path of variable and fields (`@items`, `@keys`, `@values`, `@indices` for parts of lists and maps); empty
            for values that are not part of a variable.
        type: The type.
        node: The expression (ast.Node); None for the items of a list.
        size: The size, None if it is unknown.
    """

    path: tuple[str, ...]
    type: Type
    node: Any
    size: SizeEstimate | None


class SizeProvider(Protocol):
    """Source of the sizes of variables and their parts."""

    def size(self, path: tuple[str, ...], type_: Type) -> SizeEstimate | None:
        """
        Return the size of the value at *path*, or None if it is unknown.

        Args:
            path: As in `Argument.path`; empty for values that are not part of a variable.
            type_: The type of the value.
        """


class EstimateContext(Protocol):
    """Context of an overload's estimate."""

    def size(self, argument: Argument) -> SizeEstimate:
        """Return the size of *argument*, UNKNOWN_SIZE if it is unknown."""

    def scaled(self, size: SizeEstimate, factor: float) -> CostEstimate:
        """Return the cost of *size* at *factor* per unit in a function of CEL itself; an unknown size may have an unknown cost."""

    def multiplied(self, size: int, factor: int) -> int:
        """Return *size* times *factor*, at most MAX; older dialects use the product that overflows."""

    def rounded(self, size: int, divisor: int) -> int:
        """Return *size* divided by *divisor*, rounded up; older dialects round down."""

    def items(self, argument: Argument) -> Argument | None:
        """Return the items of the list *argument*; None if its type has no parameters, such as a string."""

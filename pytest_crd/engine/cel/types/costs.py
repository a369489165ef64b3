"""
Sizes and costs that are estimated before an expression runs: ranges that never leave uint64.

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
"""What reading a string or bytes costs per character."""
REGEX_LENGTH: Final = 0.25
"""What matching a regular expression costs per character of the expression."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What something costs at least and at most."""

    min: int
    max: int

    def __add__(self, other: CostEstimate) -> CostEstimate:
        """Return the costs of both."""
        return CostEstimate(min(self.min + other.min, MAX), min(self.max + other.max, MAX))

    def __mul__(self, other: CostEstimate) -> CostEstimate:
        """Return the product of both."""
        return CostEstimate(min(self.min * other.min, MAX), min(self.max * other.max, MAX))

    def times(self, factor: float) -> CostEstimate:
        """Return the costs times *factor*, rounded up."""
        return CostEstimate(scale(self.min, factor), scale(self.max, factor))


@dataclass(frozen=True, slots=True)
class SizeEstimate:
    """How many characters, bytes, elements or entries something has at least and at most."""

    min: int
    max: int

    def __add__(self, other: SizeEstimate) -> SizeEstimate:
        """Return the size of both together."""
        return SizeEstimate(min(self.min + other.min, MAX), min(self.max + other.max, MAX))

    def __mul__(self, other: SizeEstimate) -> SizeEstimate:
        """Return the product of both."""
        return SizeEstimate(min(self.min * other.min, MAX), min(self.max * other.max, MAX))

    def cost(self, factor: float) -> CostEstimate:
        """Return what it costs at *factor* per unit, rounded up."""
        return CostEstimate(scale(self.min, factor), scale(self.max, factor))

    def cost_of_each(self, cost: CostEstimate) -> CostEstimate:
        """Return what it costs at *cost* per unit."""
        return CostEstimate(min(self.min * cost.min, MAX), min(self.max * cost.max, MAX))

    def union(self, other: SizeEstimate) -> SizeEstimate:
        """Return the least range that holds both."""
        return SizeEstimate(min(self.min, other.min), max(self.max, other.max))


UNKNOWN_SIZE: Final = SizeEstimate(0, MAX)


def fixed_cost(cost: int) -> CostEstimate:
    """Return the estimate of what costs *cost* always."""
    return CostEstimate(cost, cost)


def fixed_size(size: int) -> SizeEstimate:
    """Return the estimate of what has *size* always."""
    return SizeEstimate(size, size)


def scale(size: int, factor: float) -> int:
    """Return *size* times *factor* in floating-point numbers, rounded up, at most MAX."""
    product = float(size) * factor
    return MAX if product >= 2.0**64 else math.ceil(product)


@dataclass(frozen=True, slots=True)
class CallEstimate:
    """
    What a call costs without its arguments.

    Attributes:
        cost: The cost.
        result_size: The size of the result; None where it has none, or none is known.
    """

    cost: CostEstimate
    result_size: SizeEstimate | None = None


@dataclass(slots=True)
class Argument:
    """
    An argument of a call whose cost is estimated.

    Attributes:
        path: The variable and the field names (`@items`, `@keys`, `@values`, `@indices` for parts of lists and maps) that
            lead to it; empty where it is no part of a variable.
        type: Its type.
        node: Its expression (ast.Node); None for the items of a list, which have no expression of their own.
        size: Its size, as far as it is known.
    """

    path: tuple[str, ...]
    type: Type
    node: Any
    size: SizeEstimate | None


class SizeProvider(Protocol):
    """What knows the sizes of variables and their parts."""

    def size(self, path: tuple[str, ...], type_: Type) -> SizeEstimate | None:
        """
        Return the size of what stands at *path*, or None where it is not known.

        Args:
            path: As Argument.path has it: it is empty for values that are no part of a variable.
            type_: The value's type.
        """


class EstimateContext(Protocol):
    """What an overload's estimate may ask for."""

    def size(self, argument: Argument) -> SizeEstimate:
        """Return the size of *argument*; UNKNOWN_SIZE where nothing is known of it."""

    def items(self, argument: Argument) -> Argument | None:
        """Return the items of the list *argument*; None where its type has no parameters, as a string's."""

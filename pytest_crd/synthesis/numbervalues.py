"""Numbers within the bounds of a schema that are multiples of a number."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

_USUAL: Final = (2, 3, 10, 80, 100, -1)
_FRACTION: Final = Decimal("0.5")
# The ranges of JSON integers and of the integer formats.
_INT64: Final = (-(2**63), 2**63 - 1)
_INT32: Final = (-(2**31), 2**31 - 1)


@dataclass(frozen=True, slots=True)
class NumberDemand:
    """
    The demand on a number.

    Attributes:
        is_integer: Whether it must be an integer.
        least: The lower bound; None if unbounded.
        excludes_least: Whether the lower bound is exclusive.
        most: The upper bound; None if unbounded.
        excludes_most: Whether the upper bound is exclusive.
        multiples: Numbers of which it must be a multiple.
    """

    is_integer: bool
    least: float | None = None
    excludes_least: bool = False
    most: float | None = None
    excludes_most: bool = False
    multiples: tuple[float, ...] = ()

    @property
    def step(self) -> Decimal:
        """The distance between valid numbers; one half if any fraction is valid."""
        steps = [_decimal(multiple) for multiple in self.multiples if multiple] or [
            Decimal(1) if self.is_integer else _FRACTION
        ]
        if self.is_integer:
            steps = [step * _denominator(step) for step in steps]
        if all(step == step.to_integral_value() for step in steps):
            return Decimal(math.lcm(*(abs(int(step)) for step in steps)) or 1)
        return max(steps)

    def fits(self, value: float) -> bool:
        """Return True if *value* is within the bounds."""
        if self.least is not None and (value <= self.least if self.excludes_least else value < self.least):
            return False
        return self.most is None or (value < self.most if self.excludes_most else value <= self.most)


def limits(format_: str) -> tuple[int, int]:
    """Return the least and the greatest integer of a format; the int64 range for unknown formats."""
    return _INT32 if format_ == "int32" else _INT64


@functools.lru_cache(maxsize=1024)
def find_numbers(demand: NumberDemand) -> tuple[float, ...]:
    """Return valid numbers without duplicates, simple ones first: near 0 if the bounds allow it, else near a bound."""
    return tuple(_all(demand))


def _all(demand: NumberDemand) -> Iterator[float]:
    step = demand.step
    bounds = sorted((bound for bound in (demand.least, demand.most) if bound is not None), key=abs)
    starts = [Decimal(0), Decimal(1), *map(_decimal, bounds), *map(Decimal, _USUAL)]
    numbers: set[float] = set()
    for start in starts:
        for offset in (0, 1, -1):
            value = to_number((start / step).to_integral_value() * step + offset * step, is_integer=demand.is_integer)
            if value not in numbers and demand.fits(value):
                numbers.add(value)
                yield value


def count_numbers(demand: NumberDemand) -> Iterator[float]:
    """Yield all valid numbers: upwards from the simplest one, then downwards."""
    start = next(_all(demand), None)
    if start is None:
        return
    for sign in (1, -1):
        offsets = (sign * count * demand.step for count in itertools.count(sign < 0))
        values = (to_number(_decimal(start) + offset, is_integer=demand.is_integer) for offset in offsets)
        yield from itertools.takewhile(demand.fits, values)


def to_number(value: Decimal, *, is_integer: bool) -> float:
    """Return *value* as a JSON number, as an int if it is integral."""
    return int(value) if is_integer or value == value.to_integral_value() else float(value)


def _decimal(value: float) -> Decimal:
    return Decimal(repr(value))


def _denominator(step: Decimal) -> int:
    return step.as_integer_ratio()[1]

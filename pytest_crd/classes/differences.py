"""Differences between a stored object and the same object in a class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.synthesis.demands import Demand

Steps: TypeAlias = tuple[str | int, ...]


def find(stored: Any, dumped: Any, steps: Steps, demands: Sequence[Demand]) -> Iterator[tuple[Steps, Any, Any]]:
    """
    Yield the steps and both values of each difference, None for an absent one.

    An absent field and null are the same, and so are sets with the same items; *demands* has the schemas of both sides.
    """
    if isinstance(stored, Mapping) and isinstance(dumped, Mapping):
        for name in dict.fromkeys((*stored, *dumped)):
            inner = [demand.inner(name) for demand in demands]
            yield from find(stored.get(name), dumped.get(name), (*steps, name), inner)
    elif isinstance(stored, list) and isinstance(dumped, list) and len(stored) == len(dumped):
        if any(map(_is_set, demands)):
            dumped = sorted(
                dumped, key=lambda item: next((i for i, own in enumerate(stored) if _is_same(own, item)), -1)
            )
        for index, pair in enumerate(zip(stored, dumped, strict=True)):
            yield from find(*pair, (*steps, index), [demand.inner(index) for demand in demands])
    elif not _is_same(stored, dumped):
        yield steps, stored, dumped


def _is_set(demand: Demand) -> bool:
    return bool(demand.structure.get("x-kubernetes-list-type") == "set")


def _is_same(stored: Any, dumped: Any) -> bool:
    """Return whether two values are the same; an integer is the same as the equal float."""
    types = {type(stored), type(dumped)}
    return float(stored) == float(dumped) if types == {int, float} else jsonvalue.equal(stored, dumped)


def find_value(value: Any, steps: Steps) -> Any:
    """Return the value at *steps*; None if it is absent."""
    for step in steps:
        if isinstance(value, Mapping):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value

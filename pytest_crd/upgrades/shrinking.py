"""
Shrinking: an object without the parts that what it shows is there without.

Whole parts are tried before what is in them, and long lists by halves. How much is tried depends on the object alone, so that all machines
find the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.objectplaces import Steps
from pytest_crd.upgrades.upgradefindings import Resource

Holds: TypeAlias = "Callable[[Resource], bool]"

# How many values may be looked at, in all objects together that are tried.
_BUDGET: Final = 60_000
_OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})


def smallest(resource: Resource, holds: Holds, *, budget: int = _BUDGET) -> Resource:
    """
    Return *resource* without what is not needed; where the budget is spent before, some of that is still there.

    Args:
        resource: An object for which *holds* is true.
        holds: Whether an object still shows what it is kept for.
        budget: How many values may be looked at.
    """
    return _Shrinking(resource, holds, budget).run()


class _Shrinking:
    def __init__(self, resource: Resource, holds: Holds, budget: int) -> None:
        self._resource = resource
        self._holds = holds
        self._left = budget
        self._size = size(resource)

    def run(self) -> Resource:
        for name in reversed(list(self._resource)):
            if name not in _OF_RESOURCE and not self._drops((name,)):
                self._shrink((name,))
        return self._resource

    def _shrink(self, steps: Steps) -> None:
        """Take away parts of the value at *steps*, the last first."""
        value = objectplaces.at(self._resource, steps)
        if isinstance(value, list):
            self._shorten(steps, len(value))
            value = objectplaces.at(self._resource, steps)
        for step in reversed(list(_inner(value))):
            if self._left <= 0:
                return
            # What is in a long list is as it is in its last items.
            if isinstance(value, list) or not self._drops((*steps, step)):
                self._shrink((*steps, step))

    def _shorten(self, steps: Steps, length: int) -> None:
        """Take away items of a list: as many at once as may go, halving what is tried."""
        count = length
        while count and self._left > 0:
            end = len(objectplaces.at(self._resource, steps))
            while end > 0 and self._left > 0:
                items = objectplaces.at(self._resource, steps)
                self._takes(objectplaces.replaced(self._resource, steps, [*items[: max(end - count, 0)], *items[end:]]))
                end -= count
            count //= 2

    def _drops(self, steps: Steps) -> bool:
        return self._takes(objectplaces.removed(self._resource, steps))

    def _takes(self, resource: Resource) -> bool:
        """Go on with an object if it still shows what it is kept for, and return whether it does."""
        self._left -= self._size
        if self._left < 0 or not self._holds(resource):
            return False
        self._resource, self._size = resource, size(resource)
        return True


def _inner(value: Any) -> Iterator[str | int]:
    if isinstance(value, Mapping):
        yield from value
    elif isinstance(value, list):
        yield from range(len(value))


def size(value: Any) -> int:
    """Return how many values there are in a value, itself included; a long text counts for several."""
    if isinstance(value, str):
        return 1 + len(value) // 100
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return 1 + sum(map(size, inner))

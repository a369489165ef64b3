"""
Shrinking: removal of the parts of an object that an effect does not need.

Whole parts are tried before their contents, and long lists by halves. The number of attempts depends on the object alone, so that results
are the same on all machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.objectplaces import Steps

Resource: TypeAlias = Mapping[str, Any]
Holds: TypeAlias = "Callable[[Resource], bool]"

# The number of values that may be visited, in all tried objects together.
_BUDGET: Final = 60_000
_OF_RESOURCE: Final = frozenset({"apiVersion", "kind", "metadata"})


def shrink(resource: Resource, holds: Holds, *, budget: int = _BUDGET) -> Resource:
    """
    Return *resource* without the parts that *holds* does not need; a spent budget leaves some of these parts in.

    Args:
        resource: An object for which *holds* is true.
        holds: The predicate that the result must satisfy.
        budget: The number of values that may be visited.
    """
    return _Shrinking(resource, holds, budget).run()


class _Shrinking:
    def __init__(self, resource: Resource, holds: Holds, budget: int) -> None:
        self._resource = resource
        self._holds = holds
        self._budget = budget
        self._size = count_values(resource)

    def run(self) -> Resource:
        for name in reversed(list(self._resource)):
            if name not in _OF_RESOURCE and not self._remove((name,)):
                self._shrink((name,))
        return self._resource

    def _shrink(self, steps: Steps) -> None:
        """Remove parts of the value at *steps*, the last part first."""
        value = objectplaces.get_value(self._resource, steps)
        if isinstance(value, list):
            self._shorten(steps, len(value))
            value = objectplaces.get_value(self._resource, steps)
        for step in reversed(list(_inner(value))):
            if self._budget <= 0:
                return
            # Items of a list were tried by `_shorten`, so only their contents are left to try.
            if isinstance(value, list) or not self._remove((*steps, step)):
                self._shrink((*steps, step))

    def _shorten(self, steps: Steps, length: int) -> None:
        """Remove items of a list: as many at once as possible, then half as many, and so on."""
        count = length
        while count and self._budget > 0:
            end = len(objectplaces.get_value(self._resource, steps))
            while end > 0 and self._budget > 0:
                items = objectplaces.get_value(self._resource, steps)
                self._accept(
                    objectplaces.replace_value(self._resource, steps, [*items[: max(end - count, 0)], *items[end:]])
                )
                end -= count
            count //= 2

    def _remove(self, steps: Steps) -> bool:
        return self._accept(objectplaces.remove_value(self._resource, steps))

    def _accept(self, resource: Resource) -> bool:
        """Continue with *resource* if it still satisfies the predicate; return True if it does."""
        self._budget -= self._size
        if self._budget < 0 or not self._holds(resource):
            return False
        self._resource, self._size = resource, count_values(resource)
        return True


def _inner(value: Any) -> Iterator[str | int]:
    if isinstance(value, Mapping):
        yield from value
    elif isinstance(value, list):
        yield from range(len(value))


def count_values(value: Any) -> int:
    """Return the number of values in *value*, itself included; a long text counts as several."""
    if isinstance(value, str):
        return 1 + len(value) // 100
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return 1 + sum(map(count_values, inner))

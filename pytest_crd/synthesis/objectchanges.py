"""Changes of an object: of one part, or of several parts at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.objectplaces import Steps

ABSENT: Final = object()
"""The placeholder for a missing value."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """
    A change of one part of an object.

    Attributes:
        steps: The steps of the part.
        value: The new value; `ABSENT` if the part is removed.
    """

    steps: Steps
    value: Any = ABSENT

    @property
    def is_removal(self) -> bool:
        """Whether the part is removed."""
        return self.value is ABSENT

    @property
    def parts(self) -> tuple[Mutation, ...]:
        """The mutation itself, as a tuple."""
        return (self,)

    def applied(self, resource: Any) -> Any:
        """Return *resource* with the change."""
        if self.is_removal:
            is_there = value_at(resource, self.steps) is not ABSENT
            return objectplaces.remove_value(resource, self.steps) if is_there else resource
        return objectplaces.replace_value(resource, self.steps, self.value)


@dataclass(frozen=True, slots=True)
class Mutations:
    """
    Several changes that are made together.

    Attributes:
        parts: The mutations in their order.
    """

    parts: tuple[Mutation, ...]

    def applied(self, resource: Any) -> Any:
        """Return *resource* with the changes."""
        for move in self.parts:
            resource = move.applied(resource)
        return resource


Change: TypeAlias = "Mutation | Mutations"
_AnyChange = TypeVar("_AnyChange", bound=Change)


def take_turns(iterators: Iterable[Iterator[_AnyChange]]) -> Iterator[_AnyChange]:
    """Yield a change of each iterator in turn; a change is searched for only when it is its turn."""
    waiting = deque(iterators)
    while waiting:
        change = next(waiting[0], None)
        if change is None:
            waiting.popleft()
        else:
            waiting.rotate(-1)
            yield change


def value_at(resource: Any, steps: Steps) -> Any:
    """Return the value at *steps*; `ABSENT` if it is missing."""
    try:
        return objectplaces.get_value(resource, steps)
    except (KeyError, IndexError, TypeError):
        return ABSENT

"""Changes of an object: of one part, or of several at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.objectplaces import Steps

ABSENT: Final = object()
"""What stands where nothing is."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """
    A change of one part of an object.

    Attributes:
        steps: Where.
        value: What is put there; nothing where the part is taken away.
    """

    steps: Steps
    value: Any = ABSENT

    @property
    def is_removal(self) -> bool:
        """Whether the part is taken away."""
        return self.value is ABSENT

    @property
    def parts(self) -> tuple[Mutation, ...]:
        """The changes of one part each."""
        return (self,)

    def applied(self, resource: Any) -> Any:
        """Return *resource* with the change."""
        if self.is_removal:
            is_there = there(resource, self.steps) is not ABSENT
            return objectplaces.removed(resource, self.steps) if is_there else resource
        return objectplaces.replaced(resource, self.steps, self.value)


@dataclass(frozen=True, slots=True)
class Mutations:
    """
    Changes that are made together.

    Attributes:
        parts: The changes of one part each, in their order.
    """

    parts: tuple[Mutation, ...]

    def applied(self, resource: Any) -> Any:
        """Return *resource* with the changes."""
        for move in self.parts:
            resource = move.applied(resource)
        return resource


Change: TypeAlias = "Mutation | Mutations"


def there(resource: Any, steps: Steps) -> Any:
    """Return what stands at *steps*; `ABSENT` where nothing does."""
    try:
        return objectplaces.at(resource, steps)
    except (KeyError, IndexError, TypeError):
        return ABSENT

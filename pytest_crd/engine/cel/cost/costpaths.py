"""
Paths from variables to their parts, as cel-go keeps them when it estimates.

It keeps them in slices, where a name that is appended may overwrite one that was appended before. A variable `k` over the keys
of a map three names deep is estimated as if it were one over the values, because both paths end in the same place of one slice.
Estimates decide what the server refuses, so this is kept.

Reference:
    cel-go checker/cost.go, getPath, addPath; Go runtime/slice.go, growslice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, eq=False)
class CostPath:
    """
    A path.

    Attributes:
        room: The names, and the room that there is for more; paths may share it.
        length: How many names of it are this path's.
    """

    room: list[str]
    length: int

    @property
    def names(self) -> tuple[str, ...]:
        """What the path consists of at the moment."""
        return tuple(self.room[: self.length])

    def append(self, name: str) -> CostPath:
        """Return this path with one name more: where there is room for it, in the same place."""
        if self.length < len(self.room):
            self.room[self.length] = name
            return CostPath(self.room, self.length + 1)
        room = [*self.room, name, *[""] * (len(self.room) - 1)]
        return CostPath(room, self.length + 1)


NOWHERE: Final = CostPath([], 0)
"""The path of what is no part of a variable."""


def of_variable(name: str) -> CostPath:
    """Return the path of the variable *name*."""
    return CostPath([name], 1)

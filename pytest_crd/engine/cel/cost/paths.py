"""
Paths from variables to their parts, as cel-go's estimator stores them.

cel-go stores paths in slices that share memory, so appending a name may overwrite the name of another path. For
example, a variable `k` over the keys of a map at a path of three names is estimated like a variable over the values,
because both paths end in the same slot. Estimates decide what the server refuses, so this module reproduces the
aliasing.

Reference:
    cel-go checker/cost.go, getPath, addPath; Go runtime/slice.go, growslice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, eq=False)
class CostPath:
    """
    Path from a variable to a part of its value.

    Attributes:
        room: The names and the spare capacity after them; other paths may share this list.
        length: The number of names that belong to this path.
    """

    room: list[str]
    length: int

    @property
    def names(self) -> tuple[str, ...]:
        """Current names of the path."""
        return tuple(self.room[: self.length])

    def append(self, name: str) -> CostPath:
        """Return this path extended by *name*; it shares the list if there is spare capacity."""
        if self.length < len(self.room):
            self.room[self.length] = name
            return CostPath(self.room, self.length + 1)
        room = [*self.room, name, *[""] * (len(self.room) - 1)]
        return CostPath(room, self.length + 1)


NOWHERE: Final = CostPath([], 0)
"""Path of values that are not part of a variable."""


def of_variable(name: str) -> CostPath:
    """Return the path of the variable *name*."""
    return CostPath([name], 1)

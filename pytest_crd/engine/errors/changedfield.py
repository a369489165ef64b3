"""Path of a field that the server changed in a request, with its steps and its origin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from pytest_crd.engine import fieldpath
from pytest_crd.engine.errors.failedrule import Steps
from pytest_crd.engine.errors.origin import Origin
from pytest_crd.engine.fieldpath import SpelledPath


class ChangedField(SpelledPath):
    """
    A path as in `unknown field "…"` warnings.

    Attributes:
        steps: The keys and indices of the field.
    """

    __slots__ = ("_find",)

    _find: Callable[[Steps], Origin | None]

    def __new__(cls, steps: Steps, find: Callable[[Steps], Origin | None]) -> Self:
        """Return the path at *steps*; *find* returns the origin on first use."""
        path = super().__new__(cls, fieldpath.unknown_field(steps), steps)
        path._find = find
        return path

    @property
    def origin(self) -> Origin | None:
        """The schema keyword that caused the change; None if no keyword did."""
        return self._find(self.steps)

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments to unpickle an equal path."""
        return _restore, (self.steps, self.origin)


def _restore(steps: Steps, origin: Origin | None) -> ChangedField:
    return ChangedField(steps, lambda _: origin)


def source_of(path: str) -> str:
    """Return `file:line` of the origin of *path*; empty if it is unknown."""
    origin = path.origin if isinstance(path, ChangedField) else None
    return origin.source if origin is not None else ""

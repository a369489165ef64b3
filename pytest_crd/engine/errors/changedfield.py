"""The path of a field that the server changed on its way in: a text that knows its steps and what decided."""

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
        steps: Where: keys and indices.
    """

    __slots__ = ("_find",)

    _find: Callable[[Steps], Origin | None]

    def __new__(cls, steps: Steps, find: Callable[[Steps], Origin | None]) -> Self:
        """Return the path at *steps*; *find*: what finds the origin, when it is first asked for."""
        made = super().__new__(cls, fieldpath.unknown_field(steps), steps)
        made._find = find
        return made

    @property
    def origin(self) -> Origin | None:
        """Which keyword of the schema decided; None where none did."""
        return self._find(self.steps)

    def __reduce__(self) -> tuple[object, ...]:
        """Return what another process needs to say the same."""
        return _known, (self.steps, self.origin)


def _known(steps: Steps, origin: Origin | None) -> ChangedField:
    return ChangedField(steps, lambda _: origin)


def source_of(path: str) -> str:
    """Return `file:line` of what decided about *path*; empty where nothing is known of it."""
    origin = path.origin if isinstance(path, ChangedField) else None
    return origin.source if origin is not None else ""
